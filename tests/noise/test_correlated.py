"""Independent Gaussian noise on many numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.noise.correlated import add_gaussian


@pytest.mark.parametrize("shape", [(0,), (1,), (50, 3), (2, 2, 2)])
def test_noise_lies_on_a_grid(shape):
    drawn = add_gaussian(np.zeros(shape), 2.5, np.random.default_rng(0))
    assert drawn.shape == shape
    assert np.array_equal(drawn * 2.0**19, np.rint(drawn * 2.0**19))
    assert len(np.unique(drawn)) == drawn.size


def test_mean_and_deviation():
    """Six standard errors of 10⁵ numbers: a false alarm in less than one of 10⁸ seeds."""
    noise = add_gaussian(np.full(100_001, 7.0), 3.0, np.random.default_rng(1))
    assert abs(noise.mean() - 7) < 6 * 3 / math.sqrt(noise.size)
    assert abs(noise.var() / 9 - 1) < 6 * math.sqrt(2 / noise.size)
