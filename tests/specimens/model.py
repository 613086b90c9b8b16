"""A noise layer inside a discriminator, published as differential privacy (Fischer §4.3, B14).

The discriminator is D(x) = v·(w·x clipped to 1 + noise). The noise makes its *output* private for one evaluation. What
training moves are its weights, and the gradient for w, below the layer, is a multiple of the raw record x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from sfumato.auditor import AuditCase
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import ApproxDP
from sfumato.promise.accountant import Accountant

GRID = 2.0**-12


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseLayerStep(Mechanism):
    """The gradient of −log D(x) for the weight below (or, soundly, the noisy value at) the noise layer."""

    noise: float = 4.0
    below: bool = True

    @cached_property
    def guarantee(self) -> ApproxDP:
        """The claim: the noise layer is the Gaussian mechanism with sensitivity 2 (any two clipped inputs)."""
        account = Accountant(method="pld", neighbours="replace-one")
        return account.gaussian(self.noise, sensitivity=2.0).guarantee(1e-5)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        return self.draw(data, 1, resolve_rng(rng))[0]

    def draw(self, data: Any, count: int, rng: Rng) -> Any:
        """Releases of one record x in [−1, 1], with w = v = 1."""
        if not isinstance(data, int | float) or not abs(data) <= 1:
            raise bad_input("data", data, "a number in [−1, 1]")
        seen = float(data) + self.noise * rng.standard_normal(count)
        seen = np.rint(seen / GRID) * GRID  # or else the low bits would tell, which is another mistake
        return -float(data) * expit(-seen) if self.below else seen


CASES = [
    AuditCase(
        name="noise layer in a GAN: the weight below it",
        mechanism=NoiseLayerStep(),
        pairs=[(1.0, -1.0)],
        sampler=NoiseLayerStep().draw,
        samples=20_000,
        expected="broken",
        source="Fischer §4.3 (B14)",
    )
]
