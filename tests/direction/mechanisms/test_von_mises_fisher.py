"""The von Mises–Fisher mechanism: golden values (D2), closed forms, samplers (D3), promise (D4), rejections."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from sfumato.direction import (
    VonMisesFisher,
)
from sfumato.direction.examples import sphere_outputs, sphere_pairs
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisherLaw, log_scaled_bessel
from sfumato.errors import InputError
from sfumato.noise import seeded_rng

# n, κ, C, E[d₂], Pr[t ≤ 0.2] (spec §12.4)
GOLDEN = [
    (2, 0.5, 0.1496543787, 1.062118829, 0.4095421662),
    (2, 2.0, 0.06981749835, 0.6218284428, 0.1096417092),
    (3, 0.5, 0.07635596666, 1.198963351, 0.4784539921),
    (3, 2.0, 0.0438822908, 0.8612239804, 0.1870060137),
    (10, 0.5, 0.03872655303, 1.357748593, 0.6662425982),
    (10, 2.0, 0.03220831619, 1.24617478, 0.4835366334),
]


@pytest.mark.parametrize(("n", "kappa", "constant", "chord", "share"), GOLDEN)
def test_golden_values(n, kappa, constant, chord, share):
    law = VonMisesFisherLaw(n, kappa)
    assert math.exp(law.log_constant) == pytest.approx(constant, rel=1e-9)
    assert law.mean_chord == pytest.approx(chord, rel=1e-9)
    assert float(law.cosine_cdf(0.2)) == pytest.approx(share, rel=1e-9)


def test_golden_value_in_high_dimension():
    assert VonMisesFisherLaw(500, 1000.0).mean_chord == pytest.approx(0.66139330, abs=5e-9)


@pytest.mark.parametrize("n", [2, 3, 25, 500])
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 1e3])
def test_mean_chord_equals_formula_7_19(n, kappa):
    """E6: (7.19) in 30 digits."""
    with mpmath.workdps(30):
        k = mpmath.mpf(kappa)
        a = mpmath.mpf(n - 1) / 2
        upper = mpmath.beta(0.5, mpmath.mpf(n) / 2) * mpmath.hyp1f1(a, n - mpmath.mpf(1) / 2, 2 * k)
        lower = mpmath.beta(0.5, n - mpmath.mpf(1) / 2) * mpmath.hyp1f1(a, n - 1, 2 * k)
        expected = float(upper / lower)
    assert VonMisesFisherLaw(n, kappa).mean_chord == pytest.approx(expected, rel=1e-11)


def _phi_one(a, b, c, x, y):
    """Humbert's Φ₁ by its single series over Kummer functions."""
    return mpmath.nsum(
        lambda m: mpmath.rf(a, m) * mpmath.rf(b, m) / mpmath.rf(c, m) / mpmath.factorial(m)
        * x**m * mpmath.hyp1f1(a + m, c + m, y),
        [0, 60],
    )  # fmt: skip


