"""Planar Laplace noise in any dimension: density ∝ exp(−‖x − μ‖/b), rounded to a grid without a trace of the floats.

The radius is Gamma(n, b), the direction uniform. What is released is the *ideal real-valued* result rounded to a grid
cell: rounding a result is free, so metric privacy holds for any two inputs, however close. (Rounding the input instead
would let two points a hair apart fall into different cells.) The cell is found in floating point with a proved bound
on the error; when the result lies within that bound of a cell's edge, the same random reals are drawn to more bits and
the cell is found in interval arithmetic. So the cell is the one that infinite precision would have given.

All random reals enter as pairs (v, w) uniform in the unit disc, by Marsaglia's polar method: its squared norm s is
uniform and independent of its direction. In the plane s serves as one of the two uniforms of the radius; in other
dimensions √(−2 ln s)·(v, w)/√s gives two normal numbers, and n of those a direction. The number of tries is independent
of what is kept, and the work for each is the same, so time tells nothing about the noise.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.interval import exact
from sfumato.noise.lazy_uniform import LazyUniform, decide, random_words
from sfumato.noise.normal import draw_pairs, lazy_normals, lazy_pair, normals, signed

__all__ = ["add_planar_laplace"]

_CHUNK = 1 << 13


def add_planar_laplace(
    points: NDArray[np.float64], scale: float, grid: float, rng: Rng, *, slack: float = 1.0
) -> NDArray[np.float64]:
    """Points of shape (m, n) plus planar Laplace noise of scale b = 1/ε, rounded to whole multiples of ``grid``.

    ``grid`` is a power of two, at most ``scale``. ``slack`` multiplies the error bound of the floating-point part, for
    tests: it sends more points through interval arithmetic and does not change the law.
    """
    released = np.empty(points.shape)
    per_chunk = max(1, _CHUNK // points.shape[1])
    draw = _draw_plane if points.shape[1] == 2 else _draw_space
    for start in range(0, points.shape[0], per_chunk):
        units = points[start : start + per_chunk] / grid
        whole = np.rint(units)  # the nearest: from the next below, −2⁻⁶⁰ would be a fraction of 1 − 2⁻⁶⁰, no double
        cells = draw(units - whole, scale / grid, rng, slack)  # the fraction is exact
        released[start : start + per_chunk] = (whole + cells) * grid
    return released


def _draw_plane(fraction: NDArray[np.float64], scale: float, rng: Rng, slack: float) -> NDArray[np.float64]:
    count = fraction.shape[0]
    cells = np.empty((count, 2))
    pairs = draw_pairs(count, rng)
    third = random_words(rng, count)
    unsure = np.empty(count, np.bool_)
    _plane_cells(fraction, pairs, third, scale, slack, cells, unsure)
    for k in np.flatnonzero(unsure):
        cells[k] = _plane_cell_exactly(fraction[k], pairs[k], third[k], scale, rng)
    return cells


def _plane_cell_exactly(
    fraction: NDArray[np.float64], words: NDArray[np.uint64], third: np.uint64, scale: float, rng: Rng
) -> list[int]:
    pair = lazy_pair(rng, words)
    uniform = LazyUniform(rng, int(third))

    def cell(digits: int) -> list[int]:
        v, w = signed(pair[0], digits), signed(pair[1], digits)
        square = v * v + w * w
        length = -(square * uniform.interval(digits)).log() * scale / square.sqrt()
        return [(length * v + float(fraction[0]) + 0.5).floor(), (length * w + float(fraction[1]) + 0.5).floor()]

    return decide(cell, [*pair, uniform])


# Every turn is one point by itself: its cell in floating point, and ``unsure`` if the true place may be in another cell
# because it is nearer to an edge than the error bound, or if the pair may lie outside the disc.
@njit(cache=True)
def _plane_cells(
    fraction: NDArray[np.float64],
    pairs: NDArray[np.uint64],
    third: NDArray[np.uint64],
    scale: float,
    slack: float,
    cells: NDArray[np.float64],
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
    """The cell of each point of the plane, and whether it has to be found again with more bits."""
    for k in range(pairs.shape[0]):
        v = float(np.int64(pairs[k, 0])) * 2.0**-63
        w = float(np.int64(pairs[k, 1])) * 2.0**-63
        u = float(third[k]) * 2.0**-64 + 2.0**-65
        square = v * v + w * w + 2.0**-126
        norm = math.sqrt(square)
        radius = -math.log(square * u)
        # Unknown bits change v, w by 2⁻⁶³ and u by 2⁻⁶⁴; every operation rounds by 2⁻⁵³ of its result.
        relative = 2.0**-49 + 2.0**-60 / norm
        error = slack * scale * (radius * relative + relative + 2.0**-62 / u) + 2.0**-49
        length = radius * scale / norm
        first = length * v + fraction[k, 0] + 0.5
        second = length * w + fraction[k, 1] + 0.5
        cells[k, 0], cells[k, 1] = math.floor(first), math.floor(second)
        off = min(first - cells[k, 0], cells[k, 0] + 1 - first, second - cells[k, 1], cells[k, 1] + 1 - second)
        unsure[k] = off <= error or square > 1 - 2.0**-48


def _draw_space(fraction: NDArray[np.float64], scale: float, rng: Rng, slack: float) -> NDArray[np.float64]:
    count, dimension = fraction.shape
    half = (dimension + 1) // 2
    pairs = draw_pairs(count * half, rng).reshape(count, half, 2)
    words = random_words(rng, count * dimension).reshape(count, dimension)
    cells = np.empty((count, dimension))
    unsure = np.empty(count, np.bool_)
    _space_cells(fraction, pairs, words, scale, slack, cells, unsure)
    for k in np.flatnonzero(unsure):
        cells[k] = _space_cell_exactly(fraction[k], pairs[k], words[k], scale, rng)
    return cells


def _space_cell_exactly(
    fraction: NDArray[np.float64], pairs: NDArray[np.uint64], words: NDArray[np.uint64], scale: float, rng: Rng
) -> list[int]:
    dimension = fraction.size
    lazy = [lazy_pair(rng, pair) for pair in pairs]
    uniforms = [LazyUniform(rng, int(word)) for word in words]

    def cell(digits: int) -> list[int]:
        direction = lazy_normals(lazy, digits)[:dimension]
        square = exact(0, digits)
        for part in direction:
            square = square + part * part
        product = exact(1, digits)
        for uniform in uniforms:
            product = product * uniform.interval(digits)
        length = -product.log() * scale / square.sqrt()
        return [(length * part + float(offset) + 0.5).floor() for part, offset in zip(direction, fraction, strict=True)]

    return decide(cell, [*(part for pair in lazy for part in pair), *uniforms])


# Every turn is one point by itself, as in the plane. The radius is −Σ ln u: ``radius`` − ln ``product`` is its part so
# far, and the product is taken out before it can underflow; ``missing`` bounds what the unknown bits of the u change.
@njit(cache=True)
def _space_cells(
    fraction: NDArray[np.float64],
    pairs: NDArray[np.uint64],
    words: NDArray[np.uint64],
    scale: float,
    slack: float,
    cells: NDArray[np.float64],
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
    """The cell of each point in any dimension, and whether it has to be found again with more bits."""
    dimension = fraction.shape[1]
    normal = np.empty(2 * pairs.shape[1])
    for k in range(pairs.shape[0]):
        worst = normals(pairs[k], normal)
        unsure[k] = worst == math.inf
        total = 0.0
        for j in range(dimension):
            total += normal[j] * normal[j]
        norm = math.sqrt(total)
        radius = 0.0
        product = 1.0
        missing = 0.0
        for j in range(dimension):
            u = float(words[k, j]) * 2.0**-64 + 2.0**-65
            product *= u
            missing += 2.0**-64 / u
            if product < 2.0**-900:
                radius -= math.log(product)
                product = 1.0
        radius -= math.log(product)
        error_radius = missing + 2.0**-52 * dimension + 2.0**-50 * radius
        for j in range(dimension):
            shift = radius * scale * normal[j] / norm
            # A normal off by e changes the direction by e/norm, and the norm by at most √n·e.
            error = scale * (error_radius * abs(normal[j]) / norm + 4 * radius * worst * math.sqrt(dimension) / norm)
            place = shift + fraction[k, j] + 0.5
            cells[k, j] = math.floor(place)
            off = min(place - cells[k, j], cells[k, j] + 1 - place)
            if off <= slack * (error + 2.0**-51 * (dimension + 8) * (abs(shift) + 1)):
                unsure[k] = True
