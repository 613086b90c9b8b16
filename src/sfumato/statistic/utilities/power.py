"""Power of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.core.studies import EachStudy, Studies, make_studies
from sfumato.statistic.utilities.intervals import Decisions
from sfumato.study.score import Score
from sfumato.validate import choice, integer, probability

__all__ = ["Power", "power_curve"]


@dataclass(frozen=True, kw_only=True)
class Power(Decisions):
    """Power: how often different means are found. It counts only for a test that keeps its level."""

    better: Literal["higher", "lower"] = "higher"
    name: str = "power"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        _, rejected = self._rejected(data, release)
        return Score.of_share(rejected, reference=float((data.p_values.different <= self.level).mean()))


def power_curve(
    test: Mechanism,
    effects: list[float],
    *,
    size: int,
    repeats: int,
    level: float = 0.05,
    mean: float = 100.0,
    deviation: float = 14.0,
    rng: Rng | None = None,
) -> NDArray[np.float64]:
    """The share of ``repeats`` made-up studies in which ``test`` rejects equal means, for each true difference.

    The value at effect 0 is the type-I error.
    """
    choice("effects", len(effects) > 0, (True,), "give at least one effect")
    probability("level", level)
    generator = resolve_rng(rng)
    each = EachStudy(test=test)
    shares = []
    for effect in effects:
        studies = make_studies(
            integer("repeats", repeats), size, effect=effect, mean=mean, deviation=deviation, rng=generator
        )
        released = each.release(Studies(equal=studies.different[:1], different=studies.different), rng=generator)
        shares.append(float((released.different <= level).mean()))
    return np.array(shares)
