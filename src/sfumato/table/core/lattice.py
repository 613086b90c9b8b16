"""What a table's lattice is like whatever is promised: kept, so that the next decision on the same table is quick."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.table.core.grouper import Grouper
from sfumato.table.core.size_profile import LARGEST, CellCounter, SizeProfile, Small, profile_of_groups
from sfumato.table.core.summary import Summary

if TYPE_CHECKING:
    from sfumato.table.core.information_loss import CellInformationLoss

__all__ = ["Lattice", "Prices"]

Floats = NDArray[np.float64]

DENSE = 1 << 22
"""Cells of a node, at most, that are counted directly."""


class Prices:
    """What cells and suppression cost by one measure.

    ``base[j, level]`` is the mean cost of a column at a level, ``gap[j, level, value]`` what suppressing a cell adds.
    """

    def __init__(self, table: Summary, measure: CellInformationLoss) -> None:
        cost = measure.tables(table)
        top = np.stack([cost[j, tree.height - 1] for j, tree in enumerate(table.hierarchies)])
        self.gap: Floats = top[:, None, :] - cost
        self.base: Floats = np.zeros(cost.shape[:2])
        for j in range(table.width):
            frequency = np.bincount(table.codes[:, j], table.counts, cost.shape[2])
            self.base[j] = cost[j] @ frequency / table.rows
        self.profiles: dict[tuple[int, ...], SizeProfile] = {}


class Lattice:
    """The lattice of a table's levels: what does not depend on k, l, t or suppression is computed once and kept.

    Hold one beside a :class:`Summary` to decide again and again (``recoder.decide(summary, lattice)``): class sizes of
    every node that was looked at, groups on the way to it and the costs of levels stay, up to ``memory`` bytes. One
    decision at a time: the lock is taken by whoever decides.

    Parameters
    ----------
    table : Summary
    memory : int
        Bytes that are kept, at most, beside working arrays as large as the table's.
    once : bool
        For one decision alone: nodes are counted in whichever way is quicker, kept or not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import GlobalRecoding, Hierarchy, Schema
    >>> from sfumato.promise import KAnonymity
    >>> from sfumato.table.core.summary import summarise
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    >>> people, _ = summarise(pa.table({"age": [21, 23, 25, 34, 38]}), schema)
    >>> kept = Lattice(people)
    >>> [GlobalRecoding(schema=schema, target=[KAnonymity(k)]).decide(people, kept).levels for k in (1, 2, 3)]
    [{'age': 0}, {'age': 1}, {'age': 2}]
    """

    def __init__(self, table: Summary, *, memory: int = 60 << 20, once: bool = False) -> None:
        self.table, self.once, self.lock = table, once, RLock()
        self.heights = tuple(tree.height for tree in table.hierarchies)
        self._room = memory // 2  # for profiles; the other half for groups
        self._groupers: dict[tuple[str, ...], Grouper] = {}
        self._group_room = memory // 2
        self._prices: dict[str, Prices] = {}
        self._cells: CellCounter | None = None

    def grouper(self, columns: tuple[str, ...] = (), held: NDArray[np.int32] | None = None) -> Grouper:
        """The grouper that sums up ``held``, the histograms of some sensitive ``columns``."""
        if columns not in self._groupers:
            self._groupers[columns] = Grouper(self.table, held, memory=self._group_room)
        return self._groupers[columns]

    def prices(self, measure: CellInformationLoss) -> Prices:
        """The costs by a measure."""
        key = f"{type(measure).__module__}.{measure!r}"
        if key not in self._prices:
            self._prices[key] = Prices(self.table, measure)
        return self._prices[key]

    def small(
        self, node: tuple[int, ...], prices: Prices, least: int, limit: int, grouper: Grouper | None = None
    ) -> Small:
        """The records of a node in classes below ``least`` (:class:`Small`; gaps only if at most ``limit``).

        ``grouper`` is one that groups the node anyway.
        """
        found = prices.profiles.get(node)
        if found is not None and least <= LARGEST:
            return found.below(least, self.heights)
        groups = grouper or self.grouper()
        if self.once and grouper is None and self._directly(node, groups):
            assert self._cells is not None
            return self._cells.small(node, prices.gap, least, limit)
        found = profile_of_groups(self.table, groups.at(node), prices.gap, max(least, LARGEST))
        if self._room > 0 and least <= LARGEST:
            self._room -= found.nbytes
            prices.profiles[node] = found
        return found.below(least, self.heights)

    def _directly(self, node: tuple[int, ...], grouper: Grouper) -> bool:
        """Whether counting cell by cell is quicker: a step of grouping costs three times as much for each group."""
        if self._cells is None:
            self._cells = CellCounter(self.table)
        groups, steps = grouper.distance(node)
        tuples = len(self.table.codes)
        few = self._cells.cells(node) <= min(DENSE, 8 * tuples)
        return few and not grouper.has_room and 3 * steps * groups > tuples
