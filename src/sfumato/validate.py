"""Checks of parameters and arrays. Each returns the checked value or raises :class:`InputError`; none coerces."""

from __future__ import annotations

import importlib
import math
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import MissingExtraError, bad_input

__all__ = [
    "EXACT_INTEGERS",
    "choice",
    "exact_array",
    "extra",
    "finite_array",
    "integer",
    "interval",
    "misfit",
    "number",
    "positive",
    "probability",
    "unmasked_array",
]

T = TypeVar("T")

EXACT_INTEGERS = 2**53
"""All whole numbers up to here are doubles; beyond, neighbours share one."""


def number(name: str, value: object, remedy: str = "") -> float:
    """A finite real number (booleans are not numbers)."""
    result = _as_float(value)
    if not math.isfinite(result):
        raise bad_input(name, value, "a finite number", remedy)
    return result


def _as_float(value: object) -> float:
    """A real number as a double: NaN for what is none, infinity for what is larger than any double."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def positive(name: str, value: object, remedy: str = "", *, zero: bool = False) -> float:
    """A finite number > 0, or ≥ 0 with ``zero=True``.

    >>> positive("epsilon", 0.5)
    0.5
    """
    expected = "a finite number ≥ 0" if zero else "a finite number > 0"
    result = _as_float(value)
    if not math.isfinite(result) or result < 0 or (result == 0 and not zero):
        raise bad_input(name, value, expected, remedy)
    return result


def probability(name: str, value: object, remedy: str = "", *, zero: bool = False, one: bool = False) -> float:
    """A number in (0, 1); ``zero`` and ``one`` close the ends.

    >>> probability("delta", 1e-6)
    1e-06
    """
    expected = f"a number in {'[' if zero else '('}0, 1{']' if one else ')'}"
    result = _as_float(value)
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


def unmasked_array(name: str, value: Any) -> NDArray[Any]:
    """The value as an array of its own kind; a masked entry is a missing value and is refused, not uncovered."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise bad_input(name, "masked entries", "no missing values", "take data.compressed(), or fill the gaps")
        return np.asarray(value.data)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise bad_input(name, value, "a rectangular array of numbers", "pad or split it") from error


def exact_array(name: str, value: Any, remedy: str = "remove or impute missing values first") -> NDArray[Any]:
    """The finite numbers in ``value``, not one of them changed: as float64 if that holds them all.

    Other numbers stay what they are: integers beyond 2⁵³ as int64 or uint64, decimals, fractions, longer integers and
    longer floats as objects, each an ``int`` or a ``Fraction``. A cast to double would move some of them by more than
    neighbours are apart.

    >>> exact_array("x", [1, 2, 3])
    array([1., 2., 3.])
    >>> exact_array("x", [2**60, 2**60 + 1])
    array([1152921504606846976, 1152921504606846977])
    >>> exact_array("x", [2**53 + 1, 0.5])  # numpy makes doubles of these
    array([9007199254740993, Fraction(1, 2)], dtype=object)
    """
    array = unmasked_array(name, value)
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        array = array.astype(np.float64, copy=False)  # exact: no float here is longer than a double
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(np.atleast_1d(array)))[0].tolist()
            raise bad_input(f"{name}{where}", float(np.atleast_1d(array)[tuple(where)]), "finite numbers", remedy)
        if isinstance(value, list | tuple) and np.abs(array).max(initial=0.0) >= EXACT_INTEGERS:
            return _exact_objects(name, np.asarray(value, dtype=object), remedy)  # numpy may have rounded an integer
        return array
    if kind in "iu":
        if array.dtype.itemsize < 8 or _small(array):
            return array.astype(np.float64)  # exact: all are at most 2⁵³
        return array
    if kind == "f" or (kind == "O" and array.size):
        return _exact_objects(name, array, remedy)
    raise bad_input(name, array.dtype, "numbers", "convert the column first")


def _small(array: NDArray[Any]) -> bool:
    return array.size == 0 or bool(array.min() >= -EXACT_INTEGERS and array.max() <= EXACT_INTEGERS)


def _exact_objects(name: str, array: NDArray[Any], remedy: str) -> NDArray[Any]:
    """Integers and fractions; as float64 or int64 where the kinds of the numbers, not their low bits, allow it."""
    exact = np.empty(array.shape, dtype=object)
    doubles = True
    for k, one in enumerate(array.flat):
        if isinstance(one, bool | np.bool_) or not isinstance(one, Real | Decimal):
            raise bad_input(name, one, "numbers", "convert the column first")
        try:
            # A longdouble would be rounded on its way through float(); its two integers are not.
            ratio = Fraction(int(one)) if isinstance(one, Integral) else Fraction(*one.as_integer_ratio())  # type: ignore[union-attr]
        except (ValueError, OverflowError) as error:  # NaN and infinity have no ratio
            raise bad_input(name, one, "finite numbers", remedy) from error
        exact.flat[k] = ratio.numerator if ratio.denominator == 1 else ratio
        small = isinstance(one, Integral) and -EXACT_INTEGERS <= ratio <= EXACT_INTEGERS
        doubles = doubles and (small or isinstance(one, float | np.float32 | np.float16))
    if doubles:
        return array.astype(np.float64)  # exact: doubles, shorter floats, and integers up to 2⁵³
    if all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in exact.flat):
        return exact.astype(np.int64)
    return exact


def finite_array(
    name: str,
    value: ArrayLike,
    *,
    ndim: int | None = None,
    remedy: str = "remove or impute missing values first",
) -> NDArray[np.float64]:
    """A float64 array without NaN or infinity, of ``ndim`` dimensions if given. Never copies what already fits.

    A number that is no double is refused: see :func:`exact_array`.

    >>> finite_array("x", [1, 2, 3])
    array([1., 2., 3.])
    >>> finite_array("x", [2**60 + 1])
    Traceback (most recent call last):
    sfumato.errors.InputError: x = 'integers beyond 2^53': expected floats, or integers up to 2^53, ...
    """
    array = exact_array(name, value, remedy)
    if array.dtype != np.float64:
        raise bad_input(
            name,
            "integers beyond 2^53" if array.dtype.kind in "iu" else "decimals, fractions or long numbers",
            "floats, or integers up to 2^53, which doubles hold exactly",
            "subtract a public offset, such as the first possible time stamp, or take a coarser unit",
        )
    if ndim is not None and array.ndim != ndim:
        raise bad_input(name, array.shape, f"{ndim} dimension{'s' if ndim > 1 else ''}", "reshape it")
    return array


def extra(module: str, extra_name: str) -> ModuleType | Any:
    """Import an optional dependency late, or say which extra brings it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{package} is not installed; pip install 'sfumato[{extra_name}]' brings it") from error
    except ImportError as error:
        raise MissingExtraError(misfit(package, error)) from error


def misfit(package: str, error: ImportError) -> str:
    """Say that a package is installed in a version that another one does not fit, and what helps.

    >>> misfit("pyarrow", ImportError("pyarrow requires NumPy 2.0 or newer, found 1.26.4"))
    'pyarrow does not fit what is installed beside it (pyarrow requires NumPy 2.0 or newer, found 1.26.4); ...'
    """
    remedy = f"pip install --upgrade {' '.join(dict.fromkeys([package, 'numpy']))}"
    return f"{package} does not fit what is installed beside it ({error}); {remedy}"
