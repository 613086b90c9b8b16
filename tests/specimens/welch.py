"""Mimoto's Algorithm 8 with the promise it was published with (Mimoto §6.5): its noise bound is not smooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from sfumato.auditor import AuditCase
from sfumato.promise import ApproxDP, Guarantee
from sfumato.statistic.algorithm8 import WelchAlgorithm8


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimedAlgorithm8(WelchAlgorithm8):
    """Algorithm 8, claiming (ε′, δ′)-DP."""

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        return ApproxDP(self.epsilon, self.delta)


def counterexample(size: int = 3_000, spread: float = 14.0) -> tuple[Any, Any]:
    """Two tables of two equal groups around 100, where one record of A is 0 or 200.

    The values are the quantiles of N(100, spread²), not draws: the noise bound of the walk then grows by a factor 1.220
    where e^β allows 1.019, and the true δ is 8.1e-3 (1.05e-2 for the draws behind Mimoto §6.5).
    """
    values = 100.0 + spread * ndtri((np.arange(size) + 0.5) / size)
    values[0] = 0.0
    changed = values.copy()
    changed[0] = 200.0
    return (values, values), (changed, values)


CASES = [
    AuditCase(
        name=f"Mimoto's Algorithm 8 ({bound} bound)",
        mechanism=ClaimedAlgorithm8(epsilon=1.0, delta=1e-5, upper=200.0, dummies=(0.0, 200.0), local_bound=bound),
        pairs=[counterexample()],
        outputs=np.concatenate([-np.geomspace(1e4, 1e-3, 200), np.geomspace(1e-3, 1e4, 200)]),
        expected="broken",
        source="Mimoto §6.4, §6.5",
    )
    for bound in ("printed", "corrected")
]
