"""What is asked for is what is met: models × algorithms × random tables, judged in plain Python on the release."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.table_strategies import best_node, brute_force, tables
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table import (
    DeltaPresence,
    EstimatedKMap,
    GeneralisedInformationLoss,
    Hierarchy,
    LDiversity,
    PeopleAnonymity,
    PopulationUniqueness,
    RecursiveDiversity,
    ReidentificationRisk,
    Schema,
    TCloseness,
    population_uniques,
    protect,
)
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.recoding.levels import optimal_levels
from sfumato.table.promise.k_map import fitted_law, reaches

Secrets = list[str]


def _equal(part: Secrets, whole: Secrets, tree: Hierarchy) -> float:
    return sum(abs(part.count(v) / len(part) - whole.count(v) / len(whole)) for v in tree.leaves) / 2


def _ordered(part: Secrets, whole: Secrets, tree: Hierarchy) -> float:
    run = total = 0.0
    for value in tree.leaves:
        run += part.count(value) / len(part) - whole.count(value) / len(whole)
        total += abs(run)
    return total / max(len(tree.leaves) - 1, 1)


def _hierarchical(part: Secrets, whole: Secrets, tree: Hierarchy) -> float:
    """Half the sum over all nodes below the root of |surplus|, over the height: the transport in a balanced tree."""
    total = 0.0
    for level in range(tree.height - 1):
        for label in tree.labels[level]:
            leaves = {row[0] for row in tree.rows if row[level] == label}
            total += abs(sum(v in leaves for v in part) / len(part) - sum(v in leaves for v in whole) / len(whole))
    return total / 2 / (tree.height - 1)


def _class_keeps(promise: Guarantee, part: Secrets, whole: Secrets, tree: Hierarchy) -> bool:
    counts = sorted(Counter(part).values(), reverse=True)
    match promise:
        case KAnonymity(k=k):
            return len(part) >= k
        case LDiversity(l=l, variant="distinct"):
            return len(counts) >= l
        case LDiversity(l=l, variant="entropy"):
            return -sum(n / len(part) * math.log(n / len(part)) for n in counts) >= math.log(l) - 1e-9
        case RecursiveDiversity(c=c, l=l, always=always, share=share):
            rare = any(part.count(value) < share * len(part) - 1e-9 for value in always)
            return len(counts) >= l and counts[0] < c * sum(counts[int(l) - 1 :]) and not rare
        case TCloseness(t=t, distance=distance):
            far = {"equal": _equal, "ordered": _ordered, "hierarchical": _hierarchical}[distance]
            return far(part, whole, tree) <= t + 1e-9
        case ReidentificationRisk(limit=limit, attacker="prosecutor"):
            return 1 / len(part) <= limit + 1e-9
    raise AssertionError(promise)


def _table_keeps(promise: Guarantee, sizes: list[int]) -> bool:
    match promise:
        case ReidentificationRisk(limit=limit):
            return len(sizes) / sum(sizes) <= limit + 1e-9
        case PopulationUniqueness(limit=limit, population=population, estimator=model):
            return population_uniques(sizes, population, model) / population <= limit + 1e-9
    raise AssertionError(promise)


BY_CLASS: list[Guarantee] = [
    KAnonymity(2),
    KAnonymity(4),
    LDiversity(2, "secret"),
    LDiversity(1.7, "secret", "entropy"),
    RecursiveDiversity(1.5, 2, "secret"),
    RecursiveDiversity(3.0, 2, "secret", always=["s0"], share=0.2),
    *(TCloseness(t, "secret", d) for d in ("equal", "ordered", "hierarchical") for t in (0.1, 0.3)),  # type: ignore[arg-type]
    ReidentificationRisk(0.34, "prosecutor"),
]
TOGETHER: list[Guarantee] = [
    ReidentificationRisk(0.3, "marketer"),
    ReidentificationRisk(0.15, "marketer"),
    PopulationUniqueness(0.0, population=40),
    PopulationUniqueness(0.05, population=400, estimator="zayatz"),
]
ALGORITHMS: list[dict[str, Any]] = [
    *({"recoding": "global", "suppression": s, "suppressed": w} for s in (0.0, 0.3, 1.0) for w in ("star", "drop")),
    *({"recoding": "local", "publish": p, "start": s} for p in ("hierarchy", "set", "interval")
      for s in ("specialise", "mondrian")),
]  # fmt: skip


def _classes(release: pa.Table, names: list[str]) -> list[list[int]]:
    found: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(release.select(names).to_pylist()):
        found[tuple(row[name] for name in names)].append(i)
    return list(found.values())


@given(
    tables(rows=24),
    st.lists(st.sampled_from(BY_CLASS), min_size=1, max_size=3),
    st.lists(st.sampled_from(TOGETHER), max_size=1),
    st.sampled_from(ALGORITHMS),
)
@settings(deadline=None, max_examples=400)
def test_asked_is_met(case, by_class, together, algorithm) -> None:
    table, schema = case
    tree = schema.secrets["secret"]
    whole = table["secret"].to_pylist()
    try:
        result = protect(table, schema, target=[*by_class, *together], **algorithm)
    except InputError:  # k above the rows, l above the values, a value that the column does not have
        few = any(isinstance(p, KAnonymity) and p.k > len(whole) for p in by_class)
        few |= any(isinstance(p, ReidentificationRisk) and len(whole) < 3 for p in by_class)
        few |= any(isinstance(p, LDiversity | RecursiveDiversity) and p.l > len(set(whole)) for p in by_class)
        assert few
        return
    except InfeasibleError:  # then even one class of all misses it
        missed = not all(_class_keeps(promise, whole, whole, tree) for promise in by_class)
        assert missed or not all(_table_keeps(promise, [len(whole)]) for promise in together)
        return
    classes = _classes(result.data, list(schema.quasi))
    released = result.data["secret"].to_pylist()
    assert released == [whole[i] for i in result.key.rows]
    for promise in by_class:
        for members in classes:
            part = [released[i] for i in members]
            assert _class_keeps(promise, part, whole, tree)
            assert _class_keeps(promise, part, released, tree)
    for promise in together:
        if classes:
            assert _table_keeps(promise, [len(members) for members in classes])
    assert result.guarantee.statement == " and ".join(p.statement for p in (*by_class, *together))


@pytest.mark.parametrize("promise", BY_CLASS, ids=lambda promise: promise.statement)
@pytest.mark.parametrize("stars", [True, False])
@given(tables(), st.integers(1, 3), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=25)
def test_every_promise_on_classes_by_exhaustive_search(promise, stars, case, k, suppression) -> None:
    """The best node, with its tie-break, and a gap of 0; rows of * or records left out."""
    table, schema = case
    whole, tree = table["secret"].to_pylist(), schema.secrets["secret"]
    limit = math.floor(suppression * table.num_rows)

    def keeps(part: Secrets, reference: Secrets) -> bool:
        return len(part) >= k and _class_keeps(promise, part, reference, tree)

    admissible = brute_force(table, schema, keeps, limit, stars)
    small, _ = summarise(table, schema)
    target = [KAnonymity(k), promise]
    try:
        best = optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
    except InfeasibleError:
        assert not admissible
        return
    except InputError:  # no table of that size or with those values can keep it
        assert not keeps(whole, whole)
        return
    assert best.proved
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.levels == best_node(admissible)


@given(tables(rows=16), st.integers(1, 3), st.sampled_from(TOGETHER), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
@settings(deadline=None, max_examples=150)
def test_promises_on_the_whole_table_by_exhaustive_search(case, k, promise, suppression, stars) -> None:
    """The best node when the smallest classes are suppressed until the promise holds, estimates of uniqueness, which
    need not fall with every suppressed class, as well."""
    table, schema = case
    if k > table.num_rows:
        return
    limit = math.floor(suppression * table.num_rows)

    def keeps(secrets: Secrets, whole: Secrets) -> bool:
        return len(secrets) >= k

    admissible = brute_force(
        table, schema, keeps, limit, stars, lambda sizes: not sizes or _table_keeps(promise, sizes)
    )
    small, _ = summarise(table, schema)
    target = [KAnonymity(k), promise]
    if not admissible:
        with pytest.raises(InfeasibleError, match="as one class"):
            optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
        return
    best = optimal_levels(small, target, limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.levels == best_node(admissible)


def _covering(schema: Schema, record: dict[str, str], labels: dict[str, str]) -> bool:
    return all(bool(tree.nodes[labels[n]][tree.index[record[n]]]) for n, tree in schema.quasi.items())


@given(tables(rows=20), st.integers(0, 10_000), st.sampled_from([0.0, 0.4, 1.0]), st.sampled_from([0.2, 0.5]))
@settings(deadline=None, max_examples=80)
def test_the_journalist_and_presence(case, seed, suppression, limit) -> None:
    """Each released class covers enough of the population; with one level a column, presence holds by counting."""
    everyone, schema = case
    table = everyone.slice(0, max(1, everyone.num_rows // 2))
    people = everyone.select(list(schema.quasi)).to_pylist()
    names = list(schema.quasi)
    options: list[tuple[list[Guarantee], dict[str, Any]]] = [
        ([ReidentificationRisk(limit, "journalist")], {"suppression": suppression}),
        ([ReidentificationRisk(limit, "journalist")], {"recoding": "local"}),
        ([DeltaPresence(0.2, 0.7)], {}),
    ]
    for target, how in options:
        try:
            result = protect(table, schema, target=target, population=everyone, **how)
        except InfeasibleError:
            assert math.ceil(1 / limit) > len(people) or isinstance(target[0], DeltaPresence)
            continue
        assert result.decision.sizes.min() > 0
        classes = _classes(result.data, names)
        for members in classes:
            labels = {n: result.data[n][members[0]].as_py() for n in names}
            covered = [i for i, record in enumerate(people) if _covering(schema, record, labels)]
            if isinstance(target[0], DeltaPresence):
                assert 0.2 - 1e-9 <= len(members) / len(covered) <= 0.7 + 1e-9
            else:
                assert len(covered) >= 1 / limit - 1e-9
        if isinstance(target[0], DeltaPresence):  # nobody is known to be absent
            seen = [
                {n: schema.quasi[n].generalise([person[n]], level)[0] for n, level in result.decision.levels.items()}
                for person in people
            ]
            shown = {tuple(row.values()) for row in result.data.select(names).to_pylist()}
            assert all(tuple(one[n] for n in names) in shown for one in seen)


def test_risk_targets_use_suppression() -> None:
    """Nine pairs and ten people alone, one column of two levels: suppressing the ten keeps the pairs as they are."""
    schema = Schema(quasi={"q": Hierarchy.flat([f"v{i}" for i in range(19)])})
    table = pa.table({"q": [f"v{i % 9}" for i in range(18)] + [f"v{9 + i}" for i in range(10)]})
    for promise in (ReidentificationRisk(0.4, "marketer"), PopulationUniqueness(0.001, population=10_000)):
        with_room = protect(table, schema, target=[promise], suppression=0.5)
        without = protect(table, schema, target=[promise])
        assert (with_room.decision.levels, without.decision.levels) == ({"q": 0}, {"q": 1})
        assert 0 < with_room.decision.suppressed <= 14
    everyone = pa.concat_tables([table, table, table.slice(0, 18)])
    journalist = protect(
        table, schema, target=[ReidentificationRisk(1 / 3, "journalist")], suppression=0.5, population=everyone
    )
    assert (journalist.decision.levels, journalist.decision.suppressed) == ({"q": 0}, 10)


def _reasons() -> dict[str, Callable[[pa.Table, Schema], Any]]:
    def target(promise: Guarantee, **options: Any) -> Callable[[pa.Table, Schema], Any]:
        return lambda table, schema: protect(table, schema, target=[promise], **options)

    return {
        r"entropy l = 1\.755 for s": target(LDiversity(2, "s", "entropy")),
        r"entropy l = 1\.755": target(LDiversity(2, "s", "entropy"), recoding="local"),
        r"recursive c > 3 at l = 2": target(RecursiveDiversity(2.0, 2, "s"), recoding="local"),
        r"marketer risk 0\.25": target(ReidentificationRisk(0.2, "marketer")),
        r"k = 4, marketer risk 0\.25": target(ReidentificationRisk(0.2, "marketer"), recoding="local"),
        r"journalist risk 0\.125": target(
            ReidentificationRisk(0.1, "journalist"), population=pa.table({"q": list("xxyyxxyy")})
        ),
        r"presence 0\.5": target(DeltaPresence(0.0, 0.4), population=pa.table({"q": list("xxyyxxyy")})),
    }


@pytest.mark.parametrize("reason", list(_reasons()))
def test_unreachable_targets_say_how_close_one_gets(reason) -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("xy")}, sensitive=["s"])
    table = pa.table({"q": list("xxyy"), "s": list("aaab")})
    with pytest.raises(InfeasibleError, match=reason):
        _reasons()[reason](table, schema)


@given(tables(rows=16), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_k_people_by_exhaustive_search(case, k, suppression, stars) -> None:
    """The secret is whose record it is: a class keeps the promise if it has k different ones."""
    table, schema = case
    people = schema.counting("secret")
    limit = math.floor(suppression * table.num_rows)
    admissible = brute_force(table, schema, lambda part, _: len(set(part)) >= k, limit, stars)
    small, _ = summarise(table, people)
    measure = GeneralisedInformationLoss()
    if k > len(set(table["secret"].to_pylist())):
        with pytest.raises((InputError, InfeasibleError)):
            optimal_levels(small, [PeopleAnonymity(k, "secret")], limit=limit, measure=measure, stars=stars)
        return
    best = optimal_levels(small, [PeopleAnonymity(k, "secret")], limit=limit, measure=measure, stars=stars)
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.levels == best_node(admissible)


@given(tables(rows=16), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]), st.booleans(), st.sampled_from([40, 400]))
@settings(deadline=None, max_examples=60)
def test_k_map_by_exhaustive_search(case, k, suppression, stars, population) -> None:
    """By estimate: as few of the smallest classes are suppressed as it takes, tried one after the other."""
    table, schema = case
    promise, limit = EstimatedKMap(k, population=population), math.floor(suppression * table.num_rows)

    def together(sizes: list[int]) -> bool:
        if not sizes or min(sizes) >= k:
            return True
        small, fraction = np.array([size for size in sizes if size < k]), table.num_rows / population
        laws = ((0.0, 0.0), fitted_law(np.array(sizes), fraction))
        return all((reaches(small, k, fraction, *law) >= 0.95).all() for law in laws)

    admissible = brute_force(table, schema, lambda part, _: True, limit, stars, together)
    small, _ = summarise(table, schema)
    try:
        best = optimal_levels(small, [promise], limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
    except InfeasibleError:
        assert not admissible
        return
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.levels == best_node(admissible)


@given(tables(rows=12), st.integers(0, 3), st.sampled_from([0.0, 0.3, 1.0]), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_promises_about_the_population_by_exhaustive_search(case, more, suppression, stars, presence) -> None:
    """A record stands for its share of those in the population who have its tuple, so a class is judged by a sum."""
    table, schema = case
    everyone = pa.concat_tables([table, *[table.slice(0, table.num_rows // 2)] * more])
    tuples = [
        list(map(tuple, (row.values() for row in one.select(list(schema.quasi)).to_pylist())))
        for one in (table, everyone)
    ]
    here, there = map(Counter, tuples)
    shares = [str(Fraction(there[one], here[one])) for one in tuples[0]]
    weighted = table.set_column(table.column_names.index("secret"), "secret", pa.array(shares))

    def keeps(part: Secrets, _: Secrets) -> bool:
        members = sum(map(Fraction, part))
        return len(part) / members <= 0.6 + 1e-9 if presence else members >= 4

    promise = DeltaPresence(0.0, 0.6) if presence else ReidentificationRisk(0.25, "journalist")
    small = summarise(table, schema)[0].with_population(summarise(everyone, Schema(quasi=schema.quasi))[0])
    limit = math.floor(suppression * table.num_rows)
    admissible = brute_force(weighted, schema, keeps, limit, stars)
    try:
        best = optimal_levels(small, [promise], limit=limit, measure=GeneralisedInformationLoss(), stars=stars)
    except InfeasibleError:
        assert not admissible
        return
    assert best.information_loss == pytest.approx(min(loss for loss, _, _ in admissible), abs=1e-9)
    assert best.levels == best_node(admissible)
