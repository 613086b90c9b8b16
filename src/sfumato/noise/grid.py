"""Power-of-two grids: numbers as whole multiples of 2^k, so that adding noise and adding up are exact.

A double is not a real number. Noise drawn and added in floating point leaves a pattern in the low bits by which the
true value can be told (Mironov 2012; Haney et al. 2022), and a floating-point sum changes by far more than one record's
range when one record changes (Casacuberta et al. 2022). On a grid of step g = 2^k both vanish:

- the *input* is rounded to a whole number of steps, before any noise;
- the noise is a whole number of steps, drawn exactly (:mod:`sfumato.noise.discrete_sampler`);
- what is released is a function of their exact sum alone, such as that sum rounded once: safe as the sum is.

Numbers that are no doubles (integers beyond 2⁵³, decimals, fractions) go to the grid as what they are:
:func:`add_on_grid` never makes doubles of them before the noise is in.

Rounding moves each of two neighbouring inputs by up to half a step per coordinate, so their distance grows by up to one
step per coordinate; the mechanisms draw that much more noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, integer, interval, positive

__all__ = [
    "RESOLUTION",
    "add_on_grid",
    "add_units",
    "from_units",
    "grid_bounds",
    "grid_step",
    "grid_sum",
    "sum_grid",
    "to_units",
]

RESOLUTION = 40
"""A noise scale is at least 2^39 and at most 2^40 steps of the grid chosen for it."""

_EXACT = 2.0**53  # whole numbers up to here are doubles
_LEAST, _MOST = 2.0**-900, 2.0**900


def grid_step(scale: float, resolution: int = RESOLUTION) -> float:
    """The power of two with ``scale`` in (2^(resolution−1), 2^resolution] steps of it.

    >>> grid_step(1.0, 10), grid_step(1.5, 10)
    (0.0009765625, 0.001953125)
    """
    mantissa, exponent = math.frexp(positive("scale", scale))
    if not _LEAST <= scale <= _MOST:
        raise bad_input("scale", scale, "a scale between 2^-900 and 2^900", "change the unit of the data")
    return math.ldexp(1.0, exponent - (mantissa == 0.5) - resolution)


def check_grid(name: str, grid: object) -> float:
    """A power of two that can be a grid's step."""
    step = positive(name, grid)
    if math.frexp(step)[0] != 0.5 or not _LEAST * 2.0**-60 <= step <= _MOST:
        raise bad_input(name, grid, "a power of two such as 1 or 2**-10", "grid_step(scale) makes one")
    return step


def to_units(values: NDArray[np.float64], grid: float, *, rounding: bool) -> NDArray[np.float64]:
    """Values as whole numbers of grid steps (still doubles): the nearest ones, upwards from the middle.

    Without ``rounding`` every value must be on the grid.
    """
    with np.errstate(over="ignore"):
        units = values / grid  # exact: the grid is a power of two
    if not np.isfinite(units).all():
        raise bad_input("data", float(np.abs(values).max()), f"numbers below {1.7e308 * grid:.2g}", "change the unit")
    whole = np.floor(units)
    if not rounding:
        if (whole != units).any():
            off = float(values[whole != units].flat[0])
            raise bad_input(
                "data", off, f"whole multiples of the grid {grid:g}", "leave out grid= to have them rounded"
            )
        return whole
    # Rounding this way commutes with whole shifts; the comparison is exact, unlike units + 0.5.
    units -= whole
    whole += units >= 0.5
    return whole


def from_units(units: NDArray[np.float64], grid: float) -> NDArray[np.float64]:
    """Whole numbers of steps as values; exact."""
    with np.errstate(over="ignore"):
        values = units * grid
    if not np.isfinite(values).all():
        raise bad_input("data", "released value", "numbers within floating range", "change the unit of the data")
    return values


def add_units(units: NDArray[np.float64], noise: NDArray[np.int64]) -> NDArray[np.float64]:
    """The exact sum of whole numbers, rounded once to a double.

    Both terms are whole doubles as long as the noise is below 2^53, and then one floating-point addition does it.

    >>> add_units(np.array([2.0**60]), np.array([3])) == 2.0**60
    array([ True])
    """
    total: NDArray[np.float64] = units + noise.astype(np.float64)
    if noise.size and (noise.max() >= _EXACT or noise.min() <= -_EXACT):  # rare: the look at each comes after
        for k in np.flatnonzero(np.abs(noise) >= _EXACT):
            total.flat[k] = float(int(units.flat[k]) + int(noise.flat[k]))
    return total


