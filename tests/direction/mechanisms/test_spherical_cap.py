"""The spherical cap: optimality, sampler, grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sfumato.direction import (
    Purkayastha,
    SphericalCap,
    VonMisesFisher,
)
from sfumato.direction.mechanisms.spherical_cap import CapLaw
from sfumato.noise import seeded_rng


@pytest.mark.parametrize("n", [2, 3, 10, 200])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("criterion", ["angle", "chord", "cosine"])
def test_the_cap_is_the_best_of_all_two_level_laws_and_beats_the_others(n, epsilon, criterion):
    best = SphericalCap(pure=epsilon, criterion=criterion).law(n)
    error = {"angle": "mean_angle", "chord": "mean_chord", "cosine": "mean_cosine"}[criterion]
    sign = -1 if criterion == "cosine" else 1
    for other in (VonMisesFisher(pure=epsilon).law(n), Purkayastha(pure=epsilon).law(n)):
        assert sign * getattr(best, error) < sign * getattr(other, error)
    for factor in (0.9, 1.1):
        moved = CapLaw(n, epsilon, criterion)
        moved.__dict__["cap_angle"] = min(math.pi - 1e-6, best.cap_angle * factor)
        assert sign * getattr(best, error) <= sign * getattr(moved, error) + 1e-12
    total = best.cap_probability + (1 - best.cap_share) * math.exp(float(best.log_density(math.pi)) + _log_sphere(n))
    assert total == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(("n", "epsilon"), [(25, 100.0), (300, 100.0), (300, 1000.0), (3000, 300.0)])
def test_the_cap_is_the_best_where_its_share_is_below_every_double(n, epsilon):
    best = CapLaw(n, epsilon)
    assert best.cap_angle == pytest.approx(best.mean_angle, rel=1e-9)  # the fixed point
    for factor in (0.9, 1.1):
        moved = CapLaw(n, epsilon)
        moved.__dict__["cap_angle"] = best.cap_angle * factor
        assert best.mean_angle < moved.mean_angle
    angles = best.sample_angles(5_000, seeded_rng(n))
    assert stats.kstest(angles, best.cdf).pvalue > 1e-5


@pytest.mark.parametrize("n", [2, 3])
def test_a_huge_budget_releases_the_input(n):
    law = SphericalCap(pure=1000.0).law(n)
    assert 0 < law.mean_angle <= law.cap_angle <= 1e-14
    assert SphericalCap(pure=1000.0, kind="hour").release(np.array([6.5]))[0] == pytest.approx(6.5, abs=1e-9)


def _log_sphere(n: int) -> float:
    from sfumato.direction.core.sphere import log_area

    return log_area(n - 1)


@pytest.mark.parametrize("n", [2, 3, 30])
def test_cap_sampler_follows_its_law(n):
    law = CapLaw(n, 2.0)
    angles = law.sample_angles(10_000, seeded_rng(n))
    assert stats.kstest(angles, law.cdf).pvalue > 1e-5
    inside = (angles <= law.cap_angle).mean()
    assert inside == pytest.approx(law.cap_probability, abs=5 * 0.5 / 100)


def test_the_grid_of_the_cap_is_finer_than_the_cap():
    mechanism = SphericalCap(pure=25.0)
    released = mechanism.release(np.tile([1.0, 0.0], (2_000, 1)), rng=seeded_rng(5))
    angles = np.abs(np.arctan2(released[:, 1], released[:, 0]))
    law = mechanism.law(2)
    assert law.cap_angle < 1e-4
    assert np.median(angles) == pytest.approx(law.cap_angle / 2, rel=0.1)
