"""Power less false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.statistic.utilities.intervals import Decisions
from sfumato.study.score import Score

__all__ = ["Discrimination"]


@dataclass(frozen=True, kw_only=True)
class Discrimination(Decisions):
    """Power less false alarms: 0 for a coin, whatever the level it pretends to keep."""

    better: Literal["higher", "lower"] = "higher"
    name: str = "power above false alarms"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        alarms, found = self._rejected(data, release)
        value = float(found.mean() - alarms.mean())
        spread = 1.96 * float(np.sqrt(found.var() / len(found) + alarms.var() / len(alarms)))
        raw = data.p_values
        reference = float((raw.different <= self.level).mean() - (raw.equal <= self.level).mean())
        return Score(value, value - spread, value + spread, reference=reference)
