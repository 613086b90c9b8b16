"""One bounded number from each person, in the local model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.mechanism.container import unpack
from sfumato.mechanism.laplace import Laplace
from sfumato.noise.entropy import Rng
from sfumato.promise import Assumption, Model, Neighbours, PureDP
from sfumato.validate import choice, interval, positive

__all__ = ["BoundedNumber"]


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundedNumber(ScopedMechanism):
    """Adds Laplace noise of scale (high − low)/ε to each number in [low, high]: ε-LDP for each.

    Any two numbers in the bounds are at most high − low apart, so the Laplace mechanism with that sensitivity hides
    which one it was. A number outside the bounds voids this; it is refused, or clipped if you say so.

    Parameters
    ----------
    epsilon : float
    low, high : float
        Public bounds, not computed from the data.
    outside : {"refuse", "clip"}

    Examples
    --------
    >>> mechanism = BoundedNumber(epsilon=1.0, low=0.0, high=10.0)
    >>> mechanism.release(np.array([2.5, 11.0]))
    Traceback (most recent call last):
    sfumato.errors.InputError: data = 11.0: expected numbers in [0, 10]; widen the bounds, or use outside='clip'
    """

    epsilon: float
    low: float
    high: float
    outside: Literal["refuse", "clip"] = "refuse"
    unit: str = "number"
    neighbours: Neighbours = field(default="any-pair")
    model: Model = field(default="local")

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        interval("(low, high)", (self.low, self.high))
        choice("outside", self.outside, ("refuse", "clip"))
        _ = self._laplace

    @cached_property
    def _laplace(self) -> Laplace:
        width = np.nextafter(float(self.high) - float(self.low), np.inf)  # the difference may have been rounded down
        return Laplace(epsilon=self.epsilon, sensitivity=float(width), **self.scope)

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each number."""
        return PureDP(self.epsilon, **self.scope).assuming(Assumption("bounds"))

    @property
    def step(self) -> float:
        """The grid: every released number is a whole multiple of it."""
        return self._laplace.step

    @property
    def variance(self) -> float:
        """The variance of the noise on one number."""
        return self._laplace.variance

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The noisy numbers: a scalar, an array or a column, as it came in."""
        array, repack = unpack(data)
        return repack(np.asarray(self._laplace.release(self._bounded(array), rng=rng)))

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The exact log-probability of each output on the grid, for one input."""
        return self._laplace.log_prob(output, self._bounded(unpack(data)[0]))

    def _bounded(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = np.clip(array, self.low, self.high)
        if self.outside == "refuse" and (inside != array).any():
            first = float(array[inside != array].flat[0])
            remedy = "widen the bounds, or use outside='clip'"
            raise bad_input("data", first, f"numbers in [{self.low:g}, {self.high:g}]", remedy)
        return inside
