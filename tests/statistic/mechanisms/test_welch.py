"""Welch's t, its sensitivity, and the two mechanisms on it (Mimoto ch. 7: Q1–Q5, E7)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

from sfumato.errors import InputError
from sfumato.promise import ApproxDP, Assumption, NoGuarantee
from sfumato.promise.smooth_noise import SmoothNoise, smooth_sensitivity_noise, tuned_smooth_noise
from sfumato.statistic import PrivateWelch, TwoGroups, WelchTest, local_bound, smooth_bound, welch
from sfumato.statistic.core.welch_sensitivity import step_bounds
from specimens.welch import WelchAlgorithm8, farthest

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

TRIAL: dict[str, Any] = {"upper": 200.0, "dummies": (0.0, 200.0)}


def groups_of(pair: Any, upper: float = 200.0, dummies: tuple[float, float] = (0.0, 200.0)) -> TwoGroups:
    return TwoGroups.of(pair, upper=upper, dummies=dummies)


def quantile_pair(size: int, deviation: float) -> tuple[Pair, Pair]:
    """Equal groups, one record of A at 0 or at 200: the pair of Mimoto §6.5 without its random draws."""
    values = 100 + deviation * ndtri((np.arange(size) + 0.5) / size)
    low, high = values.copy(), values.copy()
    low[0], high[0] = 0.0, 200.0
    return (low, low), (high, low)


def gaussian_delta(epsilon: float, mean: float, sigma: float, other_mean: float, other: float) -> float:
    """The hockey-stick divergence of two Gaussians, by quadrature."""
    reach = 12 * max(sigma, other)
    x = np.linspace(min(mean, other_mean) - reach, max(mean, other_mean) + reach, 400_001)
    p, q = stats.norm.pdf(x, mean, sigma), stats.norm.pdf(x, other_mean, other)
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum() * (x[1] - x[0]))


# ── Q2: the statistic ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sizes", [(2, 2), (5, 30), (100, 80)])
def test_equals_scipy(sizes: tuple[int, int], rng: np.random.Generator) -> None:
    a, b = rng.normal(3, 2, sizes[0]), rng.normal(4, 5, sizes[1])
    ours, theirs = welch(a, b), stats.ttest_ind(a, b, equal_var=False)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.df == pytest.approx(theirs.df, rel=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("pair", [([1.0], [1.0, 2.0]), ([1.0, 1.0], [2.0, 2.0]), ([1.0, np.nan], [1.0, 2.0])])
def test_welch_rejects(pair: Any) -> None:
    with pytest.raises(InputError):
        welch(*pair)


def test_exact_statistic_with_dummies(rng: np.random.Generator) -> None:
    a, b = rng.uniform(0, 200, 50), rng.uniform(0, 200, 70)
    expected = welch(np.append(a, [0, 200]), np.append(b, [0, 200])).statistic
    assert groups_of((a, b)).statistic == pytest.approx(expected, abs=1e-4)  # values are rounded to 200/2^20


# ── Q1, Q3, Q5: sensitivity ────────────────────────────────────────────────────────────────────────────────────────


def neighbours(a: Floats, b: Floats, values: Floats) -> list[Pair]:
    """All data sets that differ in one record, its value or its group."""
    found = []
    for mine, other, swap in ((a, b, False), (b, a, True)):
        for i in range(len(mine)):
            rest = np.delete(mine, i)
            for value in values:
                changes = [(np.append(rest, value), other), (rest, np.append(other, value))]
                found += [(y, x) if swap else (x, y) for x, y in changes]
    return found


@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_and_smoothness_by_brute_force(seed: int) -> None:
    """U_0 ≥ LS and the corrected local bound ≥ LS; S within a factor e^β for every neighbour."""
    rng = np.random.default_rng(seed)
    upper, dummies = 8.0, [(0.0, 8.0), (3.0, 4.0)][seed % 2]
    values = np.array([0.0, 3.0, 8.0])
    a = rng.integers(0, 9, rng.integers(1, 5)).astype(float)
    b = rng.integers(0, 9, rng.integers(0, 5)).astype(float)
    beta = 0.05
    here = groups_of((a, b), upper, dummies)
    first, bound = step_bounds(here, 1)[0], smooth_bound(here, beta)
    local = local_bound(here)
    assert bound >= first
    for pair in neighbours(a, b, values):
        there = groups_of(pair, upper, dummies)
        change = abs(there.statistic - here.statistic)
        assert change <= first * (1 + 1e-9)
        assert change <= local * (1 + 1e-9)
        assert abs(math.log(smooth_bound(there, beta) / bound)) <= beta * (1 + 1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    a=st.lists(st.integers(0, 20), max_size=8),
    b=st.lists(st.integers(0, 20), max_size=8),
    value=st.integers(0, 20),
    moves=st.booleans(),
    beta=st.floats(0.001, 0.5),
)
def test_smoothness(a: list[int], b: list[int], value: int, moves: bool, beta: float) -> None:
    if not a:
        return
    rest = a[1:]
    other = (rest, [*b, value]) if moves else ([value, *rest], b)
    bounds = [
        smooth_bound(
            groups_of(tuple(map(np.array, map(list, [[*map(float, g)] for g in pair]))), 20.0, (5.0, 20.0)), beta
        )
        for pair in ((a, b), other)
    ]
    assert abs(math.log(bounds[0] / bounds[1])) <= beta * (1 + 1e-9)


def test_cut_statistic_by_brute_force() -> None:
    """The bound for t cut at ±T: at least the local sensitivity of the cut statistic, and smooth."""
    rng = np.random.default_rng(3)
    cap, beta = 0.7, 0.05
    for _ in range(6):
        a, b = (rng.integers(0, 9, rng.integers(1, 5)).astype(float) for _ in "ab")
        here = groups_of((a, b), 8.0, (0.0, 8.0))
        first, bound = step_bounds(here, 1, cap)[0], smooth_bound(here, beta, cap)
        assert first <= 2 * cap
        for pair in neighbours(a, b, np.array([0.0, 8.0])):
            there = groups_of(pair, 8.0, (0.0, 8.0))
            assert abs(np.clip(there.statistic, -cap, cap) - np.clip(here.statistic, -cap, cap)) <= first * (1 + 1e-9)
            assert abs(math.log(smooth_bound(there, beta, cap) / bound)) <= beta * (1 + 1e-9)


def test_skipping_finds_the_maximum(rng: np.random.Generator) -> None:
    groups = groups_of((rng.normal(100, 10, 150), rng.normal(100, 30, 90)))
    for beta in (0.003, 0.03, 0.3):
        steps = step_bounds(groups, groups.size + 4)
        assert (np.diff(steps) >= 0).all()
        expected = (np.exp(-beta * np.arange(len(steps))) * steps).max()
        assert smooth_bound(groups, beta) == pytest.approx(expected, rel=1e-12)


def test_least_squares_of_windows(rng: np.random.Generator) -> None:
    """v_X(k) against all subsets."""
    from sfumato.statistic.core.welch_sensitivity import _least_squares

    values = np.sort(rng.integers(0, 100, 8))
    sums = np.concatenate(([0], np.cumsum(values)))
    squares = np.concatenate(([0], np.cumsum(values**2)))
    for deleted in range(10):
        kept = max(8 - deleted, 0)
        best = min(
            float(np.var([*subset, 20, 70]) * (kept + 2)) for subset in itertools.combinations(values.tolist(), kept)
        )
        assert _least_squares(sums, squares, 90, 400 + 4900, deleted) == pytest.approx(best, rel=1e-12)


def test_printed_local_bound_is_no_bound() -> None:
    """Mimoto §6.3: with the printed one-sided variance the true local sensitivity is larger than the "bound"."""
    dummies = (67.45, 68.07)
    a = 172.5 + 9.3 * ndtri((np.arange(55) + 0.5) / 55)
    b = np.array([67.45, 200.0])
    here = groups_of((a, b), dummies=dummies)
    moved = [(a, np.array([67.45, 67.45])), (a, np.array([67.45, 68.0])), (np.append(a, 0.0), b[:1]), (a, b[:1])]
    truth = max(abs(groups_of(pair, dummies=dummies).statistic - here.statistic) for pair in moved[:3])
    assert truth > local_bound(here, printed=True)
    assert truth <= local_bound(here)


# ── Q4: Algorithm 8 ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("size", "deviation", "epsilon", "expected"),
    [(3000, 14.0, 1.0, 8.1e-3), (3000, 14.0, 5.0, 6.2e-5)],
)
def test_algorithm_8_breaks_its_claim(size: int, deviation: float, epsilon: float, expected: float) -> None:
    """Mimoto §6.5: claimed δ = 1e-5, true δ up to a thousand times that; the sound variant keeps it."""
    delta = 1e-5
    pair = quantile_pair(size, deviation)
    broken = WelchAlgorithm8(epsilon=epsilon, delta=delta, **TRIAL)
    assert isinstance(broken.guarantee, NoGuarantee)
    _, beta = smooth_sensitivity_noise(epsilon, delta)
    low, high = (broken.sensitivity(data) for data in pair)
    assert high / low > math.exp(beta) * 1.15

    def true_delta(mechanism: Any) -> float:
        (t, u), (s, r) = (
            [mechanism.groups(data).statistic for data in pair],
            [mechanism.noise_scale(data) for data in pair],
        )
        return max(gaussian_delta(epsilon, t, s, u, r), gaussian_delta(epsilon, u, r, t, s))

    assert true_delta(broken) == pytest.approx(expected, rel=0.05)
    assert true_delta(PrivateWelch(epsilon=epsilon, delta=delta, **TRIAL)) < 1e-12


def test_sensitivities_of_the_counterexample() -> None:
    """Mimoto §6.5 prints S = 0.889 and 1.101 for its draws; the quantiles give 0.897 and 1.094."""
    low, high = quantile_pair(3000, 14.0)
    broken = WelchAlgorithm8(epsilon=1.0, delta=1e-5, **TRIAL)
    assert broken.sensitivity(low) == pytest.approx(0.889, rel=0.02)
    assert broken.sensitivity(high) == pytest.approx(1.101, rel=0.02)


def test_algorithm_8_table_7_1() -> None:
    """E7, inferred settings (δ = 1e-3, dummies from the data's law): s² = 200, n = 1000 is 13.06 in print."""
    rng = np.random.default_rng(0)
    scales = []
    for _ in range(12):
        a, b, dummies = (np.clip(rng.normal(100, math.sqrt(200), n), 0, 200) for n in (500, 500, 2))
        test = WelchAlgorithm8(epsilon=5.0, delta=1e-3, upper=200.0, dummies=tuple(dummies))
        scales.append(test.noise_scale((a, b)))
    assert np.mean(scales) == pytest.approx(13.06, rel=0.15)


# ── Q5: the sound variant ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("n", "expected"), [(100, (113, 108, 86)), (1000, (30.3, 6.05, 1.56)), (10_000, (5.2, 1.49, 0.465))]
)
def test_noise_of_the_sound_variant(n: int, expected: tuple[float, ...]) -> None:
    """Mimoto §6.6: S/α at ε′ = 5, δ′ = 1e-5, r = (0, 200) with the source theorem's constants; n counts both groups."""
    rng = np.random.default_rng(0)
    alpha, beta = smooth_sensitivity_noise(5.0, 1e-5)
    for variance, wanted in zip((20, 200, 2000), expected, strict=True):
        found = [
            smooth_bound(groups_of(tuple(np.clip(rng.normal(100, math.sqrt(variance), (2, n // 2)), 0, 200))), beta)
            for _ in range(20)
        ]
        assert np.mean(found) / alpha == pytest.approx(wanted, rel=0.1)


def test_tuned_constants_save_a_factor() -> None:
    pair = quantile_pair(5000, 14.0)[0]
    private = PrivateWelch(epsilon=5.0, delta=1e-5, **TRIAL)
    alpha, beta = smooth_sensitivity_noise(5.0, 1e-5)
    assert private.noise_scale(pair) * 3.55 < smooth_bound(groups_of(pair), beta) / alpha
    assert private.noise == pytest.approx(tuned_smooth_noise(5.0, 1e-5), rel=1e-3)


def test_private_welch_releases_what_its_density_says() -> None:
    pair = quantile_pair(500, 20.0)[0]
    private = PrivateWelch(epsilon=5.0, delta=1e-5, **TRIAL)
    drawn = private.sample(pair, 4000, np.random.default_rng(0))
    away = (drawn - private.groups(pair).statistic) / private.noise_scale(pair)
    assert stats.kstest(away, "norm").pvalue > 1e-6
    grid = private.grid(1000)
    assert np.array_equal(np.rint(drawn / grid) * grid, drawn)
    log_density = stats.norm.logpdf(drawn, private.groups(pair).statistic, private.noise_scale(pair))
    assert private.log_density(drawn, pair) == pytest.approx(log_density, abs=1e-6)


def test_grid_is_public() -> None:
    """The grid and the noise allowance depend on the number of records only."""
    private = PrivateWelch(epsilon=1.0, delta=1e-6, **TRIAL)
    low, high = quantile_pair(50, 20.0)
    assert private.grid(groups_of(low).size) == private.grid(groups_of(high).size)


def test_fast_on_a_hundred_thousand() -> None:
    """No time is asserted; a quadratic search would not end here (N = 10⁵, β = 10⁻³)."""
    rng = np.random.default_rng(0)
    groups = groups_of(tuple(np.clip(rng.normal(100, 14, (2, 50_000)), 0, 200)))
    assert 0 < smooth_bound(groups, 1e-3) < math.inf


def test_guarantees() -> None:
    promise = ApproxDP(5.0, 1e-5).assuming(Assumption("upper bound"), Assumption("dummies"))
    assert PrivateWelch(epsilon=5.0, delta=1e-5, **TRIAL).guarantee == promise
    assert WelchTest(epsilon=5.0, delta=1e-5, noise_scale=1.0, **TRIAL).guarantee == promise


def test_beta_may_be_chosen() -> None:
    noise = PrivateWelch(epsilon=1.0, delta=1e-5, beta=0.01, **TRIAL).noise
    assert isinstance(noise, SmoothNoise)
    assert noise.beta == 0.01
    assert noise.alpha > PrivateWelch(epsilon=1.0, delta=1e-5, beta=0.03, **TRIAL).noise.alpha


# ── the calibrated test ────────────────────────────────────────────────────────────────────────────────────────────


def test_test_keeps_its_level_and_has_power() -> None:
    """1 500 trials a side: a true level of 5 % exceeds 7.5 % with probability below 2e-5."""
    from sfumato.statistic import power_curve

    test = WelchTest.planned(size=2000, deviation=14.0, epsilon=5.0, delta=1e-5, **TRIAL)
    alarms, power = power_curve(test, [0.0, 6.0], size=2000, repeats=1500, rng=np.random.default_rng(1))
    assert alarms <= 0.075
    assert power > 0.8


def test_reading_the_noisy_t_without_calibration_does_not_keep_the_level() -> None:
    from sfumato.statistic import power_curve

    naive = PrivateWelch(epsilon=1.0, delta=1e-5, **TRIAL)
    assert power_curve(naive, [0.0], size=2000, repeats=200, rng=np.random.default_rng(1))[0] > 0.5


def mixture_delta(test: WelchTest, x: Any, y: Any) -> float:
    """The exact δ of the test at its ε for one pair: the refusal is an atom, the rest two Gaussians of one scale."""
    p, q = test.answer_probability(x), test.answer_probability(y)
    t, u = (
        np.clip(test.groups(data).statistic, -test._cut(test.noise_scale), test._cut(test.noise_scale))
        for data in (x, y)
    )
    grid = np.linspace(min(t, u) - 12 * test.noise_scale, max(t, u) + 12 * test.noise_scale, 200_001)
    inside = p * stats.norm.pdf(grid, t, test.noise_scale)
    outside = q * stats.norm.pdf(grid, u, test.noise_scale)
    body = np.maximum(inside - math.exp(test.epsilon) * outside, 0).sum() * (grid[1] - grid[0])
    return float(body + max(1 - p - math.exp(test.epsilon) * (1 - q), 0))


@pytest.mark.parametrize("noise_scale", [0.3, 1.0, 3.0, 30.0, 1e4])
@pytest.mark.parametrize("epsilon", [0.5, 5.0])
def test_test_keeps_its_promise_whether_answered_or_not(noise_scale: float, epsilon: float) -> None:
    test = WelchTest(epsilon=epsilon, delta=1e-5, noise_scale=noise_scale, **TRIAL)
    few = 100 + 30 * ndtri((np.arange(20) + 0.5) / 20)
    pairs = [quantile_pair(3000, 14.0), quantile_pair(100, 30.0), ((few, few), (few[1:], np.append(few, 200.0)))]
    for x, y in pairs:
        assert mixture_delta(test, x, y) <= 1e-5
        assert mixture_delta(test, y, x) <= 1e-5


def test_refused_means_not_rejected() -> None:
    test = WelchTest(epsilon=1.0, delta=1e-5, noise_scale=1e-3, **TRIAL)
    answer = test.release(quantile_pair(20, 30.0)[0], rng=np.random.default_rng(0))
    assert (answer.answered, answer.p_value, answer.rejects(0.05)) == (False, 1.0, False)


def test_planned_noise_is_enough() -> None:
    test = WelchTest.planned(size=4000, deviation=20.0, epsilon=2.0, delta=1e-6, **TRIAL)
    rng = np.random.default_rng(0)
    chances = [test.answer_probability(tuple(np.clip(rng.normal(100, 20, (2, 2000)), 0, 200))) for _ in range(20)]
    assert np.mean(chances) > 0.9


def test_dummies_bias_unequal_groups() -> None:
    """Without any noise, D ∪ r shifts t by (μ − r̄)·(2/n_B − 2/n_A) over its standard error: what the docs warn of."""
    a, b = np.full(2000, 150.0), np.full(200, 150.0)
    here = groups_of((a, b))
    expected = (150 - 100) * (2 / 202 - 2 / 2002)
    assert here.gap / here.upper * 200 == pytest.approx(expected, rel=1e-3)


# ── rejections of §6.6 ─────────────────────────────────────────────────────────────────────────────────────────────

GOOD: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}


@pytest.mark.parametrize("make", [PrivateWelch, WelchAlgorithm8, WelchTest])
@pytest.mark.parametrize(
    "change",
    [
        {"dummies": (5.0, 5.0)},
        {"dummies": (-1.0, 5.0)},
        {"dummies": (0.0, 201.0)},
        {"dummies": (0.0, math.nan)},
        {"dummies": (0.0, 1.0, 2.0)},
        {"dummies": "ab"},
        {"upper": 0.0},
        {"upper": -1.0},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"delta": 0.0},
        {"delta": 1.0},
    ],
)
def test_parameters_rejected(make: Any, change: dict[str, Any]) -> None:
    more = {"noise_scale": 1.0} if make is WelchTest else {}
    with pytest.raises(InputError):
        make(**{**GOOD, **more, **change})


@pytest.mark.parametrize(
    "data",
    [
        (np.array([-0.1]), np.array([1.0])),
        (np.array([200.1]), np.array([1.0])),
        (np.array([np.nan]), np.array([1.0])),
        (np.array([np.inf]), np.array([1.0])),
        (np.zeros(0), np.zeros(0)),
        (np.zeros((2, 2)), np.zeros(2)),
        (np.array(["x"]), np.array([1.0])),
        np.zeros(3),
        "AB",
    ],
)
def test_data_rejected(data: Any) -> None:
    with pytest.raises(InputError):
        PrivateWelch(**GOOD).release(data, rng=np.random.default_rng(0))


def test_labels_rejected() -> None:
    import pandas as pd

    frame = pd.DataFrame({"group": ["A", "C"], "value": [1.0, 2.0]})
    with pytest.raises(InputError, match="'A' and 'B'"):
        PrivateWelch(**GOOD).release(frame)
    with pytest.raises(InputError, match="no column"):
        PrivateWelch(**GOOD).release(frame.drop(columns="value"))


def test_frames_of_three_kinds_give_the_same() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"group": ["A", "B", "A", "B"], "value": [1.0, 2.0, 30.0, 4.0]}
    private = PrivateWelch(**GOOD)
    released = {
        private.release(make(columns), rng=np.random.default_rng(0)) for make in (pd.DataFrame, pl.DataFrame, pa.table)
    }
    pair = (np.array([1.0, 30.0]), np.array([2.0, 4.0]))
    assert released == {private.release(pair, rng=np.random.default_rng(0))}


def test_close_dummies_rejected_on_the_grid() -> None:
    with pytest.raises(InputError, match="farther apart"):
        groups_of((np.ones(3), np.ones(3)), dummies=(1.0, 1.0 + 1e-9))


@given(
    values=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    replaced=st.lists(st.integers(0, 40), max_size=12),
    mean=st.floats(0, 40),
    share=st.floats(0, 1),
)
def test_the_farthest_record_is_found_without_looking_at_all(
    values: list[int], replaced: list[int], mean: float, share: float
) -> None:
    """Algorithm 8 replaces records from both ends of a sorted group."""
    group, new = np.sort(np.array(values, float)), np.array(replaced[: len(values)], float)
    low = round(share * len(new))
    high = len(group) - 1 - (len(new) - low)
    group[:low], group[high + 1 :] = new[:low], new[low:]
    changed = np.array([new.min(initial=np.inf), new.max(initial=-np.inf)])
    found = farthest(group, mean, low, high, changed)
    assert abs(group[found] - mean) == np.abs(group - mean).max()
