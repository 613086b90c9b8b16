"""The Purkayastha mechanism and its law, with density C·exp(−κ·d∠(μ, x)) on the unit sphere.

Law and sampler: Weggenmann §7.2.4 and §7.3.4.2. Promise: κ·d∠ in the arc length (Theorem 7.21). There are two samplers
of the angle. The default is exact rejection under a hat of exponentials (:mod:`sfumato.direction.core.sine_hat`), O(1)
in every dimension. The dissertation's Algorithm 3, bisection on the closed-form CDF with O(n) a step, is the reference
that it is tested against.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from sfumato.direction.core.angle_hat import CertifiedLaw
from sfumato.direction.core.angular_law import check_angles
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.sine_hat import SineHat
from sfumato.direction.core.sphere import Floats, log_area
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_most
from sfumato.validate import integer

__all__ = ["Purkayastha", "PurkayasthaLaw", "log_sine_integral"]


def log_sine_integral(power: int, kappa: float) -> float:
    r"""log ∫₀^π e^{−κx} sin^N x dx for N = ``power``.

    The product N!·(1 ∓ e^{−κπ}) / ∏(κ² + j²) over j = N, N−2, …, taken factor by factor: it neither overflows for large
    N nor cancels for large κ.

    >>> round(math.exp(log_sine_integral(1, 2.0)), 12) == round((1 + math.exp(-2 * math.pi)) / 5, 12)
    True
    """
    if power % 2:
        start = math.log1p(math.exp(-kappa * math.pi)) - math.log1p(kappa * kappa)
    else:
        start = math.log(-math.expm1(-kappa * math.pi) / kappa) if kappa > 0 else math.log(math.pi)
    j = np.arange(2 + power % 2, power + 1, 2, dtype=np.float64)
    return start + float(np.log(j * (j - 1) / (kappa * kappa + j * j)).sum())


@dataclass(frozen=True)
class PurkayasthaLaw(CertifiedLaw):
    r"""The law Pur(μ, κ)[x] = C·exp(−κ·arccos μᵀx) with C = 1 / (S_{n−2} ∫₀^π e^{−κθ} sin^{n−2}θ dθ).

    Parameters
    ----------
    n : int
        Ambient dimension, at least 2.
    kappa : float
        Concentration κ ≥ 0.

    Examples
    --------
    >>> law = PurkayasthaLaw(3, 2.0)
    >>> round(math.exp(law.log_constant), 10), round(law.mean_angle, 9), round(float(law.cdf(1.0)), 9)
    (0.7942914217, 0.805855809, 0.69781348)
    """

    @cached_property
    def log_constant(self) -> float:
        """log C."""
        return -log_area(self.n - 2) - log_sine_integral(self.n - 2, self.kappa)

    @property
    def log_peak(self) -> float:
        return self.log_constant

    @property
    def mode(self) -> float:
        return math.atan2(self.n - 2, self.kappa) if self.n > 2 else 0.0

    def log_profile(self, theta: ArrayLike) -> Floats:
        return -self.kappa * np.asarray(theta, dtype=np.float64)

    def interval_profile(self, theta: Interval) -> Interval:
        return -theta * at_most(self.kappa, theta.digits)

    @property
    def mean_angle(self) -> float:
        """E[θ] by (7.26), written so that nothing cancels: 2κΣ 1/(κ²+j²) plus the angle on the circle or its twin."""
        kappa, x = self.kappa, self.kappa * math.pi
        j = np.arange(2 if self.n % 2 == 0 else 1, self.n - 1, 2, dtype=np.float64)
        total = 2 * kappa * float((1 / (kappa * kappa + j * j)).sum())
        decay = math.exp(-x)
        if self.n % 2:
            return total + math.pi * decay / (1 + decay)
        if x < 1e-2:  # 1/x − 1/(e^x − 1) by its series, where the two terms cancel
            return total + math.pi * (0.5 - x / 12 + x**3 / 720)
        return total + 1 / kappa - math.pi * decay / -math.expm1(-x)

    @property
    def mean_square_sine(self) -> float:
        """E[sin²θ] = n(n−1)/(κ²+n²)."""
        return self.n * (self.n - 1) / (self.kappa**2 + self.n**2)

    def closed_cdf(self, theta: ArrayLike) -> Floats:
        """Pr[angle ≤ θ] by the closed form (7.28), accumulated upwards in logarithms; O(n) for each angle.

        Written literally with factorials it is NaN from n = 173 on. Absolute precision is about 5e-12; :meth:`cdf`,
        by quadrature, keeps relative precision in both tails and costs the same in every dimension.
        """
        angles = check_angles(theta)
        out = np.empty(angles.size)
        _closed_cdf(self.n - 2, float(self.kappa), angles.ravel(), out)
        return out.reshape(angles.shape)

    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        """Exact angles in O(1) each: inversion on the circle, rejection under an exponential hat elsewhere."""
        rng = resolve_rng(rng)
        out = np.empty(integer("size", size, least=0))
        if self.n > 2:
            self._hat.fill(rng, out)
            return out
        rng.random(out=out)
        if self.kappa * math.pi < 1e-12:
            return out * math.pi
        np.multiply(out, math.expm1(-self.kappa * math.pi), out=out)
        np.log1p(out, out=out)
        return np.divide(out, -self.kappa, out=out)

    def sample_angles_by_bisection(self, size: int, rng: Rng | None = None, *, steps: int | None = None) -> Floats:
        """Algorithm 3: invert the closed-form CDF by bisection, O(n) a step. The reference for :meth:`sample_angles`.

        Parameters
        ----------
        steps : int, optional
            Bisections, by default 53 + ⌈log₂ max(1, κ)⌉; fewer leave a visible grid when κ is large.
        """
        rng = resolve_rng(rng)
        uniforms = rng.random(integer("size", size, least=0))
        if steps is None:
            steps = 53 + math.ceil(math.log2(max(1.0, self.kappa)))
        out = np.empty_like(uniforms)
        _bisect(self.n - 2, float(self.kappa), uniforms, integer("steps", steps), out)
        return out

    @cached_property
    def _hat(self) -> SineHat:
        return SineHat(self.n - 2, float(self.kappa), 0.0, math.pi)


@njit(cache=True)
def _cdf_at(power, kappa, theta):  # type: ignore[no-untyped-def]
    """(7.28): the CDF for N = 0 or 1, then corrected from N = j − 2 to j up to ``power``."""
    if theta <= 0.0:
        return 0.0
    if theta >= math.pi:
        return 1.0
    sine, cosine = math.sin(theta), math.cos(theta)
    if power % 2 == 0:
        if kappa == 0.0:
            total, log_f = theta / math.pi, math.log(math.pi)
        else:
            total = math.expm1(-kappa * theta) / math.expm1(-kappa * math.pi)
            log_f = math.log(-math.expm1(-kappa * math.pi) / kappa)
        j = 2
    else:
        decay = math.exp(-kappa * math.pi)
        rest = math.exp(-kappa * theta) * (kappa * sine - 2.0 * math.sin(0.5 * theta) ** 2)
        total = (-math.expm1(-kappa * theta) - rest) / (1.0 + decay)
        log_f = math.log1p(decay) - math.log1p(kappa * kappa)
        j = 3
    log_sine = math.log(sine)
    while j <= power:
        base = kappa * kappa + j * j
        log_f += math.log(j * (j - 1.0) / base)
        total -= math.exp(-kappa * theta + (j - 1) * log_sine - math.log(base) - log_f) * (kappa * sine + j * cosine)
        j += 2
    return min(max(total, 0.0), 1.0)


@njit(cache=True)
def _closed_cdf(power, kappa, theta, out):  # type: ignore[no-untyped-def]
    for i in range(theta.size):
        out[i] = _cdf_at(power, kappa, theta[i])


# Invariant: the CDF is below uniforms[i] at ``low`` and not below it at ``high``; each step halves the interval.
@njit(cache=True)
def _bisect(power, kappa, uniforms, steps, out):  # type: ignore[no-untyped-def]
    for i in range(uniforms.size):
        low, high = 0.0, math.pi
        middle = 0.5 * math.pi
        for _ in range(steps):
            middle = 0.5 * (low + high)
            if _cdf_at(power, kappa, middle) < uniforms[i]:
                low = middle
            else:
                high = middle
        out[i] = middle


_law = lru_cache(maxsize=256)(PurkayasthaLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class Purkayastha(DirectionalMechanism):
    """Replaces each direction x by a draw z with density ∝ exp(−κ·d∠(x, z)): the Laplace mechanism of the sphere.

    ``epsilon`` promises ε·d∠ (Weggenmann, Theorem 7.21, by the triangle inequality; attained at z = x). At equal ε its
    expected error is smaller than that of :class:`VonMisesFisher` and, on the circle, of :class:`WrappedLaplace`.

    Parameters
    ----------
    epsilon, level, radius, pure, sensitivity, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`; the sensitivity is Δ∠ ≤ π.

    Examples
    --------
    >>> nearby = Purkayastha(level=1.0, radius=0.1, kind="latlon")  # ε = 1 for everything within 0.1 rad
    >>> print(nearby.guarantee)
    ε = 10 per unit of great-circle distance per record (any-pair neighbours, local model)
    >>> nearby.release([[48.2, 11.6], [37.8, -122.4]]).shape
    (2, 2)
    """

    def law(self, n: int) -> PurkayasthaLaw:
        return _law(n, self.kappa)
