"""Newcomers in the place of people who left, so that a class of an earlier release stays whole in the next.

Two releases of a class differ by those who left it. Someone who left has a *successor* if somebody who is new, and
whose released values are the same, comes into the class of those who stayed. The two count as one, a *seat*: whoever
stays all the time has a seat of their own. A seat has one class and one set of values in each release, so that two
seats with the same classes can be exchanged and nothing changes that the releases show (theorem:
:class:`~sfumato.table.PeopleAnonymity`). m-invariance (Xiao and Tao 2007) has counterfeits for this; here all records
are true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.summary import Summary
from sfumato.table.people.delivery import Delivery, Shown
from sfumato.table.people.joined import JoinedView, joined_groups

__all__ = ["Seats", "by_class", "by_nearness", "earlier_groups"]

Ints = NDArray[np.int64]
Price = Callable[[Ints, Ints], NDArray[np.float64]]
"""What each newcomer (second) costs in the class of those who stayed (first), by their rows; ∞ where that cannot be."""

LASTING = 0.5
"""Which share of those who stayed and had a value must have kept it: else it is *fleeting*.

Where a fleeting value is in both releases of a class, whoever knows how rarely it lasts would take it for that of
somebody who left. Such a class has no successors at all: if only people with other values had them, that would tell as
much. So the odds of no value are more than doubled.
"""


def earlier_groups(earlier: Sequence[Delivery], seat: Ints) -> Ints:
    """For each row of the new table, the group of its seat in the earlier releases; −1 for those that are new.

    Seats that were in one earlier release only are grouped by their classes in it.
    """
    everyone = np.full(1 + max(int(seat.max()), *(int(one.person.max()) for one in earlier), 0), -1, np.int64)
    if earlier:
        linked = [replace(one, linked=np.ones(len(one.person), np.bool_)) for one in earlier]
        groups = joined_groups(linked)  # with every row linked, each seat has the group of all its classes
        everyone[: len(groups)] = groups
    return everyone[seat]


@dataclass(frozen=True, eq=False)
class Seats:
    """The seats of a new table: whose they were in the earlier releases, and who may take those that are free.

    Parameters
    ----------
    earlier : sequence of Delivery
        By seats.
    person, seat : ndarray
        The person of each row, and the seat: that of the person in the earlier releases, or a new one.
    now : Shown, or None
        The released values of each row that are not recoded; ``None`` if a pseudonym tells anyway who is who.
    allowed : bool
        Whether anybody may have a successor.
    promises : sequence of Guarantee
        What must hold of those who left a class, and of those who stayed.
    name : str
        What people are called in the promises.
    """

    earlier: Sequence[Delivery]
    person: Ints
    seat: Ints
    now: Shown | None
    allowed: bool
    promises: Sequence[Guarantee]
    name: str

    def filled(self, price: Price) -> Ints:
        """The seat of each row after newcomers took free ones, in classes that cannot stay whole without them.

        A class gets a successor for everyone who left it, or none: with some of them it would still be broken. It also
        gets none if too few of those who stayed kept their values: those who left would be known by theirs.
        """
        seat = self.seat.copy()
        if not self._comparable():
            return seat
        free, stayed, wanted = self._places
        free = dict(free)
        broken = [(sum(map(len, wanted[one].values())) / len(stayed[one]), one) for one in self._left if one in wanted]
        for _, group in sorted(broken):  # one newcomer who keeps most comes first
            found = _cheapest(wanted[group], free, stayed[group], price)
            for value, taken in (found or {}).items():
                seat[free[value][taken]] = wanted[group][value]
                free[value] = np.delete(free[value], taken)
        still = np.isin(earlier_groups(self.earlier, seat), self._broken(seat))
        return np.where(still, self.seat, seat)

    @cached_property
    def _groups(self) -> Ints:
        return earlier_groups(self.earlier, self.seat)

    @cached_property
    def _places(self) -> tuple[dict[int, Ints], dict[int, Ints], dict[int, dict[int, list[int]]]]:
        """The rows of newcomers by their values, those who stayed by their group, and by group and values who left.

        Groups with a fleeting value in all releases have nobody who left.
        """
        assert self.now is not None
        once = np.bincount(self.seat)[self.seat] == 1
        free = _by(self.now.value, np.flatnonzero((self._groups < 0) & once))
        stayed = _by(self._groups, np.flatnonzero(self._groups >= 0))
        here, seats = set(self.seat.tolist()), sorted(self._held)
        before: dict[int, set[int]] = {}
        wanted: dict[int, dict[int, list[int]]] = {}
        for who, group in zip(seats, earlier_groups(self.earlier, np.array(seats, np.int64)).tolist(), strict=True):
            values = self._held[who]
            before.setdefault(group, set()).update(values)
            if who not in here:
                value = next(iter(values)) if len(values) == 1 else -1
                wanted.setdefault(group, {}).setdefault(value, []).append(who)
        for group in [*wanted]:
            now = {*self.now.value[stayed.get(group, [])].tolist(), *wanted[group]}
            if now & before[group] & self._fleeting:
                del wanted[group]
        return free, stayed, wanted

    @cached_property
    def _held(self) -> dict[int, set[int]]:
        """The values that each seat had, and −1 if it had several records at once."""
        found: dict[int, set[int]] = {}
        for one in self.earlier:
            assert one.shown is not None
            for who, value in zip(one.person.tolist(), one.shown.value.tolist(), strict=True):
                found.setdefault(who, set()).add(value)
            for who in np.flatnonzero(np.bincount(one.person) > 1).tolist():
                found[who].add(-1)
        return found

    @cached_property
    def _fleeting(self) -> set[int]:
        """Values that too few of those who stayed have kept; one that few had counts as the others do."""
        assert self.now is not None
        had, kept = Counter[int](), Counter[int]()
        for who, value in zip(self.seat.tolist(), self.now.value.tolist(), strict=True):
            before = self._held.get(who, set())
            if len(before) == 1:
                had.update(before)
                kept.update(before & {value})
        overall = kept.total() / had.total() if had else 1.0
        seen = set().union(*self._held.values())
        return {value for value in seen if (kept[value] + overall) / (had[value] + 1) < LASTING}

    @cached_property
    def _left(self) -> list[int]:
        return self._broken(self.seat)

    def _broken(self, seat: Ints) -> list[int]:
        """The groups in which some stayed and some left, by these seats, and a promise is broken by it."""
        groups = earlier_groups(self.earlier, seat)
        inside = groups >= 0
        rows = Delivery(seat, groups, np.zeros(len(seat), np.bool_), shown=self.now, holder=self.person)
        view = JoinedView([*self.earlier, rows.only(inside)], self.promises, self.name)
        found: set[int] = set()
        for one in self.earlier:
            cells = view.cells(one)
            hit = one.person[view.unsafe(one, cells)[cells.member]]
            found.update(earlier_groups(self.earlier, hit).tolist() if len(hit) else ())
        return sorted(found.intersection(groups[inside].tolist()))

    def _comparable(self) -> bool:
        """Whether every release shows the same columns, and no pseudonym."""
        if self.now is None or not self.allowed or not self.earlier:
            return False
        return all(one.shown is not None and one.shown.names == self.now.names for one in self.earlier)


def _by(keys: Ints, rows: Ints) -> dict[int, Ints]:
    """The rows of each key."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(keys[order], prepend=-2))
    return {int(keys[part[0]]): part for part in np.split(order, starts[1:]) if len(part)}


