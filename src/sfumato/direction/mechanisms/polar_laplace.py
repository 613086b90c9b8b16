"""The polar Laplace baseline and its law on the sphere: a planar Laplace step along a great circle.

Weggenmann §7.3.6.3 compares it with the mechanisms of the sphere "at the same privacy level". It has none: its density
is infinite at the antipode of the input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.angular_law import AngularLaw, check_angles
from sfumato.direction.core.coordinates import as_vectors, vector_to_latlon
from sfumato.direction.core.sphere import Floats, angle_between
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import NoGuarantee
from sfumato.validate import choice, integer, positive

__all__ = ["PolarLaplace", "PolarLaplaceLaw"]


@dataclass(frozen=True)
class PolarLaplaceLaw(AngularLaw):
    """The law of a walk of length r ~ Gamma(2, 1/κ) from the mean along a uniform bearing; n = 3 only.

    The angle has the finite density :meth:`log_angle_density`, but divided by the circle of radius sinθ it makes a
    density on the sphere that is infinite at the mean *and at its antipode*, where every great circle meets. Hence no
    ratio of two such densities is bounded.

    Examples
    --------
    >>> round(PolarLaplaceLaw(3, 1.0).mean_angle, 5)
    1.58481
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n != 3:
            raise bad_input("n", self.n, "3; the polar Laplace law lives on the sphere in space")
        positive("kappa", self.kappa)

    def log_angle_density(self, theta: ArrayLike) -> Floats:
        """The wrapped and folded Gamma(2, 1/κ): κ²{e^{−κθ}[θ/(1−q)+2πq/(1−q)²] + e^{κθ}[2πq/(1−q)²−θq/(1−q)]}."""
        theta, kappa = check_angles(theta), self.kappa
        q = math.exp(-2 * math.pi * kappa)
        share = kappa / -math.expm1(-2 * math.pi * kappa)  # κ/(1−q), 1/2π as κ → 0
        with np.errstate(divide="ignore"):  # the density is 0 at θ = 0 once q is
            near = np.log(kappa * share * theta + 2 * math.pi * share**2 * q) - kappa * theta
            # e^{κθ}·q is written e^{−κ(2π−θ)}, which cannot overflow
            far = np.log(2 * math.pi * share**2 - kappa * share * theta) - kappa * (2 * math.pi - theta)
            return np.logaddexp(near, far)

    def log_kernel(self, theta: Floats) -> Floats:
        """The density of the angle itself: that on the sphere is infinite at the mean and has no profile."""
        return self.log_angle_density(theta)

    def log_density(self, theta: ArrayLike) -> Floats:
        """Log-density on the sphere; +∞ at the antipode (and, up to κ → ∞, at the mean)."""
        theta = check_angles(theta)
        with np.errstate(divide="ignore"):
            return self.log_angle_density(theta) - np.log(2 * math.pi * np.sin(theta))

    def log_profile(self, theta: ArrayLike) -> Floats:
        return self.log_density(theta) - self.log_peak

    @property
    def log_peak(self) -> float:
        return math.inf

    @property
    def mode(self) -> float:
        """Where the density of the angle is largest, of 2001 angles and 1/κ, which it is for large κ."""
        grid = np.append(np.linspace(0, math.pi, 2001), min(1 / self.kappa, math.pi))
        return float(grid[np.argmax(self.log_angle_density(grid))])

    @property
    def mean_angle(self) -> float:
        """E[θ] = (2/κ)·tanh(κπ/2) − (π/2)·sech²(κπ/2); its largest value 1.7357 exceeds that of uniform noise."""
        half = self.kappa * math.pi / 2
        return 2 / self.kappa * math.tanh(half) - math.pi / 2 * (1 - math.tanh(half) ** 2)

    @property
    def mean_cosine(self) -> float:
        """E[cosθ] = κ²(κ²−1)/(κ²+1)²: negative for κ < 1, where averages converge to the antipode."""
        square = self.kappa**2
        return square * (square - 1) / (square + 1) ** 2

    def tails(self, theta: ArrayLike) -> tuple[Floats, Floats]:
        below = self._folded(check_angles(theta))
        return below, 1 - below

    def _folded(self, theta: Floats) -> Floats:
        """Σ over turns of G(2πk+θ) − G(2πk−θ), with G the Gamma(2) CDF; as many turns as matter."""
        turns = np.arange(math.ceil(45 / (2 * math.pi * self.kappa)) + 1)
        start = 2 * math.pi * turns[:, None]

        def tail(r: Floats) -> Floats:
            return np.where(r <= 0, 1.0, (1 + self.kappa * r) * np.exp(-self.kappa * np.maximum(r, 0.0)))

        flat = theta.ravel()
        return np.clip((tail(start - flat) - tail(start + flat)).sum(axis=0), 0, 1).reshape(theta.shape)

    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        walked = np.mod(resolve_rng(rng).standard_gamma(2.0, integer("size", size, least=0)) / self.kappa, 2 * math.pi)
        return np.minimum(walked, 2 * math.pi - walked)


_law = lru_cache(maxsize=64)(PolarLaplaceLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class PolarLaplace(Mechanism):
    """Moves each place by r ~ Gamma(2, 1/κ) along a great circle of uniform bearing; promises nothing (a baseline).

    The planar Laplace mechanism adds noise in one common plane. Here the plane is the tangent at the input, so wrapping
    it onto the sphere is *not* post-processing of one mechanism. All great circles from x meet again at −x, where the
    density is infinite: on a ball of radius ρ around −x the ratio to a neighbour's grows like 1/ρ; no finite ε holds.
    :class:`~sfumato.direction.Purkayastha` is the valid counterpart.

    Parameters
    ----------
    kappa : float
        Inverse scale, per radian.
    kind : {"latlon", "vector"}
    normalise : bool
        Take the direction of vectors of any length.

    Examples
    --------
    >>> mechanism = PolarLaplace(kappa=100.0)
    >>> mechanism.release([[48.2, 11.6]]).shape
    (1, 2)
    >>> mechanism.guarantee.statement[:12]
    'no guarantee'
    """

    kappa: float
    kind: Literal["latlon", "vector"] = "latlon"
    normalise: bool = False

    def __post_init__(self) -> None:
        positive("kappa", self.kappa)
        choice("kind", self.kind, ("latlon", "vector"))

    @property
    def guarantee(self) -> NoGuarantee:
        return NoGuarantee(
            "the density is infinite at the input's antipode, so no ratio to a neighbour's is bounded",
            neighbours="any-pair",
            model="local",
        )

    def law(self, n: int = 3) -> PolarLaplaceLaw:
        """The law of a release around its input."""
        return _law(n, self.kappa)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Places around those given, same shape and kind."""
        means = self._vectors("data", data, self.normalise)
        drawn = self.law().sample(means.reshape(-1, 3), resolve_rng(rng)).reshape(means.shape)
        return vector_to_latlon(drawn) if self.kind == "latlon" else drawn

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]:
        """Log-density of each output (first axis) given one input, with respect to area; +∞ at the antipode."""
        given = self._vectors("data", data, self.normalise).reshape(-1, 3)
        seen = self._vectors("output", output, False)
        angles = np.minimum(angle_between(seen.reshape(len(seen), len(given), 3), given), np.pi)
        return self.law().log_density(angles).sum(axis=1)

    def _vectors(self, name: str, values: Any, normalise: bool) -> NDArray[np.float64]:
        vectors = as_vectors(name, values, self.kind, normalise=normalise)
        if vectors.shape[-1] != 3:
            raise bad_input(name, vectors.shape, "vectors of 3 coordinates")
        return vectors
