"""The planar Laplace mechanism."""

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
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.grid import check_grid, grid_step
from sfumato.noise.planar import add_planar_laplace
from sfumato.promise import Guarantee, MetricDP, NoGuarantee
from sfumato.promise.calibration import laplace_scale
from sfumato.validate import finite_array, integer, positive

__all__ = ["PlanarLaplace"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanarLaplace(Mechanism):
    """Moves a point by noise of density ∝ exp(−ε‖z − x‖₂): ε·d₂-privacy (Weggenmann M5; Fischer B9).

    The radius is Gamma(n, 1/ε), with mean n/ε, and the direction uniform. The density moves by a factor of at most
    exp(ε‖x − x′‖) by the triangle inequality, attained on the line through both. This is not the same as independent
    Laplace noise on each coordinate, which is ε·d₁-private and so only ε√n·d₂-private.

    The result is rounded to a grid with 2¹⁵ to 2¹⁶ steps to the standard deviation of a coordinate;
    :mod:`sfumato.noise.planar` explains why what is released is exactly the rounded real-valued mechanism, so that the
    promise holds for any two inputs.

    Parameters
    ----------
    epsilon : float
        Per unit of Euclidean distance, in the unit of the data. For level ℓ within radius r take ε = ℓ/r.
    dimension : int
        The number n of coordinates.
    grid : float, optional
        A power of two, at most 1/ε, to round the result to.
    exact : bool
        ``False`` gives plain floating-point results, for experiments; they carry no guarantee.
    unit : str
        What one point is: each has its own noise, and a person with m points spends ε for each.

    Examples
    --------
    >>> mechanism = PlanarLaplace(epsilon=math.log(4) / 200)  # factor 4 within 200 m
    >>> mechanism.release(np.array([[0.0, 0.0], [500.0, 80.0]]), rng=np.random.default_rng(1)).shape
    (2, 2)
    >>> round(mechanism.mean_distance, 1)
    288.5
    """

    epsilon: float
    dimension: int = 2
    grid: float | None = None
    exact: bool = True
    unit: str = "record"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        integer("dimension", self.dimension)
        if not isinstance(self.exact, bool):
            raise bad_input("exact", self.exact, "True or False")
        if self.grid is not None and check_grid("grid", self.grid) > 1 / self.epsilon:
            raise bad_input("grid", self.grid, f"a grid of at most 1/ε = {1 / self.epsilon:g}", "make it finer")
        _ = self.guarantee, self.step

    @cached_property
    def guarantee(self) -> Guarantee:
        """ε·d₂-privacy for each point; nothing for ``exact=False``."""
        if self.exact:
            return MetricDP(self.epsilon, "euclidean", unit=self.unit)
        reason = "floating-point noise gives the input away through its low bits"
        return NoGuarantee(reason, unit=self.unit, neighbours="any-pair", model="local")

    @cached_property
    def step(self) -> float:
        """The grid: every released coordinate is a whole multiple of it."""
        return grid_step(math.sqrt(self.variance), 16) if self.grid is None else float(self.grid)

    @property
    def mean_distance(self) -> float:
        """How far a point moves on average: n/ε."""
        return self.dimension / self.epsilon

    @property
    def variance(self) -> float:
        """The variance of one coordinate: (n + 1)/ε²."""
        return (self.dimension + 1) / self.epsilon**2

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The moved points: an array of shape (…, n), or a frame with n columns, as it came in."""
        array, repack = unpack(data)
        if array.ndim == 0 or array.shape[-1] != self.dimension:
            raise bad_input("data", array.shape, f"shape (…, {self.dimension})", "set dimension")
        points = array.reshape(-1, self.dimension)
        largest = float(np.abs(points).max(initial=0.0))
        if not math.isfinite(largest / self.step):
            raise bad_input("data", largest, "numbers within floating range of the grid", "change the unit")
        rng = resolve_rng(rng)
        if not self.exact:
            return repack((points + self._plain(points.shape[0], rng)).reshape(array.shape))
        moved = add_planar_laplace(points, laplace_scale(self.epsilon), self.step, rng)
        return repack(moved.reshape(array.shape))

    def log_density(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The log-density of the mechanism before its rounding, at each output, for one point."""
        point = finite_array("data", data, ndim=1)
        distance = np.linalg.norm(finite_array("output", output, ndim=2) - point, axis=1)
        n = self.dimension
        log_volume = n * math.log(self.epsilon) + math.lgamma(n / 2 + 1) - n / 2 * math.log(math.pi)
        return log_volume - math.lgamma(n + 1) - self.epsilon * distance

    def _plain(self, count: int, rng: Rng) -> NDArray[np.float64]:
        direction = rng.standard_normal((count, self.dimension))
        radius = rng.gamma(self.dimension, 1 / self.epsilon, size=(count, 1))
        return radius * direction / np.linalg.norm(direction, axis=1, keepdims=True)
