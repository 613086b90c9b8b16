"""Every constant of the private Welch tests and of the smooth median, against rational or 60-digit arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from helpers.constants import largest, over, real, smallest, spread, true_delta, true_smooth_delta
from sfumato.statistic import PrivateWelch, WelchTest
from sfumato.statistic.core.smooth_median import median_and_bound
from sfumato.statistic.core.two_groups import TwoGroups
from sfumato.statistic.core.welch_sensitivity import smooth_bound, step_bounds
from sfumato.statistic.mechanisms.private_welch import FINENESS, ROUNDING

KNOWN = mpmath.mpf("1e-10")
"""The relative error that the smooth bound may have; a tenth of what is allowed for it."""


@pytest.fixture(autouse=True)
def sixty_digits():
    with mpmath.workdps(60):
        yield


def two_groups(seed: int) -> TwoGroups:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 2)
    upper = float(np.exp(rng.uniform(-5, 5)))
    a, b = (np.clip(rng.normal(rng.uniform(0, 1), rng.uniform(0.001, 0.4), n), 0, 1) * upper for n in sizes)
    low = rng.uniform(0, 0.5) * upper
    return TwoGroups.of((a, b), upper=upper, dummies=(low, low + rng.uniform(0.01, 0.5) * upper))


def root(value: Fraction) -> mpmath.mpf:
    return mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator)


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def least_squares(values: list[int], dummies: tuple[int, int], deleted: int) -> Fraction:
    kept = max(len(values) - deleted, 0)
    found = []
    for start in range(len(values) - kept + 1):
        group = [*values[start : start + kept], *dummies]
        found.append(sum(Fraction(x * x) for x in group) - Fraction(sum(group) ** 2, len(group)))
    return min(found)


def exact_steps(groups: TwoGroups, count: int, cap: float) -> list[mpmath.mpf]:
    """U_0, U_1, … by the formula of the module, in fractions and roots of fractions."""
    a, b = groups.a.tolist(), groups.b.tolist()
    sizes, upper = (len(a) + 2, len(b) + 2), Fraction(groups.upper)
    most = len(a) + len(b) + 2
    means = [Fraction(sum(values) + sum(groups.dummies), len(values) + 2) for values in (a, b)]

    def step(k: int) -> Fraction:
        return sum((upper / max(n - k, 2) for n in sizes), Fraction())

    gap, gaps = abs(means[0] - means[1]), []
    for k in range(count + 1):
        gaps.append(min(gap, upper))
        gap += step(k)
    found = []
    for k in range(count):
        q = Fraction()
        for values, n in ((a, sizes[0]), (b, sizes[1])):
            most_here = min(n + k + 1, most)
            q += least_squares(values, groups.dummies, k + 1) / (most_here * (most_here - 1))
        varied = Fraction()
        for n in sizes:
            left = max(n - k, 2)
            varied += upper**2 / left**2 if left >= 4 else upper**2 / 6
        limit = mpmath.inf if math.isinf(cap) else real(cap)
        moved = number(step(k)) / root(q) + min(number(gaps[k]) / root(q), limit) * number(varied) / (2 * number(q))
        found.append(min(moved, number(gaps[k] + gaps[k + 1]) / root(q), 2 * limit))
    return found


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("cap", [math.inf, 4.5])
def test_the_smooth_bound(seed: int, cap: float) -> None:
    """S to 10⁻¹⁰ of itself, for which the mechanisms allow 10⁻⁹; every U_k likewise."""
    groups = two_groups(seed)
    count = groups.size + 4
    steps = exact_steps(groups, count, cap)
    for found, needed in zip(step_bounds(groups, count, cap).tolist(), steps, strict=True):
        assert abs(real(found) - needed) <= KNOWN * needed
    for beta in (1e-6, 0.01, 0.3, 2.0):
        needed = max(mpmath.exp(-real(beta) * k) * bound for k, bound in enumerate(steps))
        assert abs(real(smooth_bound(groups, beta, cap)) - needed) <= KNOWN * needed


@over(spread(10, (0.05, 20.0), (1e-9, 0.01)))
def test_the_noise_of_the_private_statistic(epsilon: float, delta: float) -> None:
    """(α, β) keep (ε, δ) with what rounding adds to β, the noise covers S in whole steps, and no more than it must."""
    mechanism = PrivateWelch(epsilon=epsilon, delta=delta, upper=1.0, dummies=(0.0, 1.0))
    alpha, beta = mechanism.noise
    needed = true_smooth_delta(float(smallest(epsilon)), alpha, beta + 2 * ROUNDING)
    assert needed <= smallest(delta)
    for seed in range(3):
        groups = two_groups(seed)
        grid = mechanism.grid(groups.size)
        steps = exact_steps(groups, groups.size + 4, math.inf)
        bound = max(mpmath.exp(-real(beta) * k) * one for k, one in enumerate(steps))
        wanted = (bound + 2 * real(grid)) / real(alpha)
        found = real(mechanism._steps(groups)) * real(grid)
        assert wanted <= found <= max(wanted * (1 + mpmath.mpf("2e-9")), real(grid) / FINENESS, mpmath.mpf(2) ** -7)


@over(spread(20, (0.05, 20.0), (1e-9, 0.01), (0.05, 5.0)))
def test_the_constants_of_the_test(epsilon: float, delta: float, sigma: float) -> None:
    for share, reserve in ((0.05, 0.1), (0.2, 0.5), (0.4, 1.0)):
        test = WelchTest(
            epsilon=epsilon,
            delta=delta,
            upper=1.0,
            dummies=(0.0, 1.0),
            noise_scale=sigma,
            check_share=share,
            reserve=reserve,
        )
        checked = test._check_epsilon
        # S_max: what is left of ε pays for noise σ at sensitivity S_max, with what the grid adds.
        left = smallest(epsilon) - largest(checked)
        alpha = (real(test.allowed) + real(test.grid)) / real(sigma)
        crossing = min(mpmath.mpf(0), alpha / 2 - left / alpha)
        grid = 2 * real(test.grid) / real(sigma) * mpmath.npdf(crossing)
        with mpmath.workdps(120):
            plain = mpmath.ncdf(alpha / 2 - left / alpha) - mpmath.exp(left) * mpmath.ncdf(-alpha / 2 - left / alpha)
        assert plain + grid <= smallest(delta)
        assert true_delta(float(left), 1 / (alpha * mpmath.mpf("1.01"))) > smallest(delta) * mpmath.mpf("0.9") or (
            alpha**2 >= 2 * left * mpmath.mpf("0.99")
        )
        # The check: ln S moves by β and by what S is rounded by; its noise is Laplace of this scale.
        beta = real(test._beta)
        scale = (beta + 2 * mpmath.mpf(ROUNDING)) / smallest(checked)
        assert scale <= real(test._check_scale) <= scale * (1 + mpmath.mpf("2e-9"))
        # An S just above S_max is answered with probability at most δ, and at least half of it.
        away = mpmath.log(2 * smallest(delta)) + mpmath.log(1 + KNOWN - mpmath.mpf(ROUNDING)) / real(test._check_scale)
        assert mpmath.exp(away) / 2 <= smallest(delta)


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_beyond_the_threshold_is_as_rare_as_delta(seed: int) -> None:
    """With S_max set to the S of the data itself the answer has probability δ(1 − 10⁻⁹…), never more."""
    rng = np.random.default_rng(seed)
    a, b = np.clip(rng.normal(0.5, 0.1, (2, 30)), 0, 1)
    for delta in (1e-9, 1e-5, 1e-2):
        test = WelchTest(epsilon=1.0, delta=delta, upper=1.0, dummies=(0.0, 1.0), noise_scale=0.7)
        groups = test.groups((a, b))
        steps = exact_steps(groups, groups.size + 4, test._cut(test.noise_scale))
        bound = max(mpmath.exp(-real(test._beta) * k) * one for k, one in enumerate(steps))
        away = real(test._away(groups))
        needed = mpmath.log(real(test.allowed) / bound) / real(test._check_scale) + mpmath.log(2 * smallest(delta))
        slack = mpmath.mpf("4e-9") * (1 + 1 / real(test._check_scale))
        assert needed - slack <= away <= needed


@over(spread(40, (1e-4, 5.0), (1e-3, 1e3)))
def test_the_smooth_bound_of_a_median(beta: float, width: float) -> None:
    """Never below the largest term, and at most 2⁻³⁹ above it."""
    rng = np.random.default_rng(round(1e6 * beta) % 999)
    for n in (1, 2, 9):
        values = np.sort(rng.uniform(0, width, n))
        x = [Fraction(0)] * (n + 1) + [Fraction(v) for v in values] + [Fraction(width)] * (n + 2)
        m = math.ceil(n / 2) + n  # the place of the median in the padded list
        terms = []
        for k in range(n + 1):
            gap = max(x[m + t] - x[m + t - k - 1] for t in range(k + 2))
            terms.append(mpmath.exp(-k * real(beta)) * number(gap))
        found = real(median_and_bound(values, (0.0, width), beta)[1])
        assert max(terms) <= found <= max(terms) * (1 + mpmath.mpf(2) ** -39) + mpmath.mpf("1e-300")
