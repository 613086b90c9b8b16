"""A finished release is checked once more: a mechanism with a fault releases nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import sfumato.table.mechanisms.anatomy as anatomy
import sfumato.table.mechanisms.greedy_k_member as k_member
import sfumato.table.mechanisms.microaggregation as microaggregation
import sfumato.table.mechanisms.recoding.class_selection as class_selection
import sfumato.table.mechanisms.recoding.local_recoding as local_recoding
import sfumato.table.mechanisms.recoding.node_check as node_check
import sfumato.table.mechanisms.record_suppression as record_suppression
from sfumato.errors import BrokenPromiseError
from sfumato.promise import KAnonymity
from sfumato.table import (
    Anatomy,
    GlobalRecoding,
    GreedyKMember,
    Hierarchy,
    LDiversity,
    LocalRecoding,
    Microaggregation,
    RecordSuppression,
    RecursiveDiversity,
    Schema,
    TCloseness,
    protect_file,
)
from sfumato.table.core.classes import Classes
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.promise import closeness, diversity
from sfumato.table.promise.compiled import CompiledPromises, class_holds
from sfumato.table.promise.final_check import verify_classes
from sfumato.table.promise.rule import Kind, Rule

SCHEMA = Schema(
    quasi={"age": Hierarchy.intervals(0, 99, [10, 50]), "town": Hierarchy.flat("abcd")},
    sensitive={"illness": Hierarchy([["flu", "lung", "*"], ["cold", "lung", "*"], ["gout", "joint", "*"]])},
)
NUMBERS = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, insensitive=["town", "illness"])


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(8)
    return pa.table(
        {
            "age": rng.integers(20, 80, 200),
            "town": rng.choice(list("abcd"), 200).tolist(),
            "illness": rng.choice(["flu", "cold", "gout"], 200, p=[0.6, 0.3, 0.1]).tolist(),
        }
    )


SWAPPED = {
    "t-closeness read as a lower bound": (TCloseness(0.25, "illness"), (Rule(Kind.DISTINCT, 0.25, "illness"),)),
    "equal distance read as ordered": (
        TCloseness(0.2, "illness", "ordered"),
        (Rule(Kind.EQUAL_DISTANCE, 0.9, "illness"),),
    ),
    "l read as its entropy": (LDiversity(3, "illness"), (Rule(Kind.ENTROPY, 0.5, "illness"),)),
    "recursive bound read as a number of values": (
        RecursiveDiversity(2.0, 2, "illness"),
        (Rule(Kind.DISTINCT, 2, "illness"),),
    ),
}


@pytest.mark.parametrize("fault", list(SWAPPED))
def test_a_rule_for_the_wrong_kernel_releases_nothing(people, monkeypatch, fault) -> None:
    promise, rules = SWAPPED[fault]
    recoder = LocalRecoding(schema=SCHEMA, target=[KAnonymity(2), promise])
    recoder.release(people)
    monkeypatch.setattr(type(promise), "rules", rules)
    with pytest.raises(BrokenPromiseError, match="release refused"):
        recoder.release(people)


def test_a_swapped_kind_releases_nothing(people, monkeypatch) -> None:
    """Two constants of the compiled code exchanged: what lint and types do not see."""
    monkeypatch.setitem(closeness.KINDS, "equal", Kind.DISTINCT)
    with pytest.raises(BrokenPromiseError, match=r"t = 0\.25"):
        LocalRecoding(schema=SCHEMA, target=[KAnonymity(2), TCloseness(0.25, "illness")]).release(people)


def test_a_wrong_kernel_in_the_builder_releases_nothing(people, monkeypatch) -> None:
    """First partitions by a compiled judge that says yes to everything."""
    blind = CompiledPromises.of

    def too_kind(table, promises):
        made = blind(table, promises)
        return CompiledPromises(made.limits._replace(least=1, bound=made.limits.bound * 0), made.holdings)

    monkeypatch.setattr(local_recoding.CompiledPromises, "of", too_kind)
    with pytest.raises(BrokenPromiseError, match="distinct l = 3"):
        LocalRecoding(schema=SCHEMA, target=[KAnonymity(4), LDiversity(3, "illness")]).release(people)


@pytest.mark.parametrize("suppressed", ["star", "drop"])
def test_a_careless_selection_releases_nothing(people, monkeypatch, suppressed, tmp_path: Path) -> None:
    monkeypatch.setattr(
        class_selection.ClassSelection, "broken", lambda self, classes: np.zeros(classes.number, np.bool_)
    )
    # the search judges on summed histograms: the same carelessness there
    monkeypatch.setattr(
        node_check.NodeCheck, "judge", lambda self, groups: (groups.counts < 0, np.zeros(len(groups.counts), np.int64))
    )
    recoder = GlobalRecoding(
        schema=SCHEMA, target=[KAnonymity(2), TCloseness(0.1, "illness")], suppression=0.1, suppressed=suppressed
    )
    with pytest.raises(BrokenPromiseError):
        recoder.release(people)
    csv.write_csv(people, tmp_path / "people.csv")
    with pytest.raises(BrokenPromiseError):
        protect_file(tmp_path / "people.csv", tmp_path / "out.csv", recoder)
    assert not (tmp_path / "out.csv").exists()


def test_other_mechanisms_release_nothing_with_a_fault(people, monkeypatch) -> None:
    def alone(rows, *more, **options):
        return np.arange(len(rows)), len(rows)

    monkeypatch.setattr(k_member, "_cluster", alone)
    with pytest.raises(BrokenPromiseError):
        GreedyKMember(schema=SCHEMA, k=3).release(people)
    monkeypatch.setattr(microaggregation, "mdav_groups", lambda rows, k: np.arange(len(rows)))
    with pytest.raises(BrokenPromiseError):
        Microaggregation(schema=NUMBERS, k=3).release(people)
    monkeypatch.setattr(anatomy, "_groups", lambda codes, *more: np.arange(len(codes)) // 2)
    with pytest.raises(BrokenPromiseError):
        Anatomy(schema=SCHEMA, column="illness", l=2).release(people)
    monkeypatch.setattr(record_suppression, "as_it_is_rows", lambda t, s: (np.zeros(len(t), int), np.array([len(t)])))
    with pytest.raises(BrokenPromiseError):
        RecordSuppression(schema=SCHEMA, k=3).release(people)


def test_left_out_records_move_the_distribution() -> None:
    """All classes are close to the input, and far from what is left of it."""
    schema = Schema(quasi={"q": Hierarchy.flat("xyz")}, sensitive=["s"])
    table, _ = as_it_is(pa.table({"q": list("xxxxyyyyzzzz"), "s": list("aabbaabbaaab")}), schema)
    close = [TCloseness(0.12, "s")]
    without = Classes.by_value(table).only(np.array([True, False, True]))
    verify_classes([TCloseness(0.2, "s")], without, complete=False)
    verify_classes([TCloseness(0.17, "s")], without)
    with pytest.raises(BrokenPromiseError):
        verify_classes(close, Classes.by_value(table))


def test_a_rule_without_a_kernel_is_never_kept(people) -> None:
    table, _ = as_it_is(people, SCHEMA)
    limits = CompiledPromises.of(table, [LDiversity(1, "illness")]).limits
    unknown = limits._replace(kind=np.array([len(Kind)]))
    counts = np.array([3, 2, 1])
    assert class_holds(counts, 6, 6, limits)
    assert not class_holds(counts, 6, 6, unknown)


def test_one_kernel_a_promise() -> None:
    """What compiled code calls is what the promise itself calls."""
    from sfumato.table.promise import compiled

    for name in ("distinct_values", "entropy", "largest_and_tail", "tail_bounds", "least_share"):
        assert getattr(compiled, name) is getattr(diversity, name)
    for name in ("equal_distance", "ordered_distance", "hierarchical_distance"):
        assert getattr(compiled, name) is getattr(closeness, name)
