"""Promises on the classes of a lattice node, judged in compiled code on histograms that are summed up on the way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.grouper import NodeGroups
from sfumato.table.core.lattice import Lattice
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.promise.compiled import CompiledPromises, class_holds, rule_holds
from sfumato.table.promise.excess import closest_parts, is_distance

__all__ = ["NodeCheck"]

CELLS = 1 << 26
"""Largest tuples × values histogram that is kept; beyond it classes are judged one block at a time."""


@njit(cache=True)
def _judge(held, counts, limits, broken, lost):  # type: ignore[no-untyped-def]
    """Which classes break a promise, and how many records of each are suppressed at every node below, at least."""
    close = np.empty(counts.shape[0], np.bool_)
    closest_parts(held, counts, limits, close, lost)
    for i in range(counts.shape[0]):
        broken[i] = counts[i] < limits.least or not close[i]
        lost[i] = counts[i] - lost[i]
        for r in range(limits.kind.shape[0]):
            if not broken[i] and not is_distance(limits.kind[r]):
                broken[i] = not rule_holds(held[i], counts[i], counts[i], limits, r)


class NodeCheck:
    """Judges the classes of a node as :class:`ClassSelection` does, and bounds what all nodes below must suppress.

    At a node with classes C, what a node below keeps of C is a union of t-close classes, hence t-close and no larger
    than M(C), the largest t-close part of C. So every node below suppresses at least Σ(|C| − M(C)) records, each at no
    less than suppressing costs here (:func:`~sfumato.table.promise.excess.closest_parts`). That holds where classes are
    compared with the input table, as they always are here.
    """

    def __init__(self, lattice: Lattice, promises: Sequence[Guarantee], selection: ClassSelection) -> None:
        table, compiled = lattice.table, CompiledPromises.of(lattice.table, promises)
        self.limits, holdings, self.selection = compiled.limits, compiled.holdings, selection
        values = len(self.limits.reference)
        held = np.zeros((len(table.codes), values), np.int32)
        tuples = np.repeat(np.arange(len(table.codes)), np.diff(holdings.starts))
        held[tuples, holdings.values] = holdings.counts  # each pair of tuple and value is there once
        columns = dict.fromkeys(rule.column for promise in selection.promises for rule in promise.rules)
        self.grouper = lattice.grouper(tuple(name for name in columns if name is not None), held)

    @classmethod
    def of(cls, lattice: Lattice, promises: Sequence[Guarantee], selection: ClassSelection) -> NodeCheck | None:
        """The check, if sensitive values decide and their histograms fit; promises on all classes together and on
        presence in a population are left to the selection."""
        table, rules = lattice.table, [rule for promise in selection.promises for rule in promise.rules]
        values = sum(len(table.column(name).values) for name in {rule.column for rule in rules} if name is not None)
        fits = bool(rules) and all(rule.column is not None for rule in rules)
        fits = fits and all(
            promise.rules or promise.sizes_decide for promise in selection.promises
        )  # none is forgotten
        if not fits or selection.enough > 1 or len(table.codes) * values > CELLS:
            return None
        return cls(lattice, promises, selection)

    def judge(self, groups: NodeGroups) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Classes that break a promise, and records of each class that every node below suppresses."""
        broken, lost = np.empty(len(groups.counts), np.bool_), np.empty(len(groups.counts), np.int64)
        _judge(groups.held, groups.counts, self.limits, broken, lost)
        return broken, lost

    def suppressed(self, groups: NodeGroups, broken: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """The classes whose records become ``*``: the broken ones, and the smallest others until the class of ``*``
        keeps the promises as well; ``None`` if that takes more records than may be suppressed."""
        sizes, limit = groups.counts, self.selection.limit
        room = limit - sizes[broken].sum()
        if room < 0:
            return None
        if not broken.any() or self._star_holds(groups, broken):
            return broken
        order = np.lexsort((np.arange(len(sizes)), sizes))
        queue = order[~broken[order]]

        def gone(more: int) -> NDArray[np.bool_]:
            also = broken.copy()
            also[queue[:more]] = True
            return also

        most = int(np.searchsorted(np.cumsum(sizes[queue]), room, side="right"))
        if most == 0 or not self._star_holds(groups, gone(most)):
            return None
        return gone(bisect_left(range(most), True, lo=1, key=lambda more: self._star_holds(groups, gone(more))))

    def _star_holds(self, groups: NodeGroups, gone: NDArray[np.bool_]) -> bool:
        assert groups.held is not None
        size = int(groups.counts[gone].sum())
        return bool(class_holds(groups.held[gone].sum(0), size, size, self.limits))
