"""Partitions of the tuples of a table into classes, and what a class publishes of each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.information_loss import GeneralisedInformationLoss
from sfumato.table.core.labelling import range_label, set_label
from sfumato.table.core.summary import Summary
from sfumato.validate import choice

__all__ = ["HIERARCHY", "SET", "Partition", "Prices", "Publish", "Shape", "absorb", "pair_cost"]

Publish = Literal["hierarchy", "set", "interval"]
"""What a class publishes of a column: the lowest common ancestor, the values it holds, or their range."""

KINDS: tuple[Publish, ...] = ("hierarchy", "set", "interval")
HIERARCHY, SET, INTERVAL = range(3)  # their places in KINDS, for compiled code


class Prices(NamedTuple):
    """What is published of each column (its place in ``KINDS``), the node of each value at each level, the cost of a
    value at each level, and the cost of one more value in a set or range."""

    kinds: NDArray[np.int64]
    nodes: NDArray[np.int64]
    cost: NDArray[np.float64]
    unit: NDArray[np.float64]


class Shape:
    """How values of each column are published, and what that costs, as arrays for compiled code.

    The cost of a cell is (values − 1)/(domain − 1): values below the ancestor, in the set, or in the range.
    """

    def __init__(
        self,
        table: Summary,
        publish: Publish | Mapping[str, Publish] = "hierarchy",
        weights: Mapping[str, float] | None = None,
    ) -> None:
        chosen = {name: publish if isinstance(publish, str) else publish.get(name, "hierarchy") for name in table.names}
        if not isinstance(publish, str) and set(publish) - set(table.names):
            raise bad_input("publish", sorted(set(publish) - set(table.names))[0], "quasi-identifiers")
        self.kinds = np.array([KINDS.index(choice(f"publish[{n}]", k, KINDS)) for n, k in chosen.items()], np.int64)
        trees = table.hierarchies
        self.cost = GeneralisedInformationLoss(weights or {}).tables(table)
        self.nodes = np.zeros(self.cost.shape, np.int64)
        for j, tree in enumerate(trees):
            self.nodes[j, : tree.height, : tree.size] = tree.codes
        share = np.array([self.cost[j, tree.height - 1, 0] for j, tree in enumerate(trees)])
        self.unit = share / np.maximum([tree.size - 1 for tree in trees], 1)
        words = max((-(-tree.size // 64) for j, tree in enumerate(trees) if self.kinds[j] == SET), default=0)
        self.words = max(words, 2 if (self.kinds == INTERVAL).any() else 0)

    @property
    def prices(self) -> Prices:
        """What compiled code needs."""
        return Prices(self.kinds, self.nodes, self.cost, self.unit)

    def singles(self, codes: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The set (bits) or range (two numbers) of each single tuple."""
        bits = np.zeros((*codes.shape, self.words), np.uint64)
        for j, kind in enumerate(self.kinds):
            if kind == SET:
                at = np.arange(len(codes)), codes[:, j] // 64
                bits[at[0], j, at[1]] = np.uint64(1) << (codes[:, j] % 64).astype(np.uint64)
            elif kind == INTERVAL:
                bits[:, j, 0] = bits[:, j, 1] = codes[:, j].astype(np.uint64)
        return bits


@njit(cache=True)
def _ones(word):  # type: ignore[no-untyped-def]
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def pair_cost(code_a, level_a, bits_a, code_b, level_b, bits_b, prices, bound):  # type: ignore[no-untyped-def]
    """Cost of a record in the union of two classes; stops early above ``bound``."""
    total = 0.0
    for j in range(prices.kinds.shape[0]):
        if prices.kinds[j] == HIERARCHY:
            level = max(level_a[j], level_b[j])
            while prices.nodes[j, level, code_a[j]] != prices.nodes[j, level, code_b[j]]:
                level += 1
            total += prices.cost[j, level, code_a[j]]
        elif prices.kinds[j] == SET:
            held = 0
            for q in range(bits_a.shape[1]):
                held += _ones(bits_a[j, q] | bits_b[j, q])
            total += prices.unit[j] * (held - 1)
        else:
            low = min(np.int64(bits_a[j, 0]), np.int64(bits_b[j, 0]))
            high = max(np.int64(bits_a[j, 1]), np.int64(bits_b[j, 1]))
            total += prices.unit[j] * (high - low)
        if total > bound:
            return total
    return total


