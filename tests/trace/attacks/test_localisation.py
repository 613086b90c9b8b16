"""Adversaries who look for secret places."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import (
    RBF,
    PosteriorAttack,
    Secret,
    StreetAttack,
    StrongestAttack,
    TraceNoise,
    White,
    covariance,
)

TIMES = np.arange(50.0)
BASIC = Secret((24,))


def test_shaped_noise_beats_independent_noise_against_the_adversary():
    prior = RBF(length=5.0, variance=1e6) + White(variance=25.0)
    rng = np.random.default_rng(5)
    path = np.linalg.cholesky(covariance(prior, TIMES)) @ rng.normal(size=(50, 2))
    adversary = PosteriorAttack(prior=prior, times=TIMES, secrets=[BASIC], radius=100.0)
    common = {"prior": prior, "times": TIMES, "secrets": [BASIC], "radius": 100.0, "error": 150.0}
    scores = {}
    for design in ("optimal", "uniform"):
        noise = TraceNoise(design=design, **common)
        scores[design] = np.mean(
            [adversary.attack(path, noise.release(path, rng=rng), mechanism=noise).value for _ in range(20)]
        )
    assert scores["optimal"] < 0.5 * scores["uniform"]


def test_an_adversary_who_knows_stops_finds_what_noise_at_the_secret_alone_hides():
    path = np.repeat([[0.0, 0.0], [2000.0, 800.0], [-1500.0, 400.0]], 6, axis=0)
    times, secrets = 10 * np.arange(18.0), [Secret((8,))]
    prior = RBF(length=50.0, variance=4e6) + White(variance=400.0)
    noise = TraceNoise(prior=prior, times=times, secrets=secrets, radius=200.0, error=300.0, design="concentrated")
    release = noise.release(path, rng=np.random.default_rng(2))
    stops = StreetAttack(times=times, secrets=secrets, radius=200.0, cell=100.0, speed=60.0, stay=0.8)
    assert stops.attack(path, release, mechanism=noise).value > 0.95
    gaussian = PosteriorAttack(prior=prior, times=times, secrets=secrets, radius=200.0)
    both = StrongestAttack(attacks=(gaussian, stops))
    assert both.attack(path, release, mechanism=noise).value == stops.attack(path, release, mechanism=noise).value
    with pytest.raises(InputError, match="at least one attack"):
        StrongestAttack(attacks=())
