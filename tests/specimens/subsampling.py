"""Amplification by Poisson sampling claimed over a mechanism that is private under replace-one only (Mimoto §2.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.promise import PureDP

EMPTY, ZERO, ONE = 0, 1, 2
"""What is released: nobody was sampled, or the randomised answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledAnswer(Mechanism):
    """Randomised response on a Poisson sample of a table with one person in it.

    Randomised response says how many answered, which replace-one neighbours never disagree on. The theorem's
    ln(1 + β(e^ε − 1)) needs neighbours that do: the sample does not hide that somebody was in it, and the loss stays ε.
    """

    epsilon: float
    rate: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(math.log1p(self.rate * math.expm1(self.epsilon)), neighbours="replace-one")

    def log_prob(self, output: Any, data: int) -> Any:
        truth = 1 / (1 + math.exp(-self.epsilon))
        answer = [truth, 1 - truth] if data == 0 else [1 - truth, truth]
        return np.log([1 - self.rate, *(self.rate * p for p in answer)])[output]

    def release(self, data: int, *, rng: np.random.Generator | None = None) -> int:
        assert rng is not None
        return int(rng.choice(3, p=np.exp(self.log_prob([EMPTY, ZERO, ONE], data))))


CASES = [
    AuditCase(
        name="Poisson sampling over replace-one",
        mechanism=SampledAnswer(epsilon=1.0, rate=0.3),
        pairs=[(0, 1)],
        outputs=np.array([EMPTY, ZERO, ONE]),
        expected="broken",
        source="Mimoto §2.3 (pitfalls)",
    )
]