@pytest.mark.parametrize(("n", "kappa", "t"), [(3, 2.0, 0.2), (5, 10.0, 0.6), (11, 4.0, -0.3), (4, 1.0, -0.5)])
def test_cosine_cdf_equals_formula_7_20(n, kappa, t):
    with mpmath.workdps(30):
        a, x = mpmath.mpf(n - 1) / 2, (mpmath.mpf(t) + 1) / 2
        upper = x**a * _phi_one(a, 1 - a, 1 + a, x, 2 * kappa * x)
        expected = float(upper / (a * mpmath.beta(a, a) * mpmath.hyp1f1(a, 2 * a, 2 * mpmath.mpf(kappa))))
    assert float(VonMisesFisherLaw(n, kappa).cosine_cdf(t)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kappa", [1e-6, 0.5, 40.0, 1e8])
def test_closed_cdf_in_three_dimensions(kappa):
    law = VonMisesFisherLaw(3, kappa)
    theta = law.quantile(np.array([1e-6, 0.2, 0.5, 0.9, 0.999]))
    expected = np.expm1(-2 * kappa * np.sin(theta / 2) ** 2) / math.expm1(-2 * kappa)
    np.testing.assert_allclose(law.cdf(theta), expected, rtol=1e-10)


@pytest.mark.parametrize("order", [0.0, 0.5, 4.0, 59.5, 60.0, 499.0, 25_000.0])
@pytest.mark.parametrize("kappa", [1e-6, 0.1, 3.0, 50.0, 1e3, 1e4])
def test_bessel_function_where_scipy_underflows(order, kappa):
    with mpmath.workdps(40):
        expected = float(mpmath.log(mpmath.besseli(order, mpmath.mpf(kappa), maxterms=10**5)) - kappa)
    assert log_scaled_bessel(order, kappa) == pytest.approx(expected, rel=2e-14, abs=2e-14)


@pytest.mark.parametrize("n", [2, 3, 10, 1000, 50_001])
@pytest.mark.parametrize("kappa", [0.0, 1e-8, 1.0, 1e4, 1e8])
def test_density_integrates_to_one_and_moments_agree(n, kappa):
    law = VonMisesFisherLaw(n, kappa)
    middle = law.quantile(np.array([0.25, 0.5, 0.75]))
    assert np.isfinite(law.log_peak)
    np.testing.assert_allclose(law.cdf(middle) + law.survival(middle), 1, rtol=1e-12)
    np.testing.assert_allclose(law.cdf(middle), [0.25, 0.5, 0.75], rtol=1e-9)
    # The two tails of the median are computed apart: they sum to one only if the constant is right.
    median = middle[1]
    total = law._integral(np.array([law.support[0]]), np.array([median])) + law._integral(
        np.array([median]), np.array([law.support[1]])
    )
    assert total[0] == pytest.approx(1, abs=2e-10)
    if kappa:
        ratio = math.exp(log_scaled_bessel(n / 2, kappa) - log_scaled_bessel(n / 2 - 1, kappa))
        assert law.mean_cosine == pytest.approx(ratio, rel=1e-9, abs=1e-14)
    else:
        assert law.mean_angle == pytest.approx(math.pi / 2, rel=1e-12)
        assert law.mean_cosine == pytest.approx(0, abs=1e-12)


def test_log_density_is_finite_where_scipy_is_not():
    """scipy's log-density is infinite at n = 1000, κ = 50."""
    assert VonMisesFisherLaw(1000, 50.0).log_density(0.0) == pytest.approx(
        VonMisesFisherLaw(1000, 50.0).log_constant + 50, rel=1e-14
    )
    assert np.isfinite(VonMisesFisherLaw(10_000, 50.0).log_density(0.0))


def test_density_agrees_with_scipy_where_scipy_works(rng):
    law = VonMisesFisherLaw(5, 7.0)
    mean = np.array([0.6, 0.8, 0, 0, 0])
    points = law.sample(mean, rng, size=20)
    expected = stats.vonmises_fisher(mean, 7.0).logpdf(points)
    angles = np.arccos(np.clip(points @ mean, -1, 1))
    np.testing.assert_allclose(law.log_density(angles), expected, rtol=1e-10)


def test_two_descriptions_of_the_angle_agree():
    law = VonMisesFisherLaw(4, 3.0)
    total = integrate.quad(lambda t: math.exp(law.log_cosine_density(t)), -1, 1)[0]
    assert total == pytest.approx(1, rel=1e-9)
    assert float(law.cosine_cdf(math.cos(0.7))) == pytest.approx(float(law.survival(0.7)), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 10, 100, 1000])
@pytest.mark.parametrize("kappa", [0.0, 0.5, 20.0, 1e4, 1e8])
def test_sampler_follows_the_law(n, kappa):
    """KS against the CDF; 30 cases at 1e-5 make a false alarm of 3e-4 over all."""
    law = VonMisesFisherLaw(n, kappa)
    angles = law.sample_angles(8_000, seeded_rng(n + int(kappa)))
    assert stats.kstest(angles, law.cdf).pvalue > 1e-5


@pytest.mark.parametrize("n", [2, 3, 6, 400])
def test_vectors_stand_at_the_sampled_angle_in_every_direction(n):
    """Around an arbitrary mean the tangent part is uniform: its mean is 0 within 5 standard errors."""
    rng = seeded_rng(n)
    law = VonMisesFisherLaw(n, 4.0 * n)
    mean = rng.standard_normal(n)
    mean /= np.linalg.norm(mean)
    drawn = law.sample(mean, rng, size=4_000)
    assert np.abs(np.linalg.norm(drawn, axis=1) - 1).max() < 1e-14
    cosines = drawn @ mean
    assert cosines.mean() == pytest.approx(law.mean_cosine, abs=5 * cosines.std() / 60)
    tangent = drawn - cosines[:, None] * mean
    error = np.linalg.norm(tangent.mean(axis=0)) / np.sqrt((tangent**2).sum(axis=1).mean() / 4_000)
    assert error < 5


