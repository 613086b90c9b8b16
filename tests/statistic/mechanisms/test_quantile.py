"""Quantiles by the exponential mechanism."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.statistic import Quantile

BOUNDS = (0.0, 10.0)


def test_law_sums_to_one_and_is_followed() -> None:
    """5 000 draws against the law: χ² at a false-alarm rate of 1e-9."""
    from scipy import stats

    data = np.array([1.0, 2.0, 2.0, 7.0, 9.0])
    one = Quantile(epsilon=2.0, bounds=BOUNDS, q=0.5, points=10)
    law = np.exp(one.log_prob(one.candidates, data))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    drawn = one.sample(data, 5000, np.random.default_rng(0))
    seen = np.array([(np.abs(drawn - c) < 1e-9).sum() for c in one.candidates])
    assert seen.sum() == 5000
    assert stats.chisquare(seen, 5000 * law).pvalue > 1e-9


def test_joint_law_sums_to_one() -> None:
    data = np.array([1.0, 2.0, 2.0, 7.0, 9.0])
    several = Quantile(epsilon=2.0, bounds=BOUNDS, q=(0.2, 0.5, 0.7, 0.9), points=5)
    grid = several.candidates
    rows = np.array(np.meshgrid(*[grid] * 4, indexing="ij")).reshape(4, -1).T
    law = np.exp(several.log_prob(rows, data))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert (law[(np.diff(rows, axis=1) < 0).any(axis=1)] == 0).all()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    values=st.lists(st.integers(0, 10), min_size=1, max_size=6),
    new=st.integers(0, 10),
    q=st.sampled_from([0.1, 0.5, 0.77]),
    neighbours=st.sampled_from(["replace-one", "add-remove"]),
)
def test_promise_on_all_outputs(values: list[int], new: int, q: float, neighbours: Any) -> None:
    one = Quantile(epsilon=1.0, bounds=BOUNDS, q=q, points=10, neighbours=neighbours)
    x = np.array(values, float)
    y = np.append(x, float(new)) if neighbours == "add-remove" else np.append(x[1:], float(new))
    loss = one.log_prob(one.candidates, x) - one.log_prob(one.candidates, y)
    assert np.abs(loss).max() <= 1.0 + 1e-9


def test_finds_the_quantiles(rng: np.random.Generator) -> None:
    data = rng.normal(5, 1, 5000).clip(0, 10)
    several = Quantile(epsilon=5.0, bounds=BOUNDS, q=(0.1, 0.5, 0.9))
    assert several.release(data, rng=rng) == pytest.approx(several.answer(data), abs=0.1)
    assert Quantile(epsilon=5.0, bounds=BOUNDS).release(data, rng=rng) == pytest.approx(np.median(data), abs=0.1)


def test_ties_are_found_where_they_are() -> None:
    """Most records share one value: the score there is 0, and only there."""
    data = np.concatenate([np.full(900, 3.0), np.linspace(0, 10, 100)])
    drawn = Quantile(epsilon=1.0, bounds=BOUNDS, points=1000).sample(data, 50, np.random.default_rng(0))
    assert drawn.tolist() == [3.0] * 50


def test_outputs_off_the_grid_are_impossible() -> None:
    one = Quantile(epsilon=1.0, bounds=BOUNDS, points=10)
    assert one.log_prob([0.5, -1.0, 11.0], np.array([1.0])).tolist() == [-math.inf] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"q": 0.0},
        {"q": 1.0},
        {"q": ()},
        {"q": (0.5, 0.5)},
        {"q": (0.5, 0.2)},
        {"points": 0},
        {"points": 1.5},
        {"epsilon": -1.0},
        {"bounds": (1.0, 1.0)},
        {"outside": "no"},
        {"neighbours": "any-pair"},
    ],
)
def test_rejections(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Quantile(**{"epsilon": 1.0, "bounds": BOUNDS, **change})


@pytest.mark.parametrize("data", [[], [11.0], [math.nan], [[1.0]]])
def test_data_rejected(data: Any) -> None:
    with pytest.raises(InputError):
        Quantile(epsilon=1.0, bounds=BOUNDS).release(data)
