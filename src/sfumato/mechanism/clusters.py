"""Groups of at least k similar rows: MDAV and greedy k-member clustering."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import finite_array, integer

__all__ = ["group_means", "k_member_groups", "mdav_groups"]


def _rows(rows: ArrayLike, k: int) -> NDArray[np.float64]:
    matrix = finite_array("rows", rows, ndim=2)
    integer("k", k)
    if k > len(matrix):
        raise bad_input("k", k, f"at most the {len(matrix)} rows", "lower k")
    return np.ascontiguousarray(matrix)


@njit(cache=True)
def _take_nearest(rows, alive, centre, count, group, name):  # type: ignore[no-untyped-def]
    """Put the ``count`` living rows nearest to ``centre`` into a group."""
    living = np.flatnonzero(alive)
    distance = np.empty(living.shape[0])
    for i in range(living.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += (rows[living[i], j] - centre[j]) ** 2
        distance[i] = total
    for _ in range(count):
        best = -1
        for i in range(living.shape[0]):
            if alive[living[i]] and (best < 0 or distance[i] < distance[best]):
                best = i
        group[living[best]] = name
        alive[living[best]] = False


@njit(cache=True)
def _farthest(rows, alive, centre):  # type: ignore[no-untyped-def]
    best, far = -1, -1.0
    for i in range(rows.shape[0]):
        if alive[i]:
            total = 0.0
            for j in range(rows.shape[1]):
                total += (rows[i, j] - centre[j]) ** 2
            if total > far:
                best, far = i, total
    return best


@njit(cache=True)
def _centre(rows, alive):  # type: ignore[no-untyped-def]
    centre = np.zeros(rows.shape[1])
    count = 0
    for i in range(rows.shape[0]):
        if alive[i]:
            count += 1
            for j in range(rows.shape[1]):
                centre[j] += rows[i, j]
    return centre / max(count, 1)


@njit(cache=True)
def _mdav(rows, k):  # type: ignore[no-untyped-def]
    group = np.full(rows.shape[0], -1, np.int64)
    alive = np.ones(rows.shape[0], np.bool_)
    left, name = rows.shape[0], 0
    while left >= 3 * k:
        first = _farthest(rows, alive, _centre(rows, alive))
        start = rows[first].copy()
        _take_nearest(rows, alive, start, k, group, name)
        second = _farthest(rows, alive, start)
        _take_nearest(rows, alive, rows[second].copy(), k, group, name + 1)
        name += 2
        left -= 2 * k
    if left >= 2 * k:
        first = _farthest(rows, alive, _centre(rows, alive))
        _take_nearest(rows, alive, rows[first].copy(), k, group, name)
        name += 1
        left -= k
    for i in range(rows.shape[0]):
        if alive[i]:
            group[i] = name
    return group


def mdav_groups(rows: ArrayLike, k: int) -> NDArray[np.int64]:
    """Groups of k to 2k − 1 rows by maximum distance to average vector (Domingo-Ferrer and Mateo-Sanz 2002).

    The row farthest from the mean takes its k − 1 nearest, then the row farthest from it takes its own, and so on.
    O(n²/k) time.

    >>> mdav_groups([[0.0], [1.0], [9.0], [10.0]], 2).tolist()
    [0, 0, 1, 1]
    """
    return _mdav(_rows(rows, k), k)


# True before every turn of the outer loop: groups below `name` have k rows, `sums` and `sizes` describe them, and
# `left` counts the rows without a group. The paper grows a group by its information loss; for numbers that is the sum
# of squares.
@njit(cache=True)
def _k_member(rows, k, first):  # type: ignore[no-untyped-def]
    count, width = rows.shape
    group = np.full(count, -1, np.int64)
    alive = np.ones(count, np.bool_)
    sums = np.zeros((max(count // k, 1), width))
    sizes = np.zeros(max(count // k, 1), np.int64)
    last, left, name = first, count, 0
    while left >= k:
        last = _farthest(rows, alive, rows[last].copy())
        for _ in range(k):
            if sizes[name] > 0:  # growth of the sum of squares: m/(m + 1)·|row − mean|²
                best, least = -1, np.inf
                for i in range(count):
                    if alive[i]:
                        total = 0.0
                        for j in range(width):
                            total += (rows[i, j] - sums[name, j] / sizes[name]) ** 2
                        if total < least:
                            best, least = i, total
                last = best
            group[last] = name
            alive[last] = False
            sums[name] += rows[last]
            sizes[name] += 1
            left -= 1
        name += 1
    for i in range(count):
        if alive[i]:
            best, least = 0, np.inf
            for g in range(name):
                total = 0.0
                for j in range(width):
                    total += (rows[i, j] - sums[g, j] / sizes[g]) ** 2
                total *= sizes[g] / (sizes[g] + 1)
                if total < least:
                    best, least = g, total
            group[i] = best
            sums[best] += rows[i]
            sizes[best] += 1
    return group


def k_member_groups(rows: ArrayLike, k: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
    """Groups of at least k rows by greedy k-member clustering (Byun et al. 2007); the cost is the sum of squares.

    Each group starts far from where the last one ended and takes the row that adds least, k times; rows that are left
    go where they add least. O(n²) time.

    >>> groups = k_member_groups([[0.0], [1.0], [9.0], [10.0]], 2, rng=np.random.default_rng(0))
    >>> bool(groups[0] == groups[1] != groups[2] == groups[3])
    True
    """
    matrix = _rows(rows, k)
    return _k_member(matrix, k, int(resolve_rng(rng).integers(len(matrix))))


def group_means(rows: ArrayLike, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Every row replaced by the mean of its group; equal rows are equal to the last bit.

    >>> group_means([[0.0], [2.0], [5.0]], np.array([0, 0, 1])).tolist()
    [[1.0], [1.0], [5.0]]
    """
    matrix = finite_array("rows", rows, ndim=2)
    sums = np.stack([np.bincount(groups, column) for column in matrix.T], axis=1)
    return (sums / np.bincount(groups)[:, None])[groups]
