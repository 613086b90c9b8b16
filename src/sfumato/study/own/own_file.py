"""Studies of a user's own file: each kind of data says how its files become a study.

A room names a function ``own_study(data, *, …)``. Its first argument is the path of the file, its keyword arguments are
the options that a study file may set; those annotated as paths are files too, ``schema`` first of all.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.study.rooms import Room

__all__ = ["own_options", "own_paths", "own_study"]


def own_study(room: Room, data: str | Path, options: dict[str, Any]) -> Any:
    """The study of a file of one's own, or an error that says which option is missing, unknown or of the wrong kind."""
    accepted = own_options(room)
    for name in options:
        if name not in accepted:
            near = difflib.get_close_matches(name, accepted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(accepted)}"
            raise InputError(f"a study of your own {room.name} file has no option {name!r}: {hint}")
    needed = [name for name, parameter in accepted.items() if parameter.default is parameter.empty]
    missing = [name for name in needed if name not in options]
    if missing:
        raise InputError(f"a study of your own {room.name} file needs {', '.join(missing)}: say {missing[0]} = …")
    files = {name: Path(options[name]) for name in own_paths(room) if options.get(name) is not None}
    try:
        return _function(room)(Path(data), **{**options, **files})
    except TypeError as error:  # a number where a list belongs
        raise bad_input("options", options, "values of the right kind, lists in [ ]", str(error)) from error


def own_options(room: Room) -> dict[str, inspect.Parameter]:
    """The options of a study of one's own file, by name."""
    parameters = inspect.signature(_function(room)).parameters
    return {name: one for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY}


def own_paths(room: Room) -> list[str]:
    """Those of the options that are files."""
    return [name for name, one in own_options(room).items() if "Path" in str(one.annotation)]


def _function(room: Room) -> Callable[..., Any]:
    if not room.own:
        raise bad_input("data", room.name, "a kind of data that takes your own file", "this one has ready studies only")
    module, _, name = room.own.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found