def _cheapest(
    wanted: dict[int, list[int]], free: dict[int, Ints], stayed: Ints, price: Price
) -> dict[int, Ints] | None:
    """The places, among those who are free, of the cheapest successors of all who left; ``None`` if some get none."""
    if any(value < 0 or len(free.get(value, ())) < len(gone) for value, gone in wanted.items()):
        return None
    found = {}
    for value, gone in wanted.items():
        costs = price(stayed, free[value])
        found[value] = np.argsort(costs, kind="stable")[: len(gone)]
        if not np.isfinite(costs[found[value]]).all():
            return None
    return found


def by_class(classes: Ints) -> Price:
    """Newcomers must be in a class of those who stayed, best in the one where most of them are."""

    def price(stayed: Ints, rows: Ints) -> NDArray[np.float64]:
        where, often = np.unique(classes[stayed], return_counts=True)
        place = np.minimum(np.searchsorted(where, classes[rows]), len(where) - 1)
        return np.where(where[place] == classes[rows], 1 / often[place], np.inf)

    return price


def by_nearness(summary: Summary, codes: Ints, cost: NDArray[np.float64]) -> Price:
    """The information that is lost where newcomers and those who stayed have the same label in every column."""

    def price(stayed: Ints, rows: Ints) -> NDArray[np.float64]:
        paid = np.zeros(len(rows))
        for j, tree in enumerate(summary.hierarchies):
            leaf = codes[stayed[0], j]
            level = np.zeros(len(rows), np.int64)
            for at in range(tree.height):
                labels = tree.codes[at]
                together = bool((labels[codes[stayed, j]] == labels[leaf]).all())
                level += (labels[codes[rows, j]] != labels[leaf]) | (not together)
            paid += cost[j, level, leaf]
        return paid

    return price
