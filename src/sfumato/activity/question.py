"""What is asked of a log: its columns, its windows, its items, and how it becomes a release and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Activity, as_matrix
from sfumato.activity.core.calendar_windows import Calendar
from sfumato.activity.core.event_log import read_activity, stream_activity
from sfumato.errors import InputError, bad_input
from sfumato.io.engine import Engine, Source, find_engine, reader_of
from sfumato.noise import Rng
from sfumato.study.settings import build
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "Question", "as_read", "draw_pseudonyms", "kinds", "to_cells", "to_windows", "windows_alone"]

COLUMNS = ("window", "pseudonym", "item", "value")
"""The columns of a release: one row for each cell that is not 0; a row of zeros is written as one cell of 0."""


def kinds() -> dict[str, type]:
    """The mechanisms by their names."""
    from sfumato.activity.room import ROOM

    return ROOM.mechanisms()


@dataclass(frozen=True, kw_only=True)
class Question:
    """How a log is read and protected; everything here is public and stands on the card.

    Parameters
    ----------
    mechanism : str
    user, item, time : str
        The columns of the log.
    every, timezone, hours, weekdays, intervals
        As in :class:`Calendar`.
    counts : bool
        How often, instead of whether.
    items : tuple of str
        The public list of items; empty for those that occur in the log.
    settings : mapping
        Parameters of the mechanism.
    """

    mechanism: str
    user: str = "user"
    item: str = "item"
    time: str = "time"
    every: str = "week"
    timezone: str = "UTC"
    hours: tuple[int, int] | None = None
    weekdays: bool = False
    intervals: tuple[str, ...] = ()
    counts: bool = False
    items: tuple[str, ...] = ()
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        choice("mechanism", self.mechanism, list(kinds()))
        object.__setattr__(self, "items", tuple(map(str, self.items)))
        object.__setattr__(self, "intervals", tuple(self.intervals))
        if self.hours is not None:
            object.__setattr__(self, "hours", tuple(self.hours))
        _ = self.calendar
        self.build(1)  # wrong parameters end here, before the log is read
        if kinds()[self.mechanism].needs_items and not self.items:  # type: ignore[attr-defined]
            raise InputError(
                f"mechanism {self.mechanism!r} promises for a public list of items: expected items; "
                "say --items FILE with one item a line (the items of the log itself would tell who used them)"
            )

    @cached_property
    def calendar(self) -> Calendar:
        """The windows."""
        return Calendar(
            every=self.every,
            timezone=self.timezone,
            hours=self.hours,
            weekdays=self.weekdays,
            intervals=self.intervals,
        )

    def build(self, windows: int) -> Any:
        """The mechanism for so many windows."""
        return build(kinds(), self.mechanism, self.settings, windows=windows)

    def read(self, frame: Any, engine: Engine | str = "duckdb") -> Activity:
        """The log as matrices; a source is read by the engine."""
        how: dict[str, Any] = {"user": self.user, "item": self.item, "time": self.time, "calendar": self.calendar}
        how |= {"counts": self.counts, "items": self.items}
        if not isinstance(frame, Source):
            return read_activity(frame, **how)
        runs = find_engine(engine) if isinstance(engine, str) else engine
        return stream_activity(frame, reader_of(frame, runs), **how)

    def public(self) -> dict[str, Any]:
        """The parameters for the card, as plain values."""
        return {
            "user": self.user,
            "item": self.item,
            "time": self.time,
            "every": self.every,
            "timezone": self.timezone,
            "hours": None if self.hours is None else list(self.hours),
            "weekdays": self.weekdays,
            "intervals": list(self.intervals),
            "counts": self.counts,
            "items": list(self.items),
            "settings": dict(self.settings),
        }


def to_cells(release: Activity, pseudonyms: NDArray[Any]) -> pa.Table:
    """The cells of a release as a table, window by window.

    Parameters
    ----------
    pseudonyms : array of str of shape (windows, users)
    """
    import pyarrow as pa

    parts = []
    for label, matrix, names in zip(release.labels, release.windows, pseudonyms, strict=True):
        made = sparse.coo_array(matrix)
        made.sum_duplicates()
        kept = made.data != 0
        user, item, value = made.row[kept], made.col[kept], made.data[kept]
        idle = np.setdiff1d(np.arange(release.shape[0]), user)
        user, item = np.concatenate([user, idle]), np.concatenate([item, np.zeros(len(idle), item.dtype)])
        parts.append(
            pa.table(
                {
                    "window": pa.DictionaryArray.from_arrays(np.zeros(len(user), np.int32), [label]).cast(pa.string()),
                    "pseudonym": pa.array(names).take(pa.array(user)),
                    "item": pa.array(release.items).take(pa.array(item)),
                    "value": np.concatenate([value, np.zeros(len(idle))]),
                }
            )
        )
    return pa.concat_tables(parts).combine_chunks()


def to_windows(
    table: pa.Table, labels: tuple[str, ...], items: tuple[str, ...], rows: Mapping[str, Mapping[str, int]], users: int
) -> tuple[Any, ...]:
    """The matrices of a release again.

    Parameters
    ----------
    rows : mapping of str to mapping of str to int
        For each window, which row each pseudonym is.
    """
    import pyarrow as pa

    columns = {name: k for k, name in enumerate(as_read(items, table["item"].type))}
    found: dict[str, Any] = {}
    codes: dict[str, Any] = {}
    for name in ("window", "pseudonym", "item"):
        encoded = table[name].cast(pa.string()).combine_chunks().dictionary_encode()
        codes[name], found[name] = encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()
    values = np.asarray(table["value"].to_numpy(), float)
    unknown = [name for name in found["item"] if name not in columns]
    if unknown:
        raise bad_input("item", f"{len(unknown)} others", "the items of the original", "is it the data protected?")
    column = np.array([columns[name] for name in found["item"]], np.int64)[codes["item"]]
    windows = []
    for label, shown in zip(labels, as_read(labels, table["window"].type), strict=True):
        if shown not in found["window"]:
            raise bad_input("window", label, "a window of the release", "is it the data protected?")
        here = codes["window"] == found["window"].index(shown)
        known = rows[label]
        place = np.array([known.get(name, -1) for name in found["pseudonym"]], np.int64)[codes["pseudonym"][here]]
        if (place < 0).any():
            raise bad_input("pseudonym", "an unknown one", "the pseudonyms of the key", "is it the key of the release?")
        made = sparse.csr_array((values[here], (place, column[here])), shape=(users, len(items)))
        windows.append(as_matrix("release", made if made.nnz < 0.3 * users * len(items) else made.toarray()))
    return tuple(windows)


def as_read(names: tuple[str, ...], kind: Any) -> list[str]:
    """Names as a table has them that was read from a file: 1.50 and 2024-01-01T16:00 may have become 1.5 and a time."""
    import pyarrow as pa

    try:
        return pa.array(names, pa.string()).cast(kind).cast(pa.string()).to_pylist()
    except pa.ArrowException:  # other names: they are said to be missing
        return list(names)


def windows_alone(table: pa.Table) -> list[Any]:
    """The matrices of a release without its key; their rows are in no order."""
    import pyarrow as pa
    from pyarrow import compute as pc

    items = tuple(table["item"].cast(pa.string()).unique().to_pylist())
    window = table["window"].cast(pa.string())
    found: list[Any] = []
    for label in window.unique().to_pylist():
        part = table.filter(pc.equal(window, label))
        names = part["pseudonym"].cast(pa.string()).unique().to_pylist()
        rows = {label: {name: k for k, name in enumerate(names)}}
        found += to_windows(part, (label,), items, rows, len(names))
    return found


def draw_pseudonyms(windows: int, users: int, rng: Rng) -> NDArray[Any]:
    """A fresh name for every user in every window, none of them twice."""
    while True:
        numbers = rng.integers(0, 2**63, size=(windows, users))
        if len(np.unique(numbers)) == numbers.size:
            return np.array([[f"p{number:016x}" for number in row] for row in numbers.tolist()])
