"""Count, sum, mean, variance and histogram: exact laws, sensitivities, clipping by name only, rejections."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import Assumption, PureDP
from sfumato.promise.sensitivity import global_sensitivity
from sfumato.statistic import Count, Histogram, Mean, Sum, Variance
from sfumato.statistic.mechanisms.totals import log_laplace_between

BOUNDS = (0.0, 4.0)


def test_law_of_the_noise_sums_to_one() -> None:
    n = np.arange(-300, 301)
    for scale in (0.3, 1.0, 7.0):
        law = np.exp(log_laplace_between(n, n, scale))
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        for low, high in ((-5, 3), (2, 9), (-9, -2), (0, 0), (-1, 0)):
            inside = law[(n >= low) & (n <= high)].sum()
            assert np.exp(log_laplace_between(low, high, scale)) == pytest.approx(inside, rel=1e-12)
    assert log_laplace_between(1, 0, 1.0) == -math.inf
    assert log_laplace_between(0.5, 0.5, 1.0) == -math.inf


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("make", [Sum, Mean, Variance, Histogram, Count])
def test_sensitivity_of_the_totals_by_brute_force(make: Any, neighbours: Any) -> None:
    """Σ |change of a total|/b ≤ ε over all neighbours on a tiny domain, and it is reached (tight)."""
    more: dict[str, Any] = {"bounds": BOUNDS}
    if make is Histogram:
        more = {"edges": (0, 1, 3, 4)}
    if make is Count:
        more = {"within": (1, 3)}
    mechanism = make(epsilon=0.7, neighbours=neighbours, **more)

    def scaled(data: tuple[float, ...]) -> Any:
        totals, size = mechanism.totals(np.array(data, float))
        return totals / mechanism.scales(size)

    least = 0 if neighbours == "add-remove" else 2
    worst = global_sensitivity(scaled, [0.0, 1.0, 2.0, 4.0], 3, neighbours=neighbours, least=least)
    assert worst <= 0.7 * (1 + 1e-12)
    assert worst >= 0.7 * (1 - (1e-6 if make is not Variance else 0.4))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("make", [Sum, Mean, Variance])
def test_answers_are_near_the_truth(make: Any, neighbours: Any, rng: np.random.Generator) -> None:
    data = rng.uniform(0, 4, 500)
    mechanism = make(epsilon=1e4, bounds=BOUNDS, neighbours=neighbours)
    released = mechanism.release(data, rng=rng)
    assert type(released) is float
    assert released == pytest.approx(mechanism.answer(data), rel=1e-3)


def test_variance_is_exact_before_noise() -> None:
    data = np.array([0.0, 1.0, 2.5, 4.0])
    totals, n = Variance(epsilon=1.0, bounds=BOUNDS).totals(data)
    assert totals[0] / 2**36 * 16 == pytest.approx(np.var(data, ddof=1), rel=1e-8)
    assert n == 4


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("make", [Sum, Mean])
def test_law_and_releases_agree(make: Any, neighbours: Any) -> None:
    """E_p[q/p on an event] = Pr_q[event]: 20 000 draws, six standard errors (a false alarm in 5·10⁸)."""
    mechanism = make(epsilon=0.8, bounds=BOUNDS, neighbours=neighbours)
    x, y = np.array([0.0, 1.0, 3.0]), np.array([4.0, 1.0, 3.0])
    if neighbours == "add-remove":
        y = x[1:]
    drawn = mechanism.sample(x, 20_000, np.random.default_rng(0))
    other = mechanism.sample(y, 20_000, np.random.default_rng(1))
    event = float(np.median(drawn))
    ratio = np.exp(mechanism.log_prob(drawn, y) - mechanism.log_prob(drawn, x)) * (drawn > event)
    share = (other > event).astype(float)
    spread = math.sqrt((ratio.var() + share.var()) / 20_000)
    assert abs(ratio.mean() - share.mean()) < 6 * spread


def test_law_of_the_mean_with_private_count_sums_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a grid of 8 steps all outputs can be listed."""
    import sfumato.statistic.mechanisms.mean as mean_module
    from sfumato.statistic.mechanisms.mean import _log_ratio_law

    index = np.arange(-4000.0, 4001.0)
    for total, count in ((3.0, 2), (-5.0, 0), (11.0, 6)):
        assert np.exp(_log_ratio_law(index, total, count, 4.0, 2.0)).sum() == pytest.approx(1.0, abs=1e-6)
    assert mean_module.GRID_BITS == 30


def test_histogram_counts_and_neighbours() -> None:
    replaced = Histogram(epsilon=1.0, edges=(0, 10, 20, 30))
    added = replaced.replace(neighbours="add-remove")
    data = [0, 9.99, 10, 20, 30]
    assert replaced.answer(data).tolist() == [2, 1, 2]
    assert (replaced.sensitivity, added.sensitivity) == (2, 1)
    assert replaced.release(data, rng=np.random.default_rng(0)).dtype == np.int64
    assert added.release([], rng=np.random.default_rng(0)).shape == (3,)


def test_histogram_of_categories() -> None:
    votes = Histogram(epsilon=1.0, categories=["yes", "no", "maybe"])
    assert votes.answer(np.array(["no", "yes", "no"])).tolist() == [1, 2, 0]
    with pytest.raises(InputError, match="public categories"):
        votes.answer(["yes", "perhaps"])


