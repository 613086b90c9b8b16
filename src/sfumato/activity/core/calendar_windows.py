"""Windows of time on the calendar of a place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.validate import integer

__all__ = ["Calendar", "instants"]

_UNITS = {"minute": "%Y-%m-%dT%H:%M", "hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "week": "%Y-%m-%d"}
_UNITS |= {"month": "%Y-%m", "year": "%Y"}


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """How a log is cut into windows: by the calendar of a time zone, or into intervals that are named.

    Parameters
    ----------
    every : str
        ``"hour"``, ``"day"``, ``"week"`` (from Monday), ``"month"``, ``"year"``, or several: ``"10 minutes"``.
    timezone : str
        Whose calendar: ``"Europe/Vienna"``. A day there has 23 to 25 hours. Times without a zone are taken as local.
    hours : pair of int, optional
        Only these hours of the local day count: ``(16, 24)``.
    weekdays : bool
        Leave out Saturdays and Sundays.
    intervals : sequence of str
        Instead of ``every``: local times ``"2024-03-01T16:00/2024-03-02T00:00"``, the end not included.

    Examples
    --------
    >>> Calendar(every="day", timezone="Asia/Tokyo", hours=(16, 24)).timezone
    'Asia/Tokyo'
    """

    every: str = "week"
    timezone: str = "UTC"
    hours: tuple[int, int] | None = None
    weekdays: bool = False
    intervals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self.step
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, TypeError, OSError) as error:
            raise bad_input("timezone", self.timezone, "a name such as 'Europe/Vienna' or 'UTC'") from error
        if self.hours is not None:
            if len(self.hours) != 2:
                raise bad_input("hours", self.hours, "two hours of the day, such as (16, 24)")
            first, last = (integer("hours", hour, least=0, most=24) for hour in self.hours)
            if first >= last:
                raise bad_input("hours", self.hours, "the first hour before the last")
            object.__setattr__(self, "hours", (first, last))
        object.__setattr__(self, "intervals", tuple(self.intervals))
        _ = self._bounds()

    @property
    def step(self) -> tuple[int, str]:
        """How many of which unit a window lasts."""
        found = re.fullmatch(r"(?:(\d+) )?(minute|hour|day|week|month|year)s?", str(self.every).strip())
        if found is None or found[1] == "0":
            raise bad_input("every", self.every, "hour, day, week, month or year, or several such as '10 minutes'")
        return int(found[1] or 1), found[2]

    def codes(self, times: Any) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """The number of the window of each time (−1 for none), and the labels in the order of time.

        Parameters
        ----------
        times : pyarrow array of timestamps
            As :func:`instants` gives them.
        """
        starts, kept = self.starts(times)
        if self.intervals:
            labels = self.intervals
            empty = [label for k, label in enumerate(labels) if not (kept & (starts == k)).any()]
            if empty:
                raise bad_input("window", empty[0], "at least one event", "name other intervals, or another timezone")
            return np.where(kept, starts, -1), labels
        found, codes = np.unique(starts[kept], return_inverse=True)
        all_codes = np.full(len(starts), -1, np.int64)
        all_codes[kept] = codes.reshape(-1)
        return all_codes, self.labels(found)

    def labels(self, starts: NDArray[np.int64]) -> tuple[str, ...]:
        """The labels of windows that start then, in microseconds since 1970 on the local clock."""
        import pyarrow as pa
        from pyarrow import compute as pc

        written = pc.strftime(pa.array(starts, pa.int64()).cast(pa.timestamp("us")), format=_UNITS[self.step[1]])
        return tuple(written.to_pylist())

    def starts(self, times: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """When the window of each time starts, or its number if the windows have names; and whether it is in one."""
        import pyarrow as pa
        from pyarrow import compute as pc

        local = self.local(times)
        kept = np.ones(len(local), bool)
        if self.hours is not None:
            hour = pc.hour(local).to_numpy(zero_copy_only=False)
            kept &= (hour >= self.hours[0]) & (hour < self.hours[1])
        if self.weekdays:
            kept &= pc.day_of_week(local).to_numpy(zero_copy_only=False) < 5
        if self.intervals:
            numbers = self._named(local.cast(pa.int64()).to_numpy(zero_copy_only=False))
            return numbers, kept & (numbers >= 0)
        multiple, unit = self.step
        floored = pc.floor_temporal(local, multiple=multiple, unit=unit, calendar_based_origin=multiple > 1)
        return floored.cast(pa.int64()).to_numpy(zero_copy_only=False), kept

    def local(self, times: Any) -> Any:
        """The times as they are read off a clock in the time zone."""
        import pyarrow as pa
        from pyarrow import compute as pc

        if times.type.tz is None:
            return times
        return pc.local_timestamp(times.cast(pa.timestamp("us", self.timezone)))

    def _bounds(self) -> list[tuple[int, int]]:
        found = []
        for text in self.intervals:
            first, slash, last = text.partition("/")
            try:
                start, end = (datetime.fromisoformat(part) for part in (first, last))
            except ValueError as error:
                raise bad_input("interval", text, "two local times, such as 2024-03-01T16:00/2024-03-02") from error
            if not slash or start.tzinfo or end.tzinfo or start >= end:
                raise bad_input("interval", text, "a start before an end, both local times without a zone")
            origin = datetime(1970, 1, 1)
            found.append(tuple(round((one - origin).total_seconds() * 1e6) for one in (start, end)))
        ordered = sorted(found)
        if any(one[1] > two[0] for one, two in pairwise(ordered)):
            raise bad_input("intervals", list(self.intervals), "intervals that do not overlap")
        return found  # type: ignore[return-value]

    def _named(self, local: NDArray[np.int64]) -> NDArray[np.int64]:
        codes = np.full(len(local), -1, np.int64)
        for k, (start, end) in enumerate(self._bounds()):
            codes[(local >= start) & (local < end)] = k
        return codes


def instants(times: Any, name: str) -> Any:
    """A column of times as timestamps in microseconds: instants, or local times without a zone.

    Numbers are Unix seconds. Texts are ISO 8601; one that is none is refused with its row.
    """
    import pyarrow as pa
    from pyarrow import compute as pc

    column = times.combine_chunks() if isinstance(times, pa.ChunkedArray) else times
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]) + 1
        raise InputError(f"column {name!r} has no time in row {row} (line {row + 1} of a file): remove such events")
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("us"))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        seconds = column.to_numpy(zero_copy_only=False)
        wrong = ~(np.abs(seconds) < 1e11)  # beyond the year 5000, or not finite
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0]) + 1
            raise InputError(
                f"column {name!r} in row {row} (line {row + 1} of a file) is no Unix time in seconds: "
                "divide milliseconds by 1000"
            )
        return pc.cast(pa.array(np.round(seconds * 1e6).astype(np.int64)), pa.timestamp("us", "UTC"))
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise bad_input(f"column {name!r}", str(kind), "times: ISO 8601 texts, timestamps or Unix seconds")
    for wanted in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return column.cast(wanted)
        except pa.ArrowInvalid:
            continue
    return _slowly(column.to_pylist(), name)


def _slowly(texts: list[str], name: str) -> Any:
    """Forms that Arrow does not read, one by one; the first that is no time is named by its row."""
    import pyarrow as pa

    made: list[datetime] = []
    for row, text in enumerate(texts, start=1):
        try:
            made.append(datetime.fromisoformat(text.strip()))
        except ValueError as error:
            raise InputError(
                f"column {name!r} in row {row} (line {row + 1} of a file) is no time: "
                "expected ISO 8601, such as 2024-03-01T16:05:00+01:00"
            ) from error
        if (made[-1].tzinfo is None) != (made[0].tzinfo is None):
            raise InputError(
                f"column {name!r} in row {row} (line {row + 1} of a file) has {'no' if made[0].tzinfo else 'a'} "
                "time zone, unlike the first: write all times with one, or none"
            )
    return pa.array(made, pa.timestamp("us", "UTC" if made and made[0].tzinfo else None))
