"""Laplace noise scaled to the wrong sensitivity (Weggenmann §10 a, b, d)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.promise import PureDP


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyVector(Mechanism):
    """Something bounded computed from a vector, plus independent Laplace noise with a scale the author believed in."""

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon, neighbours="any-pair", model="local")

    @property
    def scale(self) -> float:
        raise NotImplementedError

    def bounded(self, data: Any) -> Any:
        raise NotImplementedError

    def release(self, data: Any, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return self.bounded(data) + rng.laplace(0.0, self.scale, np.shape(data))

    def log_density(self, output: Any, data: Any) -> Any:
        distance = np.abs(output - self.bounded(data)).sum(axis=-1)
        return -distance / self.scale - np.shape(data)[0] * np.log(2 * self.scale)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClippedToBall(NoisyVector):
    """ADePT (Krishna et al. 2021): the vector is clipped to an L2 ball, so that Δ₂ = 2C; Δ₁ is √d times that."""

    radius: float = 1.0

    @property
    def scale(self) -> float:
        return 2 * self.radius / self.epsilon

    def bounded(self, data: Any) -> Any:
        return data * min(1.0, self.radius / np.linalg.norm(data))


@dataclass(frozen=True, kw_only=True, eq=False)
class ClippedPerEntry(NoisyVector):
    """Each entry is brought into [0, 1] and Δ = 1 is claimed; all d entries may change, so Δ₁ = d."""

    @property
    def scale(self) -> float:
        return 1 / self.epsilon

    def bounded(self, data: Any) -> Any:
        return np.clip(data, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class TanhPerEntry(NoisyVector):
    """tanh bounds each coordinate (an L∞ ball), Δ = 2 is claimed; Δ₁ = 2d."""

    @property
    def scale(self) -> float:
        return 2 / self.epsilon

    def bounded(self, data: Any) -> Any:
        return np.tanh(data)


def _opposite(dimension: int, size: float) -> list[tuple[Any, Any]]:
    return [(np.full(dimension, size), np.full(dimension, -size))]


CASES = [
    AuditCase(
        name="L1 noise with L2 sensitivity",
        mechanism=ClippedToBall(epsilon=1.0),
        pairs=_opposite(16, 1.0),
        expected="broken",
        source="ADePT; Weggenmann §10 (a)",
    ),
    AuditCase(
        name="per-entry clip taken as Δ = 1",
        mechanism=ClippedPerEntry(epsilon=1.0),
        pairs=[(np.zeros(8), np.ones(8))],
        expected="broken",
        source="Weggenmann §10 (b)",
    ),
    AuditCase(
        name="tanh per coordinate taken as Δ = 2",
        mechanism=TanhPerEntry(epsilon=1.0),
        pairs=_opposite(8, 3.0),
        expected="broken",
        source="Weggenmann §10 (d)",
    ),
]
