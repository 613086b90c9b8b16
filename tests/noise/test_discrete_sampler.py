"""The discrete Laplace and Gaussian samplers draw their law, by every path of the code.

False alarms: each p-value is tested at 1e-6, so that the whole file fails once in more than 10⁴ seeds.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import InputError
from sfumato.noise.discrete import (
    discrete_gaussian,
    discrete_gaussian_log_prob,
    discrete_gaussian_variance,
    discrete_laplace,
    discrete_laplace_log_prob,
    discrete_laplace_variance,
)
from sfumato.noise.discrete_sampler import LARGEST_SCALE, _strips, draw_lattice, log_normaliser

ALARM = 1e-6
LAWS = {False: discrete_laplace_log_prob, True: discrete_gaussian_log_prob}


def chi_square(sample, log_prob):
    values = np.arange(sample.min() - 50, sample.max() + 51)
    expected = np.exp(log_prob(values)) * sample.size
    observed = np.array([(sample == value).sum() for value in values])
    common = expected > 8
    rest = max(sample.size - expected[common].sum(), 1e-9)
    statistic = ((observed - expected)[common] ** 2 / expected[common]).sum()
    if rest > 8:
        statistic += (observed[~common].sum() - rest) ** 2 / rest
    return stats.chi2.sf(statistic, max(1, common.sum() - 1 + (rest > 8)))


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 3.7, 40.0, 700.3])
def test_law(gaussian, scale, rng):
    sample = draw_lattice(gaussian, scale, 60_000, rng)
    if scale > 100:
        sample, scale = sample // 100, scale
        lumped = np.exp(LAWS[gaussian](np.arange(-100_000, 100_000), scale)).reshape(-1, 100).sum(axis=1)
        assert chi_square(sample, lambda n: np.log(lumped[n + 1000] + 1e-300)) > ALARM
    else:
        assert chi_square(sample, lambda n: LAWS[gaussian](n, scale)) > ALARM


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("scale", [0.7, 5.0, 90.0])
def test_law_through_the_tail_and_through_more_bits(gaussian, scale, rng):
    """The paths that are taken once in 2⁴⁰ and 2⁶⁴ draws are made common, and draw the same law."""
    tail = draw_lattice(gaussian, scale, 3_000, rng, tail_at=1.0)
    assert chi_square(tail, lambda n: LAWS[gaussian](n, scale)) > ALARM
    bits = draw_lattice(gaussian, scale, 3_000, rng, margin=0.5)
    assert chi_square(bits, lambda n: LAWS[gaussian](n, scale)) > ALARM


@pytest.mark.parametrize("gaussian", [False, True])
def test_more_bits_never_contradict_floating_point(gaussian):
    """The same words, once decided in floating point and once in interval arithmetic, give the same numbers."""
    fast = draw_lattice(gaussian, 2.0**40, 300, np.random.default_rng(5))
    words = np.random.default_rng(5)
    slow = draw_lattice(gaussian, 2.0**40, 300, words, margin=2.0)
    assert (fast == slow).all()


@pytest.mark.parametrize("gaussian", [False, True])
def test_fine_grid_is_the_continuous_law(gaussian, rng):
    scale = 1.3 * 2.0**39
    sample = draw_lattice(gaussian, scale, 100_000, rng)
    assert stats.kstest(sample / scale, "norm" if gaussian else "laplace").pvalue > ALARM
    low = sample & 0xFFFF  # the low bits are uniform
    assert stats.chisquare(np.bincount(low >> 8, minlength=256)).pvalue > ALARM
    assert stats.chisquare(np.bincount(low & 0xFF, minlength=256)).pvalue > ALARM


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 0.3, 1.0, 33.3, 2.0**40, LARGEST_SCALE])
def test_table_bounds_the_weights_and_sums_to_one(gaussian, scale):
    strips = _strips(gaussian, scale, 9.6 if gaussian else 46.0)
    assert sum(int(count) for count in strips.count) == 2**64
    with mpmath.workdps(60):
        for strip in {0, 1, strips.tail // 2, strips.tail - 1} & set(range(strips.tail)):
            x = mpmath.mpf(strip << strips.low_bits) / mpmath.mpf(scale)
            weight = mpmath.exp(-x * x / 2 if gaussian else -x)
            assert mpmath.mpf(strips.constant) * weight <= int(strips.count[strip])
    table = strips.table
    size = table.threshold.size
    mass = [0] * size
    for slot in range(size):
        mass[slot] += int(table.threshold[slot])
        mass[int(table.alias[slot])] += 2**64 // size - int(table.threshold[slot])
    assert mass[: strips.count.size] == [int(count) for count in strips.count]


@pytest.mark.parametrize("gaussian", [False, True])
@given(scale=st.floats(0.02, 30.0))
@settings(max_examples=25, deadline=None)
def test_normaliser(gaussian, scale):
    with mpmath.workdps(40):
        weights = (mpmath.exp(-mpmath.mpf(n * n) / (2 * mpmath.mpf(scale) ** 2)) for n in range(1, int(12 * scale) + 9))
        whole = 1 + 2 * mpmath.fsum(weights) if gaussian else mpmath.coth(1 / (2 * mpmath.mpf(scale)))
        assert log_normaliser(gaussian, scale) == pytest.approx(float(mpmath.log(whole)), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("scale", [1e-5, 1.2e-3, 0.3, 0.8, 2.0, 20.0])
def test_variances(scale):
    n = np.arange(-2000, 2001)
    for variance, log_prob in (
        (discrete_laplace_variance, discrete_laplace_log_prob),
        (discrete_gaussian_variance, discrete_gaussian_log_prob),
    ):
        assert variance(scale) == pytest.approx((np.exp(log_prob(n, scale)) * n * n).sum(), rel=1e-9)


def test_moments(rng):
    """Within five standard errors: once in 10⁶."""
    for draw, variance in (
        (discrete_laplace, discrete_laplace_variance),
        (discrete_gaussian, discrete_gaussian_variance),
    ):
        sample = draw(50.0, 200_000, rng=rng).astype(float)
        assert abs(sample.mean()) < 5 * math.sqrt(variance(50.0) / sample.size)
        assert sample.var() == pytest.approx(variance(50.0), rel=0.03)


def test_what_is_refused(rng):
    for draw in (discrete_laplace, discrete_gaussian):
        for scale in (0.0, -1.0, math.nan, math.inf, 2.0**47, "1"):
            with pytest.raises(InputError):
                draw(scale, 3, rng=rng)
        with pytest.raises(InputError):
            draw(1.0, -1, rng=rng)
        assert draw(1.0, 0, rng=rng).shape == (0,)
