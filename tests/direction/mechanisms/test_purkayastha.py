"""The Purkayastha mechanism: golden values (D5), samplers (D6), promise (D7), rejections."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from sfumato.direction import (
    Purkayastha,
    VonMisesFisher,
)
from sfumato.direction.core.sine_hat import SineHat
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.examples import sphere_outputs, sphere_pairs
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw, log_sine_integral
from sfumato.errors import InputError
from sfumato.noise import seeded_rng

# n, κ, C, E[θ], E[cosθ], E[sin²θ], Pr[θ ≤ 1] (spec §12.4)
GOLDEN = [
    (2, 0.5, 0.3156085774, 1.175538302, 0.3049737238, 0.4705882353, 0.4967291949),
    (2, 2.0, 1.001870937, 0.4941222793, 0.8029934986, 0.25, 0.8662824496),
    (3, 0.5, 0.1647048951, 1.340677202, 0.1928806478, 0.6486486486, 0.3453168001),
    (3, 2.0, 0.7942914217, 0.805855809, 0.6226700476, 0.4615384615, 0.6978134796),
    (10, 0.5, 0.08482454487, 1.51552129, 0.05248716807, 0.897755611, 0.06016996555),
    (10, 2.0, 0.728534239, 1.352945809, 0.2057618093, 0.8653846154, 0.141517335),
]


@pytest.mark.parametrize(("n", "kappa", "constant", "angle", "cosine", "square", "share"), GOLDEN)
def test_golden_values(n, kappa, constant, angle, cosine, square, share):
    law = PurkayasthaLaw(n, kappa)
    assert math.exp(law.log_constant) == pytest.approx(constant, rel=1e-9)
    assert law.mean_angle == pytest.approx(angle, rel=1e-9)
    assert law.mean_cosine == pytest.approx(cosine, rel=1e-9)
    assert law.mean_square_sine == pytest.approx(square, rel=1e-9)
    assert float(law.cdf(1.0)) == pytest.approx(share, rel=1e-9)
    assert float(law.closed_cdf(1.0)) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize(("n", "expected"), [(50, 0.363075837215), (150, 0.217353833469), (200, 0.176967631688)])
def test_golden_cdf_beyond_the_overflow_of_the_printed_form(n, expected):
    law = PurkayasthaLaw(n, 1.0)
    assert float(law.closed_cdf(1.5)) == pytest.approx(expected, abs=1e-12)
    assert float(law.cdf(1.5)) == pytest.approx(expected, abs=1e-12)


def test_golden_mean_in_high_dimension():
    assert PurkayasthaLaw(500, 1000.0).mean_angle == pytest.approx(0.46284740, abs=5e-9)


@pytest.mark.parametrize("n", [1001, 5001, 50_001])
@pytest.mark.parametrize("kappa", [1.0, 300.0])
def test_closed_cdf_equals_quadrature_in_huge_dimensions(n, kappa):
    """40-digit quadrature, as the spec checked it."""
    law = PurkayasthaLaw(n, kappa)
    for share in (0.02, 0.4, 0.97):
        theta = float(law.quantile(share))
        with mpmath.workdps(40):

            def kernel(x, power=n - 2, mode=law.mode):
                return mpmath.exp(power * mpmath.log(mpmath.sin(x) / mpmath.sin(mode)) - kappa * (x - mode))

            low, high = (float(v) for v in law.support)
            width = (high - low) / 12
            grid = [low + i * width for i in range(13)]
            below = [g for g in grid if g < theta] + [theta]
            above = [theta] + [g for g in grid if g > theta]
            part, rest = mpmath.quad(kernel, below), mpmath.quad(kernel, above)
            expected = float(part / (part + rest))
        assert float(law.closed_cdf(theta)) == pytest.approx(expected, abs=1e-11)
        assert float(law.cdf(theta)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("n", [2, 3, 4, 11, 100])
@pytest.mark.parametrize("kappa", [0.0, 1e-9, 0.3, 10.0, 1e5, 1e8])
def test_closed_forms_equal_quadrature_for_every_concentration(n, kappa):
    law = PurkayasthaLaw(n, kappa)
    theta = law.quantile(np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6]))
    np.testing.assert_allclose(law.closed_cdf(theta), law.cdf(theta), atol=2e-12)
    assert law.mean_angle == pytest.approx(law.expect(lambda t: t), rel=1e-11)
    assert law.mean_square_sine == pytest.approx(law.expect(lambda t: np.sin(t) ** 2), rel=1e-11)
    ratio = math.exp(log_sine_integral(n - 1, kappa) - log_sine_integral(n - 2, kappa))
    assert law.mean_cosine == pytest.approx(kappa / (n - 1) * ratio, rel=1e-11, abs=1e-13)
    assert float(law.quantile(0.0)) == 0
    assert float(law.quantile(1.0)) == math.pi


def test_mean_angle_does_not_cancel_for_small_concentrations():
    for n in (2, 3, 4, 500):
        values = [PurkayasthaLaw(n, k).mean_angle for k in (0.0, 1e-15, 1e-9, 1e-6)]
        np.testing.assert_allclose(values, math.pi / 2, rtol=2e-6)
    left, right = PurkayasthaLaw(4, 0.00999 / math.pi).mean_angle, PurkayasthaLaw(4, 0.01001 / math.pi).mean_angle
    assert left > right  # the two branches join


@pytest.mark.parametrize("n", [2, 3, 4, 10, 101, 1000, 50_001])
@pytest.mark.parametrize("kappa", [0.0, 0.5, 500.0, 6.4e7])
def test_sampler_follows_the_law(n, kappa):
    """KS against the CDF; 28 cases at 1e-5 make a false alarm of 3e-4 over all."""
    law = PurkayasthaLaw(n, kappa)
    angles = law.sample_angles(8_000, seeded_rng(n + int(kappa)))
    assert stats.kstest(angles, law.cdf).pvalue > 1e-5


@pytest.mark.parametrize(("n", "kappa"), [(2, 1.0), (3, 5.0), (25, 10.0), (100, 100.0), (3, 6.4e7)])
def test_fast_sampler_agrees_with_algorithm_3(n, kappa):
    """Two-sample KS against the reference; five cases at 1e-5."""
    law = PurkayasthaLaw(n, kappa)
    fast = law.sample_angles(10_000, seeded_rng(1))
    slow = law.sample_angles_by_bisection(10_000, seeded_rng(2))
    assert stats.ks_2samp(fast, slow).pvalue > 1e-5
    assert stats.kstest(slow, law.cdf).pvalue > 1e-5


def test_thirty_bisections_are_too_few_for_ten_metres():
    """D6: κ = 6.4e7 needs M ≥ 53 + ⌈log₂ κ⌉; M = 30 fails a KS test."""
    law = PurkayasthaLaw(3, 6.4e7)
    coarse = law.sample_angles_by_bisection(20_000, seeded_rng(3), steps=30)
    assert stats.kstest(coarse, law.cdf).pvalue < 1e-10


@pytest.mark.parametrize("power", [1, 2, 40, 50_000])
@pytest.mark.parametrize("kappa", [0.0, 3.0, 1e7])
def test_hat_covers_the_density_closely(power, kappa):
    hat = SineHat(power, kappa, 0.0, math.pi)
    assert hat.acceptance > 0.97
    anchor, toward, rate, _, top, _, width = hat._pieces.T
    for share in (0.0, 0.3, 0.99, 1.0):
        theta = anchor + toward * width * share
        inside = (theta > 0) & (theta < math.pi)
        above = (top - rate * width * share - hat._log_density(theta))[inside]
        assert above.min() > -1e-8


def test_hat_on_a_part_of_the_interval():
    hat = SineHat(9, 2.0, 0.2, 0.5)
    out = np.empty(5_000)
    hat.fill(seeded_rng(1), out)
    assert out.min() >= 0.2
    assert out.max() <= 0.5
    law = PurkayasthaLaw(11, 2.0)
    low, high = law.cdf(0.2), law.cdf(0.5)
    assert stats.kstest(out, lambda t: (law.cdf(t) - low) / (high - low)).pvalue > 1e-5
    with pytest.raises(InputError):
        SineHat(3, 1.0, 0.5, 0.5)


@pytest.mark.parametrize(("n", "kappa"), [(1, 1.0), (2.5, 1.0), (3, -1e-9), (3, math.nan)])
def test_bad_parameters_are_refused(n, kappa):
    with pytest.raises(InputError):
        PurkayasthaLaw(n, kappa)


def test_bad_arguments_are_refused():
    law = PurkayasthaLaw(3, 1.0)
    for call in (
        lambda: law.closed_cdf(4.0),
        lambda: law.sample_angles_by_bisection(10, steps=0),
        lambda: law.sample_angles(2.5),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_purkayastha_attains_its_promise(n):
    """D7: the largest log-ratio is ε·d∠(x, y), at z = x."""
    mechanism = Purkayastha(epsilon=2.5)
    for x, y in sphere_pairs(n):
        found = mechanism.log_density(x[None], x) - mechanism.log_density(x[None], y)
        assert found[0] == pytest.approx(2.5 * float(angle_between(x, y)), rel=1e-9)
        every = mechanism.log_density(sphere_outputs(n), x) - mechanism.log_density(sphere_outputs(n), y)
        assert np.abs(every).max() <= 2.5 * float(angle_between(x, y)) * (1 + 1e-9)


def test_purkayastha_errs_less_than_vmf_at_equal_concentration():
    """E6: in all cells tried."""
    for n in (2, 3, 25, 50, 100, 500):
        for kappa in 10.0 ** np.arange(-3, 4):
            assert Purkayastha(epsilon=kappa).law(n).mean_angle < VonMisesFisher(epsilon=kappa).law(n).mean_angle
