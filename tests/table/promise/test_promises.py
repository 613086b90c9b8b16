"""k, l, t and the others against their definitions [P1, P2, B1–B3]."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from helpers.table_strategies import classes_of, frequencies, tables, trees
from sfumato.errors import InputError
from sfumato.promise import Guarantee, KAnonymity, NoGuarantee
from sfumato.table import (
    AllOf,
    DeltaPresence,
    Hierarchy,
    LDiversity,
    PopulationUniqueness,
    RecursiveDiversity,
    ReidentificationRisk,
    Schema,
    TCloseness,
    check,
    population_uniques,
)
from sfumato.table.core.classes import Classes
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.summary import summarise
from sfumato.table.promise.base import table_promises
from sfumato.table.promise.closeness import tree_distance
from sfumato.table.promise.compiled import CompiledPromises, class_holds
from sfumato.table.promise.inspection import reached


def test_table_2_2_of_the_dissertation() -> None:
    """Table 2.2: the outlier is dropped, the rest is 2-anonymous (the mean of 36 and 38 is 37, not 36)."""
    schema = Schema(
        quasi={name: Hierarchy.flat(values) for name, values in
               {"age": ["20", "37"], "gender": ["M", "-"], "region": ["Kanto", "Kansai"]}.items()}
    )  # fmt: skip
    table = pa.table(
        {"age": [20, 20, 37, 37], "gender": ["M", "M", "-", "-"], "region": ["Kanto"] * 2 + ["Kansai"] * 2}
    )
    assert check(table, schema).k == 2


@given(tables())
@settings(deadline=None, max_examples=60)
def test_check_equals_brute_force(case) -> None:
    table, schema = case
    names = list(schema.quasi)
    found = check(table, schema)
    groups = classes_of(table, names)
    assert found.k == min(map(len, groups.values()))
    assert found.classes == len(groups)
    secret = table["secret"].to_pylist()
    domain = list(schema.secrets["secret"].leaves)
    whole = frequencies(secret, domain)
    kinds, entropy, equal, ordered = [], [], [], []
    for members in groups.values():
        share = frequencies([secret[i] for i in members], domain)
        kinds.append(int((share > 0).sum()))
        entropy.append(math.exp(-sum(p * math.log(p) for p in share if p > 0)))
        equal.append(0.5 * np.abs(share - whole).sum())
        ordered.append(np.abs(np.cumsum(share - whole)).sum() / max(len(domain) - 1, 1))
    held = found.sensitive["secret"]
    assert held.distinct_l == min(kinds)
    assert held.entropy_l == pytest.approx(min(entropy))
    assert held.entropy_l <= held.distinct_l + 1e-9
    assert held.t == pytest.approx(max(equal), abs=1e-12)
    assert held.t_ordered == pytest.approx(max(ordered), abs=1e-12)


def _transport(p, q, cost) -> float:
    size = len(p)
    rows = np.zeros((2 * size, size * size))
    for i in range(size):
        rows[i, i * size : (i + 1) * size] = 1
        rows[size + i, i::size] = 1
    return linprog(cost.ravel(), A_eq=rows, b_eq=np.concatenate([p, q])).fun


@given(trees(), st.integers(0, 10_000))
@settings(deadline=None, max_examples=40)
def test_hierarchical_distance_is_earth_movers(tree, seed) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(tree.size), 2)
    cost = np.zeros((tree.size, tree.size))
    for level in range(tree.height - 1):
        cost += tree.codes[level][:, None] != tree.codes[level][None, :]
    cost /= tree.height - 1
    assert tree_distance(p - q, tree.codes) == pytest.approx(_transport(p, q, cost), abs=1e-7)


def _recursive(counts, c, length) -> bool:
    falling = sorted(counts, reverse=True)
    return len(falling) >= length and falling[0] < c * sum(falling[length - 1 :])


@given(tables(), st.floats(0.3, 4), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_recursive_diversity(case, c, length) -> None:
    table, schema = case
    secret = table["secret"].to_pylist()
    groups = classes_of(table, list(schema.quasi)).values()
    expected = all(_recursive(list(Counter(secret[i] for i in members).values()), c, length) for members in groups)
    small, _ = as_it_is(table, schema)
    assert bool(RecursiveDiversity(c, length, "secret").holds(Classes.by_value(small)).all()) == expected


def test_disclosure_variants() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("x")}, sensitive={"s": Hierarchy.flat("abcd")})
    table = pa.table({"q": ["x"] * 10, "s": list("aaaaaabbcd")})
    classes = Classes.by_value(as_it_is(table, schema)[0])
    assert bool(RecursiveDiversity(2.0, 2, "s").holds(classes)[0])  # 6 < 2·(2+1+1)
    assert not bool(RecursiveDiversity(1.0, 2, "s").holds(classes)[0])  # 6 ≥ 4
    # "a" may be disclosed: b (2, the second) is bounded instead: y = 2 > l − 1, 2 < 1·(6 + 1 + 1)
    assert bool(RecursiveDiversity(1.0, 2, "s", allowed=["a"]).holds(classes)[0])
    # nobody may learn that d is excluded: it must make up a tenth, not a fifth
    assert bool(RecursiveDiversity(2.0, 2, "s", always=["d"], share=0.1).holds(classes)[0])
    assert not bool(RecursiveDiversity(2.0, 2, "s", always=["d"], share=0.2).holds(classes)[0])
    with pytest.raises(InputError, match="one of its values"):
        RecursiveDiversity(2.0, 2, "s", allowed=["z"]).holds(classes)


PROMISES = [
    KAnonymity(2),
    LDiversity(2, "secret"),
    LDiversity(1.5, "secret", "entropy"),
    RecursiveDiversity(1.5, 2, "secret"),
    RecursiveDiversity(3.0, 1, "secret"),
    TCloseness(0.3, "secret"),
    TCloseness(0.2, "secret", "ordered"),
    TCloseness(0.3, "secret", "hierarchical"),
]


@given(tables(), st.sampled_from(PROMISES))
@settings(deadline=None, max_examples=80)
def test_compiled_promises_agree_with_the_promises(case, promise) -> None:
    table, schema = case
    small, _ = summarise(table, schema)
    compiled = CompiledPromises.of(small, [promise])
    classes = Classes.by_value(small)
    held = compiled.holdings
    wanted = table_promises([promise])[0].holds(classes)
    for t in range(len(small.codes)):
        histogram = np.zeros(len(compiled.limits.reference), np.int64)
        part = slice(held.starts[t], held.starts[t + 1])
        np.add.at(histogram, held.values[part], held.counts[part])
        assert class_holds(histogram, small.counts[t], small.counts[t], compiled.limits) == bool(wanted[t])


def test_population_models() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("xyz")})
    small, _ = summarise(pa.table({"q": list("xxy")}), schema)
    everyone, _ = summarise(pa.table({"q": list("xxxxyyz")}), schema)
    both = small.with_population(everyone)
    classes = Classes.by_value(both)
    assert DeltaPresence(0.5, 0.5).holds(classes).tolist() == [True, True, False]
    assert ReidentificationRisk(0.5, "journalist").holds_together(classes)
    assert not ReidentificationRisk(0.4, "journalist").holds_together(classes)
    assert not ReidentificationRisk(0.5, "prosecutor").holds_together(classes)
    assert ReidentificationRisk(0.7, "marketer").holds_together(classes)
    with pytest.raises(InputError, match="part of its population"):
        everyone.with_population(small)
    with pytest.raises(InputError, match="population"):
        DeltaPresence(0, 1).holds(Classes.by_value(small))


def test_population_uniques_recovers_a_pitman_population(rng) -> None:
    """A two-parameter Chinese restaurant, θ = 200, α = 0.5, 20 000 people: estimates within 25 % of the truth."""
    tables_, where = [0] * 20_000, np.empty(20_000, np.int64)
    used = 0
    for i in range(20_000):
        if rng.random() < (200 + 0.5 * used) / (i + 200):
            seat, used = used, used + 1
        else:
            while True:
                seat = where[rng.integers(i)]
                if rng.random() < (tables_[seat] - 0.5) / tables_[seat]:
                    break
        tables_[seat] += 1
        where[i] = seat
    truth = sum(size == 1 for size in tables_)
    for fraction, model in ((0.1, "pitman"), (0.5, "zayatz"), (0.1, "auto"), (0.5, "auto")):
        sample = np.bincount(rng.choice(where, int(fraction * 20_000), replace=False))
        assert population_uniques(sample[sample > 0], 20_000, model) == pytest.approx(truth, rel=0.25)
    assert population_uniques(np.array([3, 4]), 100) == 0
    assert population_uniques(np.array([1, 4]), 5) == 1


def test_promises_print_and_refuse() -> None:
    assert "k = 3 and" in str(AllOf((KAnonymity(3), LDiversity(2, "s"))))
    for wrong in (
        lambda: LDiversity(0, "s"),
        lambda: LDiversity(0.5, "s", "entropy"),
        lambda: LDiversity(2, "s", "other"),  # type: ignore[arg-type]
        lambda: TCloseness(-0.1, "s"),
        lambda: TCloseness(1.1, "s"),
        lambda: TCloseness(0.1, "s", "far"),  # type: ignore[arg-type]
        lambda: RecursiveDiversity(0, 2, "s"),
        lambda: RecursiveDiversity(1, 2, "s", always=["a"]),
        lambda: DeltaPresence(0.6, 0.5),
        lambda: ReidentificationRisk(0, "marketer"),
        lambda: ReidentificationRisk(0.5, "nobody"),  # type: ignore[arg-type]
        lambda: PopulationUniqueness(0.1, population=0),
        lambda: AllOf(()),
        lambda: AllOf((NoGuarantee("why"),)),
        lambda: KAnonymity(0),
        lambda: population_uniques(np.array([5]), 3),
    ):
        with pytest.raises(InputError):
            wrong()


def test_several_promises_answer_as_one() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("xyz")}, sensitive=["s"])
    classes = Classes.by_value(as_it_is(pa.table({"q": list("xxyyyz"), "s": list("abaaac")}), schema)[0])
    both = AllOf((KAnonymity(2), LDiversity(2, "s"), ReidentificationRisk(0.6, "marketer")))
    assert both.broken(classes).tolist() == [False, True, True]
    assert (both.least_size, both.enough, both.sizes_decide, both.monotone) == (2, 2, False, True)
    assert both.holds_together(classes)
    assert not both.kept_by(classes)
    assert len(both.rules) == 1
    assert not AllOf((KAnonymity(2), PopulationUniqueness(0.1, population=9))).monotone
    with pytest.raises(InputError, match="l = 4"):
        AllOf((KAnonymity(2), LDiversity(4, "s"))).require(classes.table)


def test_promises_can_be_written_down() -> None:
    for promise in (
        *PROMISES,
        RecursiveDiversity(2.0, 2, "s", allowed=["a"], always=["b"], share=0.1),
        DeltaPresence(0.1, 0.5),
        ReidentificationRisk(0.05, "marketer"),
        PopulationUniqueness(0.1, population=100),
        AllOf((KAnonymity(5), LDiversity(2, "s", "entropy"))),
    ):
        assert Guarantee.from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
        assert promise.words.endswith(".")


def test_missing_values_group_by_policy() -> None:
    trees_ = {"q": Hierarchy.flat("x")}
    table = pa.table({"q": ["x", None, "", None, "x"]})
    with pytest.raises(InputError, match="no missing values"):
        check(table, Schema(quasi=trees_))
    assert check(table, Schema(quasi=trees_, missing="category")).k == 2
    with pytest.raises(InputError, match="without rows"):
        check(table.slice(0, 0), Schema(quasi=trees_))
    with pytest.raises(InputError, match="column = 'q'"):
        check(pa.table({"p": [1]}), Schema(quasi=trees_))


def test_reached_reads_a_release() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("xy")}, sensitive=["s"])
    table = pa.table({"q": list("xxyy"), "s": list("abab")})
    assert reached(table, schema, KAnonymity(2)) == 2
    assert reached(table, schema, LDiversity(2, "s")) == 1
    assert reached(table, schema, AllOf((KAnonymity(2), TCloseness(0.0, "s")))) == 1
    assert reached(table, schema, KAnonymity(3)) == 2