@njit(cache=True)
def absorb(code_a, level_a, bits_a, code_b, level_b, bits_b, prices):  # type: ignore[no-untyped-def]
    """Make class b the union of a and b."""
    for j in range(prices.kinds.shape[0]):
        level = max(level_a[j], level_b[j])
        while prices.nodes[j, level, code_a[j]] != prices.nodes[j, level, code_b[j]]:
            level += 1
        level_b[j] = level
        if prices.kinds[j] == SET:
            for q in range(bits_a.shape[1]):
                bits_b[j, q] |= bits_a[j, q]
        elif prices.kinds[j] == INTERVAL:
            bits_b[j, 0] = min(bits_a[j, 0], bits_b[j, 0])
            bits_b[j, 1] = max(bits_a[j, 1], bits_b[j, 1])


@njit(cache=True)
def _describe(codes, weight, member, number, bits, prices):  # type: ignore[no-untyped-def]
    width = codes.shape[1]
    rep = np.full(number, -1, np.int64)
    level = np.zeros((number, width), np.int64)
    union = np.zeros((number, width, bits.shape[2]), np.uint64)
    size = np.zeros(number, np.int64)
    for t in range(codes.shape[0]):
        c = member[t]
        size[c] += weight[t]
        if rep[c] < 0:
            rep[c] = t
            union[c] = bits[t]
        else:
            absorb(codes[t], np.zeros(width, np.int64), bits[t], codes[rep[c]], level[c], union[c], prices)
    price = np.zeros(number)
    for c in range(number):
        code = codes[rep[c]]
        price[c] = pair_cost(code, level[c], union[c], code, level[c], union[c], prices, np.inf)
    return rep, level, union, size, price


@dataclass(frozen=True, eq=False)
class Partition:
    """A class for each tuple, with what each class publishes.

    Parameters
    ----------
    table : Summary
    shape : Shape
    member : ndarray of shape (tuples,)
    number : int
    """

    table: Summary
    shape: Shape
    member: NDArray[np.int64]
    number: int

    @cached_property
    def described(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64]]:
        bits = self.shape.singles(self.table.codes)
        return _describe(self.table.codes, self.table.counts, self.member, self.number, bits, self.shape.prices)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return self.described[3]

    @property
    def reps(self) -> NDArray[np.int64]:
        """The first tuple of each class."""
        return self.described[0]

    @property
    def information_loss(self) -> float:
        """Generalised information loss of the release."""
        return float(self.described[4] @ self.sizes / self.table.rows)

    @property
    def levels(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest level of each column that publishes ancestors."""
        level = self.described[1]
        return {
            name: (int(level[:, j].min()), int(level[:, j].max()))
            for j, name in enumerate(self.table.names)
            if self.shape.kinds[j] == HIERARCHY
        }

    def labels(self, j: int) -> tuple[NDArray[np.int64], list[str]]:
        """What each class publishes for column j, as a number, and the labels that the numbers stand for."""
        rep, level, union, _, _ = self.described
        tree = self.table.hierarchies[j]
        kind = self.shape.kinds[j]
        if kind == HIERARCHY:
            node = tree.codes[level[:, j], self.table.codes[rep, j]]
            states, which = np.unique(np.stack([level[:, j], node], axis=1), axis=0, return_inverse=True)
            words = [tree.labels[at][node] for at, node in states]
        else:
            states, which = np.unique(union[:, j], axis=0, return_inverse=True)
            words = [_set_label(tree, state) if kind == SET else _range_label(tree, state) for state in states]
        order: dict[str, int] = {}
        renamed = np.array([order.setdefault(word, len(order)) for word in words], np.int64)
        return renamed[which.reshape(-1)], list(order)


def _set_label(tree: Hierarchy, bits: NDArray[np.uint64]) -> str:
    places = np.arange(tree.size)
    held = np.flatnonzero((bits[places // 64] >> (places % 64).astype(np.uint64)) & np.uint64(1))
    return set_label([tree.leaves[i] for i in held])


def _range_label(tree: Hierarchy, ends: NDArray[np.uint64]) -> str:
    return range_label(tree.leaves[int(ends[0])], tree.leaves[int(ends[1])])
