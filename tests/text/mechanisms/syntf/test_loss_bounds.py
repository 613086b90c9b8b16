"""Bounds on what SynTF loses (Weggenmann §5.2.4–5.2.5)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.text import (
    MatrixRating,
    ReplacementLaw,
    eta_bound,
    needed_epsilon,
    target_probability,
)


@pytest.mark.parametrize(
    ("size", "epsilon", "expected"),
    [
        (2, 10, 5.0),
        (100, 10, 9.084),
        (100, 20, 14.591),
        (100, 47.5, 28.345),
        (30_000, 10, 9.995),
        (30_000, 20, 19.449),
        (30_000, 47.5, 34.059),
    ],
)
def test_theorem_5_4(size, epsilon, expected):
    assert eta_bound(epsilon, size) == pytest.approx(expected, abs=5e-4)


def test_eta_bound_survives_large_epsilon():
    assert eta_bound(5000.0, 30_000) == pytest.approx(2500 + math.log(29_999), abs=1e-6)
    assert eta_bound(3.0, 1) == 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.floats(0.1, 60), st.integers(0, 2**32 - 1))
def test_tight_below_eta_below_nominal(size, epsilon, seed):
    """For ratings in [0, 1], symmetric or not (S4)."""
    ratings = np.random.default_rng(seed).random((size, size))
    ratings[0], ratings[1] = np.eye(size)[0], 1 - np.eye(size)[0]  # the extreme rows, which attain the bound
    law = ReplacementLaw(rating=MatrixRating(ratings=ratings), epsilon=epsilon)
    assert law.loss == pytest.approx(eta_bound(epsilon, size), rel=1e-4)
    assert law.loss <= eta_bound(epsilon, size) + 1e-6 * epsilon
    assert eta_bound(epsilon, size) <= epsilon


def test_corollary_5_7_and_theorem_5_6():
    assert needed_epsilon(0.5, targets=1, others=29_999) == pytest.approx(20.62, abs=5e-3)
    rng = np.random.default_rng(1)
    ratings = np.sort(rng.random(50))[::-1]
    for epsilon in (1.0, 10.0, 40.0):
        weights = np.exp(epsilon * ratings / 2)
        for count in (1, 5, 20):
            chance = weights[:count].sum() / weights.sum()
            low, high = target_probability(
                epsilon,
                targets=count,
                others=50 - count,
                gap=ratings[count - 1] - ratings[count],
                spread=ratings[0] - ratings[-1],
            )
            assert low <= chance <= high
