"""t-closeness: the bound of the lattice, and local recoding that is never worse than one level a column."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from helpers.table_strategies import tables, trees
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import KAnonymity
from sfumato.table import GeneralisedInformationLoss, LDiversity, TCloseness
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import summarise
from sfumato.table.data import census_schema, make_census
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.levels import better_node, optimal_levels
from sfumato.table.mechanisms.recoding.local_recoding import local_partition
from sfumato.table.promise.compiled import CompiledPromises, Limits
from sfumato.table.promise.excess import add_slopes, closest_parts, most_close, rule_excess
from sfumato.table.promise.final_check import verify_classes
from sfumato.table.promise.rule import Kind

DISTANCES = ("equal", "ordered", "hierarchical")
KIND = {"equal": Kind.EQUAL_DISTANCE, "ordered": Kind.ORDERED_DISTANCE, "hierarchical": Kind.TREE_DISTANCE}


def _limits(distance, t, reference, nodes, least=1) -> Limits:
    values = len(reference)
    whole = np.array([0]), np.array([values])
    marked = np.zeros((1, values), np.bool_)
    kinds = np.array([KIND[distance]], np.int64)
    tree, height = nodes.astype(np.int64), np.array([nodes.shape[0]])
    return Limits(least, kinds, *whole, np.array([t]), np.zeros(1), marked, reference, tree, height)


def _largest_part(counts, t, reference, distance, nodes) -> float:
    """The largest t-close part of a class with fractional records, as a linear program over flows of mass."""
    values = len(counts)
    places = np.arange(values)
    if distance == "equal":
        cost = (places[:, None] != places[None, :]).astype(float)
    elif distance == "ordered":
        cost = np.abs(places[:, None] - places[None, :]) / max(values - 1, 1)
    else:
        cost = (nodes[:, :, None] != nodes[:, None, :]).sum(0) / max(nodes.shape[0] - 1, 1)
    # flow[v, w] moves mass of the part at v to where the table has it; the part is the row sums, m their total
    size = values * values
    rows = np.kron(np.eye(values), np.ones(values))
    columns = np.kron(np.ones(values), np.eye(values))
    ask = np.append(np.zeros(size), -1.0)
    upper = np.vstack([np.hstack([rows, np.zeros((values, 1))]), np.append(cost.ravel(), -t)[None, :]])
    equal = np.hstack([columns, -reference[:, None]])
    found = linprog(ask, A_ub=upper, b_ub=np.append(counts, 0.0), A_eq=equal, b_eq=np.zeros(values))
    return -float(found.fun)


@given(trees(), st.integers(0, 2**31), st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from(DISTANCES))
@settings(deadline=None, max_examples=60)
def test_largest_close_part_is_that_of_a_linear_program(tree, seed, t, distance) -> None:
    """On values and on trees it is the optimum; on an order it is never below it."""
    rng = np.random.default_rng(seed)
    reference = rng.dirichlet(np.ones(tree.size))
    counts = rng.integers(0, 30, tree.size)
    counts[0] += 1
    limits = _limits(distance, t, reference, tree.codes)
    found = most_close(counts, counts.sum(), limits)
    exact = _largest_part(counts.astype(float), t, reference, distance, tree.codes)
    assert found >= math.floor(exact - 1e-6)
    if distance != "ordered":
        assert found <= exact + 1e-3
    close, most = np.empty(1, np.bool_), np.empty(1, np.int64)
    closest_parts(counts[None], np.array([counts.sum()]), limits, close, most)
    assert most[0] == found
    assert close[0] == (rule_excess(counts, counts.sum(), limits, 0) <= 1e-12)


@given(trees(), st.integers(0, 2**31), st.sampled_from(DISTANCES), st.sampled_from([-2, -1, 1, 3]))
@settings(deadline=None, max_examples=60)
def test_slopes_are_differences(tree, seed, distance, step) -> None:
    rng = np.random.default_rng(seed)
    reference = rng.dirichlet(np.ones(tree.size))
    counts = rng.integers(2, 30, tree.size)
    limits = _limits(distance, 0.1, reference, tree.codes)
    slopes = np.zeros(tree.size)
    add_slopes(counts, counts.sum(), limits, 0, step, slopes)
    now = rule_excess(counts, counts.sum(), limits, 0)
    for v in range(tree.size):
        moved = counts.copy()
        moved[v] += step
        change = rule_excess(moved, moved.sum(), limits, 0) - now
        assert slopes[v] * abs(step) == pytest.approx(change, abs=1e-12)


@given(
    tables(rows=30),
    st.integers(1, 3),
    st.sampled_from([0.1, 0.25, 0.5]),
    st.sampled_from(DISTANCES),
    st.sampled_from(["hierarchy", "set"]),
)
@settings(deadline=None, max_examples=100)
def test_local_is_never_worse_than_global(case, k, t, distance, publish) -> None:
    table, schema = case
    small, _ = summarise(table, schema)
    target = [KAnonymity(k), TCloseness(t, "secret", distance)]
    try:
        best = optimal_levels(small, target, limit=small.rows, measure=GeneralisedInformationLoss())
    except InputError:
        assert k > table.num_rows
        return
    partition = local_partition(small, target, publish=publish, sweeps=1)
    verify_classes(target, Classes(small, partition.member, partition.number))
    assert partition.information_loss <= best.information_loss + 1e-9
    assert better_node(small, target, GeneralisedInformationLoss(), best.information_loss, effort=10**9) is None


@pytest.mark.parametrize("distance", DISTANCES)
def test_tight_t_on_a_census(distance) -> None:
    """Many classes, k and l beside t, several ways; same answer twice; better than one level a column."""
    table, schema = make_census(1500, seed=3), census_schema(("occupation",))
    small, _ = summarise(table, schema)
    if distance == "hierarchical" and small.column("occupation").hierarchy is None:
        pytest.skip("the census has no tree of occupations")
    target = [KAnonymity(3), LDiversity(2, "occupation"), TCloseness(0.25, "occupation", distance)]
    one, two = (local_partition(small, target, sweeps=2) for _ in range(2))
    verify_classes(target, Classes(small, one.member, one.number))
    assert (one.member == two.member).all()
    try:
        best = optimal_levels(small, target, limit=small.rows, measure=GeneralisedInformationLoss())
        assert one.information_loss < best.information_loss
    except InfeasibleError:
        assert not ClassSelection(small, target, small.rows, True).limit
    longer = local_partition(small, target, sweeps=6)
    assert longer.information_loss <= one.information_loss


def test_compiled_rules_of_several_columns() -> None:
    """The bound takes the stricter of two distances."""
    table, schema = make_census(400, seed=5), census_schema(("occupation", "sex"))
    small, _ = summarise(table, schema)
    both = CompiledPromises.of(small, [KAnonymity(2), TCloseness(0.1, "occupation"), TCloseness(0.3, "sex")])
    hist = np.zeros(len(both.limits.reference), np.int64)
    hist[0] = hist[-1] = 50
    alone = [
        CompiledPromises.of(small, [KAnonymity(2), TCloseness(t, name)])
        for t, name in ((0.1, "occupation"), (0.3, "sex"))
    ]
    split = len(small.column("occupation").values)
    parts = [most_close(h, 50, one.limits) for h, one in zip((hist[:split], hist[split:]), alone, strict=True)]
    assert most_close(hist, 50, both.limits) == min(parts)
