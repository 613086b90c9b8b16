"""What answers look like around a place: the counts that attacks and utilities share."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.survey.core.neighbourhood import as_points, radius_in_points, to_sites
from sfumato.survey.data.survey import Survey

__all__ = ["local_shares", "sample_owners", "unbias", "voters"]


def sample_owners(survey: Survey, most: int, rng: Rng) -> NDArray[np.int64]:
    """Up to ``most`` different owners, in ascending order."""
    return np.arange(survey.n) if survey.n <= most else np.sort(rng.choice(survey.n, size=most, replace=False))


def local_shares(survey: Survey, owners: NDArray[np.int64], radius: float) -> NDArray[np.float64]:
    """Share of each answer within ``radius`` of each of the owners, shape (owners, K)."""
    from scipy.spatial import cKDTree

    sites, site_of = to_sites(as_points(survey.where, survey.geometry))
    counts = np.zeros((len(sites), survey.k))
    np.add.at(counts, (site_of, survey.answers), 1.0)
    asked, which = np.unique(site_of[owners], return_inverse=True)
    tree = cKDTree(sites)
    shares = np.empty((asked.size, survey.k))
    reach = radius_in_points(radius, survey.geometry)
    for start in range(0, asked.size, 1000):
        near = tree.query_ball_point(sites[asked[start : start + 1000]], reach)
        for row, found in enumerate(near, start):
            total = counts[found].sum(axis=0)
            shares[row] = total / total.sum()
    return shares[which]


def unbias(shares: NDArray[np.float64], channel: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Undo a public randomisation in shares, and bring what noise pushed outside back to the simplex.

    >>> channel = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> unbias(np.array([[0.38, 0.62]]), channel).round(6)
    array([[0.3, 0.7]])
    """
    if channel is None:
        return shares
    solved = np.clip(np.linalg.solve(channel.T, shares.T).T, 0, None)
    return solved / solved.sum(axis=1, keepdims=True)


def voters(survey: Survey, owners: NDArray[np.int64], radius: float, count: int, rng: Rng) -> NDArray[np.int64]:
    """For each owner the ``count`` owners within ``radius`` most alike in privileged attributes (ties at random).

    The owner is among them; −1 fills rows where fewer are near. Without privileged attributes they are random
    neighbours.
    """
    from scipy.spatial import cKDTree

    sites, site_of = to_sites(as_points(survey.where, survey.geometry))
    order = np.argsort(site_of, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(site_of, minlength=len(sites)))])
    side = np.zeros((survey.n, 1)) if survey.privileged is None else survey.privileged
    reach = radius_in_points(radius, survey.geometry)
    tree = cKDTree(sites)
    ties = rng.random(survey.n)
    result = np.full((owners.size, count), -1, np.int64)
    by_site = np.argsort(site_of[owners], kind="stable")
    asked, starts = np.unique(site_of[owners][by_site], return_index=True)
    ends = np.append(starts[1:], owners.size)
    for site, start, end in zip(asked, starts, ends, strict=True):
        near = np.array(tree.query_ball_point(sites[site], reach))
        crowd = np.concatenate([order[indptr[s] : indptr[s + 1]] for s in near])
        mine = by_site[start:end]
        result[mine] = _most_alike(side[crowd], ties[crowd], side[owners[mine]], crowd, owners[mine], count)
    return result


@njit(cache=True)
def _most_alike(
    side: NDArray[np.float64],
    ties: NDArray[np.float64],
    centres: NDArray[np.float64],
    crowd: NDArray[np.int64],
    owners: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:  # pragma: no cover - compiled
    rows = np.full((centres.shape[0], count), -1, np.int64)
    distance = np.empty(crowd.size)
    for i in range(centres.shape[0]):
        for j in range(crowd.size):
            total = 0.0
            for c in range(side.shape[1]):
                total += (side[j, c] - centres[i, c]) ** 2
            distance[j] = -1.0 if crowd[j] == owners[i] else total
        # Keep the best so far in ascending order: count is small, so insertion beats sorting the whole crowd.
        best = np.full(count, -1, np.int64)
        filled = 0
        for j in range(crowd.size):
            if filled == count:
                worst = best[count - 1]
                if distance[j] > distance[worst] or (distance[j] == distance[worst] and ties[j] >= ties[worst]):
                    continue
                at = count - 1
            else:
                at = filled
                filled += 1
            while at > 0:
                other = best[at - 1]
                if distance[other] < distance[j] or (distance[other] == distance[j] and ties[other] <= ties[j]):
                    break
                best[at] = other
                at -= 1
            best[at] = j
        for k in range(filled):
            rows[i, k] = crowd[best[k]]
    return rows
