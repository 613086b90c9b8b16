"""(η, δ)-preservation: empirical, and exact for Hamming (SH11)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.survey import empirical_preservation, hamming_preservation, preserved_share
from sfumato.survey.permutation.mallows import log_probability


def test_worked_example():
    # S = {1, 4, 5, 7, 8}, σ = (5 3 2 6 7 9 8 1 4 10) → 80 %
    sigma = np.array([5, 3, 2, 6, 7, 9, 8, 1, 4, 10]) - 1
    assert preserved_share(sigma, np.array([1, 4, 5, 7, 8]) - 1) == 0.8


@pytest.mark.parametrize("n", [2, 5, 7])
@pytest.mark.parametrize("theta", [0.0, 0.4, 2.0])
def test_exact_delta_against_brute_force(n, theta):
    orders = np.array(list(itertools.permutations(range(n))))
    chance = np.exp(log_probability(orders, np.arange(n), theta, "hamming"))
    for size in range(1, n + 1):
        share = preserved_share(orders, np.arange(size))
        for kept in range(size + 1):
            eta = kept / size
            expected = chance[share < eta - 1e-9].sum()
            assert hamming_preservation(n, size, eta, theta) == pytest.approx(expected, abs=1e-12)


def test_exact_delta_at_sizes_beyond_floating_point():
    delta = hamming_preservation(180, 30, 0.5, 5.0)
    assert 0 < delta < 1
    assert hamming_preservation(180, 30, 0.5, 7.0) < delta
    assert hamming_preservation(180, 30, 0.0, 1.0) == 0


@pytest.mark.parametrize(
    ("alpha", "width", "size", "expected"),
    [
        (4, 10, 100, 0.75),
        (4, 10, 5000, 0.995),
        (4, 30, 1000, 0.82),
        (4, 100, 2500, 0.44),
        (4, 300, 5000, 0.50),
        (1, 30, 1000, 0.44),
        (10, 30, 1000, 0.93),
    ],
)
def test_reference_table(alpha, width, size, expected, rng):
    """§5.5: minima of 20 draws differ from ours, the minima of 50, by a few hundredths."""
    theta = alpha / (width * (width + 1) / 2)
    middle = np.arange(size) + (10_000 - size) // 2
    found = empirical_preservation(10_000, theta, middle, rng=rng)
    assert found == pytest.approx(expected, abs=0.05)


def test_uniform_shuffling_preserves_the_share_of_the_crowd(rng):
    assert empirical_preservation(2000, 0.0, np.arange(1000), rng=rng) == pytest.approx(0.5, abs=0.05)
    assert empirical_preservation(2000, math.inf, np.arange(10), rng=rng) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: preserved_share([0, 1, 2], [3]),
        lambda: preserved_share([0, 1, 2], []),
        lambda: preserved_share([0, 0, 2], [0]),
        lambda: empirical_preservation(10, 1.0, [0], delta=0.0),
        lambda: hamming_preservation(5, 6, 0.5, 1.0),
        lambda: hamming_preservation(5, 2, 1.5, 1.0),
        lambda: hamming_preservation(5, 2, 0.5, -1.0),
        lambda: hamming_preservation(5, 2, 0.5, math.inf),
    ],
)
def test_rejects(call):
    with pytest.raises(InputError):
        call()
