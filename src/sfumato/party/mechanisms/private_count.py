"""The number of comparisons that were true, under differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, discrete_laplace
from sfumato.noise.discrete import discrete_laplace_log_prob
from sfumato.party.core.answers import answer_array
from sfumato.promise import PureDP
from sfumato.validate import positive

__all__ = ["PrivateCount"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateCount(Mechanism):
    """The number of ones among answers, plus whole noise with P(k) ∝ e^{−ε|k|}: ε-DP for each answer.

    Two parties who hold additive shares of the count each add such noise to their share before they show it. Either
    noise alone keeps the promise towards the other party; towards everybody else there is twice the variance.

    **Theorem.** One answer changes the count by at most 1, and the probability of no k by more than a factor e^ε
    (Ghosh, Roughgarden, Sundararajan 2009). The number of answers is public.

    Parameters
    ----------
    epsilon : float

    Examples
    --------
    >>> mechanism = PrivateCount(epsilon=0.5)
    >>> print(mechanism.guarantee)
    ε = 0.5 per answer (replace-one neighbours, central model)
    >>> type(mechanism.release(np.array([1, 0, 1])))
    <class 'int'>
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        positive("1/epsilon", self.scale, "ε is too small for any useful count")

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each answer."""
        return PureDP(self.epsilon, unit="answer", neighbours="replace-one", model="central")

    @property
    def scale(self) -> float:
        """1/ε, rounded up."""
        return math.nextafter(1 / self.epsilon, math.inf)

    def noise(self, *, rng: Rng | None = None) -> int:
        """The noise alone, for a share of a count."""
        return int(discrete_laplace(self.scale, 1, rng=rng)[0])

    def release(self, data: Any, *, rng: Rng | None = None) -> int:
        """The noisy count; it may be negative or above the number of answers."""
        return int(answer_array("data", data).sum()) + self.noise(rng=rng)

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of each count for one array of answers."""
        return discrete_laplace_log_prob(np.asarray(output) - int(answer_array("data", data).sum()), self.scale)
