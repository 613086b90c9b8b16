"""The Gaussian mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from sfumato.errors import bad_input
from sfumato.mechanism.additive import AdditiveNoise, next_power_of_two
from sfumato.noise.discrete import discrete_gaussian_variance
from sfumato.promise import ApproxDP, Guarantee, ZeroConcentratedDP
from sfumato.promise.calibration import analytic_gaussian_sigma, classical_gaussian_sigma, gaussian_rho
from sfumato.validate import choice, positive, probability

__all__ = ["Gaussian", "discrete_gaussian_sigma"]

Method = Literal["analytic", "classical"]
_RULES = {"analytic": analytic_gaussian_sigma, "classical": classical_gaussian_sigma}


@dataclass(frozen=True, kw_only=True, eq=False)
class Gaussian(AdditiveNoise):
    """Adds Gaussian noise to every number: (ε, δ)-DP, or ρ-zCDP for a given σ (Weggenmann M2, M3; Fischer Thm 2).

    The noise is the discrete Gaussian on the grid. For a given σ it has ρ = Δ₂²/(2σ²) like the continuous one (Canonne,
    Kamath and Steinke 2020, Thm 4). For (ε, δ) it is calibrated by :func:`discrete_gaussian_sigma`, which proves how
    little the grid costs; on the default grid σ is that of the continuous mechanism to nine digits.

    Parameters
    ----------
    epsilon, delta : float
        The promise; leave both out to give ``sigma``.
    sigma : float
        The standard deviation, instead of a promise; the guarantee is zCDP then.
    sensitivity : float
        The L₂ sensitivity Δ₂ of the whole array released.
    method : {"analytic", "classical"}
        The least σ for the promise at any ε (Balle and Wang 2018), or the textbook rule, proved for ε < 1 only.
    grid, exact
        See :class:`~sfumato.mechanism.additive.AdditiveNoise`.
    unit, neighbours, model
        What the sensitivity was computed for.

    Examples
    --------
    >>> mechanism = Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    >>> round(mechanism.scale, 6)
    3.730632
    >>> Gaussian(sigma=2.0, sensitivity=1.0).guarantee.rho
    0.125...
    >>> Gaussian(epsilon=10.0, delta=1e-5, sensitivity=1.0, method="classical")
    Traceback (most recent call last):
    sfumato.errors.InputError: epsilon = 10.0: expected ε < 1 for the classical Gaussian rule; ...
    """

    epsilon: float | None = None
    delta: float | None = None
    sigma: float | None = None
    method: Method = "analytic"
    _gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("method", self.method, tuple(_RULES))
        if self.sigma is None:
            if self.epsilon is None or self.delta is None:
                missing = "epsilon" if self.epsilon is None else "delta"
                raise bad_input(missing, None, "both epsilon and delta", "or give sigma alone")
            positive("epsilon", self.epsilon, "a promise needs ε > 0")
            probability("delta", self.delta, "a Gaussian has no pure ε; use Laplace for δ = 0")
        else:
            if self.epsilon is not None or self.delta is not None:
                raise bad_input("sigma", self.sigma, "either sigma or epsilon and delta", "leave one of them out")
            positive("sigma", self.sigma)
        super().__post_init__()

    @cached_property
    def _promise(self) -> Guarantee:
        if self.sigma is not None:
            rho = gaussian_rho(self.sigma, self.sensitivity)
            return ZeroConcentratedDP(rho * (1 + 2.0**-50), **self.scope)
        assert self.epsilon is not None
        assert self.delta is not None
        return ApproxDP(self.epsilon, self.delta, **self.scope)

    @cached_property
    def scale(self) -> float:
        """The standard deviation σ of the continuous mechanism with this promise."""
        if self.sigma is not None:
            return float(self.sigma)
        assert self.epsilon is not None
        assert self.delta is not None
        return _RULES[self.method](self.epsilon, self.delta, self.sensitivity)

    @property
    def variance(self) -> float:
        """The variance of one released number."""
        if not self.exact:
            return self.scale**2
        return discrete_gaussian_variance(self._units(1)) * self.step**2

    def _units(self, count: int) -> float:
        steps = self.sensitivity / self.step
        size = next_power_of_two(count)
        if self.grid is None:
            steps = math.nextafter(steps + math.sqrt(size), math.inf)
        if self.sigma is not None:
            return self._allowance(self.sigma / self.sensitivity * steps * (1 + 2.0**-50))
        assert self.epsilon is not None
        assert self.delta is not None
        return self._allowance(discrete_gaussian_sigma(self.epsilon, self.delta, steps, size, self.method))


@lru_cache(maxsize=256)
def discrete_gaussian_sigma(
    epsilon: float, delta: float, sensitivity: float, dimension: int = 1, method: Method = "analytic"
) -> float:
    """A σ for which discrete Gaussian noise on the integers is (ε, δ)-DP, for integer vectors at L₂ distance ≤ Δ.

    The formula of the continuous Gaussian does not hold for the discrete one as it stands. Two bounds do, and the
    smaller σ is taken.

    **Transfer.** Rounding x + N(0, σ²) for whole x is (ε₀, δ₀)-DP whenever the continuous mechanism is. Let r be the
    law of the rounded noise and p the discrete Gaussian. For |n| ≤ Tσ

        |ln r(n)/p(n)| ≤ κ = T²/(8σ²) + 3·exp(−2π²σ²),

    because r(n)/p(n) is Σ_k exp(−k²/2σ²)/(σ√2π), which lies in [1, 1 + 3·exp(−2π²σ²)] for σ ≥ 1, times the mean of
    exp(−(nh + h²/2)/σ²) over |h| ≤ ½, which is at least exp(−1/24σ²) by Jensen and at most cosh(n/2σ²) ≤ exp(n²/8σ⁴).
    Both laws put at most τ = 2·exp(−(T − 1/2σ)²/2) beyond Tσ. Exchanging one law for the other in d coordinates, once
    for each neighbour, gives (ε₀ + 2dκ, e^{dκ}·(δ₀ + e^{ε₀}·dτ) + dτ)-DP. With T = 1/2σ + √(2(ε + ln(d/δ) + 45)) it is
    dτ·e^ε ≤ 2⁻⁶³·δ, so ε₀ = ε − 2dκ and δ₀ = δ·(e^{−dκ} − 2⁻⁴⁸) keep the promise. On the default grid σ ≥ 2³⁹.

    **Concentration.** The discrete Gaussian has ρ = Δ²/(2σ²) exactly; the best σ with that ρ is used on coarse grids.

    >>> round(discrete_gaussian_sigma(1.0, 1e-5, 2.0**38) / 2**38, 6)
    3.730632
    >>> round(discrete_gaussian_sigma(1.0, 1e-5, 1), 4)  # counts: σ of a few steps
    4.0452
    """
    sigma = _RULES[method](epsilon, delta, sensitivity)
    best = math.inf
    reach = 0.5 / sigma + math.sqrt(2 * (epsilon + math.log(dimension / delta) + 45))
    exchange = dimension * ((reach / sigma) ** 2 / 8 + 3 * math.exp(-2 * (math.pi * sigma) ** 2))
    rest = delta * (math.exp(-exchange) - 2.0**-48)
    if sigma >= 1 and 2 * exchange < epsilon and rest > 0:  # κ falls with σ: the κ of a smaller σ is safe
        best = _RULES[method](epsilon - 2 * exchange, rest, sensitivity)
    if best > 1.001 * sigma and method == "analytic":
        best = min(best, _concentrated_sigma(epsilon, delta) * sensitivity)
    if best == math.inf:
        raise bad_input("method", method, "a grid much finer than the noise for this rule", "use method='analytic'")
    return best


@lru_cache(maxsize=256)
def _concentrated_sigma(epsilon: float, delta: float) -> float:
    """The least σ for Δ = 1 whose ρ-zCDP implies (ε, δ)-DP, by bisection; the upper end keeps the promise."""

    def enough(sigma: float) -> bool:
        return ZeroConcentratedDP(gaussian_rho(sigma) * (1 + 2.0**-50)).as_approx(delta).epsilon <= epsilon

    low = high = analytic_gaussian_sigma(epsilon, delta)  # never enough, as it is exact
    while not enough(high):
        low, high = high, high * 1.5
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
