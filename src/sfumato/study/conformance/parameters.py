"""Checks of anything with parameters: keyword-only, kept, readable, never changed, and safe to send elsewhere."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any

import numpy as np

__all__ = ["SHAPE_CHECKS", "CheckError", "parameters", "require", "same"]


class CheckError(AssertionError):
    """Something does not behave as everything in sfumato does."""


def require(condition: bool, message: str) -> None:
    """Raise :class:`CheckError` with ``message`` unless ``condition`` holds."""
    if not condition:
        raise CheckError(message)


def same(first: Any, second: Any) -> bool:
    """Equality by value of anything that the shapes carry: arrays, frames, containers, numbers with NaN.

    >>> same({"x": np.array([1.0, np.nan])}, {"x": np.array([1.0, np.nan])})
    True
    """
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        equal_nan = all(np.asarray(v).dtype.kind == "f" for v in (first, second))
        return np.shape(first) == np.shape(second) and bool(np.array_equal(first, second, equal_nan=equal_nan))
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if hasattr(first, "equals"):
        return bool(first.equals(second))
    if dataclasses.is_dataclass(first):
        return all(same(getattr(first, f.name), getattr(second, f.name)) for f in dataclasses.fields(first))
    return bool(first == second) or (first != first and second != second)


def parameters(subject: Any) -> dict[str, Any]:
    """The constructor parameters and their values."""
    if hasattr(subject, "get_params"):
        return dict(subject.get_params())
    names = [name for name in inspect.signature(type(subject)).parameters if name != "self"]
    return {name: getattr(subject, name) for name in names}


def check_keyword_only(subject: Any) -> None:
    """Every parameter is given by name."""
    for parameter in inspect.signature(type(subject)).parameters.values():
        require(parameter.kind is parameter.KEYWORD_ONLY, f"parameter {parameter.name!r} can be given by position")


def check_parameters_round_trip(subject: Any) -> None:
    """What the constructor was given can be read back and makes the same thing again."""
    given = parameters(subject)
    expected = set(inspect.signature(type(subject)).parameters)
    require(set(given) == expected, f"get_params has {sorted(given)}, the constructor {sorted(expected)}")
    again = parameters(type(subject)(**given))
    changed = [name for name in given if not same(given[name], again[name])]
    require(not changed, f"the parameters {changed} change on the way through the constructor")


def check_repr_pastes_back(subject: Any) -> None:
    """``repr`` is code that makes the same thing (where the parameters are plain values)."""
    given = parameters(subject)
    if not all(_is_plain(value) for value in given.values()):
        require(type(subject).__name__ in repr(subject), "repr does not name the class")
        return
    names = {type(subject).__qualname__: type(subject), type(subject).__name__: type(subject)}
    try:
        again = eval(repr(subject), {"inf": float("inf"), "nan": float("nan")}, names)
    except Exception as error:
        raise CheckError(f"repr {subject!r} cannot be evaluated: {error}") from error
    require(same(parameters(again), given), f"repr {subject!r} makes something else")


def check_immutable(subject: Any) -> None:
    """A parameter cannot be changed after construction."""
    for name, value in parameters(subject).items():
        try:
            setattr(subject, name, value)
        except AttributeError:
            continue
        raise CheckError(f"parameter {name!r} can be assigned to")


def check_pickles(subject: Any) -> None:
    """A pickled copy has the same parameters, so that work can be sent to other processes."""
    try:
        copy = pickle.loads(pickle.dumps(subject))
    except Exception as error:
        raise CheckError(f"does not pickle: {error}") from error
    require(same(parameters(copy), parameters(subject)), "the pickled copy has other parameters")


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


SHAPE_CHECKS = (
    check_keyword_only,
    check_parameters_round_trip,
    check_repr_pastes_back,
    check_immutable,
    check_pickles,
)
