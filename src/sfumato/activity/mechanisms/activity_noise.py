"""Laplace noise on bounded numbers, each protected by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.mechanism.container import unpack
from sfumato.mechanism.laplace import Laplace
from sfumato.noise.entropy import Rng
from sfumato.promise import PureDP
from sfumato.validate import interval, positive

__all__ = ["ActivityNoise"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ActivityNoise(Mechanism):
    """Adds Laplace noise of scale (high − low)/ε to each number in [low, high]: ε-LDP for each.

    **Theorem.** Any two numbers in the bounds are at most high − low apart, so noise of that scale changes the
    probability of no output by more than a factor exp(ε) (Dwork, McSherry, Nissim, Smith 2006). The condition: the
    bounds are public. A number outside voids the theorem and is refused.

    Parameters
    ----------
    epsilon : float
    low, high : float
        Public bounds, not computed from the data.

    Examples
    --------
    >>> mechanism = ActivityNoise(epsilon=1.0, low=0.0, high=10.0)
    >>> print(mechanism.guarantee)
    ε = 1 per record (any-pair neighbours, local model)
    >>> mechanism.release(np.array([2.5, 7.0])).shape
    (2,)
    """

    epsilon: float
    low: float
    high: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        interval("(low, high)", (self.low, self.high), "state the public range of the numbers")
        _ = self._laplace

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each number."""
        return PureDP(self.epsilon, neighbours="any-pair", model="local")

    @cached_property
    def _laplace(self) -> Laplace:
        width = math.nextafter(float(self.high) - float(self.low), math.inf)  # it may have been rounded down
        return Laplace(epsilon=self.epsilon, sensitivity=width)

    @property
    def step(self) -> float:
        """The grid: every released number is a whole multiple of it."""
        return self._laplace.step

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The noisy numbers: a scalar, an array or a column, as it came in."""
        array, repack = unpack(data)
        return repack(np.asarray(self._laplace.release(self._inside(array), rng=rng)))

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The exact log-probability of each output on the grid, for one input."""
        return self._laplace.log_prob(output, self._inside(unpack(data)[0]))

    def _inside(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        if array.size and (array.min() < self.low or array.max() > self.high):
            raise bad_input("data", "a number outside", f"numbers in [{self.low:g}, {self.high:g}]", "widen the bounds")
        return array
