"""How often a private test answers at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.statistic.mechanisms.welch_test import WelchAnswer
from sfumato.study.score import Score

__all__ = ["AnswerRate"]


@dataclass(frozen=True, kw_only=True)
class AnswerRate:
    """Whether a :class:`~sfumato.statistic.WelchTest` answered; over many releases, how often."""

    better: Literal["higher", "lower"] = "higher"
    name: str = "answered"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        if release is data:  # the exact test always answers
            return Score(1.0, reference=1.0)
        if not isinstance(release, WelchAnswer):
            raise bad_input("release", type(release).__name__, "a WelchAnswer", "WelchTest releases one")
        return Score(float(release.answered), reference=1.0)
