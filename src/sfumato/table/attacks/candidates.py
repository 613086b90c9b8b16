"""Counting candidates: for every possible victim, how many released records could be theirs. Exact, not O(n²).

Released tuples are few and columns have few values, so the count is a contraction of the tensor of released counts
with one 0/1 (or likelihood) matrix a column. Where the tensor would be too large, released tuples are kept as a trie
that each victim descends only where the matrices allow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_candidates", "posterior"]

DENSE_CELLS = 1 << 24
"""Largest tensor that is contracted; beyond it the trie is used."""

Matrix = NDArray[np.float64]


def count_candidates(
    victims: NDArray[np.int64],
    released: NDArray[np.int64],
    counts: NDArray[np.float64],
    matrices: Sequence[Matrix],
    *,
    dense: bool | None = None,
) -> NDArray[np.float64]:
    """Σ over released tuples r of counts[r]·Π_j matrices[j][victim_j, r_j], for each victim.

    Parameters
    ----------
    victims : ndarray of shape (victims, columns)
        Distinct input tuples.
    released : ndarray of shape (tuples, columns)
        Distinct released tuples.
    counts : ndarray of shape (tuples, values)
        How often each released tuple occurs, split by sensitive value (one column if there is none).
    matrices : sequence of ndarray
        For each column, inputs × outputs.
    dense : bool, optional
        Contract a tensor or descend a trie; by default what is smaller.
    """
    parts = [_used(victims[:, j], released[:, j], matrices[j]) for j in range(victims.shape[1])]
    if not parts:
        return np.repeat(counts.sum(0, keepdims=True), len(victims), axis=0)
    if dense is None:
        dense = _largest_tensor(parts, counts.shape[1]) <= DENSE_CELLS
    return _contract(parts, counts) if dense else _descend(*_trie(parts, counts))[0]


Part = tuple[NDArray[np.int64], NDArray[np.int64], Matrix]


def _used(inputs: NDArray[np.int64], outputs: NDArray[np.int64], matrix: Matrix) -> Part:
    """Renumber to the values that occur: victims' codes, released codes, the matrix between them."""
    used_in, victims = np.unique(inputs, return_inverse=True)
    used_out, released = np.unique(outputs, return_inverse=True)
    return victims, released, np.ascontiguousarray(matrix[np.ix_(used_in, used_out)], np.float64)


def _largest_tensor(parts: Sequence[Part], values: int) -> float:
    sizes = [part[2].shape for part in parts]
    largest = 0.0
    for done in range(len(sizes) + 1):
        cells = float(values)
        for j, (ins, outs) in enumerate(sizes):
            cells *= ins if j < done else outs
        largest = max(largest, cells)
    return largest


def _contract(parts: Sequence[Part], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    shape = tuple(part[2].shape[1] for part in parts)
    place = np.ravel_multi_index(tuple(part[1] for part in parts), shape)
    tensor = np.zeros((int(np.prod(shape)), counts.shape[1]))
    np.add.at(tensor, place, counts)
    tensor = tensor.reshape(*shape, counts.shape[1])
    for j, part in enumerate(parts):
        tensor = np.moveaxis(np.tensordot(part[2], tensor, axes=(1, j)), 0, j)
    return tensor[tuple(part[0] for part in parts)]


def _trie(parts: Sequence[Part], counts: NDArray[np.float64]):  # type: ignore[no-untyped-def]
    """Released tuples in lexicographic order, the most telling column first; ``starts`` marks where prefixes change."""
    order = sorted(range(len(parts)), key=lambda j: float((parts[j][2] > 0).mean()))
    released = np.stack([parts[j][1] for j in order], axis=1)
    sequence = np.lexsort(released.T[::-1])
    released = np.ascontiguousarray(released[sequence])
    fresh = np.ones(released.shape, np.int64)
    fresh[1:] = np.cumsum(released[1:] != released[:-1], axis=1) > 0
    # skip[i, j]: the next row whose first j + 1 columns differ from row i's
    skip = np.empty(released.shape, np.int64)
    following = np.full(released.shape[1], len(released))
    for i in range(len(released) - 1, -1, -1):
        skip[i] = following
        following = np.where(fresh[i] > 0, i, following)
    victims = np.stack([parts[j][0] for j in order], axis=1)
    height = max(parts[j][2].shape[0] for j in order)
    width = max(parts[j][2].shape[1] for j in order)
    matrices = np.zeros((len(order), height, width))
    for place, j in enumerate(order):
        matrix = parts[j][2]
        matrices[place, : matrix.shape[0], : matrix.shape[1]] = matrix
    return np.ascontiguousarray(victims), released, skip, matrices, np.ascontiguousarray(counts[sequence])


@njit(cache=True)
def _descend(victims, released, skip, matrices, counts):  # type: ignore[no-untyped-def]
    """For each victim the weighted counts of released records, the largest weight, and how many records reach it."""
    result = np.zeros((victims.shape[0], counts.shape[1]))
    best = np.zeros(victims.shape[0])
    ties = np.zeros(victims.shape[0])
    width = victims.shape[1]
    weight = np.empty(width + 1)
    weight[0] = 1.0
    for v in range(victims.shape[0]):
        row, depth = 0, 0  # columns before ``depth`` agree with the row before and are already in weight[depth]
        while row < released.shape[0]:
            j = depth
            while j < width:
                weight[j + 1] = weight[j] * matrices[j, victims[v, j], released[row, j]]
                if weight[j + 1] == 0.0:
                    break
                j += 1
            if j == width:
                value, records = weight[width], 0.0
                for s in range(counts.shape[1]):
                    result[v, s] += value * counts[row, s]
                    records += counts[row, s]
                if value > best[v] * (1 + 1e-12):
                    best[v], ties[v] = value, records
                elif value >= best[v] * (1 - 1e-12):
                    ties[v] += records
                ahead = row + 1
            else:
                ahead = skip[row, j]
            if ahead < released.shape[0]:
                depth = 0
                while depth < width and released[ahead, depth] == released[row, depth]:
                    depth += 1
                if depth > j:
                    depth = j
            row = ahead
    return result, best, ties


def posterior(
    victims: NDArray[np.int64], released: NDArray[np.int64], counts: NDArray[np.float64], likelihoods: Sequence[Matrix]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each victim: the sum of the likelihoods of all released records, the largest, and how many reach it."""
    parts = [_used(victims[:, j], released[:, j], likelihoods[j]) for j in range(victims.shape[1])]
    sums, best, ties = _descend(*_trie(parts, counts[:, None]))
    return sums[:, 0], best, ties
