"""Planar noise on each point, remapped."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.mechanism import PlanarLaplace
from sfumato.trace import (
    RBF,
    PosteriorAttack,
    RemappedPlanar,
    Secret,
    White,
    covariance,
)


def test_planar_baseline_is_a_promise_for_points_only():
    assert PlanarLaplace(epsilon=0.01, unit="point").guarantee.unit == "point"


def test_remapping_is_undone_by_anybody():
    """Bayesian remapping is public and linear: it improves the path and hides nothing more than the noise did."""
    times, kernel = np.arange(20.0), RBF(length=3.0, variance=1e6) + White(variance=400.0)
    path = np.linalg.cholesky(covariance(kernel, times)) @ np.random.default_rng(3).normal(size=(20, 2))
    mechanism = RemappedPlanar(epsilon=0.01, prior=kernel, times=times)
    noisy = mechanism.points.release(path, rng=np.random.default_rng(4))
    remapped = mechanism.release(path, rng=np.random.default_rng(4))
    np.testing.assert_allclose(mechanism.undo(remapped), noisy, rtol=1e-6, atol=1e-6)
    assert np.linalg.norm(remapped - path) < np.linalg.norm(noisy - path)
    adversary = PosteriorAttack(prior=kernel, times=times, secrets=[Secret((9,))], radius=100.0)
    before = adversary.attack(path, noisy, mechanism=mechanism.points).value
    assert adversary.attack(path, remapped, mechanism=mechanism).value == pytest.approx(before, rel=1e-6)
