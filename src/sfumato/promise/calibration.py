"""How much noise a promise needs: scales of Laplace and Gaussian noise, and what a given scale is worth.

Every bound here is rounded towards safety: a δ or ε is never reported too small, a σ never too small.
scipy.special is imported late because it takes longer to load than the rest of the package.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from sfumato.errors import bad_input
from sfumato.validate import positive, probability

__all__ = [
    "analytic_gaussian_sigma",
    "classical_gaussian_sigma",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_rho",
    "laplace_scale",
]

_UNIT = 2.0**-52
_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


def laplace_scale(epsilon: float, sensitivity: float = 1.0) -> float:
    """The scale b = Δ₁/ε of Laplace noise for ε-DP, rounded up (variance 2b²; the norm of Δ₁ must be L₁).

    Weggenmann M1; Mimoto Thm 2.1, which calls Δ₁/ε a variance.

    >>> laplace_scale(0.5, sensitivity=2.0)
    4.0
    """
    epsilon, sensitivity = positive("epsilon", epsilon), positive("sensitivity", sensitivity)
    if not 0 < sensitivity / epsilon < math.inf:
        raise bad_input("epsilon", epsilon, f"sensitivity/epsilon within floating range (sensitivity {sensitivity:g})")
    return _quotient_up(sensitivity, epsilon)


@lru_cache(maxsize=1024)  # a mechanism asks for the same quotient at every release
def _quotient_up(sensitivity: float, epsilon: float) -> float:
    scale = sensitivity / epsilon
    # A double may be meant as itself or as the decimal that it prints as, which budgets count: enough for both.
    needed = max(Fraction(sensitivity) / Fraction(epsilon), Fraction(repr(sensitivity)) / Fraction(repr(epsilon)))
    while Fraction(scale) < needed:
        scale = math.nextafter(scale, math.inf)
    return scale


def gaussian_rho(sigma: float, sensitivity: float = 1.0) -> float:
    """The zCDP parameter ρ = Δ₂²/(2σ²) of Gaussian noise, rounded up: its Rényi curve is (α, αρ) (Weggenmann M4).

    >>> gaussian_rho(2.0)
    0.125
    """
    sensitivity, sigma = positive("sensitivity", sensitivity), positive("sigma", sigma)
    ratio = sensitivity / sigma
    rho = ratio * ratio / 2
    if not math.isfinite(rho):
        raise bad_input("sigma", sigma, f"(sensitivity/sigma)² within floating range (sensitivity {sensitivity:g})")
    while Fraction(rho) * 2 * Fraction(sigma) ** 2 < Fraction(sensitivity) ** 2:
        rho = math.nextafter(rho, math.inf)
    return rho


def gaussian_delta(epsilon: float, sigma: float, sensitivity: float = 1.0) -> float:
    """The smallest δ for which Gaussian noise of standard deviation σ is (ε, δ)-DP; exact, rounded up.

    δ(ε, σ) = Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ)  (Balle and Wang 2018, Thm 8; Weggenmann M3).

    >>> f"{gaussian_delta(1.0, 1.0):.6f}"
    '0.126937'
    >>> f"{gaussian_delta(10.0, 0.4844805262):.2e}"  # the classical rule for ε = 10, δ = 1e-5 misses its target
    '2.27e-05'
    """
    epsilon = positive("epsilon", epsilon, zero=True)
    ratio = positive("sigma", sigma) / positive("sensitivity", sensitivity)
    return min(1.0, max(math.exp(_log_delta(epsilon, ratio)), math.ulp(0.0)))  # Gaussian noise never has δ = 0


def gaussian_epsilon(delta: float, sigma: float, sensitivity: float = 1.0) -> float:
    """The smallest ε for which Gaussian noise of standard deviation σ is (ε, δ)-DP; exact, rounded up.

    >>> round(gaussian_epsilon(1e-5, 1.0), 5)
    4.37718
    """
    log_target = math.log(probability("delta", delta))
    ratio = positive("sigma", sigma) / positive("sensitivity", sensitivity)
    if _log_delta(0.0, ratio) <= log_target:
        return 0.0
    high = 1.0
    while _log_delta(high, ratio) > log_target:
        high *= 2
        if high == math.inf:
            raise bad_input("sigma", sigma, "noise large enough for a finite ε", "use a larger sigma")
    low = 0.0
    while high - low > 1e-13 * high:  # the upper end always keeps the promise
        middle = (low + high) / 2
        if _log_delta(middle, ratio) > log_target:
            low = middle
        else:
            high = middle
    return high


def analytic_gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least σ for which Gaussian noise is (ε, δ)-DP, for any ε > 0; exact, rounded up.

    Solves δ(ε, σ) = δ, decreasing in σ, by bisection in log-space, which survives ε = 10⁶ and δ = 10⁻³⁰⁰
    (Balle and Wang 2018; Weggenmann M3).

    >>> round(analytic_gaussian_sigma(1.0, 1e-5), 6)
    3.730632
    >>> round(analytic_gaussian_sigma(10.0, 1e-5, sensitivity=2.0), 6)
    0.999777
    """
    epsilon = positive("epsilon", epsilon)
    log_target = math.log(probability("delta", delta))
    sensitivity = positive("sensitivity", sensitivity)
    low = high = 1.0
    while _log_delta(epsilon, high) > log_target:
        high *= 2
    while _log_delta(epsilon, low) <= log_target:
        low /= 2
    while high - low > 1e-13 * high:  # the upper end always keeps the promise
        middle = (low + high) / 2
        if _log_delta(epsilon, middle) > log_target:
            low = middle
        else:
            high = middle
    return high * sensitivity * (1 + 4 * _UNIT)


def classical_gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The textbook σ = Δ₂·√(2 ln(1.25/δ))/ε, which is proved for ε < 1 only (Weggenmann M2; Fischer Thm 2).

    It is two to four orders of magnitude too careful in δ there, and breaks its promise from about ε = 10 on.

    >>> round(classical_gaussian_sigma(0.5, 1e-5), 4)
    9.6896
    """
    epsilon = positive("epsilon", epsilon)
    if epsilon >= 1:
        raise bad_input(
            "epsilon", epsilon, "ε < 1 for the classical Gaussian rule", "use analytic_gaussian_sigma for any ε"
        )
    delta, sensitivity = probability("delta", delta), positive("sensitivity", sensitivity)
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon * (1 + 4 * _UNIT)


def _log_delta(epsilon: float, ratio: float) -> float:
    """Upper bound of log δ(ε, σ/Δ).

    With φ(a)·e^{−ε} = φ(b) at a = Δ/2σ − εσ/Δ, b = −Δ/2σ − εσ/Δ, and R the Mills ratio,
    δ = φ(a)·(R(−a) − R(−b)): no cancellation of huge terms and no overflow of e^ε. What rounding is left is added on.
    """
    from scipy.special import erfcx, ndtr

    half, slope = 0.5 / ratio, epsilon * ratio
    a, v = half - slope, half + slope
    log_density = -0.5 * a * a - _LOG_SQRT_2PI
    mills_v = math.sqrt(math.pi / 2) * float(erfcx(v / math.sqrt(2)))
    error = 4 * _UNIT * (1 + abs(a) * v)  # of log φ(a), since a is a difference of terms up to v
    if a > 0:
        value = float(ndtr(a)) - math.exp(log_density) * mills_v
        return math.log(min(1.0, value + 8 * _UNIT)) + error
    mills_u = math.sqrt(math.pi / 2) * float(erfcx(-a / math.sqrt(2)))
    return log_density + math.log(max(mills_u - mills_v, 0.0) + 8 * _UNIT * mills_u) + error
