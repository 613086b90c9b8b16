"""Micro-aggregation, anatomy, swapping, noise, sampling, suppression, utilities [P4, P5, P7, S5]."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InfeasibleError, InputError
from sfumato.mechanism.clusters import group_means, k_member_groups, mdav_groups
from sfumato.promise import KAnonymity
from sfumato.table import (
    Anatomy,
    CorrelatedNoise,
    Hierarchy,
    IndependentNoise,
    Lineage,
    Microaggregation,
    RecordSampling,
    RecordSuppression,
    Schema,
    Swapping,
    check,
    protect,
)
from sfumato.table.data import census_schema, make_census
from sfumato.table.promise.inspection import reached
from sfumato.table.utilities.correlations import Correlations
from sfumato.table.utilities.discernibility_cost import DiscernibilityCost
from sfumato.table.utilities.f_ratio import FRatio
from sfumato.table.utilities.information_lost import InformationLost
from sfumato.table.utilities.marginals import Marginals
from sfumato.table.utilities.range_queries import RangeQueries

NUMBERS = Schema(
    quasi={"age": Hierarchy.intervals(0, 99, [10]), "size": Hierarchy.intervals(100, 220, [10])}, sensitive=["s"]
)


def _numbers(rng, count: int = 200) -> pa.Table:
    age = rng.integers(0, 100, count)
    size = 140 + age // 2 + rng.integers(0, 20, count)
    return pa.table({"age": age, "size": size, "s": rng.choice(list("ab"), count).tolist()})


@pytest.mark.parametrize("grouping", ["mdav", "k-member"])
def test_microaggregation_keeps_means_and_k(rng, grouping) -> None:
    table = _numbers(rng)
    released = Microaggregation(schema=NUMBERS, k=4, grouping=grouping).release(table, rng=rng)
    assert reached(released, NUMBERS, KAnonymity(4)) >= 4
    for name in ("age", "size"):
        assert released[name].to_numpy().mean() == pytest.approx(table[name].to_numpy().mean(), rel=1e-12)
    assert released["s"].equals(table["s"])


def test_mdav_group_sizes(rng) -> None:
    rows = rng.normal(size=(103, 3))
    sizes = np.bincount(mdav_groups(rows, 5))
    assert sizes.min() >= 5
    assert sizes.max() <= 9
    near = ((rows - group_means(rows, mdav_groups(rows, 5))) ** 2).sum()
    assert near < ((rows - rows.mean(0)) ** 2).sum() / 2
    assert np.bincount(k_member_groups(rows, 5, rng=rng)).min() >= 5
    for wrong in ((rows, 0), (rows, 104), ([[np.nan]], 1)):
        with pytest.raises(InputError):
            mdav_groups(*wrong)


def test_anatomy(rng) -> None:
    table = _numbers(rng, 60).set_column(2, "s", pa.array(rng.permutation(60) % 4).cast(pa.string()))
    release = Anatomy(schema=NUMBERS, column="s", l=3).release(table, rng=rng)
    assert "s" not in release.records.column_names
    groups: dict[int, list[int]] = {}
    for row in release.values.to_pylist():
        groups.setdefault(row["group"], []).append(row["count"])
    assert all(len(counts) >= 3 and max(counts) * 3 <= sum(counts) for counts in groups.values())
    sizes = np.bincount(release.records["group"].to_numpy())
    assert sizes.tolist() == [sum(groups[g]) for g in range(len(sizes))]
    with pytest.raises(InfeasibleError, match="at most l = "):
        Anatomy(schema=NUMBERS, column="s", l=3).release(_numbers(rng))
    with pytest.raises(InputError, match="sensitive"):
        Anatomy(schema=NUMBERS, column="age", l=2)


def test_swapping_keeps_marginals_and_joint_values(rng) -> None:
    table = _numbers(rng)
    released = Swapping(schema=NUMBERS, columns=["age", "size"], rate=0.5).release(table, rng=rng)
    assert sorted(released["age"].to_pylist()) == sorted(table["age"].to_pylist())
    pairs = lambda t: sorted(zip(t["age"].to_pylist(), t["size"].to_pylist(), strict=True))  # noqa: E731
    assert pairs(released) == pairs(table)
    moved = (released["age"].to_numpy() != table["age"].to_numpy()).mean()
    assert 0.3 < moved <= 0.5


def test_noise_keeps_moments(rng) -> None:
    """Bounds of 5 standard errors on 20 000 rows: false alarm below 1e-5."""
    table = _numbers(rng, 20_000)
    rows = np.stack([table[n].to_numpy() for n in ("age", "size")], axis=1)
    for mechanism, growth in (
        (IndependentNoise(schema=NUMBERS, columns=["age", "size"], share=0.5), 1.25),
        (CorrelatedNoise(schema=NUMBERS, columns=["age", "size"], c=0.25), 1.25),
    ):
        released = mechanism.release(table, rng=rng)
        new = np.stack([released[n].to_numpy() for n in ("age", "size")], axis=1)
        assert np.abs(new.mean(0) - rows.mean(0)).max() < 5 * rows.std(0).max() / np.sqrt(20_000)
        assert new.var(0) / rows.var(0) == pytest.approx([growth] * 2, rel=0.05)
        correlation = [np.corrcoef(x, rowvar=False)[0, 1] for x in (rows, new)]
        if isinstance(mechanism, CorrelatedNoise):
            assert correlation[1] == pytest.approx(correlation[0], abs=0.02)
        else:
            assert correlation[1] < correlation[0] - 0.05


def test_sampling_and_suppression(rng) -> None:
    table = _numbers(rng, 500)
    kept = RecordSampling(schema=NUMBERS, rate=0.3).release(Lineage(table, np.arange(500)), rng=rng)
    assert kept.data.equals(table.take(kept.rows))
    # binomial(500, 0.3): 6 standard deviations
    assert abs(len(kept.rows) - 150) < 62
    coarse = protect(table, NUMBERS, k=1)
    small = RecordSuppression(schema=NUMBERS, k=2)
    with pytest.raises(InfeasibleError, match="generalise first"):
        RecordSuppression(schema=NUMBERS, k=400).release(coarse.data)
    released = small.release(coarse.data)
    assert check(released, NUMBERS).k >= 2


def test_utilities_are_perfect_on_raw_and_fall(rng) -> None:
    table, schema = make_census(1500), census_schema()
    weak, strong = (protect(table, schema, k=k, recoding="local") for k in (3, 50))
    for utility in (
        InformationLost(schema=schema),
        Marginals(schema=schema),
        Correlations(schema=schema),
        RangeQueries(schema=schema, queries=60),
        DiscernibilityCost(schema=schema),
    ):
        raw, low, high = (
            utility.measure(table, release, rng=np.random.default_rng(0)).value for release in (table, weak, strong)
        )
        assert raw == pytest.approx(utility.measure(table, table, rng=np.random.default_rng(0)).reference)
        assert raw < low < high
    ratio = FRatio(schema=schema, column="income", positive="high")
    assert ratio.measure(table, table, rng=np.random.default_rng(0)).value == 1.0
    assert 0 < ratio.measure(table, strong, rng=np.random.default_rng(0)).value < 1.2


def test_f_ratio_refuses(rng) -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("a")}, sensitive=["s"])
    table = pa.table({"q": ["a"] * 50, "s": ["x"] * 40 + ["y"] * 10})
    with pytest.raises(InputError, match="F = 0 on the raw data"):
        FRatio(schema=schema, column="s", positive="y").measure(table, table, rng=rng)
    with pytest.raises(InputError, match="positive"):
        FRatio(schema=schema, column="s", positive="z").measure(table, table, rng=rng)
    with pytest.raises(InputError, match="learner"):
        FRatio(schema=schema, column="s", positive="y", learner="oracle")


def test_anatomy_hides_one_column_only() -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness", "income"])
    with pytest.raises(InputError, match="none but illness"):
        Anatomy(schema=schema, column="illness", l=2)
