"""The Gaussian mechanisms (M2, M3, M4, B5; Mimoto Thm 2.2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.mechanism import Gaussian, MultivariateGaussian, SmoothGaussian
from sfumato.mechanism.gaussian import discrete_gaussian_sigma
from sfumato.noise.discrete import discrete_gaussian_log_prob
from sfumato.promise import ApproxDP, NoGuarantee, ZeroConcentratedDP
from sfumato.promise.calibration import classical_gaussian_sigma, gaussian_delta


def exact_delta(sigma, shift, epsilon):
    """δ of the discrete Gaussian on the integers by summation (Canonne, Kamath, Steinke 2020, Thm 7)."""
    reach = int(40 * sigma) + shift + 10
    n = np.arange(-reach, reach + 1)
    p = np.exp(discrete_gaussian_log_prob(n, sigma))
    q = np.exp(discrete_gaussian_log_prob(n - shift, sigma))
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()


@settings(max_examples=60, deadline=None)
@given(epsilon=st.floats(0.05, 12.0), log_delta=st.floats(-9.0, -2.0), shift=st.integers(1, 60))
def test_discrete_gaussian_keeps_the_promise_on_whole_numbers(epsilon, log_delta, shift):
    """The calibration is never too small: δ by exact summation, on coarse grids where the continuous formula fails."""
    delta = 10.0**log_delta
    sigma = discrete_gaussian_sigma(epsilon, delta, float(shift))
    assert exact_delta(sigma, shift, epsilon) <= delta * (1 + 1e-9)


def test_the_continuous_formula_alone_would_not_do():
    """On a coarse grid the continuous σ can miss: why discrete_gaussian_sigma exists."""
    from sfumato.promise.calibration import analytic_gaussian_sigma

    ratios = [
        exact_delta(analytic_gaussian_sigma(epsilon, 1e-6), 1, epsilon) / 1e-6
        for epsilon in np.linspace(2.0, 12.0, 101)
    ]
    assert max(ratios) > 1.2


@pytest.mark.parametrize("dimension", [1, 1000, 2**20])
def test_on_the_fine_grid_the_price_is_invisible(dimension):
    from sfumato.promise.calibration import analytic_gaussian_sigma

    for epsilon, delta in ((0.01, 1e-10), (1.0, 1e-5), (20.0, 1e-3)):
        sigma = discrete_gaussian_sigma(epsilon, delta, 2.0**39, dimension)
        ideal = analytic_gaussian_sigma(epsilon, delta, 2.0**39)
        assert ideal <= sigma < ideal * (1 + 1e-9)


def test_transfer_bound_between_rounded_and_discrete_gaussian():
    """|ln r(n)/p(n)| ≤ T²/(8σ²) + 3·exp(−2π²σ²) for |n| ≤ Tσ, the inequality of the proof."""
    for sigma in (1.0, 2.0, 7.5, 40.0):
        n = np.arange(0, int(8 * sigma) + 1)
        rounded = np.log(stats.norm.sf((n - 0.5) / sigma) - stats.norm.sf((n + 0.5) / sigma))
        gap = np.abs(rounded - discrete_gaussian_log_prob(n, sigma))
        bound = (n / sigma) ** 2 / (8 * sigma**2) + 1 / (24 * sigma**2) + 3 * math.exp(-2 * (math.pi * sigma) ** 2)
        assert (gap <= bound + 1e-9).all()


def test_golden_value():
    """One release with σ = 1, δ = 1e-5 is ε = 4.37718."""
    mechanism = Gaussian(epsilon=4.37718, delta=1e-5, sensitivity=1.0)
    assert mechanism.scale == pytest.approx(1.0, abs=2e-6)
    assert math.sqrt(mechanism.variance) == pytest.approx(1.0, abs=2e-6)


def test_classical_rule():
    mechanism = Gaussian(epsilon=0.5, delta=1e-5, sensitivity=2.0, method="classical")
    assert mechanism.scale == pytest.approx(classical_gaussian_sigma(0.5, 1e-5, 2.0))
    assert math.sqrt(mechanism.variance) == pytest.approx(mechanism.scale, rel=1e-9)
    assert mechanism.scale > Gaussian(epsilon=0.5, delta=1e-5, sensitivity=2.0).scale
    for epsilon in (1.0, 10.0):
        with pytest.raises(InputError, match="ε < 1 for the classical"):
            Gaussian(epsilon=epsilon, delta=1e-5, sensitivity=1.0, method="classical")
    with pytest.raises(InputError, match="finer"):
        Gaussian(epsilon=0.999, delta=0.5, sensitivity=1.0, method="classical", grid=1.0)


def test_promises():
    assert Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0).guarantee == ApproxDP(1.0, 1e-5)
    given_sigma = Gaussian(sigma=2.0, sensitivity=3.0, unit="user").guarantee
    assert isinstance(given_sigma, ZeroConcentratedDP)
    assert given_sigma.rho == pytest.approx(9 / 8)
    assert given_sigma.rho >= 9 / 8
    assert isinstance(Gaussian(sigma=2.0, sensitivity=3.0, exact=False).guarantee, NoGuarantee)


def test_law_of_the_noise(rng):
    mechanism = Gaussian(sigma=3.0, sensitivity=1.0)
    noise = mechanism.release(np.full((100, 500), -1e4), rng=rng) + 1e4
    assert stats.kstest(noise.ravel(), stats.norm(scale=3.0).cdf).pvalue > 1e-6


def test_vector_in_two_norm(rng):
    """Any direction of the same length costs the same: Σ log-ratio is N(Δ²/2σ², Δ²/σ²) under the first input."""
    mechanism = Gaussian(sigma=1.0, sensitivity=1.0)
    shift = np.full(4, 0.5)
    outputs = np.stack([mechanism.release(np.zeros(4), rng=rng) for _ in range(4000)])
    loss = mechanism.log_prob(outputs, np.zeros(4)) - mechanism.log_prob(outputs, shift)
    assert stats.kstest(loss, stats.norm(0.5, 1.0).cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epsilon": 1.0},
        {"delta": 1e-5},
        {"epsilon": 1.0, "delta": 0.0},
        {"epsilon": 1.0, "delta": 1.0},
        {"epsilon": 0.0, "delta": 1e-5},
        {"epsilon": math.nan, "delta": 1e-5},
        {"epsilon": 1.0, "delta": math.nan},
        {"epsilon": 1.0, "delta": 1e-5, "sigma": 1.0},
        {"sigma": 0.0},
        {"sigma": -1.0},
        {"sigma": math.inf},
        {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 0.0},
        {"epsilon": 1.0, "delta": 1e-5, "sensitivity": math.inf},
        {"epsilon": 1.0, "delta": 1e-5, "method": "best"},
    ],
)
def test_rejected(wrong):
    with pytest.raises(InputError):
        Gaussian(**{"sensitivity": 1.0, **wrong})


# M4


def test_multivariate_gaussian(rng):
    covariance = np.array([[4.0, 1.0, 0.0], [1.0, 9.0, -2.0], [0.0, -2.0, 3.0]])
    mechanism = MultivariateGaussian(covariance=covariance, sensitivity=0.6)
    assert mechanism.guarantee.rho == pytest.approx(0.18)
    noise = mechanism.release(np.zeros((30_000, 3)), rng=rng)
    spread = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / len(noise))
    assert (np.abs(noise.T @ noise / len(noise) - covariance) < 5 * spread).all()
    assert ((noise / mechanism.step) % 1 == 0).all()
    outputs = rng.normal(size=(20, 3)) * 5
    law = stats.multivariate_normal([1.0, 2.0, 3.0], covariance)
    assert mechanism.log_density(outputs, [1.0, 2.0, 3.0]) == pytest.approx(law.logpdf(outputs), rel=1e-9)
    difference = np.array([1.0, -1.0, 2.0])
    assert mechanism.norm(difference)[0] == pytest.approx(
        math.sqrt(difference @ np.linalg.solve(covariance, difference))
    )


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 12), log_condition=st.floats(0.0, 6.0))
def test_the_noise_covers_the_covariance(seed, dimension, log_condition):
    """L·Lᵀ − Σ is positive semidefinite, whatever floating point did to the factor."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    matrix = (basis * 10 ** rng.uniform(-log_condition, 0, size=dimension)) @ basis.T
    matrix = (matrix + matrix.T) / 2
    factor = MultivariateGaussian(covariance=matrix, sensitivity=1.0).factor
    from fractions import Fraction

    exact = [[Fraction(float(v)) for v in row] for row in factor]
    for _ in range(5):
        v = [Fraction(float(x)) for x in rng.normal(size=dimension)]
        wide = sum(sum(exact[i][j] * v[i] for i in range(dimension)) ** 2 for j in range(dimension))
        plain = sum(Fraction(float(matrix[i, j])) * v[i] * v[j] for i in range(dimension) for j in range(dimension))
        assert wide >= plain


