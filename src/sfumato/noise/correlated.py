"""Correlated Gaussian noise on the reals, rounded to a grid without error."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.grid import grid_step
from sfumato.noise.interval import exact
from sfumato.noise.lazy_uniform import LazyUniform, decide
from sfumato.noise.normal import draw_pairs, lazy_normals, lazy_pair, normals

__all__ = ["add_correlated_gaussian", "add_gaussian", "add_low_rank_gaussian"]

_NOISE_BITS = 21
"""Independent noise is rounded to a grid of which a deviation has 2²⁰ to 2²¹ steps."""


def add_gaussian(values: NDArray[np.float64], deviation: float, rng: Rng) -> NDArray[np.float64]:
    """Values of any shape plus N(0, deviation²) on each, rounded to a grid as if computed without error.

    >>> add_gaussian(np.zeros((2, 1)), 1.0, np.random.default_rng(1)).round(2)
    array([[-0.27],
           [-0.03]])
    """
    padded = np.zeros(values.size + values.size % 2)
    padded[: values.size] = values.ravel()
    grid = grid_step(deviation, _NOISE_BITS)
    noisy = add_correlated_gaussian(padded.reshape(-1, 2), np.eye(2) * deviation, grid, rng)
    return noisy.ravel()[: values.size].reshape(values.shape)


def add_correlated_gaussian(
    points: NDArray[np.float64], factor: NDArray[np.float64], grid: float, rng: Rng, *, slack: float = 1.0
) -> NDArray[np.float64]:
    """Each row of ``points`` (m, n) plus L·z with z standard normal and L = ``factor`` (n, n), rounded to the grid.

    The result is the ideal real-valued one rounded to whole multiples of ``grid``, a power of two; the doubles in
    ``factor`` are taken as the real numbers that they are. ``slack`` multiplies the error bound of the floating-point
    part, for tests.

    >>> add_correlated_gaussian(np.zeros((2, 1)), np.eye(1), 0.5, np.random.default_rng(1)) % 0.5
    array([[0.],
           [0.]])
    """
    count, dimension = points.shape
    units = points / grid
    whole = np.rint(units)  # the nearest: from the next below, −2⁻⁶⁰ would be a fraction of 1 − 2⁻⁶⁰, no double
    fraction = units - whole  # exact
    scaled = np.ascontiguousarray(factor) / grid
    cells = np.empty(points.shape)
    half = (dimension + 1) // 2
    per_chunk = max(1, (1 << 13) // dimension)
    for start in range(0, count, per_chunk):
        part = fraction[start : start + per_chunk]
        pairs = draw_pairs(part.shape[0] * half, rng).reshape(-1, half, 2)
        unsure = np.empty(part.shape[0], np.bool_)
        _correlated_cells(part, pairs, scaled, slack, cells[start : start + per_chunk], unsure)
        for k in np.flatnonzero(unsure):
            cells[start + k] = _correlated_cell_exactly(part[k], pairs[k], scaled, rng)
    return (whole + cells) * grid


# Every turn is one point by itself: ``worst`` bounds the error of its normals, ``weight`` and ``size`` how it and the
# rounding grow in the sum; a coordinate nearer to the edge of a cell than that makes the point ``unsure``.
@njit(cache=True)
def _correlated_cells(
    fraction: NDArray[np.float64],
    pairs: NDArray[np.uint64],
    factor: NDArray[np.float64],
    slack: float,
    cells: NDArray[np.float64],
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
    """The cell of each point, and whether it has to be found again with more bits."""
    dimension = fraction.shape[1]
    normal = np.empty(2 * pairs.shape[1])
    for k in range(pairs.shape[0]):
        worst = normals(pairs[k], normal)
        unsure[k] = worst == math.inf
        for i in range(dimension):
            shift = 0.0
            weight = 0.0
            size = 0.0
            for j in range(dimension):
                shift += factor[i, j] * normal[j]
                weight += abs(factor[i, j])
                size += abs(factor[i, j] * normal[j])
            place = shift + fraction[k, i] + 0.5
            cells[k, i] = math.floor(place)
            off = min(place - cells[k, i], cells[k, i] + 1 - place)
            if off <= slack * (worst * weight + 2.0**-51 * (dimension + 2) * size + 2.0**-50):
                unsure[k] = True


def _correlated_cell_exactly(
    fraction: NDArray[np.float64], pairs: NDArray[np.uint64], factor: NDArray[np.float64], rng: Rng
) -> list[int]:
    lazy = [lazy_pair(rng, pair) for pair in pairs]

    def cell(digits: int) -> list[int]:
        normal = lazy_normals(lazy, digits)
        places = []
        for row, offset in zip(factor, fraction, strict=True):
            place = exact(float(offset), digits) + 0.5
            for weight, z in zip(row, normal, strict=False):  # an odd dimension leaves the last normal unused
                place = place + z * float(weight)
            places.append(place.floor())
        return places

    return decide(cell, [part for pair in lazy for part in pair])


def add_low_rank_gaussian(
    points: NDArray[np.float64],
    spread: float,
    factor: NDArray[np.float64],
    grid: float,
    rng: Rng,
    *,
    slack: float = 1.0,
) -> NDArray[np.float64]:
    """Each row of ``points`` (m, n) plus spread·y + F·z, rounded to the grid, with F = ``factor`` of shape (n, r).

    y has n and z has r standard normal numbers of its own for each row. As exact as :func:`add_correlated_gaussian`,
    for noise that is too long for a square factor.

    >>> add_low_rank_gaussian(np.zeros((1, 2)), 1.0, np.ones((2, 1)), 0.5, np.random.default_rng(1)) % 0.5
    array([[0., 0.]])
    """
    count, length = points.shape
    rank = factor.shape[1]
    units = points / grid
    whole = np.rint(units)
    scaled, own_scale = np.ascontiguousarray(factor) / grid, spread / grid
    cells = np.empty(points.shape)
    for k in range(count):
        fraction = units[k] - whole[k]  # exact
        shared, own = draw_pairs((rank + 1) // 2, rng), draw_pairs((length + 1) // 2, rng)
        unsure = np.empty(length, np.bool_)
        _low_rank_cells(fraction, shared, own, scaled, own_scale, slack, cells[k], unsure)
        lazy_own: dict[int, tuple[LazyUniform, LazyUniform]] = {}
        lazy_shared = [lazy_pair(rng, pair) for pair in shared] if unsure.any() else []
        for i in np.flatnonzero(unsure).tolist():
            if i // 2 not in lazy_own:
                lazy_own[i // 2] = lazy_pair(rng, own[i // 2])
            cells[k, i] = _low_rank_cell_exactly(
                float(fraction[i]), scaled[i], own_scale, i % 2, lazy_shared, lazy_own[i // 2]
            )
    return (whole + cells) * grid


# Every turn is one pair of points, which share one pair of words and all of ``shared``. The error of a place is at most
# that of its normals times their weights, and the rounding of a sum of rank + 2 terms.
@njit(cache=True)
def _low_rank_cells(
    fraction: NDArray[np.float64],
    shared: NDArray[np.uint64],
    own: NDArray[np.uint64],
    factor: NDArray[np.float64],
    spread: float,
    slack: float,
    cells: NDArray[np.float64],
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
    """The cell of each point of one row, and whether it has to be found again with more bits."""
    rank = factor.shape[1]
    common = np.empty(2 * shared.shape[0])
    off_common = normals(shared, common)
    pair = np.empty(2)
    for i in range(fraction.shape[0]):
        if i % 2 == 0:
            off_own = normals(own[i // 2 : i // 2 + 1], pair)
        place = spread * pair[i % 2]
        size = abs(place)
        weight = 0.0
        for j in range(rank):
            term = factor[i, j] * common[j]
            place += term
            size += abs(term)
            weight += abs(factor[i, j])
        place += fraction[i] + 0.5
        if off_common == math.inf or off_own == math.inf:
            unsure[i] = True
            continue
        cells[i] = math.floor(place)
        off = min(place - cells[i], cells[i] + 1 - place)
        error = off_common * weight + off_own * spread + 2.0**-51 * (rank + 4) * size + 2.0**-50
        unsure[i] = off <= slack * error


def _low_rank_cell_exactly(
    fraction: float,
    row: NDArray[np.float64],
    spread: float,
    which: int,
    shared: list[tuple[LazyUniform, LazyUniform]],
    own: tuple[LazyUniform, LazyUniform],
) -> int:
    def cell(digits: int) -> int:
        place = exact(fraction, digits) + 0.5 + lazy_normals([own], digits)[which] * spread
        for weight, z in zip(row, lazy_normals(shared, digits), strict=False):
            place = place + z * float(weight)
        return place.floor()

    return decide(cell, [part for pair in (*shared, own) for part in pair])
