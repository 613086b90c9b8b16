"""Coins and exponential weights have the stated probabilities. P-values are tested at 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sfumato.noise.choice import _bounds, draw_coins, draw_exponential
from sfumato.noise.interval import exact

ALARM = 1e-6


def factor(digits):
    return exact(0.7, digits) / 2


@pytest.mark.parametrize("probability", [0.0, 1e-30, 0.25, 1 / 3, 0.999, 1.0])
def test_coins(probability, rng):
    coins = draw_coins(lambda digits: exact(probability, digits), 20_000, rng)
    assert stats.binomtest(int(coins.sum()), coins.size, probability).pvalue > ALARM


@pytest.mark.parametrize("margin", [2.0**-40, 0.5])
@pytest.mark.parametrize("scores", [[0.0, 0.0, 0.0], [3.0, 1.0, 2.0, -20.0], list(np.linspace(-5, 5, 200)), [7.0]])
def test_exponential_weights(scores, margin, rng):
    count = 40_000 if margin < 0.1 else 2_000
    scores = np.array(scores)
    drawn = draw_exponential(np.broadcast_to(scores, (count, scores.size)), factor, rng, margin=margin)
    expected = np.exp(0.35 * (scores - scores.max()))
    expected *= count / expected.sum()
    observed = np.bincount(drawn, minlength=scores.size)
    common = expected > 8
    if common.sum() > 1:
        scaled = expected[common] * observed[common].sum() / expected[common].sum()
        assert stats.chisquare(observed[common], scaled).pvalue > ALARM
    assert observed[~common].sum() < expected[~common].sum() + 40


def test_bounds_lie_above_the_weights():
    table, constant = _bounds(10_000)
    cells = np.arange(table.size - 1)
    assert (table[:-1] >= constant * 2.0 ** (-cells / 64)).all()
    assert table[-1] >= 1
    assert table.max() * 10_000 < 2**57


def test_more_bits_never_contradict_floating_point():
    scores = np.random.default_rng(1).normal(size=(300, 20))
    fast = draw_exponential(scores, factor, np.random.default_rng(2))
    slow = draw_exponential(scores, factor, np.random.default_rng(2), margin=2.0)
    assert (fast == slow).mean() > 0.98  # the lazily drawn bits come from the same generator, so later tries differ
    assert math.isclose(float((fast == slow)[:50].mean()), 1.0, abs_tol=0.1)
