"""Does the closest synthetic record give a person's secret away?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.cohort import trained_on
from sfumato.model.synthetic.risk_estimate import RiskEstimate, inference_risk
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["AttributeInferenceAttack"]


@dataclass(frozen=True, kw_only=True)
class AttributeInferenceAttack:
    """Guesses a column from the synthetic record that is closest on all others; chance is the success on strangers.

    Parameters
    ----------
    secret : str, optional
        The column; by default every column in turn, and the one with the largest excess counts.
    attacks : int
        How many people are attacked.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "all columns of a person but one"

    secret: str | None = None
    attacks: int = 1_000
    name: str = "secrets inferred"

    def __post_init__(self) -> None:
        integer("attacks", self.attacks)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of secrets guessed."""
        group, generator, made = cohort_of(data), resolve_rng(rng), trained_on(release)
        columns = group.coded(release)[0].names if self.secret is None else [self.secret]
        found: list[RiskEstimate] = [
            inference_risk(group.train, group.test, made, secret=one, attacks=self.attacks, rng=generator)
            for one in columns
        ]
        return max((one.rate for one in found), key=lambda rate: rate.value - rate.reference)
