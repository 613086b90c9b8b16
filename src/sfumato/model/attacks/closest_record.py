"""Is a synthetic record closer to a training record than to anybody else's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.cohort import trained_on
from sfumato.model.synthetic.closeness_report import measure_closeness
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score

__all__ = ["ClosestRecordAttack"]


@dataclass(frozen=True, kw_only=True)
class ClosestRecordAttack:
    """Takes the closest person for the origin of a synthetic record: the share whose closest person was trained on.

    As many people who were not trained on stand beside those who were, so that ½ is chance; ties count one half.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "the records of people of whom half were trained on, but not of which half"

    name: str = "closest person was trained on"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of synthetic records whose closest person was trained on."""
        group = cohort_of(data)
        found = measure_closeness(group.train, group.test, trained_on(release), rng=resolve_rng(rng))
        wins = np.where(found.to_train == found.to_test, 0.5, found.to_train < found.to_test)
        return Score.of_share(wins, 0.5)
