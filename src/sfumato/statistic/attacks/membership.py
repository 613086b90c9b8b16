"""Membership inference: was this person in the data?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.statistic.attacks.likelihood_ratio import Floats, LikelihoodRatio
from sfumato.study.score import Score

__all__ = ["MembershipAttack"]


@dataclass(frozen=True, kw_only=True)
class MembershipAttack(LikelihoodRatio):
    """Tells the two farthest neighbours apart by the likelihood ratio: area under the ROC curve, chance 0.5.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> from sfumato.statistic import Mean
    >>> mean = Mean(epsilon=0.1, bounds=(0, 100))
    >>> data = np.full(50, 40.0)
    >>> score = MembershipAttack().attack(data, mean.release(data), mechanism=mean, rng=seeded_rng(0))
    >>> score.reference, score.value < 0.6
    (0.5, True)
    """

    name: str = "membership (AUC)"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        scores = self._scores(data, mechanism, rng)
        if scores is None:
            return Score(1.0, 1.0, 1.0, reference=0.5)
        value = _area(*scores)
        spread = 1.96 * _area_deviation(value, self.repeats)
        return Score(value, max(0.0, value - spread), min(1.0, value + spread), reference=0.5)


def _area(inside: Floats, outside: Floats) -> float:
    """Pr[inside > outside] + Pr[equal]/2."""
    order = np.sort(outside)
    below, upto = np.searchsorted(order, inside, "left"), np.searchsorted(order, inside, "right")
    return float((below + upto).mean() / (2 * len(outside)))


def _area_deviation(area: float, repeats: int) -> float:
    """Hanley and McNeil (1982)."""
    q_1, q_2 = area / (2 - area), 2 * area * area / (1 + area)
    variance = area * (1 - area) + (repeats - 1) * (q_1 + q_2 - 2 * area * area)
    return math.sqrt(max(variance, 0.0)) / repeats
