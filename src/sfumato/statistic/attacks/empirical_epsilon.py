"""A lower bound on ε from releases alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.statistic.attacks.likelihood_ratio import Floats, LikelihoodRatio
from sfumato.study.score import Score

__all__ = ["EmpiricalEpsilonAttack"]


@dataclass(frozen=True, kw_only=True)
class EmpiricalEpsilonAttack(LikelihoodRatio):
    """A lower bound on ε with 95 % confidence, from how well releases of two neighbours are told apart.

    The threshold is chosen on one half of the releases; on the other half, hits and false alarms are bounded by
    Clopper–Pearson, and ε ≥ ln((hits − δ)/false alarms).
    """

    repeats: int = 4000
    criterion: ClassVar[str | None] = None  # an ε is no probability of success
    name: str = "empirical ε (lower bound)"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        scores = self._scores(data, mechanism, rng)
        if scores is None:  # the raw data always tells: the bound is what so many repeats can prove
            scores = np.ones(self.repeats), -np.ones(self.repeats)
        delta = getattr(mechanism.guarantee, "delta", 0.0) if mechanism is not None else 0.0
        value = max(_epsilon_bound(*scores, delta), _epsilon_bound(-scores[1], -scores[0], delta), 0.0)
        return Score(value, reference=0.0)


def _epsilon_bound(inside: Floats, outside: Floats, delta: float) -> float:
    from scipy.special import betaincinv

    half = len(inside) // 2
    thresholds = np.unique(np.quantile(np.concatenate([inside[:half], outside[:half]]), np.linspace(0.01, 0.99, 99)))

    def bound(hits: int, alarms: int) -> float:
        miss = 0.0125  # two sides, two directions
        low = 0.0 if hits == 0 else float(betaincinv(hits, half - hits + 1, miss))
        high = 1.0 if alarms == half else float(betaincinv(alarms + 1, half - alarms, 1 - miss))
        return math.log((low - delta) / high) if low > delta else -math.inf

    def counts(part: slice, threshold: float) -> tuple[int, int]:
        return int((inside[part] >= threshold).sum()), int((outside[part] >= threshold).sum())

    best = max(thresholds, key=lambda threshold: bound(*counts(slice(0, half), threshold)))
    return bound(*counts(slice(half, 2 * half), best))
