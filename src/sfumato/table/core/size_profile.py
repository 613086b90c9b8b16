"""How many records of a lattice node lie in small classes, and what suppressing them costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.table.core.grouper import NodeGroups
from sfumato.table.core.summary import Summary

__all__ = ["LARGEST", "CellCounter", "SizeProfile", "Small", "profile_of_groups"]

LARGEST = 1 << 10
"""Class sizes below this are told apart in a profile that is kept."""

_BUNDLE = 4096  # values a bundle of columns may have: its tables stay in the second-level cache

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Small(NamedTuple):
    """The records of a node that are in small classes.

    ``gaps[j][level]`` is what suppressing them adds in column j if it stands at that level: Σ_j gaps[j][u_j] bounds the
    surcharge of every node below from below, at whatever levels u its cells are generalised at least.
    """

    records: int
    gaps: list[list[float]]


@dataclass(frozen=True, eq=False)
class SizeProfile:
    """Records in classes up to each size, and what suppressing them costs on top of generalising them.

    Parameters
    ----------
    sizes : ndarray
        The class sizes that occur, rising.
    records, surcharge : ndarray
        Of all classes of at most that size; the surcharge summed over records.
    """

    sizes: Ints
    records: Ints
    surcharge: Floats

    def below(self, least: int, heights: Sequence[int]) -> Small:
        """The records in classes smaller than ``least``; the gaps of the node itself, which hold below it too."""
        place = int(np.searchsorted(self.sizes, least)) - 1
        records, surcharge = (int(self.records[place]), float(self.surcharge[place])) if place >= 0 else (0, 0.0)
        rest = [[0.0] * height for height in heights[1:]]
        return Small(records, [[surcharge] * heights[0], *rest])

    @property
    def nbytes(self) -> int:
        return 3 * self.sizes.nbytes + 512  # and what Python adds

    @classmethod
    def of(cls, records: Ints, surcharge: Floats) -> SizeProfile:
        """From the records and the surcharge of the classes of each size."""
        sizes = np.flatnonzero(records)
        return cls(sizes, np.cumsum(records[sizes]), np.cumsum(surcharge[sizes]))


@njit(cache=True)
def _of_groups(codes, reps, counts, gap, levels, records, surcharge):  # type: ignore[no-untyped-def]
    for i in range(reps.shape[0]):
        size = counts[i]
        if size < records.shape[0]:
            cost = 0.0
            for j in range(codes.shape[1]):
                cost += gap[j, levels[j], codes[reps[i], j]]
            records[size] += size
            surcharge[size] += cost * size


def profile_of_groups(table: Summary, groups: NodeGroups, gap: Floats, largest: int) -> SizeProfile:
    """The profile of classes that are already grouped."""
    records, surcharge = np.zeros(largest, np.int64), np.zeros(largest)
    _of_groups(table.codes, groups.reps, groups.counts, gap, np.array(groups.levels), records, surcharge)
    return SizeProfile.of(records, surcharge)


# True after the first loop: cells[c] is the number of records whose values at the node have the number c, a mixed
# radix over the bundles of columns, so that equal numbers mean equal values.
@njit(cache=True)
def _fill_cells(codes, counts, tables, first, least, keys, cells):  # type: ignore[no-untyped-def]
    """Count the records in every cell; returns the records in cells of fewer than ``least``."""
    for i in range(codes.shape[1]):
        key = 0
        for b in range(codes.shape[0]):
            key += tables[first[b] + codes[b, i]]
        keys[i] = key
        cells[key] += counts[i]
    small = 0
    for c in range(cells.shape[0]):
        if cells[c] < least:
            small += cells[c]
    return small


@njit(cache=True)
def _values_of_small(codes, counts, keys, cells, least, found):  # type: ignore[no-untyped-def]
    """How often each value of each column occurs among the records of small cells."""
    for i in range(codes.shape[0]):
        if cells[keys[i]] < least:
            for j in range(codes.shape[1]):
                found[j, codes[i, j]] += counts[i]


class CellCounter:
    """Counts the tuples of a table in the cells of a node directly, without grouping them.

    Columns go together in bundles; one look-up a bundle and tuple gives its part of the number of the cell. Faster than
    hashing where tuples are nearly all different and the cells of the node are few, and it knows the values of the
    records in small cells, which gives a better bound.
    """

    def __init__(self, table: Summary) -> None:
        self.table = table
        self.bundles: list[list[int]] = []
        room = 0
        for j in sorted(range(table.width), key=lambda j: -table.hierarchies[j].size):
            size = table.hierarchies[j].size
            if not self.bundles or room * size > _BUNDLE:
                self.bundles.append([])
                room = 1
            self.bundles[-1].append(j)
            room *= size
        self.codes = np.zeros((len(self.bundles), len(table.codes)), np.int32)
        for b, bundle in enumerate(self.bundles):
            for j in bundle:
                self.codes[b] *= table.hierarchies[j].size
                self.codes[b] += table.codes[:, j].astype(np.int32)
        widths = [prod(table.hierarchies[j].size for j in bundle) for bundle in self.bundles]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self._keys = np.empty(len(table.codes), np.int32)
        self._numbered: dict[tuple[int, ...], tuple[Ints, int]] = {}

    def cells(self, levels: Sequence[int]) -> int:
        """How many cells a node has, with or without records."""
        return prod(len(tree.labels[level]) for tree, level in zip(self.table.hierarchies, levels, strict=True))

    def small(self, levels: Sequence[int], gap: Floats, least: int, limit: int) -> Small:
        """The records of a node in classes below ``least``; their gaps only if there are at most ``limit``."""
        table, trees = self.table, self.table.hierarchies
        numbers = np.empty(self.first[-1], np.int32)
        radix = 1
        for b, bundle in enumerate(self.bundles):
            place, number = self._numbers(b, bundle, levels)
            numbers[self.first[b] : self.first[b + 1]] = place * radix
            radix *= number
        cells = np.zeros(radix, np.int64 if table.rows >= 2**31 else np.int32)
        records = int(_fill_cells(self.codes, table.counts, numbers, self.first, least, self._keys, cells))
        if records == 0 or records > limit:
            return Small(records, [[0.0] * tree.height for tree in trees])
        found = np.zeros((table.width, max(tree.size for tree in trees)))
        _values_of_small(table.codes, table.counts, self._keys, cells, least, found)
        return Small(records, [(gap[j, : tree.height] @ found[j]).tolist() for j, tree in enumerate(trees)])

    def _numbers(self, b: int, bundle: list[int], levels: Sequence[int]) -> tuple[Ints, int]:
        """The number of each value of a bundle at its levels, and how many there are."""
        key = (b, *(levels[j] for j in bundle))
        if key not in self._numbered:
            place, number = np.zeros(1, np.int64), 1
            for j in bundle:
                tree = self.table.hierarchies[j]
                size = len(tree.labels[levels[j]])
                place = np.add.outer(place * size, tree.codes[levels[j]]).ravel()
                number *= size
            self._numbered[key] = place, number
        return self._numbered[key]
