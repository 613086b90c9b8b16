"""Sensitive values that follow from two releases of the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release import Release
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.deliveries.joined_view import REGISTER, deliveries_of
from sfumato.table.core.schema import Schema
from sfumato.table.people.delivery import Delivery, common_values

__all__ = ["IntersectionAttack"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class IntersectionAttack:
    """Share of people whose sensitive value follows for certain from two releases, by intersection or difference.

    For a class A of one release and a class B of the other, whose members the attacker knows, let m_A and m_B count
    their values. Who is in both has a value of min(m_A, m_B). If these are no more than the people in both, they are
    exactly their values, the rest of m_A belongs to those who are only in A and the rest of m_B to those only in B. A
    part with one value gives it away. Values are taken to last: a diagnosis, not a blood pressure; what follows and is
    wrong does not count. A release without the column (another table of the same people) has no values to compare and
    is passed over.

    Parameters
    ----------
    schema : Schema
    column : str
        The sensitive column.
    previous : sequence of Release
        Earlier releases of the same people, with their keys.
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    previous: Sequence[Release] = ()

    def __post_init__(self) -> None:
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column: " + ", ".join(self.schema.secrets))

    @property
    def name(self) -> str:
        return f"{self.column} known for certain, {1 + len(self.previous)} releases together"

    @property
    def knows(self) -> str:
        return REGISTER

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        found, values, number = common_values(deliveries_of(data, release, self.previous, self.schema), self.column)
        everyone = 1 + max(int(one.person.max()) for one in found)
        there, pinned = np.zeros(everyone, np.bool_), np.zeros(everyone, np.bool_)
        for one, held in zip(found, values, strict=True):
            there[one.person] = True
            _alone(one, held, pinned)
        for i, one in enumerate(found):
            for j in range(i):
                _together(found[j], values[j], one, values[i], pinned)
        return Score.of_share(pinned[there], reference=float(number <= 1))


def _alone(one: Delivery, values: Ints, pinned: NDArray[np.bool_]) -> None:
    """Classes of one release with one value."""
    pairs = np.unique(np.stack([one.classes, values], axis=1), axis=0)
    single = np.bincount(pairs[:, 0], minlength=int(one.classes.max()) + 1) == 1
    pinned[one.person[single[one.classes]]] = True


def _together(a: Delivery, va: Ints, b: Delivery, vb: Ints, pinned: NDArray[np.bool_]) -> None:
    """What two releases give away of people with one row in each class."""
    of_a = {person: row for row, person in enumerate(a.person.tolist())}
    once_a = np.bincount(a.person, minlength=int(max(a.person.max(), b.person.max())) + 1)
    once_b = np.bincount(b.person, minlength=len(once_a))
    rows_a, rows_b = _by_class(a), _by_class(b)
    pairs: set[tuple[int, int]] = set()
    for row, person in enumerate(b.person.tolist()):
        if person in of_a:
            pairs.add((int(a.classes[of_a[person]]), int(b.classes[row])))
    width = int(max(va.max(), vb.max())) + 1
    for ca, cb in pairs:
        ra, rb = rows_a[ca], rows_b[cb]
        if (once_a[a.person[ra]] > 1).any() or (once_b[b.person[rb]] > 1).any():
            continue  # several rows of one person: counts of values are no counts of people
        ma, mb = np.bincount(va[ra], minlength=width), np.bincount(vb[rb], minlength=width)
        both = np.intersect1d(a.person[ra], b.person[rb], assume_unique=True)
        shared = np.minimum(ma, mb)
        if (shared > 0).sum() == 1:
            inside = np.isin(b.person[rb], both) & (shared[vb[rb]] > 0)
            pinned[b.person[rb[inside]]] = True
        if shared.sum() == len(both):
            for people, held, left in ((a.person[ra], va[ra], ma - shared), (b.person[rb], vb[rb], mb - shared)):
                if (left > 0).sum() == 1:
                    pinned[people[~np.isin(people, both) & (left[held] > 0)]] = True


def _by_class(one: Delivery) -> list[Ints]:
    order = np.argsort(one.classes, kind="stable")
    ends = np.searchsorted(one.classes[order], np.arange(int(one.classes.max()) + 2))
    return [order[start:stop] for start, stop in pairwise(ends.tolist())]
