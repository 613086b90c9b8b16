"""How many people fit what several releases show of a victim together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release import Release
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.scoring import mean_score
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.table.people.delivery import Delivery, Digests, Numbers, common_salt, people_labels
from sfumato.table.people.joined import JoinedView
from sfumato.validate import choice

__all__ = ["JoinedViewAttack", "deliveries_of"]

REGISTER = "the quasi-identifiers of everybody in the releases, who is in which of them, and all the releases"
"""What an attacker on several releases knows."""


def deliveries_of(data: Any, release: Any, previous: Sequence[Release], schema: Schema) -> list[Delivery]:
    """The earlier releases and the last one, made of ``data``, with the same number for the same person."""
    if not isinstance(release, Release):
        raise bad_input("release", type(release).__name__, "a release with its private key", "protect(...) gives one")
    if schema.person is None:
        raise bad_input("person", None, "the column that says whose record it is", "person= in the schema")
    table, numbers = arrow_of(data), Numbers()
    people = people_labels(table, schema)
    digests = Digests.of([people[row] for row in release.input_rows(table.num_rows).tolist()], common_salt(previous))
    if "people" in release.key.secrets and (known := Digests.read(release)).salt == digests.salt:
        digests = known  # made beside the earlier ones: it says whose seats newcomers have
    earlier = [Delivery.of_release(one, schema, numbers) for one in previous]
    return [*earlier, Delivery.of_release(release, schema, numbers, digests)]


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedViewAttack:
    """1 over the people who are in the same classes as the victim in all the releases, and in no others.

    Without earlier releases it is the risk of a person, where :class:`ReidentificationAttack` gives that of a record.
    Intersection: a victim who is in two releases is in one class of each, and few others are in both. Difference: a
    victim who is in one release only is among those of the class who are not in the other. The attacker may not be able
    to tell records of one person from those of another; this one is told, but for those who left and have a successor
    with the same values (:class:`~sfumato.table.PeopleAnonymity`), so the score is an upper bound. Among whom these
    hide is counted for somebody who knows that a successor has the values of those who left, and that those of people
    who stayed may have changed.

    Parameters
    ----------
    schema : Schema
    previous : sequence of Release
        Earlier releases of the same people, with their keys.
    statistic : {"worst", "mean"}
    told : bool
        Of successors, too: which records of different releases belong to one person, for everybody. That is more than
        the releases show. What is left to this attacker is what ``successors=False`` protects.
    """

    schema: Schema
    previous: Sequence[Release] = ()
    statistic: Literal["worst", "mean"] = "worst"
    told: bool = False

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("worst", "mean"))

    @property
    def criterion(self) -> Criterion | None:
        """None if told more than anybody can find out: that is no measure of what the releases show."""
        return None if self.told else "singling out"

    @property
    def name(self) -> str:
        what = f"{self.statistic} risk of a person"
        if self.previous:
            what += f", {1 + len(self.previous)} releases together"
        return what + ", told whose records belong together" * self.told

    @property
    def knows(self) -> str:
        return REGISTER + ", and which of their records belong to one person" * self.told

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        risk = self.risks(data, release)
        chance = 1 / len(risk)
        if self.statistic == "mean":
            return mean_score(risk, chance)
        worst = float(risk.max())
        return Score(worst, worst, worst, chance)

    def risks(self, data: Any, release: Any) -> NDArray[np.float64]:
        """The risk of each person in any of the releases: the largest over their records."""
        found = deliveries_of(data, release, self.previous, self.schema)
        found = found if self.told else [one.by_seat() for one in found]
        view = JoinedView(found, (), "")
        risk = np.zeros(len(view.groups))
        for one in found:
            cells = view.cells(one)
            np.maximum.at(risk, one.person, 1 / view.open_to(one, cells))
        return risk
