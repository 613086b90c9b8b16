"""Releases on a public grid that are the ideal, real-valued ones rounded: the circle and the sphere of any dimension.

The noise is a real random angle (:mod:`~sfumato.direction.core.angle_hat`) and, on the sphere, a real random direction
at right angles to the input. Doubles find the cell of the grid with a bound on their error. Where the bound reaches the
edge of a cell, the cell is found in interval arithmetic from more bits of the same random reals and from the input as
it was given. So what is released is a function of the real-valued release alone, and the promise proved for real
numbers holds for the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.direction.core.angle_hat import AngleHat, ExactAngle
from sfumato.direction.core.sphere import Floats
from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, exact, pi
from sfumato.noise.lazy_uniform import decide
from sfumato.noise.normal import draw_pairs, lazy_normals, lazy_pair, signed

__all__ = ["Mean", "circle_cells", "degrees_mean", "sphere_cells", "vector_mean"]

Mean = Callable[[Floats, int], list[Interval]]
"""The unit vector that a record stands for, in interval arithmetic: of the record and the number of digits."""

_CHUNK = 1 << 14


def circle_cells(values: Floats, hat: AngleHat, cells: int, period: float | None, rng: Rng) -> Floats:
    """Values on the circle plus noise, as numbers of cells in [0, ``cells``).

    Parameters
    ----------
    values : ndarray of shape (m,)
    hat : AngleHat
        Of a law on the circle, n = 2.
    cells : int
        How many make the circle; a power of two.
    period : float, optional
        The length of the circle in the unit of the values; ``None`` for 2π itself.
    """
    released = np.empty(values.size)
    turn = 2 * math.pi if period is None else period
    for begin in range(0, values.size, _CHUNK):
        part = values[begin : begin + _CHUNK]
        theta, words, unsure = hat.draw(part.size, rng)
        found = released[begin : begin + _CHUNK]
        _circle_cells(part, theta, cells / turn, cells, found, unsure)
        for k in np.flatnonzero(unsure):
            found[k] = _circle_cell(float(part[k]), hat, words[k], cells, period, rng) % cells
    return released


# Every turn is one value by itself. The input and the angle are scaled and added: five roundings of 2⁻⁵³ of numbers of
# at most 1.5·cells, and the angle is wrong by 2⁻⁵⁰ itself.
@njit(cache=True)
def _circle_cells(
    values: Floats, theta: Floats, scale: float, cells: int, found: Floats, unsure: NDArray[np.bool_]
) -> None:  # pragma: no cover
    turn, error = cells / (2 * math.pi), 2.0**-48 * cells
    for i in range(values.size):
        place = values[i] * scale + theta[i] * turn + 0.5
        whole = math.floor(place)
        found[i] = np.int64(whole) % cells
        if min(place - whole, whole + 1 - place) <= error:
            unsure[i] = True


def _circle_cell(
    value: float, hat: AngleHat, words: NDArray[np.uint64], cells: int, period: float | None, rng: Rng
) -> int:
    noise = ExactAngle(hat, words, rng)

    def cell(digits: int) -> int:
        whole_turn = pi(digits) * 2
        turned = noise.angle(digits) / whole_turn
        given = exact(value, digits) / (whole_turn if period is None else period)
        return ((given - turned if noise.negative else given + turned) * cells + 0.5).floor()

    return decide(cell, [noise.place])


def sphere_cells(
    means: Floats, records: Floats, exactly: Mean, hat: AngleHat, step: float, rng: Rng, *, blur: float = 0.0
) -> Floats:
    """Directions around ``means``, each coordinate as a whole number of steps.

    Parameters
    ----------
    means : ndarray of shape (m, n)
        The records as unit vectors, right to 2⁻⁵⁰.
    records : ndarray of shape (m, …)
        The records as they were given.
    exactly : callable
        Their unit vectors in interval arithmetic.
    hat : AngleHat
        Of a law in n dimensions.
    step : float
        A power of two.
    blur : float
        How far the means may be wrong beyond 2⁻⁵⁰.
    """
    count, n = means.shape
    released = np.empty((count, n))
    half = 1 if n == 3 else n // 2  # pairs of words for the direction at right angles, of n − 1 dimensions
    size = max(1, _CHUNK // n)
    for begin in range(0, count, size):
        part = np.ascontiguousarray(means[begin : begin + size])
        theta, words, unsure = hat.draw(len(part), rng)
        pairs = draw_pairs(len(part) * half if n > 2 else 0, rng).reshape(-1, half, 2)
        cells = released[begin : begin + size]
        _sphere_cells(part, theta, pairs, step, blur, cells, unsure)
        for k in np.flatnonzero(unsure):
            mean = partial(exactly, records[begin + k])
            up = bool(part[k, -1] >= 0)
            cells[k] = _sphere_cell(mean, up, hat, words[k], pairs[k] if n > 2 else pairs[:0], step, rng)
    return released


# Every turn is one record by itself. The angle makes ``cosine`` and ``sine``, the pairs a direction ``row`` at right
# angles to the last axis, and the Householder reflection that maps that axis to the mean carries both there.
@njit(cache=True)
def _sphere_cells(
    means: Floats,
    theta: Floats,
    pairs: NDArray[np.uint64],
    step: float,
    blur: float,
    cells: Floats,
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
    count, n = means.shape
    last, inverse = n - 1, 1 / step  # a power of two
    row = np.empty(2 * pairs.shape[1] if n > 3 else 2)
    for i in range(count):
        mean = means[i]
        angle = abs(theta[i])
        cosine, sine = math.cos(angle), math.sin(angle)
        wrong = 0.0  # a bound on the length of the error of the unit vector in ``row``
        if n == 2:
            row[0] = 1.0 if theta[i] >= 0 else -1.0
        elif n == 3:
            v = float(np.int64(pairs[i, 0, 0])) * 2.0**-63
            w = float(np.int64(pairs[i, 0, 1])) * 2.0**-63
            square = v * v + w * w + 2.0**-126
            norm = math.sqrt(square)
            row[0], row[1] = v / norm, w / norm
            wrong = 2.0**-50 + 2.0**-60 / norm
            if square > 1 - 2.0**-48:
                unsure[i] = True
        else:
            least, most, total = 1.0, 0.0, 0.0
            for j in range(pairs.shape[1]):
                v = float(np.int64(pairs[i, j, 0])) * 2.0**-63
                w = float(np.int64(pairs[i, j, 1])) * 2.0**-63
                square = v * v + w * w + 2.0**-126
                least, most = min(least, square), max(most, square)
                stretch = math.sqrt(-2 * math.log(min(square, 1 - 2.0**-40)) / square)
                row[2 * j], row[2 * j + 1] = v * stretch, w * stretch
            for j in range(last):
                total += row[j] * row[j]
            norm = math.sqrt(total)
            if most > 1 - 2.0**-40:  # ln of the squared norm is mostly error, or the pair outside the disc
                unsure[i] = True
                most = 0.5
            # As in :func:`~sfumato.noise.normal.normals`, for the longest and the shortest of all.
            longest, shortest = math.sqrt(-2 * math.log(least)), math.sqrt(-2 * math.log(most))
            each = (2.0**-49 + 2.0**-60 / math.sqrt(least)) * (longest + 2 / shortest)
            wrong = 2 * math.sqrt(last) * each / norm + n * 2.0**-52
            sine /= norm
        dot = 0.0
        for j in range(last):
            row[j] *= sine
            dot += row[j] * mean[j]
        sign = 1.0 if mean[last] >= 0 else -1.0
        tip = mean[last] + sign
        factor = (dot + tip * cosine) / (1.0 + abs(mean[last]))
        # Numbers here are at most 2. The mean, the angle and a dozen roundings are wrong by less than 2⁻⁴⁷ in all, the
        # product by n·2⁻⁵³ more; what is wrong with ``row`` enters once itself and twice by way of the product.
        # A mean that is wrong by ``blur`` enters by itself, by way of the factor and of the product.
        error = (2.0**-47 + 4 * wrong + 8 * blur + n * 2.0**-52) * inverse
        for j in range(n):
            if j < last:
                value = sign * (factor * mean[j] - row[j])
            else:
                value = sign * (factor * tip - cosine)
            at = value * inverse + 0.5
            cells[i, j] = math.floor(at)
            if min(at - cells[i, j], cells[i, j] + 1 - at) <= error:
                unsure[i] = True


def _sphere_cell(
    exactly: Callable[[int], list[Interval]],
    up: bool,
    hat: AngleHat,
    words: NDArray[np.uint64],
    pairs: NDArray[np.uint64],
    step: float,
    rng: Rng,
) -> list[int]:
    noise = ExactAngle(hat, words, rng)
    lazy = [lazy_pair(rng, pair) for pair in pairs]
    n = hat.law.n
    # Reflections that map the last axis to the mean and to its opposite give the same law; the one that doubles chose
    # is kept, so that both ways lead from the same words to the same cell.
    sign = 1 if up else -1

    def cell(digits: int) -> list[int]:
        mean, theta = exactly(digits), noise.angle(digits)
        if n == 2:
            row = [exact(-1 if noise.negative else 1, digits)]
        elif n == 3:
            row = _unit([signed(part, digits) for part in lazy[0]])
        else:
            row = _unit(lazy_normals(lazy, digits)[: n - 1])
        cosine, sine = theta.cos(), theta.sin()
        row = [part * sine for part in row]
        tip = mean[-1] + sign
        dot = exact(0, digits)
        for part, other in zip(row, mean[:-1], strict=True):
            dot = dot + part * other
        factor = (dot + tip * cosine) / (tip * sign)
        moved = [factor * other - part for part, other in zip(row, mean[:-1], strict=True)]
        return [(part * sign / step + 0.5).floor() for part in (*moved, factor * tip - cosine)]

    return decide(cell, [noise.place, *(part for pair in lazy for part in pair)])


def _unit(parts: Sequence[Interval]) -> list[Interval]:
    square = exact(0, parts[0].digits)
    for part in parts:
        square = square + part * part
    norm = square.sqrt()
    return [part / norm for part in parts]


def vector_mean(record: Floats, digits: int) -> list[Interval]:
    """The direction of a vector of any length."""
    return _unit([exact(float(value), digits) for value in record])


def degrees_mean(record: Floats, digits: int) -> list[Interval]:
    """(cosφ cosλ, cosφ sinλ, sinφ) of latitude φ and longitude λ in degrees."""
    degree = pi(digits) / 180
    latitude, longitude = (degree * float(value) for value in record)
    return [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
