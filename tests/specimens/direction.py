"""Directional mechanisms with the promise their literature gives them; the auditor must refuse it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.direction import ClippedLaplace, PolarLaplace
from sfumato.direction.examples import hour_outputs
from sfumato.promise import MetricDP, PureDP


@dataclass(frozen=True, kw_only=True, eq=False)
class ClippedLaplaceAtHalf(ClippedLaplace):
    """κ = ε/π, as compared in Weggenmann §7.3.6.1: half the scale that its loss on the line needs."""

    @property
    def kappa(self) -> float:
        return self.pure / math.pi


@dataclass(frozen=True, kw_only=True, eq=False)
class ClippedLaplaceOnCircle(ClippedLaplace):
    """κ·d∠ claimed for a mechanism that knows only the line."""

    @property
    def guarantee(self) -> MetricDP:
        return MetricDP(self.kappa, "clock arc")


@dataclass(frozen=True, kw_only=True, eq=False)
class PolarLaplaceOnSphere(PolarLaplace):
    """κ·d∠ claimed for noise wrapped around the sphere from the tangent plane of the input."""

    @property
    def guarantee(self) -> MetricDP:
        return MetricDP(self.kappa, "angle")


@dataclass(frozen=True, kw_only=True, eq=False)
class PolarLaplacePure(PolarLaplace):
    """Pure ε = κπ, "the same privacy level" as the other mechanisms of the sphere."""

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.kappa * math.pi, neighbours="any-pair", model="local")


def _around_antipode() -> np.ndarray:
    """Points ever closer to the antipode of the first input, but never on it."""
    turn = np.pi + np.concatenate([-np.geomspace(1e-6, 1, 40), np.geomspace(1e-6, 1, 40)])
    return np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)


_NEAR = (np.array([1.0, 0.0, 0.0]), np.array([math.cos(0.2), math.sin(0.2), 0.0]))
_FAR = (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
_ACROSS = [(0.0, 23.75), (0.25, 23.0)]

CASES = [
    AuditCase(
        mechanism=ClippedLaplaceAtHalf(pure=1.0, kind="hour"),
        pairs=_ACROSS,
        outputs=hour_outputs(),
        expected="broken",
        source="Weggenmann §7.3.6.1",
    ),
    AuditCase(
        mechanism=ClippedLaplaceOnCircle(pure=2 * math.pi, kind="hour"),
        pairs=_ACROSS,
        outputs=hour_outputs(),
        expected="broken",
        source="Weggenmann §7.3.6.1",
    ),
    AuditCase(
        mechanism=PolarLaplaceOnSphere(kappa=1.0, kind="vector"),
        pairs=[_NEAR, _FAR],
        outputs=_around_antipode(),
        expected="broken",
        source="Weggenmann §7.3.6.3",
    ),
    AuditCase(
        mechanism=PolarLaplacePure(kappa=1.0, kind="vector"),
        pairs=[_FAR],
        outputs=_around_antipode(),
        expected="broken",
        source="Weggenmann §7.3.6.3",
    ),
]
