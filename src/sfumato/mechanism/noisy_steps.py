"""Steps of learning that see data only through noisy sums of clipped gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.correlated import add_gaussian
from sfumato.promise import ApproxDP
from sfumato.promise.accountant import Method, noise_for

__all__ = ["NoisySteps"]


@dataclass(frozen=True, kw_only=True)
class NoisySteps:
    """What all private training shares: who is sampled, and the noise on a sum of clipped gradients.

    **Theorem** (Abadi et al. 2016). Each of ``steps`` steps takes every unit with probability q = ``rate``, by itself,
    and adds up gradients of length at most C = ``clip``, one a unit; the sum gets noise N(0, σ²C²) on every number. If
    the gradient of a unit does not depend on which other units there are, one unit more or less changes the sum by at
    most C: a step is the Poisson-sampled Gaussian mechanism, and σ is the least with which all steps keep ``target``.

    Examples
    --------
    >>> steps = NoisySteps(target=ApproxDP(2.0, 1e-5, neighbours="add-remove"), steps=100, rate=0.05, clip=0.5)
    >>> round(steps.noise_multiplier, 3), round(steps.deviation, 3)
    (1.444, 0.722)
    >>> steps.noisy(np.zeros((2, 3)), np.random.default_rng(0)).shape
    (2, 3)
    """

    target: ApproxDP
    steps: int
    rate: float
    clip: float
    accounting: Method = "rdp"

    @cached_property
    def noise_multiplier(self) -> float:
        """σ: the smallest noise multiplier with which all steps together keep the promise."""
        return noise_for(self.target, count=self.steps, sampling_rate=self.rate, method=self.accounting)

    @property
    def deviation(self) -> float:
        """σC: the standard deviation of the noise on every number."""
        return self.noise_multiplier * float(self.clip)

    def sampled(self, count: int, rng: Rng) -> NDArray[np.bool_]:
        """Which of ``count`` units a step takes, each with a probability of q or a little less."""
        # A uniform double is a whole number of 2⁻⁵³: below a bound between two of them it lies too often.
        bound = math.floor(self.rate * 2.0**53) * 2.0**-53
        return rng.random(count) < bound

    def noisy(self, total: NDArray[np.float64], rng: Rng) -> NDArray[np.float64]:
        """A sum of any shape with its noise."""
        return add_gaussian(total, self.deviation, rng)
