"""What does a count tell about the one answer that is not known?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.party.core.answers import answer_array
from sfumato.party.mechanisms.private_count import PrivateCount
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["LastAnswerAttack"]


@dataclass(frozen=True, kw_only=True)
class LastAnswerAttack:
    """Guesses one answer from a count by somebody who knows all others: how often the guess is right.

    The unknown answer is 0 or 1 with equal chance. The attacker subtracts what is known and takes the likelier of the
    two; without a mechanism the count is exact and always tells. Repeated with fresh noise.

    Examples
    --------
    >>> LastAnswerAttack().attack([1, 0, 1], 2).value
    1.0
    """

    criterion: ClassVar[str] = "inference"
    knows: ClassVar[str] = "all answers but one, and the law of the noise"

    repeats: int = 2_000
    name: str = "last answer inferred"

    def __post_init__(self) -> None:
        integer("repeats", self.repeats, least=20)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """How often the last answer is found."""
        generator = resolve_rng(rng)
        known = int(answer_array("data", data, least=1)[:-1].sum())
        if not isinstance(mechanism, PrivateCount):
            seen = float(np.asarray(release).ravel()[0]) - known
            return Score(float(int(seen >= 0.5) == int(answer_array("data", data)[-1])), reference=0.5)
        hidden = generator.integers(0, 2, self.repeats)
        counts = np.array([mechanism.release(np.array([bit]), rng=generator) for bit in hidden])
        return Score.of_share((counts >= 1) == hidden, 0.5)  # the likelier of 0 and 1 is the nearer one
