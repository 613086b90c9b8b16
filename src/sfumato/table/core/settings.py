"""Objects made from named settings, as files and the command line give them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from sfumato.errors import InputError, bad_input

__all__ = ["make_from_settings"]

HIDDEN = ("unit", "neighbours", "model")
"""Fields of a promise that settings do not reach: on a table they are always the same."""


def make_from_settings(
    what: str, kinds: Mapping[str, type], name: Any, settings: Mapping[str, Any], **fixed: Any
) -> Any:
    """The dataclass called ``name`` with the given settings, or an error that names what is missing or unknown.

    Parameters
    ----------
    what : str
        What it is, for the error: promise, step, mechanism.
    kinds : mapping of str to type
    settings : mapping
        What the user gave.
    fixed
        Parameters from the context; used where the class has them.
    """
    if not isinstance(name, str) or name not in kinds:
        raise bad_input(what, name, "one of " + ", ".join(kinds))
    kind: Any = kinds[name]
    known = {field.name: field for field in dataclasses.fields(kind) if field.init and field.name not in HIDDEN}
    open_to_user = [key for key in known if key not in fixed]
    for key in settings:
        if key not in open_to_user:
            raise bad_input(f"{what} {name!r}: parameter", key, "one of " + ", ".join(open_to_user))
    given = {key: value for key, value in fixed.items() if key in known} | dict(settings)
    needed = [
        key
        for key, field in known.items()
        if key not in given and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if needed:
        raise InputError(f"{what} {name!r}: expected {', '.join(needed)}; say {needed[0]}=…")
    try:
        return kind(**given)
    except InputError as error:
        raise InputError(f"{what} {name!r}: {error}") from error
    except TypeError as error:  # a text where a number belongs
        raise bad_input(f"{what} {name!r}: parameters", dict(settings), "values of the right kind") from error
