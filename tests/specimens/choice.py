"""Choices that avoid the input (Weggenmann §10 e): an output with probability zero tells who did not send it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.promise import PureDP

WORDS = np.array([[0.0, 0.0], [0.3, 0.1], [0.6, -0.1], [0.9, 0.2], [0.2, 0.5], [0.7, 0.6]])
"""Embeddings of six words."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NeverTheInput(Mechanism):
    """The exponential mechanism on word distance, the input word itself left out."""

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon, unit="word", neighbours="any-pair", model="local")

    def log_prob(self, output: Any, data: int) -> Any:
        distance = np.linalg.norm(WORDS - WORDS[data], axis=1)
        rating = np.where(np.arange(len(WORDS)) == data, -np.inf, -self.epsilon * distance / (2 * distance.max()))
        return (rating - np.logaddexp.reduce(rating))[output]

    def release(self, data: int, *, rng: np.random.Generator | None = None) -> int:
        assert rng is not None
        return int(rng.choice(len(WORDS), p=np.exp(self.log_prob(np.arange(len(WORDS)), data))))


@dataclass(frozen=True, kw_only=True, eq=False)
class Vickrey(Mechanism):
    """Planar Laplace noise on the embedding, then the nearest word, or the second nearest if that is the input."""

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        diameter = np.linalg.norm(WORDS[:, None] - WORDS[None], axis=-1).max()
        return PureDP(self.epsilon * float(diameter), unit="word", neighbours="any-pair", model="local")

    def many(self, data: int, count: int, rng: np.random.Generator) -> Any:
        angle, radius = rng.uniform(0, 2 * np.pi, count), rng.gamma(2.0, 1 / self.epsilon, count)
        noisy = WORDS[data] + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        order = np.argsort(np.linalg.norm(noisy[:, None] - WORDS[None], axis=-1), axis=1)
        return np.where(order[:, 0] == data, order[:, 1], order[:, 0])

    def release(self, data: int, *, rng: np.random.Generator | None = None) -> int:
        assert rng is not None
        return int(self.many(data, 1, rng)[0])


_VICKREY = Vickrey(epsilon=2.0)

CASES = [
    AuditCase(
        name="never return the input (exponential)",
        mechanism=NeverTheInput(epsilon=2.0),
        pairs=[(0, 1), (0, 5)],
        outputs=np.arange(len(WORDS)),
        expected="broken",
        source="Weggenmann §10 (e)",
    ),
    AuditCase(
        name="never return the input (Vickrey)",
        mechanism=_VICKREY,
        pairs=[(0, 1), (0, 5)],
        sampler=_VICKREY.many,
        expected="broken",
        source="Weggenmann §10 (e)",
    ),
]
