"""Objects made from named settings, as study files, table files and the command line give them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.validate import choice

__all__ = ["build", "read_settings"]


def read_settings(pairs: Iterable[str] | None, *, option: str = "--set") -> dict[str, Any]:
    """``name=value`` pairs with values written as in TOML; a bare word is a text.

    >>> read_settings(["rate=0.1", "columns=['a', 'b']", "kind=hour"])
    {'rate': 0.1, 'columns': ['a', 'b'], 'kind': 'hour'}
    """
    settings: dict[str, Any] = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name or name in settings:
            raise bad_input(option, pair, "name=value, each name once")
        try:
            settings[name] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name] = text
    return settings


def build(
    kinds: Mapping[str, type],
    name: str,
    settings: Mapping[str, Any],
    *,
    what: str = "mechanism",
    hidden: Collection[str] = ("unit", "neighbours", "model", "reach", "assumptions"),
    **fixed: Any,
) -> Any:
    """The mechanism called ``name`` with the given parameters, or an error that says what is missing or unknown.

    Parameters
    ----------
    kinds : mapping of str to type
        The dataclasses to choose from, such as ``Room.mechanisms()``.
    settings : mapping
        What the user gave; names that the class does not have are refused.
    hidden : collection of str
        Parameters that the user cannot set.
    fixed
        Parameters from the context (a schema, a vocabulary); used where the class has them.

    >>> from sfumato.mechanism import Laplace
    >>> build({"laplace": Laplace}, "laplace", {"epsilon": 1.0, "sensitivity": 2.0}).scale
    2.0
    >>> build({"laplace": Laplace}, "laplace", {"sensitivity": 2.0})
    Traceback (most recent call last):
    sfumato.errors.InputError: mechanism 'laplace': expected epsilon; say epsilon=…
    """
    kind = kinds[choice(what, name, list(kinds))]
    known = {field.name: field for field in fields(kind) if field.init}
    open_to_user = [key for key in known if key not in hidden and key not in fixed]
    for key in settings:
        if key not in open_to_user:
            raise bad_input(f"{what} {name!r}: parameter", key, "one of " + ", ".join(open_to_user))
    given = {key: value for key, value in fixed.items() if key in known} | dict(settings)
    needed = [
        key
        for key, field in known.items()
        if key not in given and field.default is MISSING and field.default_factory is MISSING
    ]
    if needed:
        raise InputError(f"{what} {name!r}: expected {', '.join(needed)}; say {needed[0]}=…")
    try:
        return kind(**given)
    except InputError as error:
        raise InputError(f"{what} {name!r}: {error}") from error
    except TypeError as error:  # a text where a number belongs
        raise bad_input(f"{what} {name!r}: parameters", dict(settings), "values of the right kind") from error
