"""Correlated Gaussian noise on the reals, rounded to a grid without error."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.interval import exact
from sfumato.noise.lazy_uniform import decide
from sfumato.noise.normal import draw_pairs, lazy_normals, lazy_pair, normals

__all__ = ["add_correlated_gaussian"]


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
