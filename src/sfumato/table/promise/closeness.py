"""t-closeness: the sensitive values of a class are distributed as in the table [B3]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import Bools, ClassPromise, Floats
from sfumato.table.promise.rule import Kind, Rule, at_most
from sfumato.validate import choice, probability

__all__ = ["TCloseness", "equal_distance", "hierarchical_distance", "ordered_distance", "tree_distance"]

# Kernels: the first of each pair judges one class, the second a block of classes, one row each.


@njit(cache=True)
def equal_distance(counts, size, reference):  # type: ignore[no-untyped-def]
    """½Σ|p − q|: every value is equally far from every other."""
    far, scale = 0.0, 1.0 / size
    for v in range(counts.shape[0]):
        far += abs(counts[v] * scale - reference[v])
    return 0.5 * far


@njit(cache=True)
def _equal_distance(block, reference, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = equal_distance(block[i], max(block[i].sum(), 1), reference)


@njit(cache=True)
def ordered_distance(counts, size, reference):  # type: ignore[no-untyped-def]
    """Earth mover's distance with |i − j|/(v − 1) between the i-th and the j-th of v values."""
    far, run = 0.0, 0.0
    for v in range(counts.shape[0]):
        run += counts[v] / size - reference[v]
        far += abs(run)
    return far / max(counts.shape[0] - 1, 1)


@njit(cache=True)
def _ordered_distance(block, reference, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = ordered_distance(block[i], max(block[i].sum(), 1), reference)


@njit(cache=True)
def tree_distance(gap, nodes):  # type: ignore[no-untyped-def]
    """Earth mover's distance when moving mass costs the height of the lowest common ancestor over the tree's height.

    ``gap`` is p − q by value, ``nodes`` the node of each value at each level. Mass that a node cannot settle among its
    children moves on to its parent: the cost is Σ over inner nodes of height(N)/H · min(surplus, lack of its children).
    """
    levels, values = nodes.shape[0] - 1, gap.shape[0]
    cost = 0.0
    extra = gap
    for level in range(1, levels + 1):
        # extra[n] is what is left over at node n of the level below
        surplus = np.zeros(values)
        lack = np.zeros(values)
        after = np.zeros(values)
        seen = np.zeros(values, np.bool_)
        for v in range(values):
            below, above = nodes[level - 1, v], nodes[level, v]
            if not seen[below]:
                seen[below] = True
                after[above] += extra[below]
                if extra[below] > 0:
                    surplus[above] += extra[below]
                else:
                    lack[above] -= extra[below]
        for node in range(values):
            cost += level / levels * min(surplus[node], lack[node])
        extra = after
    return cost


@njit(cache=True)
def hierarchical_distance(counts, size, reference, nodes):  # type: ignore[no-untyped-def]
    """:func:`tree_distance` of a class to the reference, as the mean over the levels below the root of the total
    variation between the two on the nodes of the level: mass moves once through every level that it leaves."""
    levels, values = nodes.shape[0] - 1, counts.shape[0]
    far, scale = 0.0, 1.0 / size
    gap = np.empty(values)
    for level in range(levels):
        gap[:] = 0.0
        for v in range(values):
            gap[nodes[level, v]] += counts[v] * scale - reference[v]
        for node in range(values):
            far += abs(gap[node])
    return 0.5 * far / max(levels, 1)


@njit(cache=True)
def _hierarchical_distance(block, reference, nodes, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = hierarchical_distance(block[i], max(block[i].sum(), 1), reference, nodes)


KINDS = {
    "equal": Kind.EQUAL_DISTANCE,
    "ordered": Kind.ORDERED_DISTANCE,
    "hierarchical": Kind.TREE_DISTANCE,
}


@dataclass(frozen=True)
class TCloseness(ClassPromise):
    """The sensitive values of every class are distributed as in the whole table, up to t [B3].

    EMD(class, table) ≤ t with the ground distance ``equal`` (½Σ|p−q|), ``ordered`` (|i−j|/(v−1)) or ``hierarchical``
    (height of the lowest common ancestor over the height of the tree). A *smaller* t is stricter.

    >>> print(TCloseness(0.2, "occupation"))
    t = 0.2 for occupation (equal distance) (syntactic, per class of records)
    """

    t: float
    column: str
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("t", self.t, zero=True, one=True)
        choice("distance", self.distance, tuple(KINDS))

    @property
    def statement(self) -> str:
        return f"t = {self.t:g} for {self.column} ({self.distance} distance)"

    @property
    def meaning(self) -> str:
        return f"Records that look alike tell about {self.column} what the table tells, up to a distance of {self.t:g}."

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (Rule(KINDS[self.distance], self.t, self.column),)

    def require(self, table: Summary) -> None:
        if self.distance == "hierarchical" and table.column(self.column).hierarchy is None:
            raise bad_input("distance", self.distance, f"a hierarchy for {self.column}", "give it one in the schema")
        table.column(self.column)

    def hidden_from_release(self, trees: Mapping[str, Hierarchy | None]) -> str:
        if self.distance == "equal" or trees.get(self.column) is not None:
            return ""
        return f"the {self.distance} distance needs the hierarchy of {self.column}, which is not on the card"

    def levels(self, classes: Classes, reference: Floats | None = None) -> Floats:
        """The distance of each class to the table, or to ``reference`` (frequencies that sum to 1)."""
        self.require(classes.table)
        column = classes.table.column(self.column)
        whole = column.histogram / column.histogram.sum() if reference is None else reference
        found = np.empty(classes.number)
        for part, block in classes.blocks(self.column):
            if self.distance == "equal":
                _equal_distance(block, whole, found[part])
            elif self.distance == "ordered":
                _ordered_distance(block, whole, found[part])
            else:
                assert column.hierarchy is not None
                _hierarchical_distance(block, whole, column.hierarchy.codes, found[part])
        return found

    def holds(self, classes: Classes) -> Bools:
        return at_most(self.levels(classes), self.t)

    def holds_without(self, kept: Classes) -> bool:
        """Leaving records out moves the distribution: close to the input must be close to the release as well."""
        column = kept.table.column(self.column)
        inside = kept.member[column.tuples] >= 0
        counts = np.bincount(column.codes[inside], column.counts[inside], len(column.values))
        total = counts.sum()
        return not total or bool(at_most(self.levels(kept, counts / total), self.t)[kept.sizes > 0].all())
