"""Calendars, logs, classes and assignments."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sfumato.activity import Activity, Calendar, LinkageAttack, make_browsing, make_log, read_activity
from sfumato.activity.core.assignment import Affinity, _candidates, assign, auction, squared_distance
from sfumato.activity.core.calendar_windows import instants
from sfumato.activity.core.row_classes import joint_classes, row_classes
from sfumato.errors import InputError
from sfumato.noise import seeded_rng


def codes(calendar: Calendar, *times: Any) -> tuple[list[int], tuple[str, ...]]:
    found, labels = calendar.codes(instants(pa.array(times), "time"))
    return found.tolist(), labels


def test_days_are_those_of_the_time_zone() -> None:
    late = "2024-03-01T23:30:00+00:00"
    early = "2024-03-02T00:30:00+00:00"
    assert codes(Calendar(every="day"), late, early) == ([0, 1], ("2024-03-01", "2024-03-02"))
    assert codes(Calendar(every="day", timezone="Asia/Tokyo"), late, early) == ([0, 0], ("2024-03-02",))


def test_a_day_of_25_hours_is_one_window() -> None:
    """The night of 27 October 2024 in Vienna has an hour twice; by UTC the day would begin at 22:00."""
    zone = ZoneInfo("Europe/Vienna")
    first = datetime(2024, 10, 27, 0, 0, tzinfo=zone).astimezone(UTC)
    last = datetime(2024, 10, 27, 23, 59, tzinfo=zone).astimezone(UTC)
    assert (last - first).total_seconds() == 25 * 3600 - 60
    found, labels = Calendar(every="day", timezone="Europe/Vienna").codes(pa.array([first, last]))
    assert (found.tolist(), labels) == ([0, 0], ("2024-10-27",))


def test_weeks_begin_on_monday_and_months_on_the_first() -> None:
    times = ["2024-01-07T12:00:00", "2024-01-08T00:00:00", "2024-02-01T00:00:00"]
    assert codes(Calendar(every="week"), *times)[1] == ("2024-01-01", "2024-01-08", "2024-01-29")
    assert codes(Calendar(every="month"), *times) == ([0, 0, 1], ("2024-01", "2024-02"))
    assert codes(Calendar(every="6 hours"), "2024-01-01T05:59:00", "2024-01-01T06:00:00")[0] == [0, 1]


def test_hours_weekdays_and_intervals() -> None:
    times = ["2024-03-01T15:59:00", "2024-03-01T16:00:00", "2024-03-02T17:00:00"]  # Friday, Friday, Saturday
    assert codes(Calendar(every="day", hours=(16, 24)), *times)[0] == [-1, 0, 1]
    assert codes(Calendar(every="day", hours=(16, 24), weekdays=True), *times) == ([-1, 0, -1], ("2024-03-01",))
    named = Calendar(intervals=("2024-03-02/2024-03-03", "2024-03-01T16:00/2024-03-02"))
    assert codes(named, *times)[0] == [-1, 1, 0]
    with pytest.raises(InputError, match="at least one event"):
        codes(Calendar(intervals=("2020-01-01/2020-01-02",)), *times)


@pytest.mark.parametrize(
    "parameters",
    [
        {"every": "fortnight"}, {"every": "0 days"}, {"timezone": "Vienna"}, {"hours": (20, 4)}, {"hours": (1, 25)},
        {"intervals": ("2024-01-02/2024-01-01",)}, {"intervals": ("yesterday/today",)}, {"intervals": ("2024-01-01",)},
        {"intervals": ("2024-01-01/2024-01-03", "2024-01-02/2024-01-04")},
    ],
)  # fmt: skip
def test_calendars_that_are_none(parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Calendar(**parameters)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (["2024-01-01", "noon"], r"row 2 \(line 3 of a file\) is no time"),
        (["2024-01-01T10:00:00", None], r"row 2 \(line 3 of a file\)"),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00.5 "], r"row 2 \(line 3"),
        ([1.7e9, 1.7e12], "milliseconds"),
        ([True, False], "ISO 8601"),
    ],
)
def test_unparsable_times_name_their_line(times: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        instants(pa.array(times), "time")


def test_all_forms_of_a_time_are_one_instant() -> None:
    wanted = datetime(2024, 3, 1, 15, 5, tzinfo=UTC)
    forms = [
        pa.array([int(wanted.timestamp())]),
        pa.array([wanted.timestamp()]),
        pa.array([wanted]),
        pa.array(["2024-03-01T16:05:00+01:00"]),
        pa.array(["2024-03-01 16:05:00+01:00"]).dictionary_encode(),
    ]
    for form in forms:
        assert instants(form, "time").to_pylist()[0].astimezone(UTC) == wanted


@pytest.mark.parametrize("kind", [pa.Table.to_pandas, pl.from_arrow, lambda table: table])
def test_any_frame_gives_the_same_matrices(kind: Any) -> None:
    log = make_log(12, 9)
    one, two = read_activity(log), read_activity(kind(log))
    assert one.users == two.users
    assert one.items == two.items
    assert all((a != b).nnz == 0 for a, b in zip(one.windows, two.windows, strict=True))
    naive = pd.DataFrame({"u": [1, 2], "i": ["x", "y"], "t": [0, 1]})
    assert read_activity(naive, user="u", item="i", time="t").users == ("1", "2")


def test_a_list_of_items_fixes_the_columns() -> None:
    log = pa.table({"user": ["a", "b", "c"], "item": ["x", "y", "z"], "time": [0, 1, 2]})
    made = read_activity(log, items=["z", "x", "w"])
    assert made.items == ("z", "x", "w")
    assert made.users == ("a", "b", "c")  # b is there, with a row of zeros
    assert made.windows[0].toarray().tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    with pytest.raises(InputError, match="once"):
        read_activity(log, items=["x", "x"])
    with pytest.raises(InputError, match="no column 'who'"):
        read_activity(log, user="who")
    with pytest.raises(InputError, match="at least one event"):
        read_activity(log, items=["nothing"])
    with pytest.raises(InputError, match="different columns"):
        read_activity(log, item="user")


def test_matrices_agree_with_a_plain_count() -> None:
    log = make_log(20, 15, days=21)
    made = read_activity(log, counts=True)
    assert made.count == 3
    total = sum(window.toarray() for window in made.windows)
    frame = log.to_pandas()
    for row, user in enumerate(made.users):
        for column, item in enumerate(made.items):
            assert total[row, column] == ((frame.user == user) & (frame.item == item)).sum()


@pytest.mark.parametrize(
    ("windows", "more"),
    [
        ([], {}),
        ([np.eye(2), np.eye(3)], {}),
        ([np.zeros((0, 3))], {}),
        ([np.array([[np.nan]])], {}),
        ([sparse.csr_array(np.array([[np.inf]]))], {}),
        ([np.eye(2)], {"users": ("a", "a")}),
        ([np.eye(2)], {"items": ("a",)}),
        ([np.eye(2), np.eye(2)], {"labels": ("x", "x")}),
        ([np.eye(2)], {"channel": (0.1, 1.5)}),
    ],
)
def test_activities_that_are_none(windows: list[Any], more: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Activity(windows=tuple(windows), **more)


def test_different_users_cannot_be_matched() -> None:
    one, two = Activity(windows=(np.eye(3),) * 2), Activity(windows=(np.eye(4),) * 2)
    with pytest.raises(InputError, match="as the original"):
        LinkageAttack().attack(one, two)
    named = Activity(windows=(np.eye(3),) * 2, users=("a", "b", "c"))
    other = Activity(windows=(np.eye(3),) * 2, users=("a", "b", "d"))
    with pytest.raises(InputError, match="same users"):
        LinkageAttack().attack(named, other)
    with pytest.raises(InputError, match="two windows"):
        LinkageAttack().attack(np.eye(3), np.eye(3))
    with pytest.raises(InputError, match="the same on both sides"):
        assign(squared_distance(np.eye(3), np.eye(4)[:, :3]), seeded_rng(0))


def test_classes_of_sparse_and_dense_rows_agree() -> None:
    matrix = np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.5, 0.0, -0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    for classes in (row_classes(matrix), row_classes(sparse.csr_array(matrix))):
        assert [[int(a == b) for b in classes] for a in classes] == [
            [1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [1, 0, 1, 0, 1], [0, 0, 0, 1, 0], [1, 0, 1, 0, 1],
        ]  # fmt: skip
    both = Activity(windows=(matrix, np.arange(15.0).reshape(5, 3)))
    assert len(np.unique(joint_classes(both))) == 5


@pytest.mark.parametrize("seed", range(3))
def test_the_auction_is_nearly_optimal(seed: int) -> None:
    """With all candidates its total is within 1 % of the optimum, and every column is given once."""
    rng = seeded_rng(seed)
    left, right = rng.random((80, 6)), rng.random((80, 6))
    affinity = squared_distance(left, right)
    scores = affinity.block(slice(None))
    best = scores[np.arange(80), assign(affinity, rng)].sum()
    found = assign(affinity, rng, exact=1, candidates=80)
    assert sorted(found.tolist()) == list(range(80))
    assert best - scores[np.arange(80), found].sum() <= 0.01 * abs(best)


@pytest.mark.parametrize(
    ("size", "near", "many"), [(300, 5, 10), (70, 32, 64), (64, 32, 64), (100, 1, 1), (40, 20, 40)]
)
def test_candidates_are_the_best_by_both_rules(size: int, near: int, many: int) -> None:
    """Against plain sorting: the best scores, then of the others the best for what they usually are."""
    rng = np.random.default_rng(size)
    block, usual = rng.normal(size=(size, size)), rng.normal(size=size)
    found = _candidates(block, usual, near, many, 3)
    for row, one in zip(block, found, strict=True):
        first = np.argsort(-row)[:near]
        rest = row - usual
        rest[first] = -np.inf
        assert set(one[:near]) == set(first)
        assert set(one[near:]) == set(np.argsort(-rest)[: many - near])


def test_rows_with_equal_scores_keep_different_candidates() -> None:
    """Where all columns are alike, all rows together want most of the columns and not the same few."""
    found = _candidates(np.zeros((500, 500)), np.zeros(500), 2, 4, 0)
    assert len(np.unique(found)) > 400
    assert all(len(set(row)) == 4 for row in found.tolist())


def test_the_auction_links_what_the_optimum_links() -> None:
    log = make_browsing(150, 400)
    exact = LinkageAttack().attack(log, log, rng=seeded_rng(0)).value
    nearly = LinkageAttack(exact=1, candidates=30).attack(log, log, rng=seeded_rng(0)).value
    assert abs(exact - nearly) < 0.08


def test_rows_without_a_candidate_give_up() -> None:
    columns = np.zeros((3, 2), np.int32)
    columns[:, 1] = 1
    found = auction(columns, np.array([[5.0, 1.0], [4.0, 1.0], [3.0, 1.0]]))
    assert sorted(found.tolist()) == [-1, 0, 1]
    assert found[0] == 0


def test_sparse_scores_are_dense_scores() -> None:
    matrix = (seeded_rng(0).random((7, 5)) < 0.5) * 1.0
    dense, thin = squared_distance(matrix, matrix), squared_distance(sparse.csr_array(matrix), sparse.csr_array(matrix))
    assert np.allclose(dense.block(slice(2, 5)), thin.block(slice(2, 5)))
    assert isinstance(thin, Affinity)


def test_windows_without_events_are_refused() -> None:
    """A named interval in which nothing happened, and a log without any row."""
    log = pa.table({"user": ["a", "b"], "item": ["x", "y"], "time": ["2024-01-01T10:00", "2024-01-01T11:00"]})
    calendar = Calendar(intervals=("2024-01-01/2024-01-02", "2024-02-01/2024-02-02"))
    with pytest.raises(InputError, match=r"2024-02-01.*expected at least one event"):
        read_activity(log, calendar=calendar)
    with pytest.raises(InputError, match="no events"):
        read_activity(log.slice(0, 0), calendar=Calendar(every="day"))