@pytest.mark.parametrize(
    "covariance",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 0.1], [0.2, 1.0]],
        [[0.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [1.0, 2.0],
        [[1.0, 0.0]],
        [[math.nan]],
        np.zeros((0, 0)),
        np.diag([1.0, 1e-16]),
    ],
)
def test_rejected_covariance(covariance):
    with pytest.raises(InputError, match="covariance"):
        MultivariateGaussian(covariance=covariance, sensitivity=1.0)


def test_multivariate_rejects_wrong_data():
    mechanism = MultivariateGaussian(covariance=np.eye(2), sensitivity=1.0)
    for data in ([1.0], 3.0, [[1.0, 2.0, 3.0]], [math.nan, 1.0]):
        with pytest.raises(InputError):
            mechanism.release(data)
    for wrong in ({"sensitivity": 0.0}, {"grid": 0.3}):
        with pytest.raises(InputError):
            mechanism.replace(**wrong)


# Smooth sensitivity


def test_smooth_gaussian_constants_and_noise(rng):
    mechanism = SmoothGaussian(epsilon=0.5, delta=1e-3)
    log_term = math.log(2 / 1e-3)
    assert mechanism.alpha == pytest.approx(0.5 / (5 * math.sqrt(2 * log_term)))
    assert mechanism.beta == pytest.approx(0.5 / (4 * (1 + log_term)))
    noise = np.array([mechanism.release((5.0, 0.1), rng=rng) for _ in range(2000)]) - 5.0
    assert stats.kstest(noise, stats.norm(scale=0.1 / mechanism.alpha).cdf).pvalue > 1e-6
    assert mechanism.guarantee == ApproxDP(0.5, 1e-3)
    tuned = mechanism.replace(constants="tuned")
    assert tuned.alpha > 3 * mechanism.alpha
    vector = SmoothGaussian(epsilon=0.5, delta=1e-3, dimension=3).release(([1.0, 2.0, 3.0], 0.1), rng=rng)
    assert vector.shape == (3,)


