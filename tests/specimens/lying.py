"""The right law beside the wrong sampler: whoever reads ``log_prob`` alone finds nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Gaussian, Laplace


@dataclass(frozen=True, kw_only=True, eq=False)
class QuietLaplace(Laplace):
    """The law of Laplace noise, and a fiftieth of it in the release."""

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        noise = super().release(0.0, rng=rng)
        return float(data + np.rint(noise / 50 / self.step) * self.step)


@dataclass(frozen=True, kw_only=True, eq=False)
class HalfGaussian(Gaussian):
    """The law of Gaussian noise, and half of it in the release: a variance taken for a standard deviation, say."""

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        noise = super().release(0.0, rng=rng)
        return float(data + np.rint(noise / 2 / self.step) * self.step)


CASES = [
    AuditCase(
        name="Laplace with a fiftieth of its noise, law kept",
        mechanism=QuietLaplace(epsilon=1.0, sensitivity=1.0),
        pairs=[(0.0, 1.0)],
        expected="broken",
        source="a sampler that drifted away from its law",
    ),
    AuditCase(
        name="Gaussian with half of its deviation, law kept",
        mechanism=HalfGaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0),
        pairs=[(0.0, 1.0)],
        expected="broken",
        source="a sampler that drifted away from its law",
    ),
]
