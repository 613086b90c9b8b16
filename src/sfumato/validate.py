"""Checks of parameters and arrays. Each returns the checked value or raises :class:`InputError`; none coerces."""

from __future__ import annotations

import importlib
import math
from collections.abc import Collection
from numbers import Integral, Real
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import MissingExtraError, bad_input

__all__ = ["choice", "extra", "finite_array", "integer", "interval", "number", "positive", "probability"]

T = TypeVar("T")


def number(name: str, value: object, remedy: str = "") -> float:
    """A finite real number (booleans are not numbers)."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
        raise bad_input(name, value, "a finite number", remedy)
    return float(value)


def positive(name: str, value: object, remedy: str = "", *, zero: bool = False) -> float:
    """A finite number > 0, or ≥ 0 with ``zero=True``.

    >>> positive("epsilon", 0.5)
    0.5
    """
    expected = "a finite number ≥ 0" if zero else "a finite number > 0"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise bad_input(name, value, expected, remedy)
    result = float(value)
    if not math.isfinite(result) or result < 0 or (result == 0 and not zero):
        raise bad_input(name, value, expected, remedy)
    return result


def probability(name: str, value: object, remedy: str = "", *, zero: bool = False, one: bool = False) -> float:
    """A number in (0, 1); ``zero`` and ``one`` close the ends.

    >>> probability("delta", 1e-6)
    1e-06
    """
    expected = f"a number in {'[' if zero else '('}0, 1{']' if one else ')'}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise bad_input(name, value, expected, remedy)
    result = float(value)
    inside = 0 < result < 1 or (zero and result == 0) or (one and result == 1)
    if not inside:
        raise bad_input(name, value, expected, remedy)
    return result


def integer(name: str, value: object, *, least: int = 1, most: int | None = None, remedy: str = "") -> int:
    """A whole number between ``least`` and ``most``."""
    expected = f"a whole number ≥ {least}" if most is None else f"a whole number from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise bad_input(name, value, expected, remedy)
    result = int(value)
    if result < least or (most is not None and result > most):
        raise bad_input(name, value, expected, remedy)
    return result


def choice(name: str, value: T, options: Collection[T], remedy: str = "") -> T:
    """One of the listed options."""
    if value not in options:
        raise bad_input(name, value, "one of " + ", ".join(map(repr, options)), remedy)
    return value


def interval(name: str, value: object, remedy: str = "") -> tuple[float, float]:
    """A pair ``(low, high)`` of finite numbers with low < high."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise bad_input(name, value, "a pair (low, high)", remedy)
    low, high = number(f"{name}[0]", value[0]), number(f"{name}[1]", value[1])
    if not low < high:
        raise bad_input(name, value, "low < high", remedy)
    return low, high


def finite_array(
    name: str,
    value: ArrayLike,
    *,
    ndim: int | None = None,
    remedy: str = "remove or impute missing values first",
) -> NDArray[np.float64]:
    """A float64 array without NaN or infinity, of ``ndim`` dimensions if given. Never copies what already fits.

    >>> finite_array("x", [1, 2, 3])
    array([1., 2., 3.])
    """
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise bad_input(name, value, "a rectangular array of numbers", remedy) from error
    if array.dtype.kind not in "iufb" or array.dtype.kind == "b":
        raise bad_input(name, array.dtype, "numbers", "convert the column first")
    array = array.astype(np.float64, copy=False)
    if ndim is not None and array.ndim != ndim:
        raise bad_input(name, array.shape, f"{ndim} dimension{'s' if ndim > 1 else ''}", "reshape it")
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(np.atleast_1d(array)))[0].tolist()
        raise bad_input(f"{name}{where}", float(np.atleast_1d(array)[tuple(where)]), "finite numbers", remedy)
    return array


def extra(module: str, extra_name: str) -> ModuleType | Any:
    """Import an optional dependency late, or say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module.partition('.')[0]} is not installed; pip install 'sfumato[{extra_name}]' brings it"
        ) from error
