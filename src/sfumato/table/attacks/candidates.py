"""Counting candidates: for every possible victim, which released records could be theirs. Exact, not O(n²).

Released tuples are kept sorted, as a trie. Each victim descends it only along the labels that its own values may have
become (:class:`Ways`, one a column), so that the work goes with the candidates, and nothing is as large as victims ×
sensitive values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["NOBODY", "Counted", "Held", "Ways", "count_candidates", "held_values", "weights_at"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NOBODY = 1e-9
"""Mass of other people below which a released record can be of nobody else."""


class Ways(NamedTuple):
    """What each input value of a column may have become, and with which weight: compressed rows, labels rising."""

    starts: Ints
    labels: Ints
    weights: Floats

    @classmethod
    def of(cls, matrix: Any) -> Ways:
        """From a matrix of inputs × outputs, dense or sparse."""
        sparse = csr_array(matrix)
        sparse.eliminate_zeros()
        sparse.sort_indices()
        return cls(sparse.indptr.astype(np.int64), sparse.indices.astype(np.int64), sparse.data.astype(np.float64))

    def turned(self, outputs: int) -> Ways:
        """Which inputs may have become each output."""
        return Ways.of(csr_array((self.weights, self.labels, self.starts), shape=(len(self.starts) - 1, outputs)).T)


class Held(NamedTuple):
    """How often each sensitive value occurs in each released tuple: compressed rows."""

    starts: Ints
    values: Ints
    counts: Floats


class Counted(NamedTuple):
    """What the candidates of each victim are like.

    ``total`` is the sum of their weights, ``kinds`` how many sensitive values they have, ``own`` the weight of those
    with the value asked for (one entry for each pair of victim and value that was asked), ``best`` the largest weight
    of one record and ``ties`` how many records have it.
    """

    total: Floats
    kinds: Ints
    own: Floats
    best: Floats
    ties: Floats


def held_values(which: Ints, values: Ints, tuples: int, domain: int) -> Held:
    """The values of each tuple, from the tuple and the value of each record."""
    keys, counts = np.unique(which * domain + values, return_counts=True)
    starts = np.searchsorted(keys // domain, np.arange(tuples + 1))
    return Held(starts.astype(np.int64), keys % domain, counts.astype(np.float64))


@njit(cache=True)
def _find(array, low, high, wanted):  # type: ignore[no-untyped-def]
    """The first place from ``low`` to ``high`` whose entry is at least ``wanted``; entries rise."""
    while low < high:
        middle = (low + high) // 2
        if array[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def _weights_at(starts, labels, weights, inputs, outputs, found):  # type: ignore[no-untyped-def]
    for i in range(inputs.shape[0]):
        last = starts[inputs[i] + 1]
        place = _find(labels, starts[inputs[i]], last, outputs[i])
        found[i] *= weights[place] if place < last and labels[place] == outputs[i] else 0.0


def weights_at(ways: Sequence[Ways], inputs: Ints, outputs: Ints) -> Floats:
    """Π_j of the weight of output j for input j, one row each."""
    found = np.ones(len(inputs))
    for j, way in enumerate(ways):
        _weights_at(*way, np.ascontiguousarray(inputs[:, j]), np.ascontiguousarray(outputs[:, j]), found)
    return found


# True before every turn of the inner loop: rows low[d] to high[d] − 1 of the sorted tuples are those that agree with
# the labels chosen in the columns before d, whose weights have the product weight[d]; turn[d] is the first label of
# column d that was not tried there. What the victim's candidates so far hold is in `tally`, the values met in `met`.
@njit(cache=True)
def _descend(victims, ways, first, tuples, held, mass, others, asked, secrets, values, out):  # type: ignore[no-untyped-def]
    starts, labels, weights = ways
    total, kinds, own, best, ties = out
    width = victims.shape[1]
    low, high, turn = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    weight = np.ones(width + 1)
    tally, met = np.zeros(values), np.empty(values, np.int64)
    for v in range(victims.shape[0]):
        seen = 0
        low[0], high[0], depth = 0, tuples.shape[1], 0
        if width:
            turn[0] = starts[first[0] + victims[v, 0]]
        while depth >= 0:
            if depth == width:
                row, share = low[depth], weight[depth]
                if mass.shape[0]:  # against the chance that somebody else made such a record
                    share *= others / max(mass[row] - share, NOBODY)
                records = 0.0
                for s in range(held[0][row], held[0][row + 1]):
                    value = held[1][s]
                    if tally[value] == 0.0:
                        met[seen] = value
                        seen += 1
                    tally[value] += share * held[2][s]
                    records += held[2][s]
                total[v] += share * records
                if share > best[v] * (1 + 1e-12):
                    best[v], ties[v] = share, records
                elif share >= best[v] * (1 - 1e-12):
                    ties[v] += records
                depth -= 1
                continue
            place = turn[depth]
            if place >= starts[first[depth] + victims[v, depth] + 1]:
                depth -= 1
                continue
            turn[depth] += 1
            begin = _find(tuples[depth], low[depth], high[depth], labels[place])
            if begin < high[depth] and tuples[depth, begin] == labels[place]:
                low[depth + 1] = begin
                high[depth + 1] = _find(tuples[depth], begin, high[depth], labels[place] + 1)
                weight[depth + 1] = weight[depth] * weights[place]
                depth += 1
                if depth < width:
                    turn[depth] = starts[first[depth] + victims[v, depth]]
        kinds[v] = seen
        for a in range(asked[v], asked[v + 1]):
            own[a] = tally[secrets[a]]
        for s in range(seen):
            tally[met[s]] = 0.0


def count_candidates(
    victims: Ints,
    released: Ints,
    held: Held,
    ways: Sequence[Ways],
    *,
    asked: tuple[Ints, Ints] | None = None,
    mass: Floats | None = None,
    others: float = 1.0,
) -> Counted:
    """What the candidates of each victim are like, every released tuple r with the weight Π_j ways[j][victim_j, r_j].

    Parameters
    ----------
    victims : ndarray of shape (victims, columns)
        Distinct input tuples.
    released : ndarray of shape (tuples, columns)
        Distinct released tuples.
    held : Held
        The sensitive values of each released tuple.
    ways : sequence of Ways
        One for each column.
    asked : (starts, values), optional
        The sensitive values asked for of each victim, as compressed rows.
    mass, others : ndarray and float, optional
        The weight of each released tuple summed over all people. If given, the weight of a candidate is divided by
        what the ``others`` people (all but the victim) give it on average: the likelihood ratio.
    """
    count, width = victims.shape
    order = sorted(range(width), key=lambda j: len(ways[j].labels) / max(len(ways[j].starts) - 1, 1))
    sequence = np.lexsort([released[:, j] for j in order[::-1]]) if width else np.arange(len(released))
    tuples = np.ascontiguousarray(released[sequence][:, order].T)
    sizes = np.diff(held.starts)[sequence]
    places = np.repeat(held.starts[sequence] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(sizes) else 0
    take = np.arange(int(sizes.sum())) + places
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    sorted_held = (starts, held.values[take], held.counts[take])
    first = np.cumsum([0, *(len(ways[j].starts) for j in order)])[:-1].astype(np.int64)
    offsets = np.cumsum([0, *(len(ways[j].labels) for j in order)])
    joined = (
        np.concatenate([np.zeros(0, np.int64), *(ways[j].starts + offsets[i] for i, j in enumerate(order))]),
        np.concatenate([np.zeros(0, np.int64), *(ways[j].labels for j in order)]),
        np.concatenate([np.zeros(0), *(ways[j].weights for j in order)]),
    )
    wanted, secrets = asked or (np.zeros(count + 1, np.int64), np.zeros(0, np.int64))
    out = Counted(np.zeros(count), np.zeros(count, np.int64), np.zeros(len(secrets)), np.zeros(count), np.zeros(count))
    if len(released):
        known = np.zeros(0) if mass is None else np.ascontiguousarray(mass[sequence])
        values = int(max(held.values.max(initial=0), secrets.max(initial=0))) + 1
        people = np.ascontiguousarray(victims[:, order])
        _descend(people, joined, first, tuples, sorted_held, known, others, wanted, secrets, values, tuple(out))
    return out
