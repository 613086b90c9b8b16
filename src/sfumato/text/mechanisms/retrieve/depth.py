"""Tukey depth: exact in the plane, by projections in any dimension, and how likely each depth is to be released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, positive

__all__ = ["depth_mass", "projection_depths", "tukey_depth"]


def tukey_depth(points: ArrayLike, at: ArrayLike) -> int:
    """The least number of points in a closed half-plane with ``at`` on its edge, exactly (Meehan §3.3.3).

    Parameters
    ----------
    points : array of shape (n, 1) or (n, 2)
    at : array of shape (1,) or (2,)

    Examples
    --------
    >>> square = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 0.0]]
    >>> tukey_depth(square, [0.0, 0.0]), tukey_depth(square, [1.0, 1.0]), tukey_depth(square, [3.0, 0.0])
    (3, 1, 0)
    """
    cloud, place = finite_array("points", points), finite_array("at", at)
    if cloud.ndim != 2 or cloud.shape[1] not in (1, 2) or place.shape != (cloud.shape[1],):
        raise bad_input("points", cloud.shape, "n points of one or two coordinates, and a place of as many")
    apart = cloud - place
    away = apart[(apart != 0).any(axis=1)]
    here = len(apart) - len(away)
    if len(away) == 0:
        return here
    if cloud.shape[1] == 1:
        return here + int(min((away > 0).sum(), (away < 0).sum()))
    angles = np.arctan2(away[:, 1], away[:, 0])
    # a point enters or leaves a half-plane a quarter turn before and after itself; the least is between two such turns
    turns = np.unique(np.concatenate([angles + np.pi / 2, angles - np.pi / 2]) % (2 * np.pi))
    between = (turns + np.diff(np.append(turns, turns[0] + 2 * np.pi)) / 2)[:, None]
    return here + int((np.cos(angles[None] - between) > 0).sum(axis=1).min())


def projection_depths(points: NDArray[np.float64], ranked: NDArray[np.float64], order: NDArray[np.int32]) -> Any:
    """min_j min(h_ij, k − h_ij) for each of m places, h_ij = #{l : ⟨s_l, v_j⟩ ≥ ⟨f_i, v_j⟩} (Meehan Alg. 3 with *min*).

    The dissertation prints *max* over the projections, which gives nearly every place the largest value; its prose
    (“the lowest depth across projections”) and the definition of depth ask for the minimum. Replacing one of the k
    points changes every h by at most 1, and so the result by at most 1.

    Parameters
    ----------
    points : array of shape (p, k)
        The points on each of p directions.
    ranked : array of shape (p, m)
        The places on each direction, in ascending order.
    order : array of shape (p, m)
        Which place that is.
    """
    return _depths(np.sort(points, axis=1), ranked, order)


@njit(cache=True)
def _depths(points: Any, ranked: Any, order: Any) -> Any:
    """Walk the places of each direction in ascending order.

    At every turn ``below`` of the k points are smaller than the present place, so h = k − below: it never falls along
    the walk, and one direction takes m + k steps.
    """
    directions, size = points.shape
    places = ranked.shape[1]
    least = np.full(places, size // 2, np.int32)
    for j in range(directions):
        below = 0
        depth = 0
        for rank in range(places):
            value = ranked[j, rank]
            while below < size and points[j, below] < value:
                below += 1
                depth = min(below, size - below)
            place = order[j, rank]
            if depth < least[place]:
                least[place] = depth
    return least


def depth_mass(counts: ArrayLike | Mapping[int, int], epsilon: float) -> NDArray[np.float64]:
    """The chance that the released candidate has depth j, if a_j candidates have it: ∝ a_j·e^(εj/2) (Meehan eq. 3.4).

    Examples
    --------
    Of 5 000 candidates, 55 at depth 5 and the others at 0 (Table 3.1, ε = 3):

    >>> round(float(depth_mass({0: 4945, 5: 55}, 3.0)[5]), 3)
    0.953
    """
    if isinstance(counts, Mapping):
        sizes = np.zeros(1 + max(counts, default=0))
        for depth, size in counts.items():
            sizes[depth] = size
    else:
        sizes = finite_array("counts", counts)
    if sizes.ndim != 1 or (sizes < 0).any() or sizes.sum() <= 0:
        raise bad_input("counts", sizes.tolist(), "how many candidates have depth 0, 1, 2, …, not all 0")
    positive("epsilon", epsilon)
    with np.errstate(divide="ignore"):
        weights = np.log(sizes) + epsilon / 2 * np.arange(len(sizes))
    mass: NDArray[np.float64] = np.exp(weights - weights.max())
    return mass / mass.sum()
