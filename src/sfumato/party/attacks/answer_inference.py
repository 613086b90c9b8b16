"""What was the answer before noise was added?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.party.core.answers import answer_array
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.study.score import Score

__all__ = ["AnswerAttack"]


@dataclass(frozen=True, kw_only=True)
class AnswerAttack:
    """Guesses each true answer from the released one: the share that is right.

    The attacker knows ε, estimates the share of ones from the release, and takes the likelier answer given the released
    one. Chance is the commoner answer for everybody. Without the mechanism the released answers are taken as they are.

    Examples
    --------
    >>> AnswerAttack().attack([1, 0, 1, 1], [1, 0, 0, 1]).value
    0.75
    """

    criterion: ClassVar[str] = "inference"
    knows: ClassVar[str] = "how often answers are turned, and what share of them is yes"

    name: str = "answers inferred"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of answers that are guessed rightly."""
        true, seen = answer_array("data", data, least=1).ravel(), answer_array("release", release, least=1).ravel()
        if len(true) != len(seen):
            raise bad_input("release", len(seen), f"{len(true)} answers, row by row those of the data")
        guess = seen
        if isinstance(mechanism, PrivateAnswers):
            prior = min(max(mechanism.estimate(seen) / len(seen), 0.0), 1.0)
            keep = mechanism.truth
            yes = prior * np.where(seen == 1, keep, 1 - keep)
            no = (1 - prior) * np.where(seen == 0, keep, 1 - keep)
            guess = (yes >= no).astype(np.int64)
        share = float(true.mean())
        return Score.of_share(guess == true, max(share, 1 - share))
