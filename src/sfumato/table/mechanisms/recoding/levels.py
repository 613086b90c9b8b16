"""Full-domain generalisation: the best node of the lattice, and how much better a node could be at most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.grouper import Grouper
from sfumato.table.core.information_loss import CellInformationLoss, ClassInformationLoss, InformationLoss
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.lattice_search import TIE, LatticeSearch

__all__ = ["LATTICE_LIMIT", "Optimum", "better_node", "optimal_levels"]

LATTICE_LIMIT = 1 << 22
"""Lattices with more nodes are too large for an information loss of whole classes, which is searched exhaustively."""

MEMORY = 1 << 28
"""Bytes that one search keeps, at most."""


@dataclass(frozen=True)
class Optimum:
    """The best node.

    Parameters
    ----------
    levels : tuple of int
    information_loss : float
    suppressed : NDArray
        For each tuple, whether its records are suppressed.
    lower : float
        No node has a smaller information loss than this.
    evaluated, nodes : int
        How many different nodes were looked at, of how many.
    """

    levels: tuple[int, ...]
    information_loss: float
    suppressed: NDArray[np.bool_]
    lower: float
    evaluated: int
    nodes: int

    @property
    def gap(self) -> float:
        """By which share of its information loss the answer could be improved, at most; 0 if it is proved."""
        return 0.0 if self.lower >= self.information_loss - 2 * TIE else 1 - self.lower / self.information_loss

    @property
    def proved(self) -> bool:
        """Whether no node is better."""
        return self.gap == 0


def _class_search(
    table: Summary, selection: ClassSelection, measure: ClassInformationLoss
) -> tuple[tuple[int, ...] | None, float, int]:
    """Measures of classes: every node, rolled up from its neighbour below, cut off where the floor is too high."""
    grouper = Grouper(table)
    heights = [tree.height for tree in table.hierarchies]
    best, found, evaluated = math.inf, None, 0
    waiting = [(grouper.start, 0)]
    while waiting:
        groups, first = waiting.pop()
        node, sizes = groups.levels, groups.counts
        evaluated += 1
        if measure.floor(sizes) > best + TIE:
            continue
        if sizes[sizes < selection.least].sum() <= selection.limit:
            member, number = grouper.members(node)
            verdict = selection(member, number)
            if verdict is not None:
                value = measure.of(Classes(table, member, number), verdict)
                if value < best - TIE or (value <= best + TIE and (found is None or node < found)):
                    best, found = min(value, best), node
        for j in range(first, len(heights)):
            if node[j] + 1 < heights[j]:
                waiting.append((grouper.roll(groups, (*node[:j], node[j] + 1, *node[j + 1 :])), j))
    return found, best, evaluated


def optimal_levels(
    table: Summary,
    promises: Sequence[Guarantee],
    *,
    limit: int,
    measure: InformationLoss,
    stars: bool = True,
    tolerance: float = 0.0,
    seconds: float = math.inf,
    lattice: Lattice | None = None,
) -> Optimum:
    """The node of the lattice with the smallest information loss that keeps the promises.

    Of nodes with the same loss the one with the larger k is taken, then the one with the lower mean risk.

    Parameters
    ----------
    table : Summary
    promises : sequence of Guarantee
        Any conjunction; monotone or not.
    limit : int
        How many records may be suppressed.
    measure : InformationLoss
    stars : bool
        Suppressed records stay as a class of ``*`` (which must then keep the promises too); otherwise they are dropped.
    tolerance : float
        A node that no other can beat by more than this share of its loss is good enough.
    seconds : float
        When to stop with the best node so far; how much better another could be is then in the answer.
    lattice : Lattice, optional
        What is known of the table's lattice from earlier decisions.
    """
    selection = ClassSelection(table, promises, limit, stars)
    nodes = math.prod(tree.height for tree in table.hierarchies)
    lattice = lattice or Lattice(table, memory=MEMORY, once=True)
    with lattice.lock:
        if isinstance(measure, CellInformationLoss):
            search = LatticeSearch(lattice, promises, selection, measure)
            search.greedy()
            search.narrow(tolerance=tolerance, seconds=seconds)
            levels, best, lower, evaluated = search.levels, search.best, search.lower, search.evaluated
        elif isinstance(measure, ClassInformationLoss):
            if nodes > LATTICE_LIMIT:
                raise InfeasibleError(
                    f"{nodes} nodes are too many for an information loss of whole classes (limit {LATTICE_LIMIT}); "
                    "use generalised or entropy, or local recoding"
                )
            levels, best, evaluated = _class_search(table, selection, measure)
            lower = best
        else:
            raise TypeError(f"{measure!r} is neither a CellInformationLoss nor a ClassInformationLoss")
        if levels is None:
            tried = "" if lower >= best else "; not every combination of levels was tried"
            raise InfeasibleError(selection.how_close() + tried)
        member, number = lattice.grouper().members(levels)
    kept = selection(member, number)
    assert kept is not None
    return Optimum(levels, best, ~kept[member], lower, evaluated, nodes)


def better_node(
    table: Summary, promises: Sequence[Guarantee], measure: CellInformationLoss, loss: float, *, effort: int
) -> tuple[tuple[int, ...], NDArray[np.bool_]] | None:
    """The best node with less information loss than ``loss``, any number of records suppressed as ``*``, and which
    tuples it suppresses; ``None`` if there is none among the nodes that the effort allows (nodes × tuples)."""
    selection = ClassSelection(table, promises, table.rows, True)
    lattice = Lattice(table, memory=MEMORY, once=True)
    search = LatticeSearch(lattice, promises, selection, measure)
    search.best = loss - 2 * TIE
    search.narrow(effort=max(effort // len(table.codes), 1))
    if search.levels is None:
        return None
    member, number = lattice.grouper().members(search.levels)
    kept = selection(member, number)
    assert kept is not None
    return search.levels, ~kept[member]
