"""Grouping tuples at a node of the lattice, in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.table.core.summary import Summary

__all__ = ["Grouper", "NodeGroups"]

Ints = NDArray[np.int64]

_BUNDLE = 1024  # values a bundle of columns may have: a table of them stays in the first-level cache


KEY, REP, COUNT, MEMBER = range(4)  # rows of what _group writes: three of each group, one of each input


# True before every turn of the outer loop: the first `found` places of the rows KEY, REP and COUNT hold the groups of
# the inputs seen so far, no two with the same values at the node, each with its first representative and the sum of its
# counts; and the hash table (group numbers + 1) leads from each of their keys, by linear probing without a gap, to it.
@njit(cache=True)
def _group(keys, reps, counts, codes, nodes, levels, table, out):  # type: ignore[no-untyped-def]
    """Merge groups of the same key. Where keys are hashes, every match is verified at ``levels``; where they are exact,
    ``levels`` is empty."""
    slots = 16
    while slots < 2 * keys.shape[0]:
        slots *= 2
    mask = slots - 1
    table[:slots] = 0
    found = 0
    for i in range(keys.shape[0]):
        key = keys[i]
        mixed = key * np.int64(-7046029254386353131)
        slot = (mixed ^ (mixed >> 32)) & mask
        while True:
            there = table[slot] - 1
            if there < 0:
                table[slot] = found + 1
                out[KEY, found] = key
                out[REP, found] = reps[i]
                out[COUNT, found] = counts[i]
                out[MEMBER, i] = found
                found += 1
                break
            same = out[KEY, there] == key
            if same:
                row, other = reps[i], out[REP, there]
                for j in range(levels.shape[0]):
                    if nodes[j, levels[j], codes[row, j]] != nodes[j, levels[j], codes[other, j]]:
                        same = False
                        break
            if same:
                out[COUNT, there] += counts[i]
                out[MEMBER, i] = there
                break
            slot = (slot + 1) & mask
    return found


@njit(cache=True)
def _sum_rows(rows, member, number):  # type: ignore[no-untyped-def]
    """The sum of the rows of each group."""
    total = np.zeros((number, rows.shape[1]), rows.dtype)
    for i in range(rows.shape[0]):
        for v in range(rows.shape[1]):
            total[member[i], v] += rows[i, v]
    return total


@njit(cache=True)
def _shift(keys, reps, codes, change):  # type: ignore[no-untyped-def]
    """Keys after a change of one bundle."""
    shifted = np.empty_like(keys)
    for i in range(keys.shape[0]):
        shifted[i] = keys[i] + change[codes[reps[i]]]
    return shifted


@dataclass(frozen=True)
class NodeGroups:
    """Classes at one node: the key, a representative tuple (the first in lexicographic order) and the size of each, and
    where they are wanted the sums of ``held`` (:class:`Grouper`)."""

    levels: tuple[int, ...]
    keys: Ints
    reps: Ints
    counts: Ints
    held: NDArray[np.int32] | None = None

    @property
    def nbytes(self) -> int:
        return 3 * self.keys.nbytes + (0 if self.held is None else self.held.nbytes)


@dataclass(eq=False)
class Grouper:
    """Groups the tuples of a table at any node of its lattice, rolling up from groups it already has.

    The node is approached by a fixed chain: first the column with most values goes to its level, then the next, and at
    last the small columns together. All steps but the last are shared by many nodes and kept, so that most nodes start
    from far fewer groups. The key of a group is a sum over columns: a step adds the difference of what it changes.

    Parameters
    ----------
    table : Summary
    held : ndarray of shape (tuples, values), optional
        Numbers of each tuple that are summed up in every class (sensitive values, members of the population).
    memory : int
        Bytes of groups that are kept, at most.
    """

    table: Summary
    held: NDArray[np.int32] | None = None
    memory: int = 1 << 28
    _kept: dict[tuple[int, ...], NodeGroups] = field(default_factory=dict, repr=False)
    _last: NodeGroups | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        trees = self.table.hierarchies
        self.sizes = [tree.size for tree in trees]
        height = max((tree.height for tree in trees), default=1)
        self.nodes: Ints = np.zeros((len(trees), height, max(self.sizes, default=1)), np.int64)
        for j, tree in enumerate(trees):
            self.nodes[j, : tree.height, : tree.size] = tree.codes
        self.exact = prod(self.sizes) < 2**62
        if self.exact:
            radix = np.cumprod([1, *self.sizes], dtype=np.int64)[:-1]
            self._column_keys = self.nodes * radix[:, None, None]
        else:
            mixed = np.random.default_rng(0).integers(-(2**62), 2**62, self.nodes.shape)
            self._column_keys = np.take_along_axis(mixed, self.nodes, axis=2)
        self.bundles = self._bundles()
        self._bundle_codes = [self._pack(bundle) for bundle in self.bundles]
        self._bundle_keys: dict[tuple[int, ...], Ints] = {}
        count = len(self.table.codes)
        self._table = np.empty(1 << max(4, (2 * count - 1).bit_length()), np.int32)
        self._out = np.empty((4, count), np.int64)
        bottom = (0,) * len(trees)
        keys = np.zeros(count, np.int64)
        for number, codes in enumerate(self._bundle_codes):
            keys += self._keys_of(number, bottom)[codes]
        self.start = NodeGroups(bottom, keys, np.arange(count), self.table.counts, self.held)

    def _bundles(self) -> list[tuple[int, ...]]:
        """Columns by falling size, each alone, but for the small ones at the end, which go together."""
        order = sorted(range(len(self.sizes)), key=lambda j: -self.sizes[j])
        alone = 0
        while prod(self.sizes[j] for j in order[alone:]) > _BUNDLE:
            alone += 1
        return [*((j,) for j in order[:alone]), tuple(order[alone:])]

    def _pack(self, bundle: Sequence[int]) -> NDArray[np.int32]:
        """The value of a bundle in every tuple, as one number."""
        codes = np.zeros(len(self.table.codes), np.int32)
        for j in bundle:
            codes *= self.sizes[j]
            codes += self.table.codes[:, j].astype(np.int32)
        return codes

    def _keys_of(self, number: int, levels: tuple[int, ...]) -> Ints:
        """The key of every value of a bundle at its levels."""
        bundle = self.bundles[number]
        place = (number, *(levels[j] for j in bundle))
        keys = self._bundle_keys.get(place)
        if keys is None:
            keys = np.zeros(1, np.int64)
            for j in bundle:
                keys = np.add.outer(keys, self._column_keys[j, levels[j], : self.sizes[j]]).ravel()
            self._bundle_keys[place] = keys
        return keys

    def roll(self, groups: NodeGroups, levels: tuple[int, ...]) -> NodeGroups:
        """The groups at a node above that of ``groups``."""
        keys = groups.keys
        for number, bundle in enumerate(self.bundles):
            if any(groups.levels[j] != levels[j] for j in bundle):
                change = self._keys_of(number, levels) - self._keys_of(number, groups.levels)
                keys = _shift(keys, groups.reps, self._bundle_codes[number], change)
        verified = np.array(() if self.exact else levels, np.int64)
        found = _group(keys, groups.reps, groups.counts, self.table.codes, self.nodes, verified, self._table, self._out)
        sums = None
        if groups.held is not None:
            sums = _sum_rows(groups.held, self._out[MEMBER], found)
        keys, reps, counts = (self._out[row, :found].copy() for row in (KEY, REP, COUNT))
        return NodeGroups(levels, keys, reps, counts, sums)

    def _chain(self, wanted: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The nodes on the way to a node, bundle by bundle."""
        here, chain = list(self.start.levels), [self.start.levels]
        for bundle in self.bundles:
            for j in bundle:
                here[j] = wanted[j]
            if tuple(here) != chain[-1]:
                chain.append(tuple(here))
        return chain[1:]

    @property
    def has_room(self) -> bool:
        """Whether more groups can be kept."""
        return self.memory > 0

    def distance(self, levels: tuple[int, ...]) -> tuple[int, int]:
        """How many groups the way to a node starts from, given what is kept, and how many steps it has."""
        chain = self._chain(levels)
        for done in range(len(chain), 0, -1):
            if chain[done - 1] in self._kept:
                return len(self._kept[chain[done - 1]].reps), len(chain) - done
        return len(self.start.reps), len(chain)

    def at(self, levels: Any) -> NodeGroups:
        """The groups at a node."""
        wanted = tuple(int(level) for level in levels)
        if self._last is not None and self._last.levels == wanted:
            return self._last
        chain = self._chain(wanted)
        if chain and chain[-1] in self._kept:
            return self._kept[chain[-1]]
        groups = self.start
        for key in chain[:-1]:
            kept = self._kept.get(key)
            if kept is None:
                kept = self.roll(groups, key)
                if self.has_room:
                    self.memory -= kept.nbytes
                    self._kept[key] = kept
            groups = kept
        self._last = self.roll(groups, chain[-1]) if chain else groups
        return self._last

    def members(self, levels: Any) -> tuple[Ints, int]:
        """The class of every tuple at a node, and how many classes there are; numbered as in :meth:`at`."""
        wanted = tuple(int(level) for level in levels)
        groups = self.roll(replace(self.start, held=None), wanted)
        return self._out[MEMBER].copy(), len(groups.reps)
