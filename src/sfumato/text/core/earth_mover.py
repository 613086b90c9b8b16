"""Distances of bags of words: the true Earth Mover's distance, bounds on it, and the positional one.

For bags X = {xᵢ} and Y = {yⱼ} of N and M words, E_d(X, Y) = min_F Σ d(xᵢ, yⱼ)·F_ij over F ≥ 0 with row sums 1/N and
column sums 1/M. For N = M an optimal F is a permutation over N (Birkhoff), found by an assignment. The positional
distance takes F = identity/N; it is one feasible flow, so an upper bound: Fischer's thesis prints it as the Earth
Mover's metric.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import extra, finite_array

__all__ = ["centroid_distance", "earth_mover_distance", "positional_distance", "relaxed_emd"]


def earth_mover_distance(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_weights: ArrayLike | None = None,
    second_weights: ArrayLike | None = None,
) -> float:
    """The Earth Mover's distance of two bags of vectors (Euclidean ground distance).

    Parameters
    ----------
    first, second : array of shape (N, d), (M, d)
    first_weights, second_weights : array, optional
        How often each vector occurs; once, if not given.

    Examples
    --------
    >>> earth_mover_distance([[0.0, 0.0], [3.0, 4.0]], [[3.0, 4.0], [0.0, 0.0]])
    0.0
    >>> earth_mover_distance([[0.0]], [[1.0], [3.0]])
    2.0
    """
    x, y = _bags(first, second)
    a, b = _shares(first_weights, len(x)), _shares(second_weights, len(y))
    costs = _distances(x, y)
    if first_weights is None and second_weights is None and len(x) == len(y):
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(costs)
        return float(costs[rows, columns].sum() / len(x))
    if len(x) == 1 or len(y) == 1:
        return float((costs * a[:, None] * b[None]).sum())
    return float(extra("ot", "text").emd2(a, b, costs, numItermax=1_000_000))


def positional_distance(first: ArrayLike, second: ArrayLike) -> float:
    """The mean distance of words at the same position; never below the Earth Mover's distance.

    >>> positional_distance([[0.0, 0.0], [3.0, 4.0]], [[3.0, 4.0], [0.0, 0.0]])
    5.0
    """
    x, y = _bags(first, second)
    if len(x) != len(y):
        raise bad_input("bags", (len(x), len(y)), "bags of one size", "earth_mover_distance compares any two bags")
    return float(np.linalg.norm(x - y, axis=1).mean())


def relaxed_emd(first: ArrayLike, second: ArrayLike) -> float:
    """A lower bound on the Earth Mover's distance: every word moves to the nearest word of the other bag.

    Both directions are tried and the larger is returned.

    >>> relaxed_emd([[0.0], [1.0]], [[0.0], [5.0]])
    2.0
    """
    costs = _distances(*_bags(first, second))
    return float(max(costs.min(axis=1).mean(), costs.min(axis=0).mean()))


def centroid_distance(first: ArrayLike, second: ArrayLike) -> float:
    """A cheaper lower bound on the Earth Mover's distance: the distance of the mean vectors."""
    x, y = _bags(first, second)
    return float(np.linalg.norm(x.mean(axis=0) - y.mean(axis=0)))


def _bags(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = finite_array("first", first, ndim=2), finite_array("second", second, ndim=2)
    if len(x) == 0 or len(y) == 0:
        raise bad_input("bags", (len(x), len(y)), "at least one word each")
    if x.shape[1] != y.shape[1]:
        raise bad_input("dimensions", (x.shape[1], y.shape[1]), "vectors of one dimension")
    return x, y


def _shares(weights: ArrayLike | None, size: int) -> NDArray[np.float64]:
    if weights is None:
        return np.full(size, 1 / size)
    values = finite_array("weights", weights, ndim=1)
    if len(values) != size or values.min() < 0 or values.sum() == 0:
        raise bad_input("weights", values.shape, f"{size} counts ≥ 0, not all zero")
    return values / values.sum()


def _distances(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.spatial.distance import cdist

    return cdist(x, y)
