"""Can two halves of a record be joined through the synthetic table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.cohort import trained_on
from sfumato.model.synthetic.risk_estimate import linkability_risk
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["HalfLinkageAttack"]


@dataclass(frozen=True, kw_only=True)
class HalfLinkageAttack:
    """Joins two halves of a person's columns by a common closest synthetic record.

    Chance is the success against people who were not trained on.

    Parameters
    ----------
    attacks : int
        How many people are attacked.
    neighbours : int
        How many closest records of each half are compared.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "half of the columns of a person from one source and the other half from another"

    attacks: int = 1_000
    neighbours: int = 1
    name: str = "halves linked"

    def __post_init__(self) -> None:
        integer("attacks", self.attacks)
        integer("neighbours", self.neighbours)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of people whose halves meet."""
        group = cohort_of(data)
        return linkability_risk(
            group.train,
            group.test,
            trained_on(release),
            attacks=self.attacks,
            neighbours=self.neighbours,
            rng=resolve_rng(rng),
        ).rate
