"""From a log of events to one matrix of users × items for each window."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sfumato.activity.core.activity import Activity
from sfumato.activity.core.calendar_windows import Calendar, instants
from sfumato.errors import InputError, bad_input
from sfumato.io.engine import COUNT, Engine, Source
from sfumato.io.frames import column, missing_columns, to_arrow
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST_WINDOWS", "read_activity", "stream_activity"]

MOST_WINDOWS = 1000
"""More are most likely a wrong unit."""

_COUNT = """
WITH found AS (SELECT * FROM log WHERE w >= 0)
SELECT f.w, u.code AS u, i.code AS i, sum(f.n)::BIGINT AS n
FROM found f JOIN users u ON f.u = u.name JOIN items i ON f.i = i.name
GROUP BY ALL ORDER BY ALL
"""
_NAMES = """
SELECT name, row_number() OVER (ORDER BY name) - 1 AS code
FROM (SELECT DISTINCT {0} AS name FROM log WHERE w >= 0)
"""


def read_activity(
    frame: Any,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    calendar: Calendar | None = None,
    counts: bool = False,
    items: Sequence[str] = (),
) -> Activity:
    """The events of a log as sparse matrices, one for each window of the calendar. DuckDB does the counting.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        One row an event.
    user, item, time : str
        The columns.
    calendar : Calendar, optional
        By default the weeks of UTC.
    counts : bool
        How often, instead of whether.
    items : sequence of str
        The columns of the matrix, in this order; events on other items stay behind. By default all items that occur.

    Examples
    --------
    >>> import pyarrow as pa
    >>> log = pa.table({"user": ["A", "B", "A"], "item": ["x", "y", "x"], "time": [0, 60, 700_000]})
    >>> made = read_activity(log)
    >>> made, made.labels
    (Activity(2 windows, 2 users, 2 items), ('1969-12-29', '1970-01-05'))
    >>> made.windows[0].toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    table = to_arrow(frame)
    if len({user, item, time}) < 3:
        raise bad_input("columns", [user, item, time], "three different columns")
    missing_columns([user, item, time], table.column_names, "the log")
    if table.num_rows == 0:
        raise InputError("the log has no events: expected at least one row")
    import pyarrow as pa

    codes, labels = (calendar or Calendar()).codes(instants(table[time], time))
    log = pa.table({"u": _texts(table, user), "i": _texts(table, item), "w": codes, "n": np.ones(len(codes), np.int64)})
    return _matrices(log, labels, items, counts)


def stream_activity(
    source: Source,
    engine: Engine,
    *,
    user: str,
    item: str,
    time: str,
    calendar: Calendar,
    counts: bool,
    items: Sequence[str],
) -> Activity:
    """The same for a file whose events need not fit in memory: the engine counts them, cell by cell."""
    import pyarrow as pa

    missing_columns([user, item, time], source.columns, "the log")
    found = engine.summarise(source, ["u", "i", "w"], _Cells(user, item, time, calendar))
    starts = found["w"].to_numpy()
    if calendar.intervals:
        labels, codes = calendar.intervals, starts
        empty = np.setdiff1d(np.arange(len(labels)), codes)
        if len(empty):
            expected = "at least one event"
            raise bad_input("window", labels[int(empty[0])], expected, "name other intervals, or another timezone")
    else:
        known, codes = np.unique(starts, return_inverse=True)
        labels = calendar.labels(known)
    return _matrices(pa.table({"u": found["u"], "i": found["i"], "w": codes, "n": found[COUNT]}), labels, items, counts)


@dataclass(frozen=True)
class _Cells:
    """Who, what and in which window: what the matrices are made of."""

    user: str
    item: str
    time: str
    calendar: Calendar

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        table = pa.Table.from_batches([batch.select([self.user, self.item, self.time])])
        when = table[self.time].combine_chunks()
        if pa.types.is_string(when.type):  # all cells of a CSV file are texts; those of Unix times are numbers
            with contextlib.suppress(pa.ArrowInvalid):
                when = when.cast(pa.float64())
        starts, kept = self.calendar.starts(instants(when, self.time))
        mask = pa.array(kept)
        columns = [_texts(table, self.user).filter(mask), _texts(table, self.item).filter(mask)]
        return pa.RecordBatch.from_arrays([*columns, pa.array(starts[kept], pa.int64())], names=["u", "i", "w"])


def _matrices(log: pa.Table, labels: tuple[str, ...], items: Sequence[str], counts: bool) -> Activity:
    """Matrices from cells: user, item, number of the window (−1 for none) and how many events."""
    chosen = tuple(map(str, items))
    if len(set(chosen)) < len(chosen):
        raise bad_input("items", "a name twice", "every item once")
    codes = log["w"].to_numpy()
    if not labels or not (codes >= 0).any():
        raise bad_input("windows", 0, "at least one event in a window", "name other hours or intervals")
    if len(labels) > MOST_WINDOWS:
        raise bad_input("every", f"{len(labels)} windows", f"at most {MOST_WINDOWS}", "take longer windows")
    found, users, columns = _counted(log, chosen)
    shape = len(users), len(columns)
    if 0 in shape:
        raise bad_input("items", len(chosen), "items that occur in the log", "are they spelled as in the log?")
    windows = []
    for k, label in enumerate(labels):
        here = found["w"] == k
        value = found["n"][here].astype(float) if counts else np.ones(int(here.sum()))
        if not here.any():
            raise bad_input("window", label, "at least one event on the items", "take longer windows or more items")
        windows.append(sparse.csr_array((value, (found["u"][here], found["i"][here])), shape=shape))
    return Activity(windows=tuple(windows), labels=labels, items=tuple(columns), users=tuple(users))


def _texts(table: pa.Table, name: str) -> Any:
    import pyarrow as pa

    column(table, name)  # refuses a missing value and names its row
    values = table[name].combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values.cast(pa.string())


def _counted(log: pa.Table, chosen: tuple[str, ...]) -> tuple[dict[str, Any], list[str], list[str]]:
    """How many events of which window, user and item there are, and the names of users and items."""
    import pyarrow as pa

    duckdb = extra("duckdb", "activity")
    with duckdb.connect() as connection:
        connection.register("log", log)
        connection.execute(f"CREATE TEMP TABLE users AS {_NAMES.format('u')}")
        if chosen:
            connection.register("chosen", pa.table({"name": list(chosen), "code": np.arange(len(chosen))}))
            connection.execute("CREATE TEMP TABLE items AS SELECT * FROM chosen")
        else:
            connection.execute(f"CREATE TEMP TABLE items AS {_NAMES.format('i')}")
        found = {name: np.asarray(values) for name, values in connection.execute(_COUNT).fetchnumpy().items()}
        names = [
            [row[0] for row in connection.execute(f"SELECT name FROM {what} ORDER BY code").fetchall()]
            for what in ("users", "items")
        ]
    return found, names[0], names[1]
