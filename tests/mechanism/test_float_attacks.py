"""Four published attacks on the arithmetic of noise: each succeeds on the naive version and fails on ours.

The naive versions live here. Where an attack guesses between two inputs, ε-DP caps its success at 1/(1 + e^−ε); the
tests allow five standard errors on top, so ours is falsely accused once in 10⁶ seeds.
"""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy import stats

from sfumato.mechanism import Gaussian, Laplace
from sfumato.noise import discrete_gaussian, discrete_laplace, grid_bounds, grid_sum, sum_grid
from sfumato.noise.discrete_sampler import draw_lattice

EPSILON = 0.1
GUESSES = 4_000
CAP = 1 / (1 + math.exp(-EPSILON)) + 5 * 0.5 / math.sqrt(GUESSES)


# Mironov, "On significance of the least significant bits for differential privacy" (2012)


def inverse_cdf_laplace(x, scale, rng):
    """The textbook program: ±b·ln U for U a multiple of 2⁻⁵³."""
    u = rng.integers(1, 2**53, size=x.shape) * 2.0**-53
    return x + rng.choice([-1.0, 1.0], size=x.shape) * (scale * np.log(u))


def reachable(y, x, scale):
    """Whether the textbook program can turn x into y: is there a U with x ± b·ln U = y, to the last bit?"""
    middle = np.round(np.exp(-np.abs(y - x) / scale) * 2.0**53)
    found = np.zeros(y.shape, bool)
    for offset in range(-24, 25):
        u = np.clip(middle + offset, 1, 2.0**53) * 2.0**-53
        noise = scale * np.log(u)
        found |= (x + noise == y) | (x - noise == y)
    return found


def mironov_success(release, rng):
    truth = rng.integers(0, 2, size=GUESSES).astype(float)
    y = release(truth)
    zero, one = reachable(y, 0.0, 1 / EPSILON), reachable(y, 1.0, 1 / EPSILON)
    guess = np.where(zero == one, rng.integers(0, 2, size=GUESSES), one)
    return float((guess == truth).mean())


def test_mironov_low_bits(rng):
    assert mironov_success(lambda x: inverse_cdf_laplace(x, 1 / EPSILON, rng), rng) > 0.6 > CAP
    ours = Laplace(epsilon=EPSILON, sensitivity=1.0)
    assert mironov_success(lambda x: ours.release(x, rng=rng), rng) < CAP


# Haney, Desfontaines, Hartman, Shrestha, Hay, "Precision-based attacks and interval refining" (2022)


def perfect_noise(kind, size, rng):
    """Noise with all 53 bits at every magnitude, as from an ideal sampler; only the addition is left to the floats."""
    if kind == "normal":
        return rng.standard_normal(size)
    return rng.choice([-1.0, 1.0], size) * rng.exponential(size=size)


def finer_than_one(y):
    """How often a result close to zero has bits that no sum with 1.0 can have."""
    near = np.abs(y) < 0.25
    return int((near & (y * 2.0**53 != np.floor(y * 2.0**53))).sum())


@pytest.mark.parametrize("kind", ["laplace", "normal"])
def test_precision_of_the_sum(kind, rng):
    """If the last bits of y are below those of 1.0, x was not 1: an event of probability 0 there and 7 % at x = 0."""
    size = 50_000
    at_zero = 0.0 + perfect_noise(kind, size, rng)
    at_one = 1.0 + perfect_noise(kind, size, rng)
    assert finer_than_one(at_zero) > 1_000
    assert finer_than_one(at_one) == 0
    ours = Laplace(epsilon=1.0, sensitivity=1.0) if kind == "laplace" else Gaussian(sigma=1.0, sensitivity=1.0)
    for x in (0.0, 1.0, 1e-12, 1e6):
        y = ours.release(np.full(size, x), rng=rng)
        assert finer_than_one(y) == 0
        assert (y / ours.step == np.floor(y / ours.step)).all()  # the same set of results for every input


def test_trailing_bits_do_not_tell_the_input(rng):
    """The lowest set bit of a result has the same law for 0 and 1 (χ² at 1e-6), as the grid does not depend on them."""
    ours = Laplace(epsilon=EPSILON, sensitivity=1.0)
    table = []
    for x in (0.0, 1.0):
        steps = (ours.release(np.full(20_000, x), rng=rng) / ours.step).astype(np.int64)
        lowest = np.log2((steps & -steps).astype(float), out=np.zeros(steps.size), where=steps != 0).astype(int)
        table.append(np.bincount(np.minimum(lowest, 8), minlength=9))
    assert stats.chi2_contingency(table).pvalue > 1e-6


