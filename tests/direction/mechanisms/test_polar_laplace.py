"""The polar Laplace baseline: no guarantee, its law, where it is worst."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from sfumato.direction import (
    PolarLaplace,
)
from sfumato.direction.mechanisms.polar_laplace import PolarLaplaceLaw
from sfumato.promise import NoGuarantee


def test_polar_laplace_has_no_guarantee_and_the_ratio_grows_as_the_ball_shrinks():
    """B3: κ = 1, d = 0.2: the log-ratio on a ball around −x is 1.3 at ρ = 0.1 and 3.7 at ρ = 0.01 (claimed 0.2)."""
    assert isinstance(PolarLaplace(kappa=1.0).guarantee, NoGuarantee)
    law = PolarLaplaceLaw(3, 1.0)

    def share_of_ball(distance: float, rho: float) -> float:
        """The probability of the ball of radius ρ around the point at ``distance`` from the mean."""

        def ring(theta: float) -> float:
            cosine = (math.cos(rho) - math.cos(theta) * math.cos(distance)) / (
                math.sin(theta) * math.sin(distance) if distance < math.pi else 1e-300
            )
            covered = math.acos(min(1.0, max(-1.0, cosine))) / math.pi
            return covered * math.exp(float(law.log_angle_density(theta)))

        low, high = max(0.0, distance - rho), min(math.pi, distance + rho)
        return integrate.quad(ring, low, high, limit=200)[0]

    found = []
    for rho in (0.1, 0.01):
        at_antipode = float(law.survival(math.pi - rho))
        found.append(math.log(at_antipode / share_of_ball(math.pi - 0.2, rho)))
    assert found[0] == pytest.approx(1.3, abs=0.06)
    assert found[1] == pytest.approx(3.7, abs=0.06)


@pytest.mark.parametrize(("kappa", "expected"), [(0.1, 1.58334), (0.3, 1.66020), (1.0, 1.58481), (3.0, 0.66605)])
def test_polar_laplace_mean_angle(kappa, expected, rng):
    law = PolarLaplaceLaw(3, kappa)
    assert law.mean_angle == pytest.approx(expected, abs=1e-5)
    total, moment = (
        integrate.quad(lambda t, p=p: t**p * math.exp(float(law.log_angle_density(t))), 0, math.pi)[0] for p in (0, 1)
    )
    assert total == pytest.approx(1, rel=1e-9)
    assert moment == pytest.approx(law.mean_angle, rel=1e-9)
    angles = law.sample_angles(20_000, rng)
    assert stats.kstest(angles, law.cdf).pvalue > 1e-6
    assert np.cos(angles).mean() == pytest.approx(law.mean_cosine, abs=5 * np.cos(angles).std() / math.sqrt(20_000))


def test_polar_laplace_is_worst_in_the_middle():
    """Its expected angle exceeds that of uniform noise: 1.7329 at κ = 2/π, at most 1.7357 at κ = 0.5856."""
    assert PolarLaplaceLaw(3, 2 / math.pi).mean_angle == pytest.approx(1.7329, abs=5e-5)
    grid = np.linspace(0.4, 0.8, 4001)
    values = [PolarLaplaceLaw(3, k).mean_angle for k in grid]
    assert max(values) == pytest.approx(1.7357, abs=5e-5)
    assert grid[int(np.argmax(values))] == pytest.approx(0.5856, abs=2e-3)
    assert PolarLaplaceLaw(3, 0.9).mean_cosine < 0 < PolarLaplaceLaw(3, 1.1).mean_cosine


@pytest.mark.parametrize("kappa", [1e-300, 1e-6, 0.3, 1.0, 30.0, 1e8])
def test_moments_by_quadrature_agree_with_closed_forms(kappa):
    law = PolarLaplaceLaw(3, kappa)
    assert law.expect(lambda theta: theta) == pytest.approx(law.mean_angle, rel=1e-9)
    assert law.expect(lambda theta: 2 * np.sin(theta / 2) ** 2) == pytest.approx(1 - law.mean_cosine, rel=1e-7)
    assert 0 < law.mean_chord <= law.mean_angle * (1 + 1e-12)
    # E sin²θ = (1 − E cos2r)/2 of a Gamma(2) length r
    expected = 0.5 * (1 - kappa**2 * (kappa**2 - 4) / (kappa**2 + 4) ** 2)
    assert law.mean_square_sine == pytest.approx(expected, rel=1e-6, abs=1e-15)


def test_quantiles_of_the_polar_law_invert_its_distribution_function():
    law = PolarLaplaceLaw(3, 0.7)
    shares = np.array([0.01, 0.3, 0.5, 0.9])
    assert law.cdf(law.quantile(shares)) == pytest.approx(shares, abs=1e-10)
