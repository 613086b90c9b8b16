"""The joined view of several releases of the same people, and who must be left out to keep it safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Sensitive, Summary
from sfumato.table.people.delivery import Delivery
from sfumato.table.people.lasting_values import LASTS, RESTS, Succession, successions
from sfumato.table.promise.base import TablePromise, table_promises

__all__ = ["JoinedView", "Settled", "joined_groups", "settle"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ALONE = -1
"""The group of people who are in one release only and whose rows nothing links."""


def joined_groups(deliveries: Sequence[Delivery]) -> Ints:
    """The group of each person: people with the same classes in all releases; −1 for people in one release only.

    People whose rows are linked by a pseudonym have a group of their own kind even if they are in one release only.

    >>> one = Delivery(np.array([0, 1, 2]), np.array([0, 0, 0]), np.zeros(3, bool))
    >>> two = Delivery(np.array([0, 1]), np.array([0, 1]), np.zeros(2, bool))
    >>> joined_groups([one, two]).tolist()
    [0, 1, -1]
    """
    people = 1 + max((int(one.person.max()) for one in deliveries if len(one.person)), default=-1)
    groups = np.full(people, ALONE, np.int64)
    seen, linked = np.zeros(people, np.int64), np.zeros(people, np.bool_)
    for one in deliveries:
        seen[np.unique(one.person)] += 1
        linked[one.person[one.linked]] = True
    wanted = (seen > 1) | linked
    person, place = [], []
    offset = 0
    for one in deliveries:
        inside = wanted[one.person]
        person.append(one.person[inside])
        place.append(one.classes[inside] + offset)
        offset += int(one.classes.max()) + 1 if len(one.classes) else 0
    who, where = np.concatenate(person), np.concatenate(place)
    order = np.lexsort((where, who))
    who, where = who[order], where[order]
    edges = np.flatnonzero(np.r_[True, who[1:] != who[:-1], True]) if len(who) else np.zeros(0, np.int64)
    views: dict[bytes, int] = {}
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        groups[who[start]] = views.setdefault(where[start:stop].tobytes(), len(views))
    return groups


@dataclass(frozen=True, eq=False)
class Cells:
    """The rows of one release by class and group.

    ``member`` is the cell of each row, ``classes`` and ``groups`` say which class and group each cell is.
    """

    member: Ints
    classes: Ints
    groups: Ints

    @property
    def number(self) -> int:
        return len(self.classes)


class JoinedView:
    """What several releases show together, cell by cell: the rows of one class whose people have one view.

    Parameters
    ----------
    deliveries : sequence of Delivery
    promises : sequence of Guarantee
        Those on classes are asked of every cell, where the release has the column they speak of.
    person : str
        What people are called in the promises.
    """

    def __init__(self, deliveries: Sequence[Delivery], promises: Sequence[Guarantee], person: str) -> None:
        self.deliveries, self.person = tuple(deliveries), person
        self.promises = [one for one in table_promises(promises) if one.on_classes]
        self.groups = joined_groups(self.deliveries)
        self.everyone = tuple(map(str, range(len(self.groups))))
        self._successions = successions(self.deliveries, self.groups)

    def cells(self, delivery: Delivery) -> Cells:
        """The cells of one of the releases."""
        groups = self.groups[delivery.person]
        pairs = np.stack([delivery.classes, groups], axis=1)
        found, member = np.unique(pairs, axis=0, return_inverse=True)
        return Cells(member.reshape(-1).astype(np.int64), found[:, 0], found[:, 1])

    def open_to(self, delivery: Delivery, cells: Cells) -> Ints:
        """Among how many people the person of each row is hidden; at least 1."""
        pairs = np.unique(np.stack([cells.member, delivery.person], axis=1), axis=0)
        people = np.bincount(pairs[:, 0], minlength=cells.number).astype(np.int64)
        found = self._succession(delivery).open
        return np.maximum(np.where(found < 0, people[cells.member], found), 1)

    def unsafe(self, delivery: Delivery, cells: Cells) -> Bools:
        """For each cell of one of the releases, whether it or a part of it that can be told apart breaks a promise."""
        succession = self._succession(delivery)
        bad = self.broken(delivery, cells)
        bad[cells.member[succession.open == 0]] = True
        for part in (LASTS, RESTS):
            rows = succession.part == part
            if rows.any():  # as cells of their own, among the others: t is asked against the whole release
                which, inside = np.unique(cells.member[rows], return_inverse=True)
                member = cells.member.copy()
                member[rows] = cells.number + inside.reshape(-1)
                kept, packed = np.unique(member, return_inverse=True)
                place = np.r_[np.arange(cells.number), which][kept]
                refined = Cells(packed.reshape(-1).astype(np.int64), cells.classes[place], cells.groups[place])
                bad[which] |= self.broken(delivery, refined)[-len(which) :]
        return bad

    def _succession(self, delivery: Delivery) -> Succession:
        return next(found for one, found in zip(self.deliveries, self._successions, strict=True) if one is delivery)

    def broken(self, delivery: Delivery, cells: Cells) -> Bools:
        """For each cell, whether it breaks a promise."""
        if not cells.number:
            return np.zeros(0, np.bool_)
        columns = [_by_cell(one, cells.member) for one in delivery.columns]
        rows = np.arange(len(delivery.person))
        who = Sensitive(self.person, self.everyone, rows, delivery.person, np.ones(len(rows), np.int64))
        columns.append(_by_cell(who, cells.member))
        counts = np.bincount(cells.member, minlength=cells.number).astype(np.int64)
        table = Summary((), (), np.arange(cells.number)[:, None], counts, tuple(columns))
        there = {column.name for column in columns}
        bad = np.zeros(cells.number, np.bool_)
        for promise in self.promises:
            if _column(promise) is None or _column(promise) in there:
                bad |= promise.broken(Classes.by_value(table))
        return bad


def _column(promise: TablePromise) -> str | None:
    found: str | None = getattr(promise, "column", None)
    return found


def _by_cell(column: Sensitive, member: Ints) -> Sensitive:
    """How often each cell meets each value."""
    pair = column.codes * (int(member.max()) + 1) + member[column.tuples]
    keys, which = np.unique(pair, return_inverse=True)
    counts = np.bincount(which, column.counts, len(keys)).astype(np.int64)
    number = int(member.max()) + 1
    return Sensitive(column.name, column.values, keys % number, keys // number, counts, column.hierarchy)


@dataclass(frozen=True, eq=False)
class Settled:
    """Which rows of the new release may leave, and which of them may be linked by a pseudonym."""

    kept: Bools
    linked: Bools


def settle(
    earlier: Sequence[Delivery],
    new: Delivery,
    promises: Sequence[Guarantee],
    person: str,
    *,
    rng: Rng,
    link: bool = False,
) -> Settled:
    """Leave people out of a new release until every cell of the joined view keeps the promises.

    People in a broken cell of the new release are left out of it, with all their rows; those who are in no earlier
    release and are only linked to themselves lose the link first. If too few of an earlier class are *not* in the new
    release (a difference attack), a few more of that class are left out, drawn at random. People only go one way, so it
    ends: at the latest when nobody of the earlier releases is in the new one.

    Raises :class:`~sfumato.InfeasibleError` if the earlier releases break the promises by themselves.
    """
    people = 1 + max(int(one.person.max()) for one in (*earlier, new) if len(one.person))
    before = JoinedView(earlier, promises, person) if earlier else None
    returning = np.zeros(people, np.bool_)
    for one in earlier:
        returning[one.person] = True
    present = np.zeros(people, np.bool_)
    present[new.person] = True
    several = np.bincount(new.person, minlength=people) > 1
    tied = several & link
    while True:
        kept = present[new.person]
        now = replace(new, linked=tied[new.person]).only(kept)
        view = JoinedView([*earlier, now], promises, person)
        out, loose = np.zeros(people, np.bool_), np.zeros(people, np.bool_)
        cells = view.cells(now)
        bad = view.unsafe(now, cells)
        for group_alone in (False, True):
            rows = bad[cells.member] & ((cells.groups[cells.member] == ALONE) == group_alone)
            hit = np.zeros(people, np.bool_)
            hit[now.person[rows]] = True
            out |= hit & returning
            if not group_alone:
                loose |= hit & ~returning & tied
                continue
            touched = np.isin(now.classes, np.unique(now.classes[rows])) & now.linked & ~returning[now.person]
            freed = np.unique(now.classes[touched])
            loose[now.person[touched]] = True
            stuck = rows & ~np.isin(now.classes, freed)
            out[now.person[stuck]] = True
        for one in earlier:
            assert before is not None
            _mend(one, view, before, present & ~out, out, rng)
        if not (out.any() or loose.any()):
            return Settled(kept, tied[new.person])
        present &= ~out
        tied &= ~loose


def _rows_of(cells: Cells) -> Callable[[int], Ints]:
    """The rows of a cell, found by one sort of all."""
    order = np.argsort(cells.member, kind="stable")
    ends = np.searchsorted(cells.member[order], np.arange(cells.number + 1))
    return lambda cell: order[ends[cell] : ends[cell + 1]]


def _spared(earlier: Delivery, view: JoinedView, inside: Ints, others: Ints, where: int, rng: Rng) -> Ints:
    """Who else is left out, so that those of a class who are not in the new release are enough: as few as it takes.

    They come from the largest group of ``others``, in random order. If fewer would be left of it than the promises ask
    for, the smallest group is left out whole.
    """
    groups, counts = np.unique(view.groups[others], return_counts=True)
    least = max((one.least_size for one in view.promises), default=1)
    queue = rng.permutation(others[view.groups[others] == groups[counts.argmax()]])
    for number in range(max(least - len(inside), 1), len(queue) - least + 1):
        chosen = np.concatenate([inside, queue[:number]])
        rows = np.isin(earlier.person, chosen) & (earlier.classes == where)
        part = earlier.only(rows)
        if not view.broken(
            part, Cells(np.zeros(int(rows.sum()), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))
        )[0]:
            return queue[:number]
    return others[view.groups[others] == groups[counts.argmin()]]


def _mend(earlier: Delivery, view: JoinedView, before: JoinedView, present: Bools, out: Bools, rng: Rng) -> None:
    """Mark those who must not be in the new release because of the broken cells of an earlier one."""
    cells = view.cells(earlier)
    bad = view.unsafe(earlier, cells)
    if not bad.any():
        return
    old = before.cells(earlier)
    now_rows, old_rows = _rows_of(cells), _rows_of(old)
    for cell in np.flatnonzero(bad).tolist():
        rows = now_rows(cell)
        inside = np.unique(earlier.person[rows])
        if present[inside].any():  # a group of people who would be in both
            out[inside[present[inside]]] = True
            continue
        if out[inside].any():
            continue  # it grows or goes with those who are left out in this turn
        same = np.concatenate([old_rows(one) for one in np.unique(old.member[rows]).tolist()])
        others = np.unique(earlier.person[same])
        others = others[present[others] & ~out[others]]
        if not len(others):
            if out[np.unique(earlier.person[same])].any():
                continue
            raise InfeasibleError(
                f"{earlier.name} breaks {' and '.join(one.statement for one in view.promises)} by itself: a group of "
                f"{len(inside)} in it; nothing that is left out of the new release changes that; ask for less"
            )
        out[_spared(earlier, view, inside, others, cells.classes[cell], rng)] = True