# Jin, McMurtry, Rubinstein, Ohrimenko, "Are we there yet? Timing and floating-point attacks" (2022)


def counting_laplace(scale, rng):
    """One coin at a time until it falls: exact, and as slow as the noise is large."""
    stop = -math.expm1(-1 / scale)
    while True:
        steps = 0
        while rng.random() > stop:
            steps += 1
        sign = rng.random() < 0.5
        if steps or sign:
            return steps if sign else -steps


def time_and_noise(draw, count):
    seconds, noise = np.empty(count), np.empty(count)
    for k in range(count):
        start = time.perf_counter_ns()
        noise[k] = draw()
        seconds[k] = time.perf_counter_ns() - start
    return float(stats.spearmanr(seconds, np.abs(noise)).statistic)


def test_time_tells_the_noise_of_a_counting_sampler_only(rng):
    """Rank correlation of time and |noise|; without a link it exceeds 6/√n once in 10⁸, whatever the machine does."""
    count = 2_200
    assert time_and_noise(lambda: counting_laplace(1000.0, rng), 400) > 0.5
    for draw in (discrete_laplace, discrete_gaussian):
        draw(30.0, 1, rng=rng)
        assert abs(time_and_noise(lambda draw=draw: draw(30.0, 1, rng=rng)[0], count)) < 6 / math.sqrt(count)


class Counting:
    """A generator that counts the words drawn from it."""

    def __init__(self, seed):
        self.rng, self.words = np.random.default_rng(seed), 0

    def integers(self, *args, size, **kwargs):
        self.words += size
        return self.rng.integers(*args, size=size, **kwargs)


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("batch", [1, 1000, 40_000])
def test_work_is_fixed_by_the_size_of_the_batch(gaussian, batch):
    """The words that a batch uses are the same whatever is drawn, up to the last top-up, which is independent of it."""
    used = set()
    for seed in range(40 if batch < 10_000 else 8):
        counting = Counting(seed)
        draw_lattice(gaussian, 2.0**40, batch, counting)
        used.add(counting.words)
    assert len(used) == 1 if batch <= 1000 else max(used) - min(used) < 0.02 * max(used)


# Casacuberta, Shoemate, Vadhan, Wagaman, "Widespread underestimation of sensitivity" (2022)


def neighbouring_sums(rng):
    """Two data sets that differ in one record, found by search: 4 096 values in [c, c + 2⁻⁴⁸].

    Whenever the sum doubles it loses a bit, and rounding to even may double the difference that one record made.
    """
    tiny = 2.0**-48
    low = 1 + rng.integers(0, 2**46, size=(2_000, 1)) * tiny
    records = np.tile(low, 4_096)
    neighbours = records.copy()
    neighbours[:, 0] += tiny
    gaps = np.cumsum(neighbours, axis=1)[:, -1] - np.cumsum(records, axis=1)[:, -1]
    worst = int(np.argmax(gaps))
    return records[worst], neighbours[worst], tiny, float(gaps[worst])


def sum_success(sums, sensitivity, rng):
    """Guess the data set from a noisy sum, seen from the first one so that the noise is not lost in the addition."""
    truth = rng.integers(0, 2, size=GUESSES)
    gap = sums[1] - sums[0]
    noisy = gap * truth + rng.laplace(0, sensitivity / EPSILON, size=GUESSES)
    return float(((noisy > gap / 2) == truth).mean())


def test_floating_sums_break_their_sensitivity(rng):
    one, other, sensitivity, gap = neighbouring_sums(rng)
    assert gap >= 100 * sensitivity  # one record of range 2⁻⁴⁸ moves the sum by a hundred times that
    assert sum_success((np.cumsum(one)[-1], np.cumsum(other)[-1]), sensitivity, rng) > 0.95

    least, most = float(one[0]), float(other[0])
    grid = sum_grid(one.size, least, most)
    low, high = grid_bounds(least, most, grid)
    sums = [grid_sum(records, low=least, high=most, grid=grid) for records in (one, other)]
    assert abs(sums[1] - sums[0]) <= high - low  # what the grid says a record can do is what it does
    assert sum_success(sums, max(sensitivity, high - low), rng) < CAP
