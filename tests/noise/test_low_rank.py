"""Noise of low rank: its law, its grid, and the cells that need more bits."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.noise.correlated import add_low_rank_gaussian

FACTOR = np.array([[1.0, 0.5], [0.0, -2.0], [3.0, 0.0], [0.25, 0.25], [0.0, 0.0]])


def test_the_covariance_is_that_of_the_factor():
    """20 000 rows: each entry within six standard errors."""
    rows = add_low_rank_gaussian(np.full((20_000, 5), 7.25), 0.5, FACTOR, 2.0**-8, np.random.default_rng(1))
    assert (rows % 2.0**-8 == 0).all()
    centred = rows - 7.25
    whole = FACTOR @ FACTOR.T + 0.25 * np.eye(5)
    spread = np.sqrt(np.outer(np.diag(whole), np.diag(whole)))
    np.testing.assert_allclose(centred.T @ centred / 20_000 / spread, whole / spread, atol=6 * 1.5 / np.sqrt(20_000))


@pytest.mark.parametrize("seed", range(4))
def test_more_bits_give_the_same_cells(seed):
    """With the margin blown up every cell is found by interval arithmetic: the answer does not change."""
    points = np.random.default_rng(seed).normal(0, 1e3, (2, 5))
    quick = add_low_rank_gaussian(points, 0.5, FACTOR, 2.0**-8, np.random.default_rng(seed))
    slow = add_low_rank_gaussian(points, 0.5, FACTOR, 2.0**-8, np.random.default_rng(seed), slack=1e18)
    np.testing.assert_array_equal(quick, slow)