def test_one_mean_per_record_and_one_mean_for_all_agree():
    means = np.eye(4)[[0, 1, 2, 3, 0]]
    drawn = VonMisesFisherLaw(4, 1e6).sample(means, seeded_rng(1))
    assert (np.einsum("ij,ij->i", means, drawn) > 0.999).all()


def test_snapped_draws_lie_on_the_grid_and_have_unit_length():
    step = 2.0**-12
    drawn = VonMisesFisherLaw(6, 3.0).sample(np.eye(6)[0], seeded_rng(1), size=100, step=step)
    assert np.abs(np.linalg.norm(drawn, axis=1) - 1).max() < 1e-15 * 4
    raw = VonMisesFisherLaw(6, 3.0).sample(np.eye(6)[0], seeded_rng(1), size=100)
    assert np.abs(drawn - raw).max() < 2 * step
    ratios = np.rint(raw / step)
    np.testing.assert_allclose(drawn, ratios / np.linalg.norm(ratios, axis=1, keepdims=True), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("n", "kappa"), [(1, 1.0), (0, 1.0), (2.0, 1.0), (True, 1.0), (3, -1.0), (3, math.nan), (3, math.inf)]
)
def test_bad_parameters_are_refused(n, kappa):
    with pytest.raises(InputError):
        VonMisesFisherLaw(n, kappa)


def test_bad_arguments_are_refused():
    law = VonMisesFisherLaw(3, 1.0)
    for call in (
        lambda: law.cdf(-0.1),
        lambda: law.cdf(math.nan),
        lambda: law.cosine_cdf(1.5),
        lambda: law.log_cosine_density(-2.0),
        lambda: law.quantile(1.5),
        lambda: law.sample_angles(-1),
        lambda: law.sample(np.eye(4)[0]),
        lambda: law.sample(np.eye(3), size=4),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_vmf_attains_its_promise(n):
    """D4: the largest log-ratio is ε‖x−y‖, at z = (x−y)/‖x−y‖."""
    mechanism = VonMisesFisher(epsilon=2.5)
    for x, y in sphere_pairs(n):
        z = (x - y) / np.linalg.norm(x - y)
        found = mechanism.log_density(z[None], x) - mechanism.log_density(z[None], y)
        assert found[0] == pytest.approx(2.5 * np.linalg.norm(x - y), rel=1e-9)
        every = mechanism.log_density(sphere_outputs(n), x) - mechanism.log_density(sphere_outputs(n), y)
        assert np.abs(every).max() <= 2.5 * np.linalg.norm(x - y) * (1 + 1e-9)


@pytest.mark.parametrize("radius", [1e-6, 0.01, math.pi / 4, math.pi / 2, math.pi])
@pytest.mark.parametrize("n", [2, 3])
def test_a_level_within_a_radius_is_spent_on_the_chord(n, radius):
    """κ = ℓ / 2 sin(r/2): no pair within the arc r loses more than ℓ, and the one at r loses ℓ (by brute force)."""
    noise = VonMisesFisher(level=1.5, radius=radius)
    with mpmath.workdps(40):
        chord = 2 * mpmath.sin(mpmath.mpf(radius) / 2)
        assert mpmath.mpf(noise.kappa) * chord <= 1.5  # rounded down, in 40 digits
        assert mpmath.mpf(noise.kappa) * chord >= 1.5 * (1 - mpmath.mpf("1e-14"))
    outputs = sphere_outputs(n)
    x = np.eye(n)[0]
    for share in (0.1, 0.5, 0.9, 1.0):
        y = np.zeros(n)
        y[0], y[1] = math.cos(share * radius), math.sin(share * radius)
        away = (x - y) / np.linalg.norm(x - y)
        loss = noise.log_density(np.concatenate([outputs, [away]]), x) - noise.log_density(
            np.concatenate([outputs, [away]]), y
        )
        assert np.abs(loss).max() <= 1.5 * (1 + 1e-9)
        if share == 1:
            assert loss[-1] == pytest.approx(1.5, rel=1e-6)


def test_the_chord_of_six_hours_saves_a_tenth_of_the_noise():
    """Within six hours ℓ/r is a tenth less than ℓ over the chord; so is the error, once the noise is narrow."""
    by_chord = VonMisesFisher(level=60.0, radius=math.pi / 2)
    by_arc = VonMisesFisher(epsilon=60.0 / (math.pi / 2))
    assert by_chord.kappa / by_arc.kappa == pytest.approx(1.1107, abs=1e-4)
    for n in (2, 3):
        assert by_chord.law(n).mean_square_sine / by_arc.law(n).mean_square_sine == pytest.approx(0.9, abs=0.015)
