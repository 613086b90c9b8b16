"""Newcomers in the place of people who left, so that a class of an earlier release stays whole in the next.

Two releases of a class differ by those who left it. Someone who left has a *successor* if somebody who is new, and
whose released values are the same, comes into the class of those who stayed. The two count as one, a *seat*: whoever
stays all the time has a seat of their own. A seat has one class and one set of values in each release, so that two
seats with the same classes can be exchanged and nothing changes that the releases show (theorem:
:class:`~sfumato.table.PeopleAnonymity`). m-invariance (Xiao and Tao 2007) has counterfeits for this; here all records
are true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.summary import Summary
from sfumato.table.people.delivery import Delivery
from sfumato.table.people.joined import JoinedView, joined_groups

__all__ = ["Seats", "by_class", "by_nearness", "earlier_groups"]

Ints = NDArray[np.int64]
Price = Callable[[Ints, Ints], NDArray[np.float64]]
"""What each newcomer (second) costs in the class of those who stayed (first), by their rows; ∞ where that cannot be."""

LASTING = 0.5
"""Which share of those who stayed must have the values that they had, at least: else values do not last."""


def earlier_groups(earlier: Sequence[Delivery], seat: Ints) -> Ints:
    """For each row of the new table, the group of its seat in the earlier releases; −1 for those that are new.

    Seats that were in one earlier release only are grouped by their classes in it.
    """
    everyone = np.full(1 + max(int(seat.max()), *(int(one.person.max()) for one in earlier), 0), -1, np.int64)
    if earlier:
        shown = [Delivery(one.person, one.classes, np.ones(len(one.person), np.bool_)) for one in earlier]
        groups = joined_groups(shown)  # with every row linked, each seat has the group of all its classes
        everyone[: len(groups)] = groups
    return everyone[seat]


@dataclass(frozen=True, eq=False)
class Seats:
    """The seats of a new table: whose they were in the earlier releases, and who may take those that are free.

    Parameters
    ----------
    earlier : sequence of Delivery
        By seats.
    seat : ndarray
        The seat of each row: that of the person in the earlier releases, or a new one.
    shown : tuple of sequences, or None
        The released values of each row that are not recoded, by column name; ``None`` if a pseudonym tells anyway who
        is who.
    promises : sequence of Guarantee
        What must hold of those who left a class, and of those who stayed.
    person : str
        What people are called in the promises.
    """

    earlier: Sequence[Delivery]
    seat: Ints
    shown: dict[str, list[str | None]] | None
    promises: Sequence[Guarantee]
    person: str

    def filled(self, price: Price) -> Ints:
        """The seat of each row after newcomers took free ones, in classes that cannot stay whole without them.

        A class gets a successor for everyone who left it, or none: with some of them it would still be broken.
        """
        seat = self.seat.copy()
        if not self._comparable():
            return seat
        free, stayed, wanted = self._places
        free = dict(free)
        broken = [(sum(map(len, wanted[one].values())) / len(stayed[one]), one) for one in self._broken]
        for _, group in sorted(broken):  # where one newcomer keeps most people comes first
            found = _cheapest(wanted[group], free, stayed[group], price)
            for value, taken in (found or {}).items():
                seat[free[value][taken]] = wanted[group][value]
                free[value] = np.delete(free[value], taken)
        return seat

    @cached_property
    def _groups(self) -> Ints:
        return earlier_groups(self.earlier, self.seat)

    @cached_property
    def _places(self) -> tuple[dict[int, Ints], dict[int, Ints], dict[int, dict[int, list[int]]]]:
        """The rows of newcomers by their values, those who stayed by their group, and by group and values who left."""
        values, left = self._values()
        once = np.bincount(self.seat)[self.seat] == 1
        wanted: dict[int, dict[int, list[int]]] = {}
        for who, (group, value) in left.items():
            wanted.setdefault(group, {}).setdefault(value, []).append(who)
        free = _by(values, np.flatnonzero((self._groups < 0) & once))
        return free, _by(self._groups, np.flatnonzero(self._groups >= 0)), wanted

    @cached_property
    def _broken(self) -> list[int]:
        """The groups that break a promise because some left and some stayed."""
        _, stayed, wanted = self._places
        inside = self._groups >= 0
        now = Delivery(self.seat[inside], self._groups[inside], np.zeros(int(inside.sum()), np.bool_))
        view = JoinedView([*self.earlier, now], self.promises, self.person)
        found: set[int] = set()
        for one in self.earlier:
            cells = view.cells(one)
            hit = one.person[view.broken(one, cells)[cells.member]]
            found.update(earlier_groups(self.earlier, hit).tolist() if len(hit) else ())
        return sorted(group for group in found if group in stayed and group in wanted)

    def _comparable(self) -> bool:
        """Whether every release shows the same columns, and no pseudonym."""
        if self.shown is None or not self.earlier:
            return False
        return all(one.shown is not None and set(one.shown) == set(self.shown) for one in self.earlier)

    def _values(self) -> tuple[Ints, dict[int, tuple[int, int]]]:
        """The number of the values of each row, and of each seat that is free its group and its values; −1 where a
        newcomer cannot have them: several records, or values that change."""
        assert self.shown is not None
        names, numbers = sorted(self.shown), dict[tuple[str | None, ...], int]()
        here = _numbered([self.shown[name] for name in names], len(self.seat), numbers)
        held: dict[int, set[int]] = {}
        for one in self.earlier:
            assert one.shown is not None
            for who, value in zip(
                one.person.tolist(), _numbered([one.shown[n] for n in names], len(one.person), numbers), strict=True
            ):
                held.setdefault(who, set()).add(value)
            for who in np.flatnonzero(np.bincount(one.person) > 1).tolist():
                held[who].add(-1)
        stays = [held[who] == {value} for who, value in zip(self.seat.tolist(), here, strict=True) if who in held]
        gone = sorted(set(held).difference(self.seat.tolist()))
        lasting = len(stays) == 0 or float(np.mean(stays)) >= LASTING
        groups = earlier_groups(self.earlier, np.array(gone, np.int64)).tolist() if gone else []
        values = (next(iter(held[who])) if lasting and len(held[who]) == 1 else -1 for who in gone)
        return np.array(here, np.int64), {
            who: (group, value) for who, group, value in zip(gone, groups, values, strict=True)
        }


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


def _numbered(
    columns: Sequence[Sequence[str | None]], rows: int, numbers: dict[tuple[str | None, ...], int]
) -> list[int]:
    """A number for each combination of values, the same in every table."""
    combined = zip(*columns, strict=True) if columns else iter([()] * rows)
    return [numbers.setdefault(one, len(numbers)) for one in combined]


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
