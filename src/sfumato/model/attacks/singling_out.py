"""Does a description that fits one synthetic record fit one person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.cohort import trained_on
from sfumato.model.synthetic.risk_estimate import singling_out_risk
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["SinglingOutAttack"]


@dataclass(frozen=True, kw_only=True)
class SinglingOutAttack:
    """Describes people by what singles out one synthetic record; chance is the success against people not trained on.

    Parameters
    ----------
    attacks : int
        How many descriptions are tried.
    """

    criterion: ClassVar[Criterion] = "singling out"
    knows: ClassVar[str] = "the synthetic records alone"

    attacks: int = 300
    name: str = "people singled out"

    def __post_init__(self) -> None:
        integer("attacks", self.attacks)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of descriptions that fit exactly one person."""
        group = cohort_of(data)
        return singling_out_risk(
            group.train, group.test, trained_on(release), attacks=self.attacks, rng=resolve_rng(rng)
        ).rate
