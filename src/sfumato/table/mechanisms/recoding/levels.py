"""Full-domain generalisation: the best node of the lattice, exactly.

Two facts make the exact search fast. The *base* of a node, its information loss before suppression, is a sum over
columns and rises with every level. The *surcharge* that small classes add falls with every level, because a class that
is too small at a node is too small in parts below it: hence information loss(w) ≥ base(w) + surcharge(v) for every w
below v. For t-closeness the surcharge counts what no t-close part of a class can hold
(:class:`~sfumato.table.mechanisms.recoding.node_check.NodeCheck`). A good first answer comes from greedy steps; then
nodes are tried from the highest base below it, and each answer strikes out the whole cone beneath it that the bound
excludes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.information_loss import CellInformationLoss, ClassInformationLoss, InformationLoss
from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.grouper import Grouper
from sfumato.table.mechanisms.recoding.node_check import NodeCheck

__all__ = ["LATTICE_LIMIT", "Optimum", "better_node", "optimal_levels"]

LATTICE_LIMIT = 1 << 22
"""Lattices with more nodes are searched greedily, and the answer says that it is not proved."""

EFFORT = 20_000
"""Nodes looked at before a proof is given up: under a minute. The best node so far is then the answer, not proved."""

TIE = 1e-12  # losses closer than this are equal: the node with the smaller levels is taken


@dataclass(frozen=True)
class Optimum:
    """The best node.

    Parameters
    ----------
    levels : tuple of int
    information_loss : float
    suppressed : NDArray
        For each tuple, whether its records are suppressed.
    proved : bool
        Whether no node is better.
    evaluated, nodes : int
        How many nodes were looked at, of how many.
    """

    levels: tuple[int, ...]
    information_loss: float
    suppressed: NDArray[np.bool_]
    proved: bool
    evaluated: int
    nodes: int


@njit(cache=True)
def _strike(levels, base, alive, first, node, floor):  # type: ignore[no-untyped-def]
    """Strike out, from ``first`` on, the nodes below ``node`` whose base is at least ``floor``; bases fall."""
    struck = 0
    for i in range(first, base.shape[0]):
        if base[i] < floor:
            break
        if alive[i]:
            below = True
            for j in range(levels.shape[1]):
                if levels[i, j] > node[j]:
                    below = False
                    break
            if below:
                alive[i] = False
                struck += 1
    return struck


@njit(cache=True)
def _small(codes, reps, counts, gap, levels, least, limit):  # type: ignore[no-untyped-def]
    """Records in classes below ``least``, and what suppressing them costs on top of generalising them (not computed if
    there are more than ``limit`` such records)."""
    records = 0
    for i in range(reps.shape[0]):
        if counts[i] < least:
            records += counts[i]
    if records > limit:
        return records, 0.0
    surcharge = 0.0
    for i in range(reps.shape[0]):
        if counts[i] < least:
            cost = 0.0
            for j in range(codes.shape[1]):
                cost += gap[j, levels[j], codes[reps[i], j]]
            surcharge += cost * counts[i]
    return records, surcharge


@njit(cache=True)
def _surcharge(codes, reps, records, gap, levels):  # type: ignore[no-untyped-def]
    """What suppressing some records of each class costs on top of generalising them."""
    total = 0.0
    for i in range(reps.shape[0]):
        if records[i] > 0:
            for j in range(codes.shape[1]):
                total += gap[j, levels[j], codes[reps[i], j]] * records[i]
    return total


def _at(node: tuple[int, ...], j: int, step: int) -> tuple[int, ...]:
    """The node with column j some levels higher or lower."""
    return (*node[:j], node[j] + step, *node[j + 1 :])


class _Search:
    """State of one search with an information loss that adds up over cells."""

    def __init__(
        self,
        table: Summary,
        promises: Sequence[Guarantee],
        selection: ClassSelection,
        measure: CellInformationLoss,
    ) -> None:
        self.table, self.selection, self.measure = table, selection, measure
        self.check = NodeCheck.of(table, promises, selection)
        self.grouper = Grouper(table, None if self.check is None else self.check.held)
        self.cost = measure.tables(table)
        self.heights = [tree.height for tree in table.hierarchies]
        top = np.stack([self.cost[j, h - 1] for j, h in enumerate(self.heights)])
        self.gap = top[:, None, :] - self.cost
        self.base = np.zeros(self.cost.shape[:2])
        for j in range(table.width):
            self.base[j] = self.cost[j][:, table.codes[:, j]] @ table.counts / table.rows
        self.best = math.inf
        self.levels: tuple[int, ...] | None = None
        self.evaluated = 0
        self.effort = EFFORT

    def base_of(self, node: Sequence[int]) -> float:
        return float(sum(self.base[j, level] for j, level in enumerate(node)))

    def visit(self, node: tuple[int, ...]) -> tuple[float, float]:
        """Information loss of a node (∞ if it misses the target) and its surcharge (∞ if nothing below can meet it)."""
        self.evaluated += 1
        groups = self.grouper.at(node)
        levels = np.array(node)
        least, limit, codes = self.selection.least, self.selection.limit, self.table.codes
        records, extra = _small(codes, groups.reps, groups.counts, self.gap, levels, least, limit)
        if records > self.selection.limit:
            return math.inf, math.inf
        surcharge = extra / self.table.rows
        loss = self.base_of(node) + surcharge
        if loss > self.best + TIE:
            return math.inf, surcharge
        if not self.selection.sizes_decide(records):
            gone: NDArray[np.bool_] | None
            if self.check is not None:
                broken, lost = self.check.judge(groups)
                if lost.sum() > limit:
                    return math.inf, math.inf
                surcharge = _surcharge(codes, groups.reps, lost, self.gap, levels) / self.table.rows
                if self.base_of(node) + surcharge > self.best + TIE:
                    return math.inf, surcharge
                stars = self.selection.stars or not broken.any()
                gone = self.check.suppressed(groups, broken) if stars else self._by_selection(node)
            else:
                gone = self._by_selection(node)
            if gone is None:
                return math.inf, math.inf if self.selection.closed_below else surcharge
            paid = _surcharge(codes, groups.reps, np.where(gone, groups.counts, 0), self.gap, levels)
            loss = self.base_of(node) + paid / self.table.rows
        if loss < self.best - TIE or (loss <= self.best + TIE and (self.levels is None or node < self.levels)):
            self.best, self.levels = min(loss, self.best), node
        return loss, surcharge

    def _by_selection(self, node: tuple[int, ...]) -> NDArray[np.bool_] | None:
        """The suppressed classes of a node, numbered as its groups are."""
        kept = self.selection(*self.grouper.members(node))
        return None if kept is None else ~kept

    def greedy(self) -> None:
        """From the root, take the step down that loses least, as long as some step improves."""
        here = tuple(h - 1 for h in self.heights)
        known: dict[tuple[int, ...], float] = {here: self.visit(here)[0]}
        while True:
            steps = [_at(here, j, -1) for j in range(len(here)) if here[j] > 0]
            sides = [
                _at(step, j, 1)
                for step in steps
                for j in range(len(here))
                if step[j] + 1 < self.heights[j] and step[j] == here[j]
            ]
            for pool in (steps, sides):
                for node in pool:
                    if node not in known and self.base_of(node) < self.best:
                        known[node] = self.visit(node)[0]
                best = min((node for node in pool if node in known), key=lambda node: (known[node], node), default=here)
                if known[best] < known[here]:
                    here = best
                    break
            else:
                return

    def prove(self) -> bool:
        """Try or exclude every node that could still be better; whether that took no more than the effort allowed."""
        levels = np.ascontiguousarray(np.indices(self.heights, np.int8).reshape(len(self.heights), -1).T)
        base = np.zeros(len(levels))
        for j in range(levels.shape[1]):
            base += self.base[j][levels[:, j]]
        open_ = base <= self.best + TIE
        levels, base = levels[open_], base[open_]
        order = np.argsort(-base, kind="stable")
        levels, base = np.ascontiguousarray(levels[order]), base[order]
        alive = np.ones(len(base), np.bool_)
        here = struck = 0
        while here < len(base):
            if alive[here] and base[here] <= self.best + TIE:
                if self.evaluated >= self.effort:
                    return False
                node = levels[here].copy()
                _, surcharge = self.visit(tuple(node.tolist()))
                struck += _strike(levels, base, alive, here + 1, node, self.best - surcharge + 2 * TIE)
            here += 1
            if 2 * struck > len(base) - here:  # few are left: no need to walk over the others again and again
                alive[:here] = False
                levels, base = levels[alive], base[alive]
                alive = np.ones(len(base), np.bool_)
                here = struck = 0
        return True


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
                waiting.append((grouper.roll(groups, _at(node, j, 1)), j))
    return found, best, evaluated


def optimal_levels(
    table: Summary, promises: Sequence[Guarantee], *, limit: int, measure: InformationLoss, stars: bool = True
) -> Optimum:
    """The node of the lattice with the smallest information loss that keeps the promises.

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
    """
    selection = ClassSelection(table, promises, limit, stars)
    nodes = math.prod(tree.height for tree in table.hierarchies)
    proved = nodes <= LATTICE_LIMIT
    if isinstance(measure, CellInformationLoss):
        search = _Search(table, promises, selection, measure)
        search.greedy()
        proved = proved and search.prove()
        levels, best, evaluated = search.levels, search.best, search.evaluated
    elif isinstance(measure, ClassInformationLoss):
        if not proved:
            raise InfeasibleError(
                f"{nodes} nodes are too many for an information loss of whole classes (limit {LATTICE_LIMIT}); "
                "use generalised or entropy, or local recoding"
            )
        levels, best, evaluated = _class_search(table, selection, measure)
    else:
        raise TypeError(f"{measure!r} is neither a CellInformationLoss nor a ClassInformationLoss")
    if levels is None:
        raise InfeasibleError(selection.how_close() + ("" if proved else "; not every combination of levels was tried"))
    member, number = Grouper(table).members(levels)
    kept = selection(member, number)
    assert kept is not None
    return Optimum(levels, best, ~kept[member], proved, evaluated, nodes)


def better_node(
    table: Summary, promises: Sequence[Guarantee], measure: CellInformationLoss, loss: float, *, effort: int
) -> tuple[tuple[int, ...], NDArray[np.bool_]] | None:
    """The best node with less information loss than ``loss``, any number of records suppressed as ``*``, and which
    tuples it suppresses; ``None`` if there is none among the nodes that the effort allows (nodes × tuples)."""
    if math.prod(tree.height for tree in table.hierarchies) > LATTICE_LIMIT:
        return None
    selection = ClassSelection(table, promises, table.rows, True)
    search = _Search(table, promises, selection, measure)
    search.best, search.effort = loss - 2 * TIE, max(effort // len(table.codes), 1)
    search.prove()
    if search.levels is None:
        return None
    member, number = search.grouper.members(search.levels)
    kept = selection(member, number)
    assert kept is not None
    return search.levels, ~kept[member]
