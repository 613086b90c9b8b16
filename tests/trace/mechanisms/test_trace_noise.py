"""Shaped noise: promise, grid, covariance, least noise for a promise."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InfeasibleError, InputError
from sfumato.trace import (
    RBF,
    Secret,
    TraceNoise,
    White,
    all_basic,
    covariance,
    loss,
    renyi_epsilon,
)

TIMES = np.arange(50.0)
BASIC = Secret((24,))


def test_epsilon_asked_for_is_epsilon_certified():
    noise = TraceNoise(prior=RBF(length=3.0), times=TIMES, secrets=[BASIC], radius=0.5, epsilon=0.7)
    assert noise.guarantee.epsilon <= 0.7
    assert noise.guarantee.epsilon == pytest.approx(0.7, rel=0.005)
    again = renyi_epsilon(
        loss(covariance(RBF(length=3.0), TIMES), noise.covariance, BASIC), secret=BASIC, radius=0.5, order=2.0
    )
    assert again == pytest.approx(noise.guarantee.epsilon, rel=1e-6)


@pytest.mark.parametrize("design", ["optimal", "block", "published", "dominate", "uniform"])
def test_every_design_spends_its_budget_and_is_certified(design):
    noise = TraceNoise(
        prior=RBF(length=2.0) + White(variance=0.01),
        times=np.arange(12.0),
        secrets=[Secret((5,))],
        radius=1.0,
        error=0.1**0.5,
        design=design,
    )
    if design != "published":
        assert np.trace(noise.covariance) <= 1.2 * (1 + 1e-3)
    assert noise.guarantee.epsilon == pytest.approx(noise.kappa, rel=1e-9)
    assert np.linalg.eigvalsh(noise.covariance)[0] > -1e-12


def test_noise_has_the_covariance_it_says():
    """20 000 draws: each entry within five standard errors."""
    noise = TraceNoise(prior=RBF(length=2.0), times=np.arange(6.0), secrets=[Secret((2,))], radius=1.0, error=0.5**0.5)
    draws = noise.release(np.zeros((6, 20_000)), rng=np.random.default_rng(1))
    np.testing.assert_allclose(draws @ draws.T / 20_000, noise.covariance, atol=5 * 2 * 0.5 * 6 / np.sqrt(20_000) / 2)


@pytest.mark.parametrize("shape", [(6,), (6, 2), (4, 6, 2)])
def test_releases_are_on_a_public_grid_that_does_not_depend_on_the_path(shape):
    """Low bits of a double would tell about the path: every released number is a whole multiple of a power of two."""
    noise = TraceNoise(prior=RBF(length=2.0), times=np.arange(6.0), secrets=[Secret((2,))], radius=1.0, error=0.7)
    path = np.random.default_rng(4).normal(0, 1000.0, shape)
    release = noise.release(path, rng=np.random.default_rng(5))
    assert release.shape == shape
    assert np.frexp(noise.step)[0] == 0.5
    assert (release % noise.step == 0).all()
    assert np.abs(release - path).max() < 20
    with pytest.raises(InputError, match="positions below"):
        noise.release(path * 1e12)


def test_every_time_a_secret_is_noise_like_the_path():
    noise = TraceNoise(prior=RBF(length=3.0), times=np.arange(12.0), secrets=all_basic(12), radius=1.0, error=0.5)
    assert noise.kappa == pytest.approx(1 / 0.25, rel=1e-5)
    np.testing.assert_allclose(noise.covariance, 0.25 * covariance(RBF(length=3.0), np.arange(12.0)), atol=1e-6)


@pytest.mark.parametrize("secrets", [[Secret((2,))], [Secret((2, 3))], [Secret((2,)), Secret((5,))]])
def test_without_a_floor_a_certificate_still_stands(secrets):
    noise = TraceNoise(prior=RBF(length=3.0), times=np.arange(10.0), secrets=secrets, radius=1.0, error=0.5, floor=0.0)
    assert np.isfinite(noise.kappa)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_least_noise_for_a_promise_is_tight_for_few_and_many_secrets(count):
    prior = RBF(length=5.0) + White(variance=1e-3)
    secrets = [Secret((4 * k + 3,)) for k in range(count)]
    noise = TraceNoise(prior=prior, times=np.arange(30.0), secrets=secrets, radius=0.5, epsilon=0.5)
    assert 0.998 * 0.5 < noise.guarantee.epsilon <= 0.5


def test_promise_out_of_reach_says_so():
    noise = TraceNoise(
        prior=RBF(length=8.0), times=range(20), secrets=[Secret((9,))], radius=1.0, epsilon=0.1,
        design="concentrated",
    )  # fmt: skip
    with pytest.raises(InfeasibleError, match="concentrated"):
        _ = noise.covariance
