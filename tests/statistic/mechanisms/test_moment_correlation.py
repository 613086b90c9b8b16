"""Correlation from noisy moments: the sensitivity by brute force, the moments, the error said beforehand, refusals."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.statistic import MomentCorrelation, PrivateCorrelation
from sfumato.statistic.examples import audit_cases


def private(epsilon: float = 1.0) -> MomentCorrelation:
    return MomentCorrelation(epsilon=epsilon, delta=1e-5, bounds_x=(0.0, 1.0), bounds_y=(-2.0, 2.0))


def made_up(rng: Any, size: int, deviation: float, r: float, middle: float = 0.5) -> Any:
    x = rng.normal(0, 1, size)
    y = r * x + np.sqrt(1 - r * r) * rng.normal(0, 1, size)
    return np.clip(np.stack([x, y], axis=1) * deviation + middle, 0, 1) * [1, 4] + [0, -2]


def test_one_record_moves_the_moments_by_at_most_the_sensitivity() -> None:
    """All pairs of places on a grid; the bound is nearly reached by two neighbouring corners."""
    mechanism = private()
    places = list(itertools.product(np.linspace(0, 1, 7), np.linspace(-2, 2, 7)))
    rest = [[0.3, 1.0], [0.9, -2.0]]
    told = {place: np.array(mechanism.moments(np.array([place, *rest]))[0], float) for place in places}
    moved = [np.linalg.norm(told[a] - told[b]) for a, b in itertools.combinations(places, 2)]
    bound = (1 + 9 / 64) / np.sqrt(2) * 2.0**38
    assert max(moved) <= bound + 2
    assert max(moved) >= 0.98 * bound


def test_without_noise_the_correlation_is_exact() -> None:
    for seed in range(5):
        rows = made_up(seeded_rng(seed), 400, 0.2, 0.7)
        mechanism = private(epsilon=1e4)
        totals, size = mechanism.moments(rows)
        expected = np.corrcoef(rows.T)[0, 1]
        assert float(mechanism.read(totals, size)) == pytest.approx(expected, abs=1e-4)
        assert mechanism.answer(rows) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("deviation", "r"), [(1 / 6, 0.9), (1 / 6, 0.0), (1 / 12, -0.6), (0.25, 0.3)])
def test_error_is_what_was_said_beforehand(deviation: float, r: float) -> None:
    """σ/(n·s²) for |r| = 1, √½ of it for r = 0; 600 releases know their spread within 8 % but for 1 in 100."""
    mechanism = private()
    near = 0
    for seed in range(6):
        rows = made_up(seeded_rng(seed), 6000, deviation, r)
        told = mechanism.sample(rows, 600, seeded_rng(100 + seed)) - np.corrcoef(rows.T)[0, 1]
        ratio = np.sqrt((told**2).mean()) / mechanism.expected_error(6000, deviation)
        near += 0.62 < ratio < 1.15
    assert near >= 5


def test_it_is_nearer_than_dummies_and_unbiased() -> None:
    """The file whose correlation ten dummies a corner draw from .6 to .5, under noise of .4."""
    better = 0
    for seed in range(5):
        rows = made_up(seeded_rng(seed), 8000, 0.08, 0.6, middle=0.4)
        exact = np.corrcoef(rows.T)[0, 1]
        given: Any = {"epsilon": 1.0, "delta": 1e-5, "bounds_x": (0.0, 1.0), "bounds_y": (-2.0, 2.0)}
        told = MomentCorrelation(**given).sample(rows, 500, seeded_rng(seed))
        dummies = PrivateCorrelation(**given).sample(rows, 500, seeded_rng(seed))
        assert abs(told.mean() - exact) < 0.02  # seven standard errors
        better += np.std(told) < 0.25 * np.std(dummies)
    assert better == 5


def test_columns_without_spread_say_nothing_and_stay_within_bounds() -> None:
    told = private().sample(np.full((50, 2), 0.5), 400, seeded_rng(1))
    assert np.isfinite(told).all()
    assert np.abs(told).max() <= 1
    assert abs(told.mean()) < 0.2
    assert private().answer(np.full((3, 2), 0.5)) == 0


def test_sums_of_many_records_do_not_overflow() -> None:
    rows = np.tile([[0.0, -2.0], [1.0, 2.0]], (1_600_000, 1))
    totals, size = private().moments(rows)
    assert size == 3_200_000
    assert totals[2] == size << 36  # every u² is ¼
    assert totals[4] == pytest.approx(np.sqrt(2) * (size << 36), rel=1e-12)
    assert private().release(rows, rng=seeded_rng(0)) > 0.999


@pytest.mark.parametrize(
    "given",
    [{"epsilon": 0.0}, {"delta": 0.0}, {"delta": 1.0}, {"bounds_x": (1.0, 1.0)}, {"bounds_y": (0.0, np.nan)}],
)
def test_refused(given: dict[str, Any]) -> None:
    known: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "bounds_x": (0.0, 1.0), "bounds_y": (0.0, 1.0)}
    with pytest.raises(InputError):
        MomentCorrelation(**known | given)


def test_expected_error_needs_public_things_only() -> None:
    mechanism = private()
    assert mechanism.expected_error(1000, 0.2) == pytest.approx(mechanism.scale / 40)
    assert mechanism.expected_error(10, 0.1) == 1.0
    for size, deviation in ((0, 0.2), (100, 0.0)):
        with pytest.raises(InputError):
            mechanism.expected_error(size, deviation)


def test_less_noise_is_caught() -> None:
    """Four fifths of the noise breaks the promise, and the audit case of the moments sees it."""

    class Quieter(MomentCorrelation):
        @property
        def _sigma(self) -> float:  # type: ignore[override]
            return 0.8 * MomentCorrelation(**asked)._sigma

    (case,) = [case for case in audit_cases() if case.name == "MomentCorrelation: noisy moments"]
    asked: dict[str, Any] = case.mechanism.query.get_params()
    parts = Quieter(**asked).parts
    assert audit(replace(case, mechanism=parts, sampler=parts.sample)).verdict == "broken"
    assert audit(case).verdict == "holds"
