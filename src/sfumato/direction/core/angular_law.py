"""Rotation-invariant laws on the sphere S^{n−1}, described by the angle θ between a draw and its mean.

With surface density p(θ) the angle has density S_{n−2}·sin^{n−2}θ·p(θ) on [0, π] and t = cosθ has the *mixture* density
S_{n−2}·(1−t²)^{(n−3)/2}·p(arccos t) (Weggenmann §7.2). What a law does not know in closed form is computed here by
Gauss–Legendre quadrature over the part of [0, π] that matters, in logarithms: it neither over- nor underflows for
dimensions of tens of thousands or concentrations of 10⁸.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.sphere import Floats, log_area, place
from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.validate import integer, positive

__all__ = ["AngularLaw", "check_angles"]

_NODES = 160
_DROP = 42.0  # e^-42 is 6e-19: what lies below this share of the peak does not change a double


@lru_cache(maxsize=1)
def _gauss() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


@dataclass(frozen=True)
class AngularLaw(ABC):
    """The law of a random direction around its mean, with concentration κ.

    Parameters
    ----------
    n : int
        Ambient dimension, at least 2; directions live on S^{n−1}.
    kappa : float
        Concentration κ ≥ 0; 0 is the uniform law.
    """

    n: int
    kappa: float

    def __post_init__(self) -> None:
        integer("n", self.n, least=2, remedy="a direction lives on the unit sphere of at least two dimensions")
        positive("kappa", self.kappa, "0 is the uniform law", zero=True)

    # --- what a law must know ------------------------------------------------------------------------------------

    @abstractmethod
    def log_profile(self, theta: ArrayLike) -> Floats:
        """log p(θ) − log p(0): 0 at the mean and decreasing."""

    @property
    @abstractmethod
    def log_peak(self) -> float:
        """log p(0), the largest value of the log-density on the sphere."""

    @property
    @abstractmethod
    def mode(self) -> float:
        """Where the density of the angle is largest."""

    @abstractmethod
    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        """Independent angles θ in [0, π]."""

    # --- densities ------------------------------------------------------------------------------------------------

    def log_density(self, theta: ArrayLike) -> Floats:
        """Log-density on the sphere at angle θ from the mean."""
        return self.log_peak + self.log_profile(check_angles(theta))

    def log_angle_density(self, theta: ArrayLike) -> Floats:
        """Log-density of the angle itself: that on the sphere times S_{n−2}·sin^{n−2}θ."""
        theta = check_angles(theta)
        return log_area(self.n - 2) + self.log_peak + self.log_kernel(theta)

    def log_cosine_density(self, t: ArrayLike) -> Floats:
        """Log-density of t = cosθ, the mixture density."""
        t = np.asarray(t, dtype=np.float64)
        if not (np.abs(t) <= 1).all():
            raise bad_input("t", t, "cosines in [−1, 1]")
        with np.errstate(divide="ignore"):
            return self.log_angle_density(np.arccos(t)) - 0.5 * np.log1p(-t * t)

    def log_kernel(self, theta: Floats) -> Floats:
        """Log-density of the angle up to a constant: :meth:`log_profile` and log sin^{n−2}θ."""
        profile = self.log_profile(theta)
        if self.n == 2:
            return profile
        with np.errstate(divide="ignore"):
            return profile + (self.n - 2) * np.log(np.sin(theta))

    # --- probabilities --------------------------------------------------------------------------------------------

    def cdf(self, theta: ArrayLike) -> Floats:
        """Pr[angle ≤ θ]."""
        return self.tails(theta)[0]

    def survival(self, theta: ArrayLike) -> Floats:
        """Pr[angle > θ], with full relative precision in the far tail."""
        return self.tails(theta)[1]

    def cosine_cdf(self, t: ArrayLike) -> Floats:
        """Pr[cosθ ≤ t] = Pr[θ ≥ arccos t], the mixture CDF."""
        t = np.asarray(t, dtype=np.float64)
        if not (np.abs(t) <= 1).all():
            raise bad_input("t", t, "cosines in [−1, 1]")
        return self.survival(np.arccos(t))

    def quantile(self, u: ArrayLike) -> Floats:
        """The angle that a share u of the draws stays below: the inverse of :meth:`cdf`, by guarded Newton steps."""
        u = np.asarray(u, dtype=np.float64)
        if not ((u >= 0) & (u <= 1)).all():
            raise bad_input("u", u, "probabilities in [0, 1]")
        flat = u.ravel()
        low, high = np.zeros_like(flat), np.full_like(flat, math.pi)
        theta = np.full_like(flat, self.mode if 0 < self.mode < math.pi else 0.5 * sum(self.support))
        for _ in range(80):
            below, above = self.tails(theta)
            excess = np.where(flat < 0.5, below - flat, (1 - flat) - above)
            low, high = np.where(excess < 0, theta, low), np.where(excess >= 0, theta, high)
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                step = theta - excess * np.exp(-self.log_angle_density(theta))
            following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
            done = np.abs(following - theta) <= 4e-15 * theta
            theta = following
            if done.all():
                break
        theta = np.where(flat == 0, 0.0, np.where(flat == 1, math.pi, theta))
        return theta.reshape(u.shape)

    @cached_property
    def support(self) -> tuple[float, float]:
        """The part of [0, π] outside which the angular density is below e^−42 of its largest value."""
        mode = np.array([self.mode])
        top = self.log_kernel(mode)
        return float(self._edge(mode, top, 0.0)[0]), float(self._edge(mode, top, math.pi)[0])

    def _edge(self, start: Floats, top: Floats, end: float) -> Floats:
        """Walking from ``start`` towards ``end``, where the log-kernel has fallen by ``_DROP`` below ``top``."""
        inner, outer = start.copy(), np.full_like(start, end)
        with np.errstate(invalid="ignore"):
            far = self.log_kernel(outer) < top - _DROP
        for _ in range(60):
            middle = 0.5 * (inner + outer)
            fallen = self.log_kernel(middle) < top - _DROP
            inner, outer = np.where(fallen, inner, middle), np.where(fallen, middle, outer)
        return np.where(far, outer, end)

    def _integral(self, low: Floats, high: Floats) -> Floats:
        nodes, weights = _gauss()
        theta = low[:, None] + (high - low)[:, None] * nodes
        scale = log_area(self.n - 2) + self.log_peak
        with np.errstate(under="ignore"):
            return (high - low) * (np.exp(scale + self.log_kernel(theta)) @ weights)

    def tails(self, theta: ArrayLike) -> tuple[Floats, Floats]:
        """:meth:`cdf` and :meth:`survival` together: the shorter tail is integrated, the other is the rest of 1."""
        angles = check_angles(theta)
        flat = angles.ravel()
        below = np.empty_like(flat)
        above = np.empty_like(flat)
        left = flat <= self.mode
        for side, end in ((left, 0.0), (~left, math.pi)):
            for part in np.array_split(np.flatnonzero(side), max(1, side.sum() // 20_000)):
                start = flat[part]
                edge = self._edge(start, self.log_kernel(start), end)
                low, high = (edge, start) if end == 0 else (start, edge)
                mass = np.clip(self._integral(low, high), 0.0, 1.0)
                (below if end == 0 else above)[part] = mass
                (above if end == 0 else below)[part] = 1 - mass
        return below.reshape(angles.shape), above.reshape(angles.shape)

    def log_cdf(self, theta: ArrayLike) -> Floats:
        """log Pr[angle ≤ θ], finite where the probability itself is below every double."""
        angles = check_angles(theta)
        flat = angles.ravel()
        with np.errstate(divide="ignore"):
            found = np.log(self.cdf(flat))
        for part in np.array_split(np.flatnonzero((flat > 0) & (flat <= self.mode)), max(1, flat.size // 20_000)):
            high = flat[part]
            top = self.log_kernel(high)
            low = self._edge(high, top, 0.0)
            nodes, weights = _gauss()
            kernel = self.log_kernel(low[:, None] + (high - low)[:, None] * nodes)
            mass = (high - low) * (np.exp(kernel - top[:, None]) @ weights)
            found[part] = log_area(self.n - 2) + self.log_peak + top + np.log(mass)
        return found.reshape(angles.shape)

    # --- moments --------------------------------------------------------------------------------------------------

    def expect(self, error: Callable[[Floats], Floats]) -> float:
        """E[error(θ)] for a smooth function of the angle."""
        return self.expect_between(error, 0.0, math.pi)

    def expect_between(self, error: Callable[[Floats], Floats], low: float, high: float) -> float:
        """E[error(θ)] given that the angle lies in [low, high]."""
        peak = np.array([min(max(self.mode, low), high)])
        top = self.log_kernel(peak)
        start, end = max(low, float(self._edge(peak, top, 0.0)[0])), min(high, float(self._edge(peak, top, math.pi)[0]))
        nodes, weights = _gauss()
        theta = start + (end - start) * nodes
        mass = np.exp(self.log_kernel(theta) - top) * weights
        return float(mass @ error(theta) / mass.sum())

    @property
    def mean_angle(self) -> float:
        """E[θ], the expected arc-length error."""
        return self.expect(lambda theta: theta)

    @property
    def mean_chord(self) -> float:
        """E[d₂] = E[2 sin(θ/2)], the expected Euclidean error."""
        return self.expect(lambda theta: 2 * np.sin(theta / 2))

    @property
    def mean_cosine(self) -> float:
        """E[cosθ], the mean resultant length: averages of draws shrink by this factor."""
        return 1 - self.expect(lambda theta: 2 * np.sin(theta / 2) ** 2)

    @property
    def mean_square_sine(self) -> float:
        """E[sin²θ], the spread orthogonal to the mean."""
        return self.expect(lambda theta: np.sin(theta) ** 2)

    # --- draws ----------------------------------------------------------------------------------------------------

    def sample(
        self, means: NDArray[np.float64], rng: Rng | None = None, *, size: int | None = None, step: float = 0.0
    ) -> Floats:
        """Directions around ``means``.

        Parameters
        ----------
        means : ndarray of shape (count, n) or (n,)
            Unit vectors; one draw for each row, or ``size`` draws around a single mean.
        step : float
            Rounds coordinates to multiples of it and rescales to unit length; 0 leaves the raw doubles.
        """
        rng = resolve_rng(rng)
        rows = np.ascontiguousarray(np.atleast_2d(means), dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n:
            raise bad_input("means", rows.shape, f"rows of {self.n} coordinates")
        if size is not None and rows.shape[0] != 1:
            raise bad_input("size", size, "None with several means", "repeat the rows instead")
        count = rows.shape[0] if size is None else integer("size", size, least=0)
        out = np.empty((count, self.n))
        cosines, sines = self._cosines(count, rng)
        place(rng, rows, cosines, sines, float(step), out)
        return out

    def _cosines(self, size: int, rng: Rng) -> tuple[Floats, Floats]:
        """Independent (cosθ, sinθ)."""
        theta = self.sample_angles(size, rng)
        return np.cos(theta), np.sin(theta)


def check_angles(theta: ArrayLike) -> Floats:
    """Angles in [0, π] as an array."""
    angles = np.asarray(theta, dtype=np.float64)
    if not ((angles >= 0) & (angles <= math.pi)).all():
        raise bad_input("theta", angles, "angles in [0, π]")
    return angles
