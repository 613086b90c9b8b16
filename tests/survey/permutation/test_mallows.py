"""Mallows permutations: distances, partition functions, and the exact law of the samplers (SH3, SH4)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sfumato.errors import InputError
from sfumato.survey.permutation import insertion
from sfumato.survey.permutation import truncated_poisson as poisson
from sfumato.survey.permutation.insertion import floor_exponential, insertion_depths
from sfumato.survey.permutation.mallows import (
    check_permutation,
    hamming_distance,
    kendall_distance,
    log_partition,
    log_probability,
    sample_mallows,
)


def every_permutation(n: int) -> np.ndarray:
    return np.array(list(itertools.permutations(range(n))))


def naive_kendall(first: np.ndarray, second: np.ndarray) -> int:
    a, b = np.argsort(first), np.argsort(second)
    return sum((a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in itertools.combinations(range(len(a)), 2))


def test_worked_example_of_the_distances():
    swapped = [0, 1, 2, 5, 4, 3, 6, 7, 8, 9]
    assert kendall_distance(swapped, range(10)) == 3
    assert hamming_distance(swapped, range(10)) == 2


def test_kendall_compares_places_of_items(rng):
    for n in (1, 2, 7, 30):
        first, second = rng.permutation(n), rng.permutation(n)
        assert kendall_distance(first, second) == naive_kendall(first, second)
    rows = np.array([rng.permutation(9) for _ in range(5)])
    one = rng.permutation(9)
    assert kendall_distance(rows, one).tolist() == [naive_kendall(row, one) for row in rows]


@pytest.mark.parametrize("metric", ["kendall", "hamming"])
@pytest.mark.parametrize("theta", [0.0, 1e-6, 0.3, 2.0, 40.0])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_partition_function_is_the_sum_over_all_permutations(metric, theta, n):
    distance = {"kendall": kendall_distance, "hamming": hamming_distance}[metric]
    direct = math.log(np.sum(np.exp(-theta * distance(every_permutation(n), np.arange(n)))))
    assert log_partition(n, theta, metric) == pytest.approx(direct, abs=1e-12)


def test_partition_function_of_hamming_counts_derangements():
    # ψ = Σ_h C(n, h)·!h·e^{−θh}, the form the spec gives; ours has no derangement numbers.
    n, theta = 12, 0.7
    derangements = [1, 0]
    for h in range(2, n + 1):
        derangements.append((h - 1) * (derangements[-1] + derangements[-2]))
    printed = sum(math.comb(n, h) * derangements[h] * math.exp(-theta * h) for h in range(n + 1))
    assert log_partition(n, theta, "hamming") == pytest.approx(math.log(printed), rel=1e-13)
    assert math.isfinite(log_partition(10_000, 900.0, "hamming"))


@pytest.mark.parametrize("metric", ["kendall", "hamming"])
@pytest.mark.parametrize("theta", [0.0, 0.02, 0.24, 0.26, 1.0, 4.0])
def test_sampler_has_the_exact_law(metric, theta, rng):
    """Chi-square over all 24 permutations; 12 cases, each with a false alarm once in 10⁵ seeds."""
    reference, draws = np.array([2, 0, 3, 1]), 60_000
    orders = every_permutation(4)
    expected = draws * np.exp(log_probability(orders, reference, theta, metric))
    assert expected.sum() == pytest.approx(draws)
    drawn = sample_mallows(reference, theta, metric=metric, size=draws, rng=rng)
    code = np.array([64, 16, 4, 1])
    counts = np.array([np.count_nonzero(drawn @ code == key) for key in orders @ code])
    rare = expected < 5
    merged = [*zip(counts[~rare], expected[~rare], strict=True), (counts[rare].sum(), expected[rare].sum())]
    chi = sum((c - e) ** 2 / e for c, e in merged if e > 0)
    assert chi < stats.chi2.isf(1e-5, len(merged) - 1)


@pytest.mark.parametrize("theta", [1e-9, 1e-4, 0.05, 3.0])
def test_mean_distance_of_long_permutations(theta, rng):
    """E[δ] = Σ_i E[d_i] with d_i truncated geometric; six standard errors."""
    n = 3000
    i = np.arange(1, n + 1)
    if theta * n < 1e-3:
        mean, variance = (i - 1).sum() / 2, ((i**2 - 1) / 12).sum()
    else:
        q = math.exp(-theta)
        mean = np.sum(q / (1 - q) - i * q**i / (1 - q**i))
        variance = np.sum(q / (1 - q) ** 2 - i**2 * q**i / (1 - q**i) ** 2)
    drawn = sample_mallows(np.arange(n), theta, size=20, rng=rng)
    assert abs(kendall_distance(drawn, np.arange(n)).mean() - mean) < 6 * math.sqrt(variance / 20) + 1e-3 * mean


def test_ends_of_the_dial(rng):
    reference = rng.permutation(50)
    for metric in ("kendall", "hamming"):
        np.testing.assert_array_equal(sample_mallows(reference, math.inf, metric=metric), reference)
        np.testing.assert_array_equal(np.sort(sample_mallows(reference, 0.0, metric=metric)), np.arange(50))
        assert log_probability(reference, reference, math.inf, metric) == 0
        assert log_probability(reference[::-1], reference, math.inf, metric) == -math.inf
        assert log_partition(5, 0.0, metric) == pytest.approx(math.log(120))
    assert sample_mallows([0], 1.0).tolist() == [0]
    assert sample_mallows(range(5), 1.0, size=0).shape == (0, 5)


@pytest.mark.parametrize("n", [63, 64, 65, 129, 1000, 4097])
@pytest.mark.parametrize("theta", [1e-8, 0.01, 20.0, 800.0])
def test_every_draw_is_a_permutation(n, theta, rng):
    for metric in ("kendall", "hamming"):
        for row in sample_mallows(rng.permutation(n), theta, metric=metric, size=3, rng=rng):
            check_permutation("row", row)


def test_insertion_agrees_with_a_list(rng):
    from sfumato.survey.permutation.free_places import fill_places

    n = 300
    depths = insertion_depths(n, 0.01, 2, rng)
    reference = rng.permutation(n)
    out = np.empty((2, n), np.int64)
    fill_places(depths, reference, out)
    for row, expected in zip(out, depths, strict=True):
        naive: list[int] = []
        for i in range(n):
            naive.insert(i - int(expected[i]), int(reference[i]))
        assert row.tolist() == naive


def test_open_comparisons_are_settled_with_more_bits(rng):
    assert floor_exponential(2**64 - 1, 1.0, rng) == 0
    assert floor_exponential(2**63, math.log(2) / 7, rng) in (6, 7)  # U is just above one half
    assert floor_exponential(0, 1.0, rng) >= 44  # no depth is beyond reach: 64 zero bits only start a longer tail


def test_a_run_of_zero_bits_is_settled_in_either_regime(rng):
    for theta in (1e-3, 2.0):
        depths, state, words = np.zeros(3, np.int64), np.zeros(4, np.int64), np.array([2**40 + 7, 0, 0, 0], np.uint64)
        depths[0], state[0] = 0, 1
        words[0] = 0xFFFFFFFF if theta < 1 else 0  # the uniform candidate of the second item is 1
        quotients = insertion._quotients(words, theta)
        assert insertion._draw(depths, 3, theta, words, quotients, state) == 2
        assert state[3] == (1 if theta < 1 else -1)
        insertion._settle(depths, 3, theta, words, state, rng)
        assert state[0] == 2
        assert depths[1] in (0, 1)


def test_the_smallest_spread_is_uniform_and_quick(rng):
    counts = np.bincount(insertion_depths(3, 1e-17, 30_000, rng)[:, 2], minlength=3)
    assert abs(counts / 30_000 - 1 / 3).max() < 0.015  # five standard errors


def test_a_seed_repeats_and_the_secure_generator_works():
    a = sample_mallows(range(100), 0.1, rng=np.random.default_rng(5))
    b = sample_mallows(range(100), 0.1, rng=np.random.default_rng(5))
    np.testing.assert_array_equal(a, b)
    check_permutation("drawn", sample_mallows(range(100), 0.1))


@pytest.mark.parametrize("theta", [-1.0, math.nan, "1", True, None])
def test_rejects_theta(theta):
    with pytest.raises(InputError, match="theta"):
        sample_mallows(range(3), theta)


@pytest.mark.parametrize("order", [[0, 0, 1], [1, 2, 3], [0.0, 1.0], [], [[[0]]], ["a"], [-1, 0]])
def test_rejects_what_is_no_permutation(order):
    with pytest.raises(InputError):
        sample_mallows(order, 1.0)


def test_rejects_shapes_that_do_not_match():
    with pytest.raises(InputError, match="one permutation"):
        sample_mallows([[0, 1], [1, 0]], 1.0)
    with pytest.raises(InputError, match="one permutation of 3"):
        kendall_distance([0, 1, 2], [0, 1])
    with pytest.raises(InputError, match="metric"):
        log_partition(3, 1.0, "cayley")


class FixedWords:
    """A generator that gives the same word for ever: the ends of the unit interval."""

    def __init__(self, word: int) -> None:
        self.word = word

    def integers(self, *args: object, size: int, **options: object) -> np.ndarray:
        return np.full(size, self.word, np.uint64)


@pytest.mark.parametrize("theta", [1e-30, 1e-3, 10.0, 40.0, 700.0])
def test_no_count_of_kept_places_is_out_of_reach(theta):
    """At θ = 10 all five places move with probability 2·10⁻²⁰, of which no double below one is a multiple."""
    assert poisson.truncated_poisson(5, theta, 1, FixedWords(0)).tolist() == [0]
    if theta > 1:
        assert poisson.truncated_poisson(5, theta, 1, FixedWords(2**64 - 1)).tolist() == [5]


@pytest.mark.parametrize(("n", "theta"), [(1, 0.5), (5, 0.1), (5, 2.0), (30, 3.0), (200, 6.0), (100_000, 12.0)])
def test_exact_and_floating_counts_of_kept_places_agree(n, theta, monkeypatch):
    """The same uniform numbers, settled by intervals instead of doubles."""
    usual = poisson.truncated_poisson(n, theta, 20, np.random.default_rng(1))
    monkeypatch.setattr(poisson, "_MARGIN", 2.0)
    np.testing.assert_array_equal(poisson.truncated_poisson(n, theta, 20, np.random.default_rng(1)), usual)


@pytest.mark.parametrize(("n", "theta"), [(5, 0.1), (5, 2.0), (30, 3.0), (200, 4.0), (200, 6.0)])
def test_law_of_kept_places(n, theta):
    """Chi-square against λ^b/b!; false alarm once in 10⁷ seeds."""
    b = np.arange(n + 1)
    law = np.exp(b * math.log(math.expm1(theta)) - np.array([math.lgamma(k + 1) for k in b]))
    expected = 50_000 * law / law.sum()
    counts = np.bincount(poisson.truncated_poisson(n, theta, 50_000, np.random.default_rng(2)), minlength=n + 1)
    common = expected > 10
    seen = np.append(counts[common], counts[~common].sum())
    hoped = np.append(expected[common], max(expected[~common].sum(), 1.0))
    assert ((seen - hoped) ** 2 / hoped).sum() < stats.chi2.isf(1e-7, common.sum())
