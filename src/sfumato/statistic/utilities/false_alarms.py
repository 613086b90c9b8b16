"""Type-I error of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.noise import Rng
from sfumato.statistic.utilities.intervals import Decisions
from sfumato.study.score import Score

__all__ = ["FalseAlarms"]


@dataclass(frozen=True, kw_only=True)
class FalseAlarms(Decisions):
    """The type-I error: how often equal means are rejected. A test at level 5 % must not exceed 5 %."""

    better: Literal["higher", "lower"] = "lower"
    name: str = "false alarms (type-I error)"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        rejected, _ = self._rejected(data, release)
        return Score.of_share(rejected, reference=self.level)
