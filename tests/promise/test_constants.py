"""Every constant that a proof rests on, against rational or 60-digit arithmetic, over a random grid of parameters.

Each is on the safe side of the real number that the theorem names, and next to it. The parameters are drawn anew from a
fixed seed; what is claimed holds for all parameters, not for these.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from helpers.constants import (
    NEAR,
    SEED,
    largest,
    near,
    over,
    printed,
    real,
    smallest,
    spread,
    true_delta,
    true_smooth_delta,
)
from sfumato.mechanism import BoundedNumber, Gaussian, Laplace, MultivariateGaussian, PlanarLaplace, SmoothGaussian
from sfumato.mechanism.gaussian import discrete_gaussian_sigma
from sfumato.promise import (
    Accountant,
    ApproxDP,
    MetricDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_rho,
    laplace_scale,
    metric_epsilon,
    smooth_delta,
    smooth_sensitivity_noise,
    subsample,
    tuned_smooth_noise,
)
from sfumato.promise.amount import less, share_down


@pytest.fixture(autouse=True)
def sixty_digits():
    with mpmath.workdps(60):
        yield


WIDE = spread(400, (1e-12, 1e12), (1e-12, 1e12)) + spread(40, (1e-250, 1e30), (1e-30, 1e30), seed=SEED + 1)


@over(WIDE)
def test_laplace_scale(epsilon: float, sensitivity: float) -> None:
    scale = Fraction(laplace_scale(epsilon, sensitivity))
    needed = Fraction(sensitivity) / Fraction(epsilon)
    decimal = printed(sensitivity) / printed(epsilon)
    assert max(needed, decimal) <= scale <= needed * (1 + NEAR)


@over(WIDE[:400])
def test_gaussian_rho(sigma: float, sensitivity: float) -> None:
    rho = Fraction(gaussian_rho(sigma, sensitivity))
    needed = (Fraction(sensitivity) / Fraction(sigma)) ** 2 / 2
    assert needed <= rho <= needed * (1 + NEAR) + Fraction(1, 2**1070)


@over(spread(60, (1e-3, 30.0), (0.2, 30.0), (0.1, 10.0)))
def test_gaussian_delta(epsilon: float, sigma: float, sensitivity: float) -> None:
    found = real(gaussian_delta(epsilon, sigma, sensitivity))
    needed = true_delta(epsilon, real(sigma) / real(sensitivity))
    assert needed <= found or found == 1
    assert found <= needed * (1 + mpmath.mpf("1e-10")) + mpmath.mpf("1e-300")


@over(spread(40, (1e-12, 0.3), (0.2, 30.0), (0.1, 10.0)))
def test_gaussian_epsilon(delta: float, sigma: float, sensitivity: float) -> None:
    found = gaussian_epsilon(delta, sigma, sensitivity)
    assert true_delta(found, real(sigma) / real(sensitivity)) <= smallest(delta)


@over(spread(40, (1e-3, 30.0), (1e-12, 0.3), (0.1, 10.0)))
def test_gaussian_sigma(epsilon: float, delta: float, sensitivity: float) -> None:
    sigma = analytic_gaussian_sigma(epsilon, delta, sensitivity)
    assert true_delta(epsilon, real(sigma) / largest(sensitivity)) <= smallest(delta)
    if epsilon < 1:
        classical = real(classical_gaussian_sigma(epsilon, delta, sensitivity))
        needed = largest(sensitivity) * mpmath.sqrt(2 * mpmath.log(mpmath.mpf("1.25") / smallest(delta)))
        assert needed / smallest(epsilon) <= classical <= needed / smallest(epsilon) * (1 + mpmath.mpf(2) ** -46)


@over(spread(40, (1e-3, 0.9), (1e-12, 0.3)))
def test_smooth_constants(epsilon: float, delta: float) -> None:
    for k in (1, 2, 7):
        alpha, beta = smooth_sensitivity_noise(epsilon, delta, k)
        log_term = mpmath.log(2 / smallest(delta))
        for found, wanted in (
            (alpha, smallest(epsilon) / (5 * mpmath.sqrt(2 * log_term))),
            (beta, smallest(epsilon) / (4 * (k + log_term))),
        ):
            assert wanted - near(wanted) <= real(found) <= wanted
        smooth = SmoothGaussian(epsilon=epsilon, delta=delta, dimension=k)
        assert real(smooth.scale(0.3)) >= real(0.3) / (smallest(epsilon) / (5 * mpmath.sqrt(2 * log_term)))
        assert real(smooth.beta) < smallest(epsilon) / (4 * (k + log_term))


@over(spread(25, (0.05, 20.0), (1e-10, 0.01)))
def test_tuned_smooth_constants(epsilon: float, delta: float) -> None:
    alpha, beta = tuned_smooth_noise(epsilon, delta)
    needed = true_smooth_delta(epsilon, alpha, beta)
    assert needed <= real(smooth_delta(epsilon, alpha, beta))
    assert needed <= smallest(delta)


@over(spread(80, (1e-9, 900.0), (1e-6, 1.0), (1e-12, 0.5)))
def test_subsampling(epsilon: float, rate: float, delta: float) -> None:
    with mpmath.workdps(500):
        whole = ApproxDP(epsilon, delta, neighbours="add-remove")
        part = subsample(whole, rate)
        needed = mpmath.log(1 + largest(rate) * (mpmath.exp(largest(epsilon)) - 1))
        assert min(needed, real(epsilon)) <= largest(part.epsilon) <= needed + near(needed)
        assert printed(part.delta) >= printed(rate) * printed(delta)


@over(spread(60, (1e-6, 20.0), (1e-15, 0.4)))
def test_from_concentrated_to_approximate(rho: float, delta: float) -> None:
    promise = ZeroConcentratedDP(rho)
    log_inverse = -mpmath.log(smallest(delta))
    classical = promise.bound(delta, rule="classical")
    needed = largest(rho) + 2 * mpmath.sqrt(largest(rho) * log_inverse)
    assert needed <= real(classical.epsilon) <= needed + near(needed)
    tight = promise.bound(delta)
    assert tight.epsilon <= classical.epsilon
    if tight.rule == "tight":
        order = real(tight.order)
        needed = largest(rho) * order + mpmath.log(1 - 1 / order) + (log_inverse - mpmath.log(order)) / (order - 1)
        assert needed <= real(tight.epsilon)


@over(spread(60, (1e-6, 20.0), (1.1, 500.0), (1e-15, 0.4)))
def test_from_renyi_to_approximate(epsilon: float, order: float, delta: float) -> None:
    a, log_inverse = real(order), -mpmath.log(smallest(delta))
    classical = RenyiDP(order, epsilon).bound(delta, rule="classical")
    needed = largest(epsilon) + log_inverse / (a - 1)
    assert needed <= real(classical.epsilon) <= needed + near(needed)
    tight = RenyiDP(order, epsilon).bound(delta)
    if tight.rule == "tight":
        needed = largest(epsilon) + mpmath.log(1 - 1 / a) + (log_inverse - mpmath.log(a)) / (a - 1)
        if smallest(delta) ** 2 >= -mpmath.expm1(-largest(epsilon)):  # Bretagnolle and Huber: a total variation of δ
            needed = mpmath.mpf(0)
        assert max(needed, mpmath.mpf(0)) <= real(tight.epsilon)


@over(spread(120, (1e-9, 200.0), (1.1, 1024.0)))
def test_from_pure_to_concentrated_and_renyi(epsilon: float, order: float) -> None:
    rho = printed(PureDP(epsilon).as_zcdp().rho)
    assert printed(epsilon) ** 2 / 2 <= rho <= printed(epsilon) ** 2 / 2 * (1 + NEAR)
    found = real(PureDP(epsilon).as_renyi([order]).curve[0][1])
    e, a = real(epsilon), real(order)
    with mpmath.workdps(120):
        needed = mpmath.log(mpmath.cosh((a - mpmath.mpf("0.5")) * e) / mpmath.cosh(e / 2)) / (a - 1)
    assert needed <= found
    line = ZeroConcentratedDP(epsilon).as_renyi([order]).curve[0][1]
    assert printed(line) >= printed(epsilon) * printed(order)


@over(spread(40, (1e-6, 3.0), (1e-15, 1e-6)))
def test_groups(epsilon: float, delta: float) -> None:
    for k in (2, 3, 5):
        assert printed(PureDP(epsilon).over(k).epsilon) >= k * printed(epsilon)
        assert printed(ZeroConcentratedDP(epsilon).over(k).rho) >= k * k * printed(epsilon)
        group = ApproxDP(epsilon, delta).over(k)
        assert printed(group.epsilon) >= k * printed(epsilon)
        assert real(group.delta) >= largest(delta) * sum(mpmath.exp(i * largest(epsilon)) for i in range(k))


@over(spread(80, (1e-9, 1e9), (1e-9, 1e9)))
def test_levels_and_radii(epsilon: float, radius: float) -> None:
    level = MetricDP(epsilon, "angle").within(radius).epsilon
    assert printed(epsilon) * printed(radius) <= printed(level)
    assert printed(level) <= printed(epsilon) * printed(radius) * (1 + NEAR)
    assert printed(metric_epsilon(epsilon, radius)) * printed(radius) <= printed(epsilon)


def test_a_radius_is_kept_to_its_last_digit() -> None:
    """Radii that print alike with six digits are different promises."""
    for (radius,) in spread(40, (1e-9, 1e9), seed=SEED + 2):
        here, there = MetricDP(1.0, "angle").within(radius), MetricDP(1.0, "angle").within(math.nextafter(radius, 9e9))
        assert here.reach == radius == float(here.unit.split("within ")[1].split(" of")[0])
        assert here.unit != there.unit
        assert not here.same_currency(there)


@over(spread(15, (0.1, 3.0), (1.1, 60.0)))
def test_discrete_laplace_renyi(scale: float, order: float) -> None:
    for shift in (1, 3):
        curve = Accountant().discrete_laplace(scale, sensitivity=shift).renyi().curve
        nearest, value = min(curve, key=lambda point: abs(point[0] - order))
        a, found, b = real(nearest), real(value), 1 / real(scale)
        reach = range(-math.ceil(160 * scale) - shift, math.ceil(160 * scale) + 2 * shift)
        total = sum(mpmath.exp(-a * b * abs(z) + (a - 1) * b * abs(z - shift)) for z in reach)
        needed = mpmath.log(mpmath.tanh(b / 2) * total) / (a - 1)
        assert needed <= found <= needed + near(needed) * 64 + mpmath.mpf("1e-13")


@over(spread(200, (1e-9, 1e3), (0.01, 0.99)))
def test_shares_of_a_budget(epsilon: float, part: float) -> None:
    """Parts of ε add up to no more than ε, in the decimals that a budget counts."""
    for parts in (2, 3, 7, 10, 49):
        share = share_down(epsilon, parts)
        assert printed(epsilon) * (1 - NEAR) <= parts * printed(share) <= printed(epsilon)
    spent = part * epsilon
    assert printed(less(epsilon, spent)) + printed(spent) <= printed(epsilon)


# The scales that mechanisms draw with, in steps of their grids


@over(spread(80, (1e-4, 1e4), (1e-6, 1e6)))
def test_scale_of_the_laplace_mechanism(epsilon: float, sensitivity: float) -> None:
    for count, grid in itertools.product((1, 7, 1000), (None, 2.0 ** math.floor(math.log2(sensitivity) - 3))):
        mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity, grid=grid)
        if grid is None:
            steps = Fraction(sensitivity) / Fraction(mechanism.step) + count
        else:
            steps = Fraction(math.floor(Fraction(sensitivity) / Fraction(grid)))
        needed = steps / min(Fraction(epsilon), printed(epsilon))
        assert needed <= Fraction(mechanism._units(count)) <= needed * 2


@over(spread(60, (1e-4, 1e4), (1e-4, 1e4)))
def test_scale_of_the_gaussian_mechanism(sigma: float, sensitivity: float) -> None:
    for count in (1, 7, 1000):
        mechanism = Gaussian(sigma=sigma, sensitivity=sensitivity)
        steps = real(sensitivity) / real(mechanism.step) + mpmath.sqrt(count)
        lost = steps**2 / (2 * real(mechanism._units(count)) ** 2)
        rho = mechanism.guarantee.rho  # type: ignore[attr-defined]
        assert lost <= smallest(rho) <= (real(sensitivity) / real(sigma)) ** 2 / 2 * (1 + mpmath.mpf(2) ** -46)


@over(spread(20, (0.05, 8.0), (1e-8, 0.05)))
def test_sigma_on_the_integers(epsilon: float, delta: float) -> None:
    """The hockey-stick divergence of the discrete Gaussian itself, added up."""
    for shift in (1, 2):
        sigma = discrete_gaussian_sigma(epsilon, delta, shift)
        s = real(sigma)
        reach = math.ceil(16 * sigma) + shift
        weight = [mpmath.exp(-mpmath.mpf(n * n) / (2 * s * s)) for n in range(reach + shift + 1)]
        total = weight[0] + 2 * sum(weight[1:])
        e = mpmath.exp(real(epsilon))
        lost = sum(max(0, weight[abs(n)] - e * weight[abs(n - shift)]) for n in range(-reach, reach + 1)) / total
        assert lost + mpmath.mpf("1e-50") <= smallest(delta)


@over(spread(60, (1e-6, 1e12), (1e-6, 1e6)))
def test_widths_and_planar_scales(low: float, width: float) -> None:
    for first in (low, -low):
        high = first + width
        if high <= first:
            continue
        mechanism = BoundedNumber(epsilon=1.0, low=first, high=high)
        assert Fraction(mechanism._laplace.sensitivity) >= Fraction(high) - Fraction(first)
    planar = PlanarLaplace(epsilon=width)
    assert Fraction(laplace_scale(planar.epsilon)) * Fraction(planar.epsilon) >= 1


@pytest.mark.parametrize("seed", range(12))
def test_the_factor_of_a_covariance_covers_it(seed: int) -> None:
    """L·Lᵀ − Σ has a Cholesky factor in 60 digits."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    root = rng.standard_normal((n, n)) * 10.0 ** rng.uniform(-2, 2, n)
    matrix = root @ root.T
    matrix = (matrix + matrix.T) / 2 + np.eye(n) * 1e-6 * np.trace(matrix)
    factor = mpmath.matrix(MultivariateGaussian(covariance=matrix, sensitivity=1.0).factor.tolist())
    assert mpmath.cholesky(factor * factor.T - mpmath.matrix(matrix.tolist())) is not None
    rho = MultivariateGaussian(covariance=matrix, sensitivity=float(n) / 3).guarantee.rho
    assert smallest(rho) >= real(float(n) / 3) ** 2 / 2
