"""Gaussian and Laplace noise whose scale is outside its theorem or depends on the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.promise import ApproxDP, Guarantee, MetricDP, RenyiDP


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassicalGaussian(Mechanism):
    """σ = Δ·√(2 ln(1.25/δ))/ε, proved for ε < 1 only; at ε = 10 the true δ is 2.3e-5 (Fischer §3.2)."""

    epsilon: float
    delta: float

    @property
    def guarantee(self) -> Guarantee:
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sigma(self) -> float:
        return math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return data + rng.normal(0.0, self.sigma)

    def log_density(self, output: Any, data: float) -> Any:
        return -((output - data) ** 2) / (2 * self.sigma**2) - math.log(self.sigma * math.sqrt(2 * math.pi))


def softmax(rows: Any) -> Any:
    """Along the last axis, as the thesis's attention."""
    weight = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionLaplace(Mechanism):
    """X + A(X)⊙Lap(1/ε), with the attention A computed from the same document X (Fischer §6.3, §7.2.1).

    The published bound (ε/min a)·‖X₁ − X₂‖₁ is proved for a fixed A; ``least`` is the smallest attention of both
    documents, the most favourable reading.
    """

    epsilon: float
    least: float

    @property
    def guarantee(self) -> Guarantee:
        return MetricDP(self.epsilon / self.least, "manhattan", unit="document")

    def release(self, data: Any, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return data + softmax(data) * rng.laplace(0.0, 1 / self.epsilon, np.shape(data))

    def log_density(self, output: Any, data: Any) -> Any:
        scale = softmax(data) / self.epsilon
        return -(np.abs(output - data) / scale + np.log(2 * scale)).sum(axis=(1, 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnVariance(Mechanism):
    """A latent code drawn with the encoder's own variance, sold as Gaussian noise of a fixed one (Weggenmann §5.2).

    Between a wide and a narrow Gaussian the Rényi divergence is infinite from a small order on.
    """

    sigma: float

    @property
    def guarantee(self) -> Guarantee:
        return RenyiDP((2.0, 8.0), tuple(order * 4 / (2 * self.sigma**2) for order in (2.0, 8.0)), model="local")

    def spread(self, data: float) -> float:
        return self.sigma * (1.5 + math.tanh(data))

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return math.tanh(data) + rng.normal(0.0, self.spread(data))

    def log_density(self, output: Any, data: float) -> Any:
        spread = self.spread(data)
        return -((output - math.tanh(data)) ** 2) / (2 * spread**2) - math.log(spread * math.sqrt(2 * math.pi))


def _documents() -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    first = rng.normal(size=(3, 4))
    return first, first + rng.normal(scale=0.5, size=(3, 4))


_FIRST, _SECOND = _documents()

CASES = [
    AuditCase(
        name="classical Gaussian at ε = 10",
        mechanism=ClassicalGaussian(epsilon=10.0, delta=1e-5),
        pairs=[(0.0, 1.0)],
        expected="broken",
        source="Fischer §3.2",
    ),
    AuditCase(
        name="Laplace with data-dependent scale",
        mechanism=AttentionLaplace(epsilon=0.7, least=float(min(softmax(_FIRST).min(), softmax(_SECOND).min()))),
        pairs=[(_FIRST, _SECOND)],
        expected="broken",
        source="Fischer §7.2.1",
    ),
    AuditCase(
        name="Gaussian with the encoder's own variance",
        mechanism=OwnVariance(sigma=1.0),
        pairs=[(-2.0, 2.0)],
        expected="broken",
        source="Weggenmann §5.2",
    ),
]
