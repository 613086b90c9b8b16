"""Gaussian noise for a smooth sensitivity in one dimension: what it is worth exactly, for every ε.

Nissim, Raskhodnikova and Smith (2007) add (S(D)/α)·N(0, 1) to q(D), where S bounds the local sensitivity and is
β-smooth: S(D) ≤ e^β·S(D′) for neighbours. Their α and β (Mimoto, Thm 2.2) are proved for ε < 1 and lose a factor of
four to six. In one dimension the worst case has a closed form, so that α can be as large as the promise allows:
:func:`smooth_sensitivity_noise` has the printed constants, :func:`tuned_smooth_noise` the best ones.

**Theorem.** Let α² ≤ 2ε, 0 ≤ β < ε and ρ = e^β. The release is (ε, δ)-DP for every such q and S exactly if δ ≥ W, and
in any case if δ ≥ max(W, G), where

    W = sup_A P(A) − e^ε·Q(A),  P = N(0, ρ²), Q = N(α, 1),   and   G = δ of Gaussian noise at ε − β with Δ/σ = α.

*Proof.* Let s and s′ be the two noise scales. |q(D) − q(D′)| is at most the local sensitivity at either end, hence at
most α·min(s, s′). The hockey-stick divergence of p and q is 1 − ∫min(p, e^ε·q); the level sets of both densities are
intervals around their centres, which overlap less the farther the centres are apart: the largest shift is the worst.

(1) s ≥ s′ = 1: P = N(0, r²), Q = N(α, 1) with 1 ≤ r ≤ ρ. The event {p > e^ε·q} is the outside of an interval [l, u],
and d/dr P(outside) = (u·φ(u/r) − l·φ(l/r))/r². As u > 0, this is positive if l ≤ 0, that is if p(0) ≤ e^ε·q(0), which
is −ln r ≤ ε − α²/2: true. So the divergence grows with r, and r = ρ gives W, which is attained.

(2) s′ ≥ s = 1: P = N(0, 1), Q = N(α, r²). The log-ratio is ln r − x²/2 + (x − α)²/(2r²) ≤ β + α²/2 − αx, the one of
two Gaussians of scale 1 plus β. So the divergence at ε is at most the one of those at ε − β, which is G. ∎

For every δ below about 0.02, W is the larger of the two, and α is the best possible.

**On a grid.** A safe program releases discrete Gaussian noise on a fixed grid instead. Its probabilities are the
density times the step (the normaliser differs by exp(−2π²σ²/step²) only), so that the hockey-stick sum is a Riemann sum
of (p − e^ε·q)⁺. That has one hump on either side of [l, u], of height at most p(l) = φ(l/ρ)/ρ, so the sum exceeds the
integral by at most 2·step·p(l); twice that is added for ``step`` > 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sfumato.errors import bad_input
from sfumato.promise.calibration import gaussian_delta
from sfumato.validate import integer, positive, probability

__all__ = ["SmoothNoise", "smooth_delta", "smooth_sensitivity_noise", "tuned_smooth_noise"]

_ROUNDING = 1e-12


class SmoothNoise(NamedTuple):
    """Noise for a smooth sensitivity: add (S_β/α)·N(0, I)."""

    alpha: float
    beta: float


def smooth_delta(epsilon: float, alpha: float, beta: float, *, step: float = 0.0) -> float:
    """The δ at which q(D) + (S(D)/α)·N(0, 1) is (ε, δ)-DP for every β-smooth bound S of the local sensitivity of q.

    Parameters
    ----------
    epsilon, alpha, beta : float
    step : float
        The step of the grid on which the noise lives, as a part of the least noise scale (0: real numbers).

    The constants of the source theorem are worth far more than they promise:

    >>> f"{smooth_delta(5.0, *smooth_sensitivity_noise(5.0, 1e-5)):.1e}"
    '2.0e-10'
    """
    epsilon, alpha = positive("epsilon", epsilon), positive("alpha", alpha)
    beta = positive("beta", beta, zero=True)
    if alpha * alpha > 2 * epsilon or beta >= epsilon:
        raise bad_input("alpha, beta", (alpha, beta), f"α² ≤ 2ε and β < ε (ε = {epsilon:g})", "use smaller ones")
    step = positive("step", step, zero=True)
    middle = min(0.0, alpha / 2 - (epsilon - beta) / alpha)  # where the two Gaussians of case 2 cross
    plain = gaussian_delta(epsilon - beta, 1 / alpha) + 4 * step * _density(middle)
    return min(1.0, max(_wide_against_narrow(epsilon, alpha, beta, step), plain))


def smooth_sensitivity_noise(epsilon: float, delta: float, dimension: int = 1) -> SmoothNoise:
    """α = ε/(5√(2 ln(2/δ))) and β = ε/(4(k + ln(2/δ))): q(D) + (S_β(D)/α)·N(0, I_k) is (ε, δ)-DP.

    Nissim, Raskhodnikova and Smith 2007 (Mimoto Thm 2.2, where S(D′) should read S(D)) prove it for ε, δ < 1. For ε ≥ 1
    in one dimension the constants are accepted where :func:`smooth_delta` shows that they hold; they do at ε = 5 and do
    not at ε = 25, δ = 0.01. In more dimensions ε ≥ 1 is refused.

    >>> alpha, beta = smooth_sensitivity_noise(0.5, 1e-5)
    >>> round(alpha, 6), round(beta, 6)
    (0.020239, 0.009465)
    """
    epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
    k = integer("dimension", dimension)
    log_term = math.log(2 / delta)
    # rounded down: both divide the noise
    noise = SmoothNoise(
        epsilon / (5 * math.sqrt(2 * log_term)) * (1 - 2.0**-50), epsilon / (4 * (k + log_term)) * (1 - 2.0**-50)
    )
    if epsilon < 1:
        return noise
    if k > 1:
        raise bad_input("epsilon", epsilon, "ε < 1 in more than one dimension", "split the budget over coordinates")
    reached = smooth_delta(epsilon, *noise) if noise.alpha**2 <= 2 * epsilon else 1.0
    if reached > delta:
        raise bad_input(
            "epsilon",
            epsilon,
            f"an ε at which the constants keep δ ≤ {delta:g} (here δ = {reached:.2g})",
            "lower ε, or take tuned_smooth_noise",
        )
    return noise


def tuned_smooth_noise(epsilon: float, delta: float, beta: float | None = None, *, step: float = 0.0) -> SmoothNoise:
    """The largest α for a given β, so that adding (S_β(D)/α)·N(0, 1) is (ε, δ)-DP; for every ε > 0.

    Parameters
    ----------
    beta : float, optional
        Any number that does not depend on the data. By default the β of the source theorem, ε/(4(1 + ln(2/δ))), which
        leaves room for an α about four times as large as there. A larger β makes S smaller and α smaller too; 0 is for
        a global sensitivity.
    step : float
        As in :func:`smooth_delta`.

    >>> tuned = tuned_smooth_noise(5.0, 1e-5)
    >>> round(tuned.alpha, 4), round(tuned.beta, 4)
    (0.7304, 0.0947)
    """
    epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
    if beta is None:
        beta = epsilon / (4 * (1 + math.log(2 / delta)))
    beta = positive("beta", beta, zero=True)
    high = math.sqrt(2 * epsilon) * (1 - _ROUNDING)
    least = 1e-6 * high
    if beta >= epsilon or smooth_delta(epsilon, least, beta, step=step) > delta:
        raise bad_input("beta", beta, f"a β that leaves room for noise at ε = {epsilon:g}, δ = {delta:g}", "lower it")
    if smooth_delta(epsilon, high, beta, step=step) <= delta:
        return SmoothNoise(high, beta)
    low = least  # the lower end always keeps the promise
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if smooth_delta(epsilon, middle, beta, step=step) > delta:
            high = middle
        else:
            low = middle
    return SmoothNoise(low, beta)


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _wide_against_narrow(epsilon: float, alpha: float, beta: float, step: float) -> float:
    """W of the theorem, rounded up, and what the grid adds."""
    from scipy.special import log_ndtr, ndtr

    rho = math.exp(beta)
    curvature = -math.expm1(-2 * beta)  # 1 − 1/ρ²
    # log p − log q − ε = curvature·x²/2 − α·x + α²/2 − β − ε is positive outside [l, u].
    root = math.sqrt(alpha * alpha / rho**2 + 2 * curvature * (beta + epsilon))
    lower = (alpha * alpha - 2 * beta - 2 * epsilon) / (alpha + root)
    inside_p = float(ndtr(lower / rho))
    excess = inside_p - math.exp(epsilon + float(log_ndtr(lower - alpha)))
    if curvature > 0:
        upper = (alpha + root) / curvature
        tail = float(ndtr(-upper / rho))
        excess += tail - math.exp(epsilon + float(log_ndtr(alpha - upper)))
        inside_p += tail
    return max(0.0, excess) + _ROUNDING * inside_p + 4 * step * _density(lower / rho)
