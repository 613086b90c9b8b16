"""The von Mises–Fisher mechanism and its law, with density C·exp(κ·μᵀx) on the unit sphere.

Law and sampler: Weggenmann §7.2.3 and §7.3.4.1. Promise: κ·d₂ in the Euclidean distance (Theorem 7.17), hence κ·d∠
(Corollary 7.18). The code departs from the dissertation where its formulas overflow: the constant is computed in
logarithms, moments and CDFs by quadrature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy import special

from sfumato.direction.core.angle_hat import CertifiedLaw
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.sphere import Floats
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_most
from sfumato.validate import integer

__all__ = ["VonMisesFisher", "VonMisesFisherLaw", "log_scaled_bessel"]


def _debye_polynomials(count: int) -> list[np.polynomial.Polynomial]:
    """U₀ … of the uniform expansion of I_ν, from U_{k+1} = ½p²(1−p²)U_k′ + ⅛∫₀^p (1−5s²)U_k ds (DLMF 10.41.9)."""
    p = np.polynomial.Polynomial([0.0, 1.0])
    terms = [np.polynomial.Polynomial([1.0])]
    for _ in range(count - 1):
        last = terms[-1]
        terms.append(0.5 * p**2 * (1 - p**2) * last.deriv() + 0.125 * ((1 - 5 * p**2) * last).integ())
    return terms


_DEBYE = _debye_polynomials(9)
_LARGE_ORDER = 60.0  # from here on nine terms of the expansion are exact to 1e-15


def log_scaled_bessel(order: float, kappa: float) -> float:
    """log(e^−κ·I_ν(κ)) for any order ν ≥ 0 and κ > 0, where :func:`scipy.special.ive` would underflow to 0.

    Three forms: the power series where κ² ≤ 4(ν+1), Debye's uniform expansion for large orders, ``ive`` elsewhere.

    >>> bool(special.ive(499, 50.0) == 0)
    True
    >>> round(log_scaled_bessel(499.0, 50.0), 9)
    -1047.648367981
    """
    quarter = 0.25 * kappa * kappa
    if quarter <= order + 1:
        series = math.log(float(special.hyp0f1(order + 1, quarter)))
        return order * math.log(kappa / 2) - math.lgamma(order + 1) + series - kappa
    if order < _LARGE_ORDER:
        return math.log(float(special.ive(order, kappa)))
    root = math.hypot(order, kappa)
    p = order / root
    tail = math.log(sum(float(term(p)) / order**k for k, term in enumerate(_DEBYE)))
    exponent = order * order / (root + kappa) + order * math.log(kappa / (order + root))
    return exponent - 0.5 * math.log(2 * math.pi * root) + tail


@dataclass(frozen=True)
class VonMisesFisherLaw(CertifiedLaw):
    r"""The law VMF(μ, κ)[x] = C·exp(κμᵀx) with C = κ^ν / ((2π)^{ν+1} I_ν(κ)), ν = n/2 − 1.

    Parameters
    ----------
    n : int
        Ambient dimension, at least 2.
    kappa : float
        Concentration κ ≥ 0.

    Notes
    -----
    Moments and CDFs are computed by quadrature to full precision; they equal the dissertation's closed forms (7.19) and
    (7.20), which overflow from κ ≈ 350 on when evaluated literally.

    Examples
    --------
    >>> law = VonMisesFisherLaw(3, 2.0)
    >>> round(float(np.exp(law.log_constant)), 10), round(law.mean_chord, 9)
    (0.0438822908, 0.86122398)
    >>> round(float(law.cosine_cdf(0.2)), 9)
    0.187006014
    """

    @cached_property
    def log_constant(self) -> float:
        """log C."""
        return self.log_peak - self.kappa

    @cached_property
    def log_peak(self) -> float:
        order = self.n / 2 - 1
        if self.kappa == 0:
            return math.lgamma(self.n / 2) - math.log(2) - self.n / 2 * math.log(math.pi)
        scaled = log_scaled_bessel(order, self.kappa)
        return order * math.log(self.kappa) - (order + 1) * math.log(2 * math.pi) - scaled

    @cached_property
    def mode(self) -> float:
        """Where the density of the angle is largest: c = cosθ solves κc² + (n−2)c = κ."""
        power = self.n - 2
        if self.kappa == 0:
            return math.pi / 2 if power else 0.0
        # In terms of sin² the root keeps its precision for large κ, in terms of cos for small κ.
        root = math.hypot(power, 2 * self.kappa)
        cosine = 2 * self.kappa / (power + root)
        square_sine = 2 * power / (power + root)
        return math.atan2(math.sqrt(square_sine), cosine)

    def log_profile(self, theta: ArrayLike) -> Floats:
        return -2 * self.kappa * np.sin(np.asarray(theta, dtype=np.float64) / 2) ** 2

    def interval_profile(self, theta: Interval) -> Interval:
        return (theta.cos() - 1) * at_most(self.kappa, theta.digits)

    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        """Angles by Ulrich's and Wood's rejection; the circle by Best and Fisher, n = 3 by inversion.

        The acceptance rate is at least 0.65 for every n and κ.
        """
        cosines, sines = self._cosines(integer("size", size, least=0), resolve_rng(rng))
        return np.arctan2(sines, cosines)

    def _cosines(self, size: int, rng: Rng) -> tuple[Floats, Floats]:
        cosines, sines = np.empty(size), np.empty(size)
        _draw(rng, self.n, float(self.kappa), cosines, sines)
        return cosines, sines


@njit(cache=True)
def _draw(rng, n, kappa, cosines, sines):  # type: ignore[no-untyped-def]
    """Draw cosθ and sinθ by way of w = 1 − cosθ, which keeps its precision where cosθ rounds to 1."""
    m = n - 1.0
    b = m / (2.0 * kappa + math.sqrt(4.0 * kappa * kappa + m * m))
    gap = 2.0 * b / (1.0 + b)  # 1 − x₀ in Wood's notation
    for i in range(cosines.size):
        if n == 3:
            u = rng.random()
            w = 2.0 * u if kappa == 0.0 else -math.log1p(u * math.expm1(-2.0 * kappa)) / kappa
        else:
            while True:
                if n == 2:
                    z = math.sin(0.5 * math.pi * rng.random()) ** 2  # Beta(½, ½), the arcsine law
                else:  # Beta(m/2, m/2) by Ulrich's polar form
                    radius = math.sqrt(-math.expm1(2.0 * math.log(1.0 - rng.random()) / (m - 1.0)))
                    z = 0.5 + 0.5 * radius * math.cos(2.0 * math.pi * rng.random())
                w = 2.0 * b * z / (1.0 - (1.0 - b) * z)
                ratio = (gap + w - gap * w) / (gap * (2.0 - gap))
                if kappa * (gap - w) + m * math.log(ratio) >= math.log(1.0 - rng.random()):
                    break
        w = min(w, 2.0)
        cosines[i] = 1.0 - w
        sines[i] = math.sqrt(w * (2.0 - w))


_law = lru_cache(maxsize=256)(VonMisesFisherLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class VonMisesFisher(DirectionalMechanism):
    """Replaces each direction x by a draw z with density ∝ exp(κ·xᵀz).

    ``epsilon`` promises ε·d₂ in the Euclidean (chord) distance, hence also ε·d∠, since d₂ ≤ d∠ (Weggenmann, Theorem
    7.17 and Corollary 7.18): log-densities at z differ by κ(x−y)ᵀz ≤ κ‖x−y‖, with equality at z = (x−y)/‖x−y‖. For
    ``pure`` the sensitivity is Δ₂ ≤ 2, so the whole sphere gives κ = ε/2 rather than the ε/π of the other mechanisms.

    Parameters
    ----------
    epsilon, level, radius, pure, sensitivity, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`.

    Examples
    --------
    >>> mechanism = VonMisesFisher(epsilon=2.0)
    >>> print(mechanism.guarantee)
    ε = 2 per unit of euclidean distance per record (any-pair neighbours, local model)
    >>> mechanism.release([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).shape
    (2, 3)
    >>> round(VonMisesFisher(pure=1.0).law(2).mean_angle, 3)
    1.262
    """

    metric: ClassVar[Literal["angle", "chord"]] = "chord"

    def law(self, n: int) -> VonMisesFisherLaw:
        return _law(n, self.kappa)
