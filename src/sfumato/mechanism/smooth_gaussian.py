"""Gaussian noise scaled to a smooth sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.grid import check_grid
from sfumato.promise import ApproxDP
from sfumato.promise.smooth_noise import SmoothNoise, smooth_sensitivity_noise, tuned_smooth_noise
from sfumato.validate import choice, finite_array, integer, positive, probability

__all__ = ["SmoothGaussian"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SmoothGaussian(ScopedMechanism):
    """Adds (S/α)·N(0, I) to an answer whose local sensitivity has the β-smooth bound S: (ε, δ)-DP.

    **Theorem** (Nissim, Raskhodnikova and Smith 2007; Mimoto Thm 2.2). Let S(D) be at least the local sensitivity of
    the k-dimensional answer at D, and S(D) ≤ e^β·S(D′) for neighbours. With α = ε/(5√(2 ln(2/δ))) and
    β = ε/(4(k + ln(2/δ))) the release is (ε, δ)-DP for ε, δ < 1. Larger ε is accepted for k = 1 where the constants are
    shown to hold (:func:`~sfumato.promise.smooth_sensitivity_noise`), and refused otherwise. For k = 1
    ``constants="tuned"`` uses the best α for the same β at any ε (:mod:`sfumato.promise.smooth_noise`): about a quarter
    of the noise.

    The scale depends on the data, so the grid must not: the result is rounded to a grid fixed beforehand.

    Parameters
    ----------
    epsilon, delta : float
    dimension : int
        The number k of coordinates of the answer.
    constants : {"published", "tuned"}
    grid : float
        A power of two to round the result to, chosen without looking at the data.
    unit, neighbours, model
        What the smooth sensitivity was computed for.

    Examples
    --------
    >>> mechanism = SmoothGaussian(epsilon=0.5, delta=1e-5)
    >>> round(mechanism.alpha, 6), round(mechanism.beta, 6)
    (0.020239, 0.009465)
    >>> answer, smooth = 3.2, 0.01  # S of the data, β-smooth for the β above
    >>> isinstance(mechanism.release((answer, smooth)), float)
    True
    """

    epsilon: float
    delta: float
    dimension: int = 1
    constants: Literal["published", "tuned"] = "published"
    grid: float = 2.0**-30

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        probability("delta", self.delta)
        integer("dimension", self.dimension)
        choice("constants", self.constants, ("published", "tuned"))
        if self.constants == "tuned" and self.dimension > 1:
            raise bad_input("dimension", self.dimension, "1 with tuned constants", "use constants='published'")
        check_grid("grid", self.grid)
        _ = self.guarantee, self._noise

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP, for a smooth sensitivity with this mechanism's β."""
        return ApproxDP(self.epsilon, self.delta, **self.scope)

    @cached_property
    def _noise(self) -> SmoothNoise:
        if self.constants == "tuned":
            return tuned_smooth_noise(self.epsilon, self.delta)
        return smooth_sensitivity_noise(self.epsilon, self.delta, self.dimension)

    @property
    def alpha(self) -> float:
        """The noise is S/α."""
        return self._noise.alpha

    @property
    def beta(self) -> float:
        """The smoothness that S must have; a hair below the theorem's, which pays for the rounding of S/α."""
        return self._noise.beta - 2.0**-48

    def scale(self, smooth: float) -> float:
        """The standard deviation of the noise for a smooth sensitivity S."""
        return positive("smooth sensitivity", smooth) / self.alpha * (1 + 2.0**-50)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The noisy answer for the pair ``data = (answer, S)``; S itself is private and is not released."""
        answer, smooth = self._pair(data)
        factor = np.eye(self.dimension) * self.scale(smooth)
        noisy = add_correlated_gaussian(answer.reshape(1, -1), factor, self.grid, resolve_rng(rng))
        return noisy.reshape(answer.shape) if answer.ndim else float(noisy[0, 0])

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density of the mechanism before its rounding, at each output, for one pair (answer, S)."""
        answer, smooth = self._pair(data)
        scale = self.scale(smooth)
        x = (finite_array("output", output) - answer) / scale
        square = (x * x).reshape(x.shape[0], -1).sum(axis=1)
        return -0.5 * square - self.dimension * (math.log(scale) + 0.5 * math.log(2 * math.pi))

    def _pair(self, data: Any) -> tuple[NDArray[np.float64], float]:
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise bad_input("data", data, "a pair (answer, smooth sensitivity)")
        answer = finite_array("answer", data[0])
        if answer.ndim > 1 or answer.size != self.dimension:
            raise bad_input("answer", answer.shape, f"{self.dimension} number(s)", "set dimension")
        return answer, positive("smooth sensitivity", data[1], "zero would release the answer as it is")
