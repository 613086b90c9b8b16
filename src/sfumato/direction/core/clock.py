"""Clock times, timestamps and weekdays in the columns of a table, as hours of the day or of the week, and back.

A clock time is a place on a circle of 24 hours, a timestamp one on that circle or on the circle of the week. Its date
is no direction: it does not leave. Hours are the doubles nearest to the time that is written, right to 2⁻⁴⁶ hours, and
what is promised is promised for them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import Kind, period_of
from sfumato.errors import InputError, bad_input
from sfumato.io.frames import column

__all__ = ["as_clock", "clock_hours", "is_clock", "is_timestamp"]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TIME = re.compile(
    r"(?:(?P<day>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d{1,9})?))?(?:\s*(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)


def is_clock(table: Any, name: str) -> bool:
    """Whether a column of an Arrow table holds clock times or timestamps rather than numbers.

    >>> import pyarrow as pa
    >>> [is_clock(pa.table({"t": values}), "t") for values in (["07:30", "23:10"], [7.5, 23.25])]
    [True, False]
    """
    import pyarrow as pa

    if name not in table.column_names:
        return False  # whoever reads it says so
    kind = table.schema.field(name).type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return any(text is not None and _TIME.fullmatch(text.strip()) for text in table[name][:100].to_pylist())
    return bool(pa.types.is_time(kind)) or is_timestamp(table, name)


def is_timestamp(table: Any, name: str) -> bool:
    """Whether a column holds dates with times."""
    import pyarrow as pa

    return name in table.column_names and bool(pa.types.is_timestamp(table.schema.field(name).type))


def clock_hours(table: Any, name: str, kind: Kind = "hour", zone: str | None = None) -> NDArray[np.float64]:
    """The hours of clock times: of the day in [0, 24), or since Monday 0:00 in [0, 168) for ``kind="week"``.

    Parameters
    ----------
    table : pyarrow.Table
    name : str
        A column of times, of timestamps, or of texts such as ``07:30``, ``7:30 pm`` or ``Tue 07:30``.
    zone : str, optional
        The time zone of the clock, such as ``Europe/Berlin``: for timestamps that are points in time (with ``Z`` or an
        offset), which it is needed for, and for no others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> clock_hours(pa.table({"t": ["07:30", "11:15 pm", "24:00"]}), "t")
    array([ 7.5 , 23.25,  0.  ])
    >>> clock_hours(pa.table({"t": ["Tue 07:30"]}), "t", "week")
    array([31.5])
    """
    import pyarrow as pa

    values = column(table, name) if not is_timestamp(table, name) else None  # an error names a missing value
    if values is None:
        column(table, name)
        return _stamp_hours(table, name, kind, zone)
    if pa.types.is_time(table.schema.field(name).type):
        if kind == "week":
            raise bad_input(f"column {name!r}", "times of the day", "timestamps, or texts such as Tue 07:30", "a week")
        ticks = table[name].cast(pa.time64("ns")).cast(pa.int64()).to_numpy()
        return np.asarray(ticks / 3.6e12, np.float64)
    return np.array([_text_hours(name, row, str(text), kind) for row, text in enumerate(values)], np.float64)


def _stamp_hours(table: Any, name: str, kind: Kind, zone: str | None) -> NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    stamps, known = table[name], table.schema.field(name).type.tz
    if known is None and zone is not None:
        raise bad_input("--zone", zone, f"nothing: the timestamps of {name!r} have no zone, they are local", "drop it")
    if known is not None:
        if zone is None and known.upper() in ("UTC", "Z", "+00:00", "ETC/UTC"):
            raise InputError(
                f"column {name!r} holds points in time (UTC): expected --zone, the time zone of the clock meant, "
                "such as Europe/Berlin or UTC"
            )
        place = zone or known
        try:
            stamps = pc.local_timestamp(stamps.cast(pa.timestamp("us", place)))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise bad_input("--zone", place, "a time zone such as Europe/Berlin") from error
    ticks = stamps.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).to_numpy()
    day = 86_400_000_000
    if kind == "week":
        return np.asarray(((ticks + 3 * day) % (7 * day)) / 3.6e9, np.float64)  # 1 January 1970 was a Thursday
    return np.asarray((ticks % day) / 3.6e9, np.float64)


def _text_hours(name: str, row: int, text: str, kind: Kind) -> float:
    found = _TIME.fullmatch(text.strip())
    wanted = "times such as Tue 07:30" if kind == "week" else "times such as 07:30"
    if found is None or (kind == "week") != (found["day"] is not None):
        raise InputError(f"column {name!r} has another value in row {row + 1}: expected {wanted}")
    hour, half = int(found["hour"]), found["half"]
    midnight = half is None and (hour, int(found["minute"]), float(found["second"] or 0)) == (24, 0, 0)  # ISO 8601
    if (half is not None and not 1 <= hour <= 12) or (hour > 23 and not midnight):
        raise InputError(f"column {name!r} has an hour outside the day in row {row + 1}: expected {wanted}")
    if half is not None:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    seconds = hour * 3600 + int(found["minute"]) * 60 + float(found["second"] or 0)
    days = _DAYS.index(found["day"].title()[:3]) if found["day"] else 0
    return (days * 86_400 + seconds) / 3600 % period_of(kind)


def as_clock(hours: NDArray[np.float64], kind: Kind = "hour") -> Any:
    """Hours as an Arrow column of times to the second, or as texts such as ``Tue 07:28:13`` for the week.

    >>> as_clock(np.array([7.5, 23.9999])).to_pylist()
    [datetime.time(7, 30), datetime.time(0, 0)]
    >>> as_clock(np.array([31.5]), "week")[0].as_py()
    'Tue 07:30:00'
    """
    import pyarrow as pa

    days = 7 if kind == "week" else 1
    seconds = np.rint(hours * 3600).astype(np.int64) % (days * 86_400)
    if kind != "week":
        return pa.array(seconds.astype(np.int32), pa.time32("s"))
    written = [f"{_DAYS[s // 86_400]} {s // 3600 % 24:02d}:{s // 60 % 60:02d}:{s % 60:02d}" for s in seconds.tolist()]
    return pa.array(written, pa.string())
