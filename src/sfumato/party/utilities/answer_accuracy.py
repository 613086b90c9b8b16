"""Are the released answers the true ones?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.party.core.answers import answer_array
from sfumato.study.score import Score

__all__ = ["AnswerAccuracy"]


@dataclass(frozen=True, kw_only=True)
class AnswerAccuracy:
    """The share of released answers that are true.

    Examples
    --------
    >>> AnswerAccuracy().measure([1, 0, 1, 1], [1, 0, 0, 1]).value
    0.75
    """

    name: str = "true answers"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The share that is true; 1 without noise."""
        true, seen = answer_array("data", data, least=1).ravel(), answer_array("release", release, least=1).ravel()
        if len(true) != len(seen):
            raise bad_input("release", len(seen), f"{len(true)} answers, row by row those of the data")
        return Score.of_share(true == seen, 1.0)
