"""The Gaussian law on the integers, and correlated Gaussian noise on the reals rounded to a grid.

The second is needed where the noise is not the same in all directions, or its scale depends on the data: the input
cannot be rounded then without changing what its neighbours are, so the *result* is rounded, and computed as if in
infinite precision (see :mod:`sfumato.noise.planar`, which does the same).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.noise.discrete_sampler import draw_lattice, log_normaliser
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import exact
from sfumato.noise.lazy_uniform import decide
from sfumato.noise.normal import draw_pairs, lazy_normals, lazy_pair, normals
from sfumato.validate import integer, positive

__all__ = ["add_correlated_gaussian", "discrete_gaussian", "discrete_gaussian_log_prob", "discrete_gaussian_variance"]


def discrete_gaussian(sigma: float, size: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
    """``size`` whole numbers with P(n) ∝ exp(−n²/2σ²): exact, in time that does not depend on what is drawn.

    Canonne, Kamath and Steinke (2020) give the law and its privacy; see :mod:`sfumato.noise.discrete_sampler` for the
    sampler.

    >>> discrete_gaussian(3.0, 5, rng=np.random.default_rng(1)).shape
    (5,)
    """
    return draw_lattice(True, positive("sigma", sigma), integer("size", size, least=0), resolve_rng(rng))


def discrete_gaussian_log_prob(n: ArrayLike, sigma: float) -> NDArray[np.float64]:
    """ln P(n) = −n²/2σ² − ln Σ exp(−k²/2σ²).

    >>> round(float(np.exp(discrete_gaussian_log_prob(np.arange(-99, 100), 2.0)).sum()), 12)
    1.0
    """
    x = np.asarray(n, np.float64) / sigma
    return -0.5 * x * x - log_normaliser(True, sigma)


def discrete_gaussian_variance(sigma: float) -> float:
    """The variance, which is σ² to double precision from σ = 1.5 on, and less below.

    >>> round(discrete_gaussian_variance(0.5), 4), discrete_gaussian_variance(5.0)
    (0.215, 25.0)
    """
    if sigma >= 3:
        return sigma * sigma
    n = np.arange(1, 40)
    weight = np.exp(-0.5 * (n / sigma) ** 2 - log_normaliser(True, sigma))
    return 2 * math.fsum(weight * n * n)


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
    whole = np.floor(units)
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


@njit(cache=True)
def _correlated_cells(
    fraction: NDArray[np.float64],
    pairs: NDArray[np.uint64],
    factor: NDArray[np.float64],
    slack: float,
    cells: NDArray[np.float64],
    unsure: NDArray[np.bool_],
) -> None:  # pragma: no cover
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