def test_smooth_gaussian_beyond_its_theorem():
    """Mimoto §2.3: the constants hold at ε = 5 in one dimension and fail at ε = 25, δ = 1e-2."""
    assert SmoothGaussian(epsilon=5.0, delta=1e-5).guarantee == ApproxDP(5.0, 1e-5)
    with pytest.raises(InputError, match="constants"):
        SmoothGaussian(epsilon=25.0, delta=1e-2)
    with pytest.raises(InputError, match="more than one dimension"):
        SmoothGaussian(epsilon=1.0, delta=1e-2, dimension=2)


def test_smooth_gaussian_scale_ratio_is_audited():
    """An S that is not β-smooth is found out: the promise is about the pair, and the auditor sees it."""
    mechanism = SmoothGaussian(epsilon=0.5, delta=1e-3)
    outputs = np.linspace(-60, 60, 4001) * mechanism.scale(1.0)
    result = audit(mechanism, pairs=[((0.0, 1.0), (1.0, 3.0))], outputs=outputs, rng=np.random.default_rng(0))
    assert result.verdict == "broken"


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"delta": 0.0},
        {"delta": 1.0},
        {"dimension": 0},
        {"grid": 0.3},
        {"constants": "best"},
        {"dimension": 2, "constants": "tuned"},
    ],
)
def test_smooth_gaussian_rejects(wrong):
    with pytest.raises(InputError):
        SmoothGaussian(**{"epsilon": 0.5, "delta": 1e-3, **wrong})


def test_gaussian_delta_of_the_released_scale():
    """M3: σ → δ round trip on the scale that is really used."""
    mechanism = Gaussian(epsilon=2.0, delta=1e-6, sensitivity=5.0)
    assert gaussian_delta(2.0, math.sqrt(mechanism.variance), 5.0) == pytest.approx(1e-6, rel=1e-6)
