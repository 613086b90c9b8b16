"""Privacy loss: odds, misspecification, repeated releases."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.trace import (
    RBF,
    Matern,
    Secret,
    White,
    covariance,
    joint_loss,
    loss,
    misspecified_loss,
    odds_bound,
    renyi_epsilon,
    repeated_noise,
)
from sfumato.trace.core.conditional import Conditional, condition
from sfumato.trace.core.privacy_loss import conditional_loss
from sfumato.trace.designs.closed_form import optimal_basic, uniform


def test_smaller_noise_never_loses_less():
    """Cor. E.1.0.2: Σ′ ⪰ Σ does not raise κ."""
    prior = covariance(Matern(length=4.0), np.arange(20.0))
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.normal(size=(2, 20, 20))
        small = a @ a.T / 20
        assert loss(prior, small + b @ b.T / 20, Secret((7,))) <= loss(prior, small, Secret((7,))) * (1 + 1e-5)


def test_misspecification_is_infinite_when_it_is():
    """§6.2: RBF l = 2 against 1 has no finite bound, and equal kernels give the plain loss at order 4λ − 2."""
    first, second = covariance(RBF(length=2.0), np.arange(8.0)), covariance(RBF(length=1.0), np.arange(8.0))
    noise = uniform(8, 1.0)
    common = {"radius": 0.1, "order": 2.0, "extent": 1.0}
    assert misspecified_loss(first, second, noise, Secret((3,)), **common) == np.inf
    rough = covariance(RBF(length=1.0) + White(variance=0.1), np.arange(8.0))
    same = misspecified_loss(rough, rough, noise, Secret((3,)), **common)
    plain = renyi_epsilon(loss(rough, noise, Secret((3,))), secret=Secret((3,)), radius=0.1, order=6.0)
    assert same == pytest.approx(1.25 * plain, rel=1e-6)


def test_repeated_releases_compose_exactly():
    """Two releases of one path as one joint release (prior doubled, noise on a block diagonal) lose the same."""
    prior = covariance(RBF(length=2.0) + White(variance=0.01), np.arange(6.0))
    noises = [uniform(6, 1.0), optimal_basic(prior, Secret((2,)), 2.0, floor=0.2)]
    alone = [loss(prior, noise, Secret((2,))) for noise in noises]
    together = loss(prior, repeated_noise(noises), Secret((2,)))
    assert together > sum(alone)  # the releases share the rest of the path: losses do not simply add
    split = condition(prior, np.array([2]))
    joint = Conditional(np.vstack([split.lift, split.lift]), np.kron(np.ones((2, 2)), split.rest))
    zero = np.zeros((6, 6))
    assert conditional_loss(joint, np.block([[noises[0], zero], [zero, noises[1]]])) == pytest.approx(
        together, rel=1e-4
    )
    assert joint_loss([prior, prior], noises, [Secret((2,))] * 2) == max(alone)


def test_odds_of_the_dissertation():
    assert odds_bound(0.1, 5.0, 0.01) == pytest.approx(3.49, abs=0.005)
    assert odds_bound(0.1, 5.0, 0.1) == pytest.approx(1.97, abs=0.005)
