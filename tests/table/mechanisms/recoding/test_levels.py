"""Optimal full-domain generalisation: the exact optimum, by exhaustive check."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.table_strategies import best_node, brute_force, frequencies, tables
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import KAnonymity
from sfumato.release import Terms
from sfumato.table import (
    AverageClassSize,
    ClassificationPenalty,
    DeltaPresence,
    Discernibility,
    GeneralisedInformationLoss,
    GlobalRecoding,
    Hierarchy,
    LDiversity,
    NonUniformEntropy,
    ReidentificationRisk,
    Schema,
    TCloseness,
    check,
    protect,
)
from sfumato.table.core.classes import Classes
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.levels import optimal_levels
from sfumato.table.promise.inspection import reached


def _keeps(k: int, kinds: int, t: float, domain: list[str]):
    def keeps(secrets, whole) -> bool:
        if len(secrets) < k or len(set(secrets)) < kinds:
            return False
        far = 0.5 * np.abs(frequencies(secrets, domain) - frequencies(whole, domain)).sum()
        return far <= t + 1e-12

    return keeps


@given(
    tables(),
    st.integers(1, 4),
    st.integers(1, 2),
    st.sampled_from([0.25, 0.5, 1.0]),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_same_optimum_as_exhaustive_search(case, k, kinds, t, suppression, stars) -> None:
    """Monotone (k), hereditary (distinct l) and non-monotone (t with suppression) targets, stars and drops."""
    table, schema = case
    domain = list(schema.secrets["secret"].leaves)
    small, _ = summarise(table, schema)
    limit = math.floor(suppression * table.num_rows)
    admissible = brute_force(table, schema, _keeps(k, kinds, t, domain), limit, stars)
    target = [KAnonymity(k), LDiversity(kinds, "secret"), TCloseness(t, "secret")]
    if k > table.num_rows or kinds > len(set(table["secret"].to_pylist())):
        with pytest.raises(InputError):
            optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
        return
    if not admissible:
        with pytest.raises(InfeasibleError, match="as one class"):
            optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
        return
    best = optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.proved
    assert best.levels == best_node(admissible)


@given(tables(), st.integers(1, 3), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=60)
def test_class_losses_are_optimal_too(case, k, suppression) -> None:
    import itertools

    table, schema = case
    small, _ = summarise(table, schema)
    if k > table.num_rows:
        return
    limit = math.floor(suppression * table.num_rows)
    selection = ClassSelection(small, [KAnonymity(k)], limit, True)
    for loss in (Discernibility(), AverageClassSize(), ClassificationPenalty("secret")):
        values = []
        for levels in itertools.product(*(range(tree.height) for tree in small.hierarchies)):
            classes = Classes.at_levels(small, levels)
            kept = selection(classes.member, classes.number)
            if kept is not None:
                values.append(loss.of(classes, kept))
        if values:
            found = optimal_levels(small, [KAnonymity(k)], limit=limit, measure=loss)
            assert found.information_loss == pytest.approx(min(values))


@given(tables(), st.integers(1, 3), st.sampled_from([0.0, 0.3]))
@settings(deadline=None, max_examples=60)
def test_release_keeps_its_promise_and_its_rows(case, k, suppression) -> None:
    table, schema = case
    if k > table.num_rows:
        return
    for suppressed in ("star", "drop"):
        result = protect(table, schema, k=k, suppression=suppression, suppressed=suppressed)
        if result.data.num_rows:
            assert reached(result.data, schema, KAnonymity(k)) >= k
        assert result.data["secret"].to_pylist() == table["secret"].take(result.key.rows).to_pylist()
        assert (result.data.num_rows == table.num_rows) == (suppressed == "star" or result.decision.suppressed == 0)


def _people(rng, count: int = 200) -> tuple[pa.Table, Schema]:
    schema = Schema(
        quasi={"age": Hierarchy.intervals(0, 99, [5, 20]), "town": Hierarchy.flat("abcd")},
        sensitive={"ill": Hierarchy([["u", "x", "*"], ["v", "x", "*"], ["w", "y", "*"]])},
    )
    data = {"age": rng.integers(20, 90, count), "town": rng.choice(list("abcd"), count).tolist()}
    return pa.table(data | {"ill": rng.choice(list("uvw"), count).tolist()}), schema


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("suppressed", ["star", "drop"])
def test_t_asked_for_is_t_met(rng, distance, suppressed) -> None:
    table, schema = _people(rng)
    promise = TCloseness(0.25, "ill", distance)
    result = protect(table, schema, k=4, target=[promise], suppression=0.4, suppressed=suppressed)
    assert reached(result.data, schema, promise) == 1
    assert reached(result.data, schema, KAnonymity(4)) >= 4
    assert result.guarantee.statement.startswith("k = 4 and t = 0.25")


def test_other_losses_and_weights(rng) -> None:
    table, schema = _people(rng)
    light = protect(table, schema, k=3, suppression=0.1, information_loss=GeneralisedInformationLoss({"age": 0.01}))
    heavy = protect(table, schema, k=3, suppression=0.1, information_loss=GeneralisedInformationLoss({"age": 100.0}))
    assert light.decision.levels["age"] >= heavy.decision.levels["age"]
    assert 0 < protect(table, schema, k=3, information_loss=NonUniformEntropy()).decision.information_loss <= 1
    assert (
        protect(table, schema, k=3, information_loss="entropy").decision.levels
        == protect(table, schema, k=3, information_loss=NonUniformEntropy()).decision.levels
    )
    with pytest.raises(InputError, match="loss"):
        protect(table, schema, k=3, information_loss="beauty")
    with pytest.raises(InputError, match="weights"):
        protect(table, schema, k=3, information_loss=GeneralisedInformationLoss({"shoe": 1.0}))


def test_population_targets(rng) -> None:
    table, schema = _people(rng)
    sample = table.slice(0, 60)
    target = [ReidentificationRisk(0.2, "journalist"), DeltaPresence(0.0, 0.6)]
    result = protect(sample, schema, target=target, population=table, suppression=0.2, suppressed="drop")
    alone = protect(sample, schema, k=5, suppression=0.2, suppressed="drop")
    # hiding in the population is easier than in the sample
    assert result.decision.information_loss <= alone.decision.information_loss + 1e-12
    marketer = protect(sample, schema, target=[ReidentificationRisk(0.3, "marketer")])
    assert check(marketer, schema).risk.marketer <= 0.3
    with pytest.raises(InputError, match="population"):
        protect(sample, schema, target=[DeltaPresence(0.1, 0.5)])


def _eighths(rng, columns: int, count: int) -> tuple[pa.Table, Schema]:
    quasi = {
        f"q{j}": Hierarchy([[v, f"pair {v // 2}", f"half {v // 4}", "*"] for v in range(8)]) for j in range(columns)
    }
    return pa.table({name: rng.binomial(7, 0.3, count) for name in quasi}), Schema(quasi=quasi)


def test_a_search_that_is_cut_short_says_how_much_better_another_node_could_be(rng) -> None:
    table, schema = _eighths(rng, 4, 400)
    target = [KAnonymity(3)]
    best = GlobalRecoding(schema=schema, target=target, suppression=0.5).decide(summarise(table, schema)[0])
    assert best.gap == 0
    assert best.proved
    assert best.evaluated <= best.nodes == 256
    for settings_ in ({"seconds": 1e-9}, {"tolerance": 0.2}):
        mechanism = GlobalRecoding(schema=schema, target=target, suppression=0.5, **settings_)
        some = mechanism.decide(summarise(table, schema)[0])
        assert some.information_loss >= best.information_loss
        # the promise of a gap: no node is better by more
        assert best.information_loss >= some.information_loss * (1 - some.gap) - 1e-12
        assert "tolerance" not in settings_ or some.gap <= settings_["tolerance"]
    cut = GlobalRecoding(schema=schema, target=target, suppression=0.5, seconds=1e-9)
    assert 0 < cut.decide(summarise(table, schema)[0]).gap <= 1
    for wrong in ({"tolerance": 1.0}, {"tolerance": -0.1}, {"seconds": 0.0}):
        with pytest.raises(InputError):
            GlobalRecoding(schema=schema, target=target, **wrong)


@pytest.mark.parametrize("room", [0, 1 << 28])
def test_counting_cells_and_grouping_find_the_same(rng, room) -> None:
    """With no memory for groups, cells are counted directly; optima, losses and gaps are the same."""
    table, schema = _eighths(rng, 5, 2000)
    small, _ = summarise(table, schema)
    for k, suppression in ((2, 0.0), (3, 0.1), (5, 1.0)):
        mechanism = GlobalRecoding(schema=schema, target=[KAnonymity(k)], suppression=suppression)
        alone, kept = mechanism.decide(small), mechanism.decide(small, Lattice(small, memory=room, once=True))
        assert (alone.levels, alone.proved) == (kept.levels, kept.proved)
        assert alone.information_loss == pytest.approx(kept.information_loss, abs=1e-12)


@given(tables(), st.lists(st.tuples(st.integers(1, 4), st.sampled_from([0.3, 1.0]), st.integers(1, 2)), max_size=5))
@settings(deadline=None, max_examples=60)
def test_a_kept_lattice_decides_as_a_new_one(case, asked) -> None:
    """Whatever was decided before on the same table."""
    table, schema = case
    small, _ = summarise(table, schema)
    lattice = Lattice(small)
    for k, t, kinds in asked:
        if k > table.num_rows or kinds > len(set(table["secret"].to_pylist())):
            continue
        target = [KAnonymity(k), TCloseness(t, "secret"), LDiversity(kinds, "secret")]
        for suppression in (0.2, 1.0):
            mechanism = GlobalRecoding(schema=schema, target=target, suppression=suppression)
            try:
                alone = mechanism.decide(small)
            except InfeasibleError:
                with pytest.raises(InfeasibleError):
                    mechanism.decide(small, lattice)
                continue
            kept = mechanism.decide(small, lattice)
            assert (alone.levels, alone.information_loss) == (kept.levels, pytest.approx(kept.information_loss))
    with pytest.raises(InputError, match="another table"):
        GlobalRecoding(schema=schema, target=[KAnonymity(1)]).decide(summarise(table, schema)[0], lattice)


def test_fifteen_quasi_identifiers_and_forty_columns(rng) -> None:
    """More columns than fit one machine word, and a lattice of 14 million nodes."""
    count = 400
    quasi = {
        f"q{j}": Hierarchy([[str(v), f"<{v // 4 * 4 + 4}" if v // 4 else "low", "*"] for v in range(40)])
        for j in range(15)
    }
    data = {name: rng.binomial(39, 0.1, count) for name in quasi}
    more = {f"x{j}": rng.random(count) for j in range(25)}
    schema = Schema(quasi=quasi, insensitive=list(more))
    table = pa.table(data | more)
    result = protect(table, schema, k=5, suppression=0.2, seconds=1.0)
    assert 0 <= result.decision.gap < 1
    assert result.card.mechanism.parameters["gap"] >= result.decision.gap
    assert result.data.num_columns == 40
    assert reached(result.data, schema, KAnonymity(5)) >= 5
    local = protect(table, schema, k=5, recoding="local")
    assert reached(local.data, schema, KAnonymity(5)) >= 5
    assert local.decision.information_loss < result.decision.information_loss


def test_refusals(rng) -> None:
    table, schema = _people(rng, 20)
    for message, call in {
        "at most the 20 records": lambda: protect(table, schema, k=21),
        "at most the 3 distinct": lambda: protect(table, schema, k=2, l=4),
        "one of age, town": lambda: protect(table.drop_columns(["ill"]), schema, k=2),
        "without a role": lambda: protect(table.append_column("name", table["town"]), schema, k=2),
        "suppression": lambda: protect(table, schema, k=2, suppression=1.5),
        "suppressed": lambda: protect(table, schema, k=2, suppressed="hide"),
        "at least one promise": lambda: protect(table, schema),
        "sensitive column": lambda: protect(
            table.select(["age"]), Schema(quasi={"age": schema.quasi["age"]}), k=2, t=0.1
        ),
        "recoding": lambda: protect(table, schema, k=2, recoding="both"),
        "say recoding='local'": lambda: protect(table, schema, k=2, publish="set"),
        "knows no bound": lambda: protect(table, schema, k=2, recoding="local", tolerance=0.1),
        "local recoding suppresses nothing": lambda: protect(table, schema, k=2, recoding="local", suppression=0.1),
        "sensitive column'?": lambda: protect(table, schema, target=[TCloseness(0.1, "shoe")]),
        "quasi-identifier": lambda: GlobalRecoding(schema=Schema(quasi={}), target=[KAnonymity(2)]),
    }.items():
        with pytest.raises(InputError, match=message.rstrip("'?")):
            call()
    bad = table.set_column(0, "age", pa.array([200, *table["age"].to_pylist()[1:]]))
    with pytest.raises(InputError, match=r"column 'age': value = '200'.*add a row"):
        protect(bad, schema, k=2)


def test_unreachable_target_says_how_close() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("xy")}, sensitive=["s"])
    table = pa.table({"q": list("xxyy"), "s": list("aaab")})
    with pytest.raises(InfeasibleError, match=r"entropy l = 1\.755"):
        protect(table, schema, target=[LDiversity(2, "s", "entropy")])


def test_frames_of_every_kind(rng) -> None:
    import pandas as pd
    import polars as pl

    table, schema = _people(rng)
    given = {"k": 3, "terms": Terms(keep_order=True)}
    expected = protect(table, schema, **given).data.to_pydict()
    frame = table.to_pandas()
    frame.index = range(1000, 1000 + len(frame))
    released = protect(frame, schema, **given).data
    assert isinstance(released, pd.DataFrame)
    assert list(released.index) == list(range(len(frame)))  # an index does not leave
    assert released["age"].tolist() == expected["age"]
    polars = protect(pl.from_arrow(table), schema, **given).data
    assert isinstance(polars, pl.DataFrame)
    assert polars["town"].to_list() == expected["town"]
