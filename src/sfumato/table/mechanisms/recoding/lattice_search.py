"""Branch and bound on boxes of the lattice: the best node, or the best found and how much better one could be.

The *base* of a node, its information loss before suppression, is a sum over columns and rises with every level. The
*surcharge* that suppressed records add falls with every level, because a class that is too small at a node is too small
in parts below it; for t-closeness it counts what no t-close part of a class can hold
(:class:`~sfumato.table.mechanisms.recoding.node_check.NodeCheck`). Hence in the box of all nodes between u and v

    information loss ≥ base(u) + surcharge(v),

and one look at v bounds the whole box; where the values of the records in small classes of v are known, their surcharge
is that at u, which is more. The box with the smallest bound is split first, so that the smallest bound of
all boxes, below which no node can be, rises until it meets the best node found.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.information_loss import CellInformationLoss
from sfumato.table.core.lattice import Lattice
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.node_check import NodeCheck

__all__ = ["TIE", "LatticeSearch"]

TIE = 1e-12  # losses closer than this are equal

Node = tuple[int, ...]


@njit(cache=True)
def _surcharge(codes, reps, records, gap, levels):  # type: ignore[no-untyped-def]
    """What suppressing some records of each class costs on top of generalising them."""
    total = 0.0
    for i in range(reps.shape[0]):
        if records[i] > 0:
            for j in range(codes.shape[1]):
                total += gap[j, levels[j], codes[reps[i], j]] * records[i]
    return total


def _at(node: Node, j: int, level: int) -> Node:
    return (*node[:j], level, *node[j + 1 :])


class _Seen(NamedTuple):
    """What a node that was looked at tells of the nodes below it: what its small classes add (:class:`Small`), what
    classes that break a promise add (∞ if nothing below can meet the target), whether the latter is known; and its own
    information loss, ∞ if it misses the target or cannot be the best."""

    gaps: list[list[float]]
    surcharge: float
    final: bool
    loss: float = math.inf


class LatticeSearch:
    """State of one search with an information loss that adds up over cells.

    Parameters
    ----------
    lattice : Lattice
    promises : sequence of Guarantee
    selection : ClassSelection
    measure : CellInformationLoss
    """

    def __init__(
        self,
        lattice: Lattice,
        promises: Sequence[Guarantee],
        selection: ClassSelection,
        measure: CellInformationLoss,
    ) -> None:
        self.lattice, self.table, self.selection = lattice, lattice.table, selection
        self.check = NodeCheck.of(lattice, promises, selection)
        self.prices = lattice.prices(measure)
        self.heights = lattice.heights
        self.base = self.prices.base.tolist()
        self.best, self.lower = math.inf, 0.0
        self.levels: Node | None = None
        self._rank: tuple[float, float, Node] | None = None
        self._seen: dict[Node, _Seen] = {}

    @property
    def evaluated(self) -> int:
        """How many different nodes were looked at."""
        return len(self._seen)

    def base_of(self, node: Node) -> float:
        """The information loss of a node before suppression."""
        return sum(column[level] for column, level in zip(self.base, node, strict=True))

    def visit(self, node: Node, low: Node | None = None) -> float:
        """A lower bound on the information loss of every node from ``low`` (by default ``node``) up to ``node``; if
        ``node`` itself meets the target, it is remembered as the best so far or not."""
        seen = self._seen.get(node)
        if seen is None or not (seen.final or self._bound(seen, low or node) > self.best + TIE):
            seen = self._seen[node] = self._look(node, low or node)
            if seen.loss < math.inf:
                self._offer(seen.loss, node)
        return self._bound(seen, low or node)

    def _bound(self, seen: _Seen, low: Node) -> float:
        extra = sum(column[level] for column, level in zip(seen.gaps, low, strict=True)) / self.table.rows
        return self.base_of(low) + max(extra, seen.surcharge)

    def _look(self, node: Node, low: Node) -> _Seen:
        """What a node is like, as far as it matters for the nodes from ``low`` on."""
        selection, base = self.selection, self.base_of(node)
        judged = None if self.check is None else self.check.grouper
        small = self.lattice.small(node, self.prices, selection.least, selection.limit, judged)
        if small.records > selection.limit:
            return _Seen(small.gaps, math.inf, True)
        seen = _Seen(small.gaps, 0.0, True)
        if selection.sizes_decide(small.records):
            return seen._replace(loss=self._bound(seen, node))
        if self._bound(seen, low) > self.best + TIE:
            return seen._replace(final=False)
        gone: NDArray[np.bool_] | None
        if self.check is None:
            if self._bound(seen, node) > self.best + TIE:
                return seen
            groups = self.lattice.grouper().at(node)
            gone = self._by_selection(node)
        else:
            groups = self.check.grouper.at(node)
            broken, lost = self.check.judge(groups)
            if lost.sum() > selection.limit:
                return seen._replace(surcharge=math.inf)
            seen = seen._replace(surcharge=self._paid(node, groups.reps, lost))
            if self._bound(seen, node) > self.best + TIE:
                return seen
            stars = selection.stars or not broken.any()
            gone = self.check.suppressed(groups, broken) if stars else self._by_selection(node)
        if gone is None:
            return seen._replace(surcharge=math.inf) if selection.closed_below else seen
        return seen._replace(loss=base + self._paid(node, groups.reps, np.where(gone, groups.counts, 0)))

    def _paid(self, node: Node, reps: NDArray[np.int64], records: NDArray[np.int64]) -> float:
        return float(_surcharge(self.table.codes, reps, records, self.prices.gap, np.array(node))) / self.table.rows

    def _by_selection(self, node: Node) -> NDArray[np.bool_] | None:
        """The suppressed classes of a node, numbered as its groups are."""
        kept = self.selection(*self.lattice.grouper().members(node))
        return None if kept is None else ~kept

    def _offer(self, loss: float, node: Node) -> None:
        """Take a node if it loses less; of equal losses the one with the larger k, then the lower mean risk."""
        if loss < self.best - TIE:
            self.best, self.levels, self._rank = loss, node, None
        elif loss <= self.best + TIE:
            self.best = min(loss, self.best)
            if self.levels is None:
                self.levels = node
            elif self.levels != node:
                mine, other = self._rank or self.rank(self.levels), self.rank(node)
                self._rank = min(mine, other)
                self.levels = self._rank[2]

    def rank(self, node: Node) -> tuple[float, float, Node]:
        """What decides between nodes of equal loss: k (negative), the mean risk of the released records, the levels."""
        member, number = self.lattice.grouper().members(node)
        kept = self.selection(member, number)
        assert kept is not None
        sizes = np.bincount(member, self.table.counts, number)
        released = sizes[kept & (sizes > 0)]
        if self.selection.stars and not kept.all():
            released = np.append(released, sizes[~kept].sum())
        if not len(released):
            return 0.0, 0.0, node
        return -float(released.min()), len(released) / float(released.sum()), node

    def _loss(self, node: Node) -> float:
        self.visit(node)
        return self._seen[node].loss

    def greedy(self) -> None:
        """From the root, take the step down that loses least, as long as some step improves."""
        here = tuple(h - 1 for h in self.heights)
        known: dict[Node, float] = {here: self._loss(here)}
        while True:
            steps = [_at(here, j, here[j] - 1) for j in range(len(here)) if here[j] > 0]
            sides = [
                _at(step, j, step[j] + 1)
                for step in steps
                for j in range(len(here))
                if step[j] + 1 < self.heights[j] and step[j] == here[j]
            ]
            for pool in (steps, sides):
                for node in pool:
                    if node not in known and self.base_of(node) < self.best:
                        known[node] = self._loss(node)
                best = min((node for node in pool if node in known), key=lambda node: (known[node], node), default=here)
                if known[best] < known[here]:
                    here = best
                    break
            else:
                return

    # True before every turn: every node of the lattice was looked at, or lies in a box of the heap or in one that was
    # left out because its bound exceeds the best loss; so no node is better than the smaller of the best and the bound
    # on top of the heap. Of equal bounds the box that came last is split, which goes down to single nodes.
    def narrow(self, *, tolerance: float = 0.0, seconds: float = math.inf, effort: int = 1 << 62) -> None:
        """Split boxes until no node can be better by more than ``tolerance`` (relative), or effort or time is spent
        (seconds of computation, so that a busy machine finds the same)."""
        start = time.thread_time()
        bottom, top = (0,) * len(self.heights), tuple(h - 1 for h in self.heights)
        heap = [(self.visit(top, bottom), 0, bottom, top)]
        made = 0
        while heap and heap[0][0] <= self._target(tolerance):
            if self.evaluated >= effort or time.thread_time() - start > seconds:
                break
            bound, _, low, high = heapq.heappop(heap)
            if low == high:
                continue
            j = self._widest(low, high)
            middle = (low[j] + high[j]) // 2
            for u, v in ((low, _at(high, j, middle)), (_at(low, j, middle + 1), high)):
                inside = max(bound, self.visit(v, u))
                if inside <= self.best + TIE:
                    made += 1
                    heapq.heappush(heap, (inside, -made, u, v))
        self.lower = min(self.best, heap[0][0] if heap else self.best)

    def _target(self, tolerance: float) -> float:
        return self.best + TIE if tolerance == 0 else self.best * (1 - tolerance)

    def _widest(self, low: Node, high: Node) -> int:
        """The column whose levels in a box differ most in cost; without any such column, in number."""
        spans = [(column[b] - column[a], b - a) for column, a, b in zip(self.base, low, high, strict=True)]
        return max((j for j in range(len(spans)) if spans[j][1]), key=lambda j: (*spans[j], -j))
