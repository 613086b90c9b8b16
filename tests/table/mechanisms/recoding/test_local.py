"""Local recoding: promises kept, labels that cover, less loss than one level a column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.table_strategies import classes_of, tables
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import KAnonymity
from sfumato.release import Terms
from sfumato.table import (
    GreedyKMember,
    Hierarchy,
    LDiversity,
    LocalRecoding,
    RecursiveDiversity,
    ReidentificationRisk,
    Schema,
    TCloseness,
    check,
    protect,
)
from sfumato.table.core.channel import coverage
from sfumato.table.core.summary import summarise
from sfumato.table.data import census_schema, make_census
from sfumato.table.mechanisms.recoding.local_recoding import local_partition
from sfumato.table.promise.inspection import reached
from sfumato.table.utilities.information_lost import InformationLost


@given(
    tables(rows=30),
    st.integers(1, 4),
    st.sampled_from(["hierarchy", "set", "interval"]),
    st.sampled_from(["specialise", "mondrian"]),
    st.integers(0, 2),
)
@settings(deadline=None, max_examples=120)
def test_classes_are_large_labels_cover_and_loss_is_right(case, k, publish, start, sweeps) -> None:
    table, schema = case
    if k > table.num_rows:
        return
    result = protect(table, schema, k=k, recoding="local", publish=publish, start=start, sweeps=sweeps)
    assert reached(result.data, schema, KAnonymity(k)) >= k
    for name, tree in schema.quasi.items():
        labels = result.data[name].to_pylist()
        channel = coverage(tree, list(dict.fromkeys(labels)), name)
        for raw, label in zip(table[name].take(result.key.rows).to_pylist(), labels, strict=True):
            assert channel.possible[tree.index[raw], channel.outputs.index(label)]
    measured = InformationLost(schema=schema).measure(table, result).value
    # a label may be read as the smallest thing it can mean, never as more
    assert measured == pytest.approx(result.decision.information_loss, abs=1e-9)


@given(tables(rows=30), st.integers(1, 3), st.sampled_from(["specialise", "mondrian"]))
@settings(deadline=None, max_examples=80)
def test_any_conjunction_is_kept(case, k, start) -> None:
    table, schema = case
    target = [
        KAnonymity(k),
        LDiversity(1.2, "secret", "entropy"),
        TCloseness(0.4, "secret"),
        TCloseness(0.5, "secret", "hierarchical"),
        RecursiveDiversity(5.0, 1, "secret"),
    ]
    mechanism = LocalRecoding(schema=schema, target=target, start=start)
    try:
        released = mechanism.release(table)
    except InputError:
        assert k > table.num_rows or len(set(table["secret"].to_pylist())) == 1
        return
    except InfeasibleError:
        whole, counts = table["secret"].value_counts().field("counts").to_numpy(), table.num_rows
        share = whole / counts
        assert -(share * np.log(share)).sum() < np.log(1.2)
        return
    for promise in mechanism.target:
        wanted = k if isinstance(promise, KAnonymity) else 1
        assert reached(released, schema, promise) >= wanted


@pytest.mark.parametrize("k", [3, 10])
def test_less_loss_than_one_level_and_than_greedy_k_member(k) -> None:
    table, schema = make_census(1500), census_schema(())
    local = protect(table, schema, k=k, recoding="local")
    first = protect(table, schema, k=k, recoding="local", sweeps=0)
    assert (
        local.decision.information_loss
        < first.decision.information_loss
        < protect(table, schema, k=k, suppression=0.04).decision.information_loss
    )
    greedy = GreedyKMember(schema=schema, k=k).release(table, rng=np.random.default_rng(0))
    assert reached(greedy, schema, KAnonymity(k)) >= k
    assert local.decision.information_loss < InformationLost(schema=schema).measure(table, greedy).value
    sets = protect(table, schema, k=k, recoding="local", publish="set")
    assert sets.decision.information_loss < local.decision.information_loss


def test_result_depends_on_the_table_alone() -> None:
    table, schema = make_census(800), census_schema(())
    order = np.random.default_rng(3).permutation(800)
    terms = Terms(keep_order=True)
    first = protect(table, schema, k=5, recoding="local", terms=terms).data
    second = protect(table.take(order), schema, k=5, recoding="local", terms=terms).data
    assert first.take(order).equals(second)


def test_columns_may_publish_differently(rng) -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10]), "town": Hierarchy.flat("abcd")})
    table = pa.table({"age": rng.integers(0, 100, 60), "town": rng.choice(list("abcd"), 60).tolist()})
    data = protect(table, schema, k=5, recoding="local", publish={"age": "interval", "town": "set"}).data
    assert any(label.startswith("[") for label in data["age"].to_pylist())
    assert all(label in "abcd" or label.startswith("{") for label in data["town"].to_pylist())
    with pytest.raises(InputError, match="quasi-identifiers"):
        protect(table, schema, k=5, recoding="local", publish={"shoe": "set"})
    with pytest.raises(InputError, match="publish"):
        protect(table, schema, k=5, recoding="local", publish="colour")


def test_large_domains_fit_in_sets(rng) -> None:
    schema = Schema(quasi={"zip": Hierarchy.flat([f"{i:04d}" for i in range(300)])})
    table = pa.table({"zip": [f"{i:04d}" for i in rng.integers(0, 300, 500)]})
    small, _ = summarise(table, schema)
    partition = local_partition(small, [KAnonymity(4)], publish="set")
    assert partition.sizes.min() >= 4
    data = protect(table, schema, k=4, recoding="local", publish="set").data
    assert min(map(len, classes_of(data, ["zip"]).values())) >= 4


def test_table_promises_with_local_recoding(rng) -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    table = pa.table({"age": rng.integers(0, 100, 60)})
    few = protect(table, schema, k=2, recoding="local", target=[ReidentificationRisk(0.05, "marketer")])
    assert check(few, schema).risk.marketer <= 0.05
    # larger classes only as far as needed
    assert few.decision.information_loss <= protect(table, schema, k=20, recoding="local").decision.information_loss
    with pytest.raises(InfeasibleError, match=r"as one class has k = 60, marketer risk 0\.0167"):
        protect(table, schema, k=2, recoding="local", target=[ReidentificationRisk(0.01, "marketer")])
    kept = protect(table, schema, recoding="local", target=[ReidentificationRisk(0.1, "prosecutor")])
    assert reached(kept.data, schema, KAnonymity(10)) >= 10
    everyone = pa.concat_tables([table, table, table])
    wide = protect(
        table, schema, recoding="local", target=[ReidentificationRisk(0.1, "journalist")], population=everyone
    )
    assert wide.decision.information_loss <= kept.decision.information_loss