def test_clipping_is_asked_for() -> None:
    data = np.array([1.0, 9.0])
    with pytest.raises(InputError, match="outside='clip'"):
        Mean(epsilon=1.0, bounds=BOUNDS).release(data)
    assert Mean(epsilon=1.0, bounds=BOUNDS, outside="clip").answer(data) == 2.5
    assert Histogram(epsilon=1.0, edges=(0, 2, 4), outside="clip").answer(data).tolist() == [1, 1]


def test_a_private_count_may_be_zero() -> None:
    for make in (Sum, Mean, Variance):
        mechanism = make(epsilon=1.0, bounds=BOUNDS, neighbours="add-remove")
        assert math.isfinite(mechanism.release(np.zeros(0), rng=np.random.default_rng(0)))


def test_mean_pays_for_a_private_count() -> None:
    """The same ε buys a noisier mean where n is private."""
    data = np.full(400, 4.0)
    spread = [
        Mean(epsilon=1.0, bounds=BOUNDS, neighbours=neighbours).sample(data, 4000, np.random.default_rng(0)).std()
        for neighbours in ("replace-one", "add-remove")
    ]
    assert spread[1] > 1.2 * spread[0]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(values=st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=30), data=st.data())
def test_order_of_the_records_does_not_matter(values: list[float], data: st.DataObject) -> None:
    """Floating-point sums depend on the order (Casacuberta et al. 2022); sums on the grid do not."""
    shuffled = data.draw(st.permutations(values))
    for make in (Sum, Mean, Variance):
        if make is Variance and len(values) < 2:
            continue
        mechanism = make(epsilon=1.0, bounds=(-5, 5))
        assert mechanism.totals(np.array(values))[0].tolist() == mechanism.totals(np.array(shuffled))[0].tolist()


def test_margin_covers_as_promised() -> None:
    """95 % of 20 000 intervals hold the truth; below 94 % has probability < 1e-9."""
    data = np.linspace(0, 4, 50)
    for mechanism in (
        Mean(epsilon=0.5, bounds=BOUNDS),
        Sum(epsilon=0.5, bounds=BOUNDS),
        Variance(epsilon=0.5, bounds=BOUNDS),
        Count(epsilon=0.5, within=(1, 3)),
    ):
        drawn = mechanism.sample(data, 20_000, np.random.default_rng(0))
        inside = np.abs(drawn - mechanism.answer(data)) <= mechanism.margin(data, 0.95) + 1e-6
        assert 0.94 < inside.mean() < 0.97
    with pytest.raises(InputError, match="replace-one"):
        Mean(epsilon=1.0, bounds=BOUNDS, neighbours="add-remove").margin(data)


def test_frames_series_and_columns() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    values = [1.0, 2.0, 3.5]
    by_name = Mean(epsilon=1.0, bounds=BOUNDS, column="x")
    wanted = by_name.release(np.array(values), rng=np.random.default_rng(0))
    for frame in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values}), pa.table({"x": values})):
        assert by_name.release(frame, rng=np.random.default_rng(0)) == wanted
    for series in (pd.Series(values), pl.Series(values), pa.chunked_array([values]), values):
        assert by_name.release(series, rng=np.random.default_rng(0)) == wanted
    with pytest.raises(InputError, match="name of a column"):
        Mean(epsilon=1.0, bounds=BOUNDS).release(pd.DataFrame({"x": values}))
    with pytest.raises(InputError, match="no column"):
        by_name.release(pd.DataFrame({"y": values}))


def test_guarantee_carries_its_scope() -> None:
    mechanism = Sum(epsilon=0.5, bounds=BOUNDS, neighbours="add-remove", unit="household")
    promise = PureDP(0.5, unit="household", neighbours="add-remove")
    assert mechanism.guarantee == promise.assuming(Assumption("bounds"))
    assert mechanism.parts.guarantee == mechanism.guarantee


@pytest.mark.parametrize("make", [Sum, Mean, Variance])
@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0.0},
        {"epsilon": math.inf},
        {"bounds": (4.0, 0.0)},
        {"bounds": (0.0, 0.0)},
        {"bounds": (0.0, math.nan)},
        {"bounds": 4.0},
        {"outside": "drop"},
        {"neighbours": "any-pair"},
        {"column": 3},
    ],
)
def test_parameters_rejected(make: Any, change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        make(**{"epsilon": 1.0, "bounds": BOUNDS, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"edges": (1,)},
        {"edges": (1, 1)},
        {"edges": (2, 1)},
        {"categories": []},
        {"categories": ["a", "a"]},
        {"categories": "ab"},
        {},
        {"edges": (1, 2), "categories": ["a"]},
        {"edges": (0, math.nan)},
    ],
)
def test_histogram_parameters_rejected(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Histogram(epsilon=1.0, **change)


@pytest.mark.parametrize("make", [Sum, Mean, Variance])
@pytest.mark.parametrize(
    "data", [[], [math.nan], [math.inf], [-0.1], [4.1], [[1.0]], ["a"], [True], [None], [[1.0], [1.0, 2.0]]]
)
def test_data_rejected(make: Any, data: Any) -> None:
    with pytest.raises(InputError):
        make(epsilon=1.0, bounds=BOUNDS).release(data)


def test_variance_of_one_record_rejected() -> None:
    with pytest.raises(InputError, match="at least 2"):
        Variance(epsilon=1.0, bounds=BOUNDS).release([1.0])


def test_count_rejects_numbers_without_bounds() -> None:
    with pytest.raises(InputError, match="within"):
        Count(epsilon=1.0).release([1.0])
    with pytest.raises(InputError):
        Count(epsilon=1.0, within=(3, 1))
    with pytest.raises(InputError):
        Mean(epsilon=1.0, bounds=BOUNDS, neighbours="add-remove", count_share=1.0)
