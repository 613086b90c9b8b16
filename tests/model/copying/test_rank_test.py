"""Mann–Whitney's test against scipy, enumeration and the corrected Theorem 1 [DC2, E3]."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sfumato.errors import InputError
from sfumato.model import rank_test


def test_the_test_vector() -> None:
    found = rank_test([1, 3, 5, 7], [2, 4, 6])
    assert found.u == 6
    assert found.z == 0


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_u_z_and_p_are_those_of_scipy(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    fresh, generated = rng.normal(size=60), rng.normal(size=45) - 0.3
    if ties:
        fresh, generated = fresh.round(1), generated.round(1)
    ours = rank_test(fresh, generated)
    theirs = mannwhitneyu(generated, fresh, alternative="less", use_continuity=False, method="asymptotic")
    assert ours.u == theirs.statistic
    assert ours.closer == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours.closer + ours.farther == pytest.approx(1)
    pairs = sum((b > a) + (b == a) / 2 for a in fresh for b in generated)
    assert ours.u == pairs


def test_continuity_moves_the_numerator_by_one_half() -> None:
    fresh, generated = np.arange(30.0), np.arange(30.0) + 0.5
    plain, moved = rank_test(fresh, generated), rank_test(fresh, generated, continuity=True)
    assert moved.z - plain.z == pytest.approx(0.5 / math.sqrt(30 * 30 * 61 / 12))


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5, 6, 7], [1, 1, 2, 2, 2, 5, 9], [3, 3, 3, 3, 3, 3, 4]])
def test_small_samples_are_enumerated(values: list[int]) -> None:
    pooled = np.array(values, float)
    for chosen in itertools.combinations(range(7), 3):
        generated = pooled[list(chosen)]
        fresh = np.delete(pooled, list(chosen))
        found = rank_test(fresh, generated)
        assert found.exact
        all_u = [
            rank_test(np.delete(pooled, list(other)), pooled[list(other)], method="normal").u
            for other in itertools.combinations(range(7), 3)
        ]
        assert found.closer == pytest.approx(np.mean([u <= found.u + 1e-9 for u in all_u]))
        assert found.farther == pytest.approx(np.mean([u >= found.u - 1e-9 for u in all_u]))


def test_exact_without_ties_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    fresh, generated = rng.normal(size=19), rng.normal(size=40)
    theirs = mannwhitneyu(generated, fresh, alternative="less", method="exact").pvalue
    assert rank_test(fresh, generated).closer == pytest.approx(theirs, rel=1e-9)


def test_the_interval_needs_the_factor_two() -> None:
    """As printed, Pr(|U/mn − ½| ≥ ½) ≤ exp(−¼) = .779 at m = n = 1, where it is 1 [E3]."""
    printed = math.exp(-2 * 0.5**2 * 1 / 2)
    assert printed < 1 <= 2 * printed


def test_intervals_cover() -> None:
    """Δ is in the 95 % interval; Hoeffding is conservative, so that a miss in 200 draws has probability < 1e-6."""
    rng = np.random.default_rng(0)
    delta = 0.5 * (1 + math.erf(0.5 / 2))  # Pr(N(0.5, 1) > N(0, 1))
    missed = 0
    for _ in range(200):
        low, high = rank_test(rng.normal(size=80), rng.normal(0.5, 1, size=80)).interval()
        missed += not low <= delta <= high
    assert missed <= 10


def test_constant_distances_tell_nothing() -> None:
    found = rank_test(np.ones(30), np.ones(30))
    assert found.z == 0
    assert found.closer == found.farther == 1


@pytest.mark.parametrize(("fresh", "generated"), [([], [1.0]), ([1.0], []), ([np.nan], [1.0]), ([[1.0]], [1.0])])
def test_bad_distances_are_refused(fresh: list[float], generated: list[float]) -> None:
    with pytest.raises(InputError):
        rank_test(fresh, generated)
