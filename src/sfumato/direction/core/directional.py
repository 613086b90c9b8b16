"""Base of the directional mechanisms: their calibration, the data they take, and their promise."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.angle_hat import AngleHat, CertifiedLaw
from sfumato.direction.core.certified import Mean, circle_cells, degrees_mean, sphere_cells, vector_mean
from sfumato.direction.core.coordinates import (
    CIRCLES,
    TURN,
    Kind,
    as_vectors,
    check_period,
    metric_name,
    period_of,
    vector_to_latlon,
    wrap_into,
)
from sfumato.direction.core.sphere import angle_between, snap_step
from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, Guarantee, MetricDP, Model, Neighbours, PureDP, metric_epsilon
from sfumato.validate import choice, positive

__all__ = ["ROUNDING", "DirectionalMechanism"]

ROUNDING = Assumption("rounding of doubles", needed="negligible")
"""What the promises of releases rest on that are not rounded to a public grid."""

_hat = lru_cache(maxsize=256)(AngleHat)
_CALIBRATIONS = "exactly one of epsilon, level with radius, or pure"


@dataclass(frozen=True, kw_only=True, eq=False)
class DirectionalMechanism(ScopedMechanism):
    """Base of mechanisms that replace each direction by a random one around it.

    Parameters
    ----------
    epsilon : float
        Promise ε·d: two directions at distance d lead to any output with probabilities within e^{εd} of each other.
    level, radius : float
        Promise level ℓ to everything within ``radius`` (radians of arc): ε = ℓ / radius, or ℓ over the chord
        2 sin(radius/2) for a mechanism bound to chords, which is more.
    pure : float
        Promise ε-differential privacy for directions that are at most ``sensitivity`` apart.
    sensitivity : float, optional
        With ``pure`` only: the largest distance between neighbouring inputs, in the metric of the mechanism. By
        default the whole sphere, which needs no assumption; a smaller one must come from a query that was bounded.
    kind : {"vector", "angle", "hour", "week", "latlon"}
        What a record is; see :mod:`sfumato.direction.core.coordinates`. Distances of promises are in radians (or
        chords) of the unit sphere for every kind.
    normalise : bool
        Take the direction of vectors of any length instead of refusing them.
    wrap : bool
        Take angles and hours modulo their period instead of refusing those outside.
    snap : bool
        Round released coordinates to a fixed grid of 2⁻¹² of the noise scale (see Notes).

    Notes
    -----
    With ``snap=True`` a release is the ideal, real-valued one rounded to a grid that does not depend on the data: in
    every dimension its cell is found in doubles with a bound on their error, and in interval arithmetic from more bits
    of the same random reals where the bound leaves it open (:mod:`sfumato.direction.core.certified`). The promise holds
    for the program. With ``snap=False`` raw doubles are released: their last bits depend on the input and can give it
    away, a tail of probability below 2⁻⁵³ is never drawn, and the promise says so: “provided that the rounding of
    doubles is negligible”.
    """

    epsilon: float | None = None
    level: float | None = None
    radius: float | None = None
    pure: float | None = None
    sensitivity: float | None = None
    kind: Kind = "vector"
    normalise: bool = False
    wrap: bool = False
    snap: bool = True
    neighbours: Neighbours = "any-pair"
    model: Model = "local"

    metric: ClassVar[Literal["angle", "chord"]] = "angle"
    """The distance that ε multiplies and that ``sensitivity`` is measured in."""
    dimensions: ClassVar[int | None] = None
    """The only ambient dimension that the mechanism works in, if there is one."""

    def __post_init__(self) -> None:
        given = [name for name in ("epsilon", "level", "pure") if getattr(self, name) is not None]
        if len(given) != 1:
            raise bad_input("calibration", given, _CALIBRATIONS)
        positive(given[0], getattr(self, given[0]))
        if (self.level is None) != (self.radius is None):
            raise bad_input("radius", self.radius, "a radius with level, and only then", "a level says nothing alone")
        if self.radius is not None and positive("radius", self.radius) > math.pi:
            raise bad_input("radius", self.radius, "radians in (0, π]")
        if self.sensitivity is not None:
            self._check_sensitivity(self.sensitivity)
        choice("kind", self.kind, get_args(Kind))
        if self.dimensions == 2 and self.kind == "latlon":
            raise bad_input("kind", self.kind, f"a circle; {type(self).__name__} is not defined on the sphere")
        if self.dimensions == 3 and self.kind in CIRCLES:
            raise bad_input("kind", self.kind, f"a sphere; {type(self).__name__} is not defined on the circle")
        self.guarantee  # noqa: B018 - checks unit, neighbours and model

    def _check_sensitivity(self, value: float) -> None:
        if self.pure is None:
            raise bad_input("sensitivity", value, "None without pure", "epsilon and level hold at every distance")
        if positive("sensitivity", value) > self.widest:
            raise bad_input("sensitivity", value, f"at most {self.widest:.6g}, the whole sphere")
        if value < self.widest and self.neighbours == "any-pair":
            raise bad_input(
                "sensitivity",
                value,
                f"{self.widest:.6g} for any-pair neighbours",
                "with neighbours='replace-one' a bounded query may have less",
            )

    @property
    def widest(self) -> float:
        """The diameter of the sphere in the metric of the mechanism."""
        return math.pi if self.metric == "angle" else 2.0

    @cached_property
    def kappa(self) -> float:
        """The concentration of the noise."""
        if self.pure is not None:
            distance = self.sensitivity or self.widest
            if distance == math.pi:  # π itself is a little more
                distance = math.nextafter(distance, math.inf)
            return metric_epsilon(self.pure, distance)  # rounded down
        return self._directional_epsilon

    @property
    def _directional_epsilon(self) -> float:
        if self.level is not None:
            return metric_epsilon(self.level, self.reach)  # rounded down
        assert self.epsilon is not None
        return self.epsilon

    @property
    def reach(self) -> float:
        """The radius in the metric of the mechanism: directions within an arc r are within a chord 2 sin(r/2) ≤ r."""
        assert self.radius is not None
        if self.metric == "angle":
            return self.radius
        chord = 2 * math.sin(self.radius / 2)
        return min(self.radius, math.nextafter(math.nextafter(chord, math.inf), math.inf))  # sin errs by one ulp

    @property
    def guarantee(self) -> Guarantee:
        if self.pure is not None:
            promise: Guarantee = PureDP(self.pure, **self.scope)
        else:
            promise = MetricDP(self._directional_epsilon, metric_name(self.kind, self.metric), **self.scope)
        return promise if self.snap else promise.assuming(ROUNDING)

    def _sharpness(self, n: int) -> float:
        """The inverse of the finest angle on which the density of a release changes."""
        return self.kappa

    @property
    def cell(self) -> float:
        """The grid of angles and hours that releases are rounded to: a power of two of them make the period."""
        return period_of(self.kind) * snap_step(2, self._sharpness(2))

    @abstractmethod
    def law(self, n: int) -> CertifiedLaw:
        """The law of a release around its input in ``n`` dimensions."""

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Directions around those given: same shape, same kind, unit vectors of unit length.

        Parameters
        ----------
        data : array_like
            Shape (…, n) for vectors, (…, 2) for latlon, any shape for angles and hours; each record gets noise of its
            own.
        """
        rng = resolve_rng(rng)
        if self.kind in CIRCLES:
            return self._release_on_circle(data, rng)
        means = as_vectors("data", data, self.kind, normalise=self.normalise)
        n = self._dimension(means)
        rows = means.reshape(-1, n)
        centres = self.straighten(rows)
        drawn = self._on_grid(centres, data, rng) if self.snap else self.law(n).sample(centres, rng)
        drawn = self.bend(drawn).reshape(means.shape)
        return vector_to_latlon(drawn) if self.kind == "latlon" else drawn

    def straighten(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Unit vectors where the noise is the same in all directions, which the law is about: as they are."""
        return vectors

    def bend(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of :meth:`straighten`."""
        return vectors

    @property
    def _exactly(self) -> Mean:
        """The straightened record in interval arithmetic."""
        return degrees_mean if self.kind == "latlon" else vector_mean

    def _blur(self, n: int) -> float:
        """How far straightened vectors may be wrong beyond 2⁻⁵⁰."""
        return 0.0

    def _on_grid(self, means: NDArray[np.float64], data: Any, rng: Rng) -> NDArray[np.float64]:
        """Unit vectors that whole numbers of steps fix."""
        n = means.shape[1]
        step = snap_step(n, self._sharpness(n))
        records = np.asarray(data, np.float64).reshape(len(means), -1)
        hat = _hat(self.law(n))
        cells = sphere_cells(means, records, self._exactly, hat, step, rng, blur=self._blur(n))
        return np.asarray(cells / np.sqrt(np.einsum("ij,ij->i", cells, cells))[:, None], np.float64)

    def _release_on_circle(self, data: Any, rng: Rng) -> Any:
        period = period_of(self.kind)
        values = check_period("data", data, period, wrap=self.wrap)
        if self.snap:
            count = round(1 / snap_step(2, self._sharpness(2)))
            length = None if self.kind == "angle" else period
            cells = circle_cells(values.reshape(-1), _hat(self.law(2)), count, length, rng)
            released = wrap_into(cells.reshape(values.shape) * self.cell, period)
        else:
            theta = self.law(2).sample_angles(values.size, rng)
            turns = np.where(rng.random(values.size) < 0.5, theta, -theta).reshape(values.shape) * (period / TURN)
            released = wrap_into(turns + values, period)
        return float(released) if np.ndim(data) == 0 else released

    def _dimension(self, vectors: NDArray[np.float64]) -> int:
        n = vectors.shape[-1]
        if self.dimensions is not None and n != self.dimensions:
            raise bad_input(
                "data", vectors.shape, f"vectors of {self.dimensions} coordinates for {type(self).__name__}"
            )
        return n

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]:
        """Log-density of each output (first axis) given one input, with respect to area on the sphere."""
        given = as_vectors("data", data, self.kind, normalise=self.normalise, wrap=self.wrap)
        seen = as_vectors("output", output, self.kind)
        n = self._dimension(given)
        rows = given.reshape(-1, n)
        angles = angle_between(seen.reshape(len(seen), len(rows), n), rows)
        return self.law(n).log_density(np.minimum(angles, math.pi)).sum(axis=1)