def add_on_grid(values: NDArray[Any], noise: NDArray[np.int64], grid: float, *, rounding: bool) -> NDArray[np.float64]:
    """Each value, rounded to the grid, plus its whole number of steps of noise; as doubles, made from the exact sum.

    Parameters
    ----------
    values : array
        What :func:`sfumato.validate.exact_array` gives: doubles, 64-bit integers, or integers and fractions as objects.
    noise : array of the same shape
    grid : float
    rounding : bool
        As in :func:`to_units`.

    >>> add_on_grid(np.array([2**60, 2**60 + 1]), np.array([-(2**60), -(2**60)]), 1.0, rounding=False)
    array([0., 1.])
    """
    if values.dtype == np.float64:
        released = np.empty(values.shape)
        flat = np.ascontiguousarray(values).reshape(-1), np.ascontiguousarray(noise).reshape(-1)
        if _add_doubles(*flat, grid, rounding, released.reshape(-1)):
            return released
        return from_units(add_units(to_units(values, grid, rounding=rounding), noise), grid)
    exponent = math.frexp(grid)[1] - 1
    if values.dtype == np.int64 and -62 <= exponent <= 0:
        # x·2^m + z = (x + ⌊z/2^m⌋)·2^m + (z mod 2^m): two whole numbers that the exact sum fixes. The noise is below
        # 2⁶² by far, so that only x near the ends of int64 could overflow.
        if values.size and (values.min() < -(2**62) or values.max() > 2**62):
            return _add_objects(values.astype(object), noise, grid, rounding=rounding)
        high, low = values + (noise >> -exponent), noise & ((1 << -exponent) - 1)
        return high.astype(np.float64) + low.astype(np.float64) * grid
    return _add_objects(values.astype(object), noise, grid, rounding=rounding)


# Every turn is one value by itself, with the operations of to_units, add_units and from_units in their order. ``plain``
# stays true while all of them are exact for every value so far, or round once where those three do.
@njit(cache=True)
def _add_doubles(
    values: NDArray[np.float64],
    noise: NDArray[np.int64],
    grid: float,
    rounding: bool,
    released: NDArray[np.float64],
) -> bool:  # pragma: no cover
    """Values on the grid plus noise in one pass; false where a value is off the grid or a number is too large."""
    plain = True
    for k in range(values.size):
        units = values[k] / grid
        whole = np.floor(units)
        off = units - whole
        moved = whole + 1.0 if off >= 0.5 else whole
        value = (moved + float(noise[k])) * grid
        released[k] = value
        plain &= (rounding or off == 0) & (abs(noise[k]) < _EXACT) & (abs(units) < math.inf) & (abs(value) < math.inf)
    return plain


def _add_objects(values: NDArray[Any], noise: NDArray[np.int64], grid: float, *, rounding: bool) -> NDArray[np.float64]:
    """The same in rational arithmetic, one value at a time."""
    step = Fraction(grid)
    released = np.empty(values.shape)
    for k, (value, shift) in enumerate(zip(values.flat, noise.flat, strict=True)):
        units = Fraction(value) / step
        whole = math.floor(units + Fraction(1, 2))  # the nearest, upwards from the middle
        if not rounding and whole != units:
            raise bad_input(
                "data", value, f"whole multiples of the grid {grid:g}", "leave out grid= to have them rounded"
            )
        try:
            released.flat[k] = float((whole + int(shift)) * step)
        except OverflowError as error:
            raise bad_input("data", "released value", "numbers within floating range", "change the unit") from error
    return released


def grid_bounds(low: float, high: float, grid: float) -> tuple[float, float]:
    """The range of values in [low, high] after rounding to the grid: what the sensitivity of :func:`grid_sum` rests on.

    Replacing one record changes the sum by at most ``high − low`` of the result, adding or removing one by at most its
    larger absolute value.

    >>> grid_bounds(0.0, 100.3, 0.25)
    (0.0, 100.25)
    """
    low, high = interval("(low, high)", (low, high))
    rounded = to_units(np.array([low, high]), check_grid("grid", grid), rounding=True) * grid
    return float(rounded[0]), float(rounded[1])


def sum_grid(count: int, low: float, high: float) -> float:
    """The finest grid on which any sum of ``count`` values in [low, high] is a double.

    >>> sum_grid(10**6, 0.0, 100.0) == 2.0**-26
    True
    """
    low, high = interval("(low, high)", (low, high))
    largest = integer("count", count) * max(abs(low), abs(high))
    return grid_step(largest * (1 + 2.0**-50), 53)


def grid_sum(values: ArrayLike, *, low: float, high: float, grid: float) -> float:
    """The sum of values in [low, high], each rounded to the grid first; exact, and in whatever order.

    Parameters
    ----------
    values : array of shape (n,)
        Clip them yourself first: a value outside the bounds is refused, because it voids the sensitivity.
    low, high : float
    grid : float
        A power of two, coarse enough for n·max(|low|, |high|) to stay below 2^53 steps; see :func:`sum_grid`.

    >>> grid_sum([0.1] * 10, low=0.0, high=1.0, grid=2.0**-10)  # 0.1 becomes 102/1024
    0.99609375
    """
    low, high = interval("(low, high)", (low, high))
    array = finite_array("values", values, ndim=1)
    grid = check_grid("grid", grid)
    if array.size == 0:
        return 0.0
    if array.min() < low or array.max() > high:
        outside = float(array.min()) if array.min() < low else float(array.max())
        raise bad_input("values", outside, f"values in [{low:g}, {high:g}]", "clip them, or widen the bounds")
    if array.size * max(abs(low), abs(high)) >= _EXACT * grid:
        raise bad_input("grid", grid, f"a grid of at least {sum_grid(array.size, low, high):g} here", "use sum_grid")
    return float(to_units(array, grid, rounding=True).astype(np.int64).sum() * grid)
