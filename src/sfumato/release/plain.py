"""Frozen dataclasses as JSON and back, checked field by field."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sfumato.errors import InputError, bad_input

__all__ = ["from_plain", "to_plain"]

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists; what JSON has no word for is refused."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise bad_input("value", type(value).__name__, "a plain value: text, number, list or dictionary")


def from_plain(kind: type[T], value: Any, *, where: str) -> T:
    """The dataclass that :func:`to_plain` wrote, or an error that names the field.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     rows: int
    >>> from_plain(Size, {"rows": "many"}, where="size")
    Traceback (most recent call last):
    sfumato.errors.InputError: size.rows = 'many': expected a whole number
    """
    if not isinstance(value, Mapping):
        raise bad_input(where, type(value).__name__, "an object {…}")
    hints = _hints(kind)  # type: ignore[arg-type]
    known = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in value:
        if name not in known:
            raise bad_input(f"{where}.{name}", "there", "no such field", "is it from a newer version?")
    for name, field in known.items():
        if name not in value and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InputError(f"{where}.{name} is missing")
    given = {name: _read(hints[name], one, f"{where}.{name}") for name, one in value.items()}
    return kind(**given)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(hint: Any, value: Any, where: str) -> Any:
    origin, inside = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inside:
            return None
        return _read(next(one for one in inside if one is not type(None)), value, where)
    if origin is Literal:
        if value not in inside:
            raise bad_input(where, value, "one of " + ", ".join(map(repr, inside)))
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise bad_input(where, value, "a list")
        return tuple(_read(inside[0], one, f"{where}[{place}]") for place, one in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise bad_input(where, value, "an object {…}")
        return {key: _read(inside[1], one, f"{where}.{key}") for key, one in value.items()}
    if dataclasses.is_dataclass(hint):
        return from_plain(hint, value, where=where)  # type: ignore[arg-type]
    return _scalar(hint, value, where)


def _scalar(hint: Any, value: Any, where: str) -> Any:
    named = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}[hint]
    if hint is float and value is None:
        return math.nan
    if hint is float and value in ("inf", "-inf"):
        return float(value)
    allowed = (int, float) if hint is float else hint
    if not isinstance(value, allowed) or (isinstance(value, bool) and hint is not bool):
        raise bad_input(where, value, named)
    return float(value) if hint is float else value
