"""Private correlation: the bound by brute force, its smoothness, what dummies cost, error, refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.statistic import PrivateCorrelation


def private(epsilon: float = 1.0, corners: int = 1) -> PrivateCorrelation:
    return PrivateCorrelation(epsilon=epsilon, delta=1e-5, bounds_x=(0.0, 1.0), bounds_y=(-2.0, 2.0), corners=corners)


def made_up(rng: Any, size: int) -> Any:
    kind = rng.integers(3)
    x = rng.random(size) if kind == 0 else rng.integers(0, 2, size).astype(float) if kind == 1 else np.full(size, 0.5)
    y = np.clip(4 * x - 2 + rng.normal(0, rng.choice([0.0, 0.3, 3.0]), size), -2, 2)
    return np.stack([x, y], axis=1)


def test_exact_answer_is_pearsons_with_the_corners() -> None:
    rows = made_up(seeded_rng(3), 50)
    corners = np.array(list(itertools.product((0.0, 1.0), (-2.0, 2.0))))
    expected = np.corrcoef(np.concatenate([rows, corners, corners]).T)[0, 1]
    assert private(corners=2).answer(rows) == pytest.approx(expected, abs=1e-5)  # values are rounded to 2⁻²⁰


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize("corners", [1, 3])
def test_bound_by_brute_force(size: int, corners: int) -> None:
    """One record replaced by any of a grid: the correlation moves by at most S, and ln S by at most β."""
    mechanism, rng = private(corners=corners), seeded_rng(size)
    places = list(itertools.product(np.linspace(0, 1, 5), np.linspace(-2, 2, 5)))
    for _ in range(12):
        rows = made_up(rng, size)
        here, bound = mechanism.answer(rows), mechanism.smooth_bound(rows)
        for record in {0, size - 1}:
            for place in places:
                other = rows.copy()
                other[record] = place
                assert abs(mechanism.answer(other) - here) <= bound
                assert abs(math.log(mechanism.smooth_bound(other) / bound)) <= mechanism.noise.beta + 1e-9


def test_moments_move_by_less_than_one() -> None:
    """The lemma under the bound: replacing a record moves X, Y and C by less than 1."""
    mechanism, rng = private(), seeded_rng(9)
    for _ in range(200):
        rows = made_up(rng, int(rng.integers(1, 12)))
        other = rows.copy()
        other[0] = [rng.integers(0, 2), rng.choice([-2.0, 2.0])]
        moved = np.subtract(mechanism._spreads(rows), mechanism._spreads(other))
        assert np.abs(moved).max() < 1
        assert min(mechanism._spreads(rows)[:2]) >= 1  # the corners' own


def test_noise_falls_with_the_number_of_records() -> None:
    mechanism, rng = private(), seeded_rng(2)
    sizes = (1_000, 10_000, 100_000)
    rows = {n: np.stack([x := rng.random(n), np.clip(2 * x - 1 + rng.normal(0, 1, n), -2, 2)], axis=1) for n in sizes}
    scales = [mechanism.noise_scale(rows[n]) for n in sizes]
    assert scales[2] < 0.01
    assert scales[1] / scales[2] == pytest.approx(10, rel=0.35)
    drawn = mechanism.sample(rows[100_000], 2000, seeded_rng(1))
    assert drawn.std() == pytest.approx(scales[2], rel=0.1)
    assert drawn.mean() == pytest.approx(np.corrcoef(rows[100_000].T)[0, 1], abs=0.005)
    assert scales[0] > 0.1  # of a thousand records at ε = 1 little is left


@pytest.mark.parametrize("data", [np.zeros((0, 2)), np.zeros(3), [[0.5, 3.0]], [[0.5, math.nan]], [[0.1, 0.2, 0.3]]])
def test_refused(data: Any) -> None:
    with pytest.raises(InputError):
        private().release(data)
    with pytest.raises(InputError):
        PrivateCorrelation(epsilon=1.0, delta=1e-5, bounds_x=(1.0, 1.0), bounds_y=(0.0, 1.0))
    with pytest.raises(InputError):
        private(corners=0)


@pytest.mark.parametrize(("size", "deviation"), [(2000, 0.25), (8000, 0.08), (400, 0.2)])
def test_error_is_what_was_said_beforehand(size: int, deviation: float) -> None:
    """Noise and pull follow from n, the dummies and the spread: within a quarter for r near 1."""
    for seed in range(5):
        x = seeded_rng(seed).normal(0.5, deviation, size).clip(0, 1)
        rows = np.stack([x, 4 * x - 2], axis=1)
        mechanism = private(corners=10)
        spread = float(x.std())
        error = math.hypot(mechanism.noise_scale(rows), 1 - mechanism.answer(rows))
        assert mechanism.expected_error(size, spread) == pytest.approx(error, rel=0.25)
