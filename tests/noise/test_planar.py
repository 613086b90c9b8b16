"""Planar Laplace and correlated Gaussian noise: law, and agreement of the two arithmetics. P-values at 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.noise.planar import add_planar_laplace

ALARM = 1e-6


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 50])
def test_radius_is_gamma_and_direction_uniform(dimension, rng):
    points = np.full((20_000 if dimension < 10 else 4_000, dimension), 7.3)
    noise = add_planar_laplace(points, 100.0, 2.0**-8, rng) - points
    radius = np.linalg.norm(noise, axis=1)
    assert stats.kstest(radius, stats.gamma(dimension, scale=100.0).cdf).pvalue > ALARM
    signs = (noise > 0).mean(axis=0)
    assert (np.abs(signs - 0.5) < 5 * 0.5 / math.sqrt(len(points))).all()
    if dimension == 2:
        angle = np.arctan2(noise[:, 1], noise[:, 0])
        assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > ALARM
        assert abs(stats.spearmanr(angle, radius).statistic) < 5 / math.sqrt(len(points))
    elif dimension > 2:
        share = noise[:, 0] ** 2 / radius**2
        assert stats.kstest(share, stats.beta(0.5, (dimension - 1) / 2).cdf).pvalue > ALARM


@pytest.mark.parametrize("dimension", [1, 2, 3, 12])
def test_interval_arithmetic_gives_the_same_cells(dimension):
    """Floating point decides only what it may: no cell differs when every point goes through interval arithmetic."""
    points = np.random.default_rng(3).normal(size=(40, dimension)) * 1000
    fast = add_planar_laplace(points, 3.0, 2.0**-12, np.random.default_rng(4))
    slow = add_planar_laplace(points, 3.0, 2.0**-12, np.random.default_rng(4), slack=1e30)
    assert (fast == slow).all()


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_correlated_interval_arithmetic_gives_the_same_cells(dimension):
    rng = np.random.default_rng(5)
    factor = np.tril(rng.normal(size=(dimension, dimension))) + 2 * np.eye(dimension)
    points = rng.normal(size=(40, dimension)) * 1000
    fast = add_correlated_gaussian(points, factor, 2.0**-12, np.random.default_rng(4))
    slow = add_correlated_gaussian(points, factor, 2.0**-12, np.random.default_rng(4), slack=1e30)
    assert (fast == slow).all()


def test_results_are_on_the_grid_whatever_the_input(rng):
    points = np.array([[0.1, -1e-9], [1e15, 3.0], [2.0**-60, 0.0]])
    for grid in (1.0, 2.0**-7):
        moved = add_planar_laplace(points, 5.0, grid, rng)
        assert ((moved / grid) == np.floor(moved / grid)).all()


def test_covariance(rng):
    """Every entry within five standard errors."""
    factor = np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.5, 3.0]])
    noise = add_correlated_gaussian(np.zeros((40_000, 3)), factor, 2.0**-10, rng)
    covariance = factor @ factor.T
    spread = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / math.sqrt(len(noise))
    assert (np.abs(noise.T @ noise / len(noise) - covariance) < 5 * spread).all()
    assert stats.kstest(noise[:, 2] / math.sqrt(covariance[2, 2]), "norm").pvalue > ALARM
