"""Grouping tuples at a node of the lattice, in compiled code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.table.compact import Compact

__all__ = ["Grouper", "Groups"]

Ints = NDArray[np.int64]


@njit(cache=True)
def _group(codes, reps, counts, keys, nodes, levels, exact, slots, table, out_reps, out_counts, member):  # type: ignore[no-untyped-def]
    """Merge groups that fall together at ``levels``; ``table`` is a hash table of group numbers + 1."""
    width = codes.shape[1]
    mask = slots - 1
    table[:slots] = 0
    found = 0
    size = reps.shape[0]
    own = np.empty(size, np.int64)
    here = np.empty((width, keys.shape[2]), np.int64)
    for j in range(width):
        here[j] = keys[j, levels[j]]
    for i in range(size):
        row = reps[i]
        key = np.int64(0)
        for j in range(width):
            key += here[j, codes[row, j]]
        mixed = key * np.int64(-7046029254386353131)
        slot = (mixed ^ (mixed >> 32)) & mask
        while True:
            there = table[slot] - 1
            if there < 0:
                table[slot] = found + 1
                own[found] = key
                out_reps[found] = row
                out_counts[found] = counts[i]
                member[i] = found
                found += 1
                break
            same = own[there] == key
            if same and not exact:
                other = out_reps[there]
                for j in range(width):
                    if nodes[j, levels[j], codes[row, j]] != nodes[j, levels[j], codes[other, j]]:
                        same = False
                        break
            if same:
                out_counts[there] += counts[i]
                member[i] = there
                break
            slot = (slot + 1) & mask
    return found


@dataclass(frozen=True)
class Groups:
    """Classes at one node: a representative tuple (the first in lexicographic order) and the size of each."""

    levels: tuple[int, ...]
    reps: Ints
    counts: Ints


@dataclass(eq=False)
class Grouper:
    """Groups the tuples of a table at any node of its lattice, rolling up from groups it already has.

    The node is approached by a fixed chain: first the column with most values goes to its level, then the next. The
    first steps of the chain are shared by many nodes and kept, so that most nodes start from far fewer groups.
    """

    table: Compact
    shared: int = 4
    kept_groups: int = 1 << 23
    _kept: dict[tuple[int, ...], Groups] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        trees = self.table.hierarchies
        height = max((tree.height for tree in trees), default=1)
        size = max((tree.size for tree in trees), default=1)
        self.nodes: NDArray[np.int64] = np.zeros((len(trees), height, size), np.int64)
        for j, tree in enumerate(trees):
            self.nodes[j, : tree.height, : tree.size] = tree.codes
        radix = 1
        self.keys = self.nodes.copy()
        for j, tree in enumerate(trees):
            self.keys[j] *= radix if radix < 2**62 else 0
            radix *= tree.size
        self.exact = radix < 2**62
        if not self.exact:  # hashed keys, every match is verified
            mixed = np.random.default_rng(0).integers(-(2**62), 2**62, self.nodes.shape)
            for j, tree in enumerate(trees):
                for level in range(tree.height):
                    self.keys[j, level, : tree.size] = mixed[j, level, tree.codes[level]]
        count = len(self.table.codes)
        self.codes: NDArray[np.int32] = self.table.codes.astype(np.int32)  # half the memory that the loop walks through
        self._reps, self._counts = np.empty(count, np.int64), np.empty(count, np.int64)
        self._member = np.empty(count, np.int64)
        self._table = np.empty(1 << max(4, (2 * count - 1).bit_length()), np.int64)
        self.order = sorted(range(len(trees)), key=lambda j: -trees[j].size)
        self.start = Groups((0,) * len(trees), np.arange(count), self.table.counts)
        self.visited = 0

    def roll(self, groups: Groups, levels: tuple[int, ...]) -> Groups:
        """The groups at a node above that of ``groups``."""
        slots = 1 << max(4, (2 * len(groups.reps) - 1).bit_length())
        self.visited += len(groups.reps)
        found = _group(
            self.codes, groups.reps, groups.counts, self.keys, self.nodes, np.array(levels), self.exact,
            slots, self._table, self._reps, self._counts, self._member,
        )  # fmt: skip
        return Groups(levels, self._reps[:found].copy(), self._counts[:found].copy())

    def at(self, levels: Any) -> Groups:
        """The groups at a node."""
        wanted = tuple(int(level) for level in levels)
        groups = self.start
        here = list(groups.levels)
        for j in self.order[: self.shared]:
            here[j] = wanted[j]
            key = tuple(here)
            if key == groups.levels:
                continue
            kept = self._kept.get(key)
            if kept is None:
                kept = self.roll(groups, key)
                self.kept_groups -= len(kept.reps)
                if self.kept_groups > 0:
                    self._kept[key] = kept
            groups = kept
        return groups if groups.levels == wanted else self.roll(groups, wanted)

    def members(self, levels: Any) -> tuple[Ints, int]:
        """The class of every tuple at a node, and how many classes there are; numbered as in :meth:`at`."""
        wanted = tuple(int(level) for level in levels)
        groups = self.roll(self.start, wanted)
        return self._member.copy(), len(groups.reps)
