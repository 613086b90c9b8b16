"""Minimal sample uniques: the smallest sets of columns in which a record is the only one of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.table.core.summary import Summary
from sfumato.validate import integer

__all__ = ["MinimalUniques", "minimal_uniques"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DENSE = 1 << 24
"""Cells up to which combinations of values are counted in an array of all of them."""


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The minimal sample uniques of a table.

    Parameters
    ----------
    table : Summary
    largest : int
        Columns in the largest set that was looked at.
    sets : tuple of (tuple of int, ndarray)
        Columns, and the tuples that are unique in them and in no part of them.
    """

    table: Summary
    largest: int
    sets: tuple[tuple[tuple[int, ...], Ints], ...]

    def weight(self, size: int) -> float:
        """What a minimal unique of ``size`` columns adds to the score of its record.

        Π_{i=size}^{M} (A − i) for A columns and sets of at most M < A (Elliot, Manning and Ford 2002): the fewer
        columns it takes, the more sets of columns contain it.
        """
        columns = self.table.width
        return float(prod(columns - i for i in range(size, min(self.largest, columns - 1) + 1)))

    @property
    def scores(self) -> NDArray[np.float64]:
        """The SUDA score of each tuple; 0 if nothing of it is unique."""
        found = np.zeros(len(self.table.codes))
        for columns, tuples in self.sets:
            found[tuples] += self.weight(len(columns))
        return found

    @property
    def by_size(self) -> dict[int, int]:
        """How many minimal uniques there are of each number of columns."""
        found = dict.fromkeys(range(1, self.largest + 1), 0)
        for columns, tuples in self.sets:
            found[len(columns)] += len(tuples)
        return found

    def column_shares(self) -> dict[str, float]:
        """The share of the score that comes from minimal uniques with each column in them; they overlap."""
        total = float(self.scores.sum())
        found = dict.fromkeys(self.table.names, 0.0)
        for columns, tuples in self.sets:
            for j in columns:
                found[self.table.names[j]] += self.weight(len(columns)) * len(tuples)
        return {name: value / total if total else 0.0 for name, value in found.items()}

    def value_shares(self, column: int) -> dict[str, float]:
        """The same for each value of one column."""
        tree, total = self.table.hierarchies[column], float(self.scores.sum())
        found = np.zeros(tree.size)
        for columns, tuples in self.sets:
            if column in columns:
                np.add.at(found, self.table.codes[tuples, column], self.weight(len(columns)))
        return {tree.leaves[i]: float(found[i] / total) for i in np.flatnonzero(found).tolist()} if total else {}


def minimal_uniques(table: Summary, *, largest: int = 3) -> MinimalUniques:
    """Find every minimal sample unique of at most ``largest`` columns, exactly.

    A record that is unique in some columns is unique in every larger set of columns. So sets of columns are looked at
    by size, and a unique of a set is minimal if it is unique in no set that is smaller by one column. What SUDA2 finds
    by a search over values (Manning, Haglin and Keane 2008) is found here by counting, once for each set of columns,
    the combinations of values of the distinct records; only records that are unique in all columns are looked at.

    Parameters
    ----------
    table : Summary
        Distinct records with their counts.
    largest : int
        How many columns an attacker knows at most. The number of sets grows with it: 12 columns have 298 of at most
        3 and 793 of at most 4.
    """
    integer("largest", largest)
    largest = min(largest, table.width)
    candidates = np.flatnonzero(table.counts == 1)
    sets: list[tuple[tuple[int, ...], Ints]] = []
    below: dict[tuple[int, ...], Bools] = {(): np.zeros(len(candidates), np.bool_)}
    if len(table.codes) == 1 and len(candidates):
        below[()][:] = True  # one record alone is unique without looking
    for size in range(1, largest + 1):
        level: dict[tuple[int, ...], Bools] = {}
        for columns in combinations(range(table.width), size):
            parts = [below[columns[:i] + columns[i + 1 :]] for i in range(size)]
            before = np.logical_or.reduce(parts)
            alone = before.copy()
            if not before.all():
                alone |= _unique(table, columns, candidates)
            minimal = candidates[alone & ~before]
            if len(minimal):
                sets.append((columns, minimal))
            level[columns] = alone
        below = level
    return MinimalUniques(table, largest, tuple(sets))


def _unique(table: Summary, columns: Sequence[int], candidates: Ints) -> Bools:
    """Which of the candidates are the only record with their values in these columns."""
    key, room = np.zeros(len(table.codes), np.int64), 1
    for j in columns:
        size = table.hierarchies[j].size
        if room * size >= 2**62:
            ranks, key = np.unique(key, return_inverse=True)
            room = len(ranks)
        key = key * size + table.codes[:, j]
        room *= size
    if room > max(DENSE, 4 * len(key)):
        ranks, key = np.unique(key, return_inverse=True)
        room = len(ranks)
    counts = np.bincount(key, table.counts, room)
    found: Bools = counts[key[candidates]] == 1
    return found
