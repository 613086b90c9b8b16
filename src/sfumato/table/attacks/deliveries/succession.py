"""The values of people who left and whose place a newcomer took, by how long values last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from sfumato.table.people.joined import joined_groups
from sfumato.table.people.lasting_values import changed_hands

__all__ = ["SuccessionAttack"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SuccessionAttack:
    """Share of people with a successor, or who are one, whose sensitive value is guessed from two releases.

    Where newcomers took the places of people who left, both have the same value v, and it is in both releases of the
    group. People who stayed keep theirs only with a frequency λ_v, which the attacker learns where nobody left or
    came: so a value that is m_v times in both releases and rarely lasts is rather that of a successor. The guess is the
    value with the largest m_v/λ_v; chance is the guess with the largest m_v.

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
    previous: Sequence[Release]

    def __post_init__(self) -> None:
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column: " + ", ".join(self.schema.secrets))

    @property
    def name(self) -> str:
        return f"{self.column} of people with a successor, by how long values last"

    @property
    def knows(self) -> str:
        return REGISTER + "; learns from the releases how long values last"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        found = [one.by_seat() for one in deliveries_of(data, release, self.previous, self.schema)]
        found, values, number = common_values(found, self.column)
        groups = joined_groups(found)
        moved = changed_hands(found, len(groups)) & (groups >= 0)
        if not moved.any():
            raise bad_input("previous", f"{len(self.previous)} releases", "people who have a successor", "nobody does")
        shown = _shown(found, values, groups, number)
        successions = set(groups[moved].tolist())
        quiet = [held for group, held in shown.items() if group not in successions]
        kept = np.array([held.min(axis=0) for held in quiet]).sum(axis=0) + 0.5
        had = np.array([held.max(axis=0) for held in quiet]).sum(axis=0) + 0.5
        right, plain = [], []
        for one, held in zip(found, values, strict=True):
            for row in np.flatnonzero(moved[one.person]).tolist():
                both = shown[int(groups[one.person[row]])].min(axis=0)
                right.append(int((both * had / kept).argmax()) == held[row])
                plain.append(int(both.argmax()) == held[row])
        return Score.of_share(right, reference=float(np.mean(plain)))


def _shown(found: Sequence[Delivery], values: Sequence[Ints], groups: Ints, number: int) -> dict[int, Ints]:
    """For each group of people in several releases, how often each of them shows each value."""
    counts: dict[int, list[Ints]] = {}
    for one, held in zip(found, values, strict=True):
        inside = np.flatnonzero(groups[one.person] >= 0)
        order = inside[np.argsort(groups[one.person[inside]], kind="stable")]
        which, starts = np.unique(groups[one.person[order]], return_index=True)
        for group, rows in zip(which.tolist(), np.split(order, starts[1:]), strict=True):
            counts.setdefault(group, []).append(np.bincount(held[rows], minlength=number))
    return {group: np.stack(each) for group, each in counts.items()}
