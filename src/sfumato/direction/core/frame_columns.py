"""Directions in the columns of a data frame, and records made of such columns."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.clock import clock_hours, is_clock
from sfumato.direction.core.coordinates import Kind
from sfumato.direction.data.check_ins import CheckIns, nearest_place
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input
from sfumato.io.frames import column, numbers, to_arrow, with_columns
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng

__all__ = [
    "check_ins_of_columns",
    "label_codes",
    "matching_columns",
    "read_columns",
    "release_columns",
    "survey_of_columns",
]

FrameT = TypeVar("FrameT")


def release_columns(frame: FrameT, columns: Sequence[str], mechanism: Mechanism, *, rng: Rng | None = None) -> FrameT:
    """The frame with some columns protected; pandas, Polars or Arrow, the same kind out as in.

    Parameters
    ----------
    columns : sequence of str
        For ``kind="latlon"`` latitude and longitude; for ``kind="vector"`` one column a coordinate; for angles and
        hours any number of columns, each protected on its own.
    mechanism : Mechanism
        A directional mechanism.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.direction import Purkayastha
    >>> table = pa.table({"name": ["a", "b"], "wakes": [6.5, 23.25]})
    >>> release_columns(table, ["wakes"], Purkayastha(epsilon=10.0, kind="hour")).column_names
    ['name', 'wakes']
    """
    kind = getattr(getattr(mechanism, "noise", mechanism), "kind", None)  # of the mechanism, or of the one inside
    if not columns or (kind == "latlon" and len(columns) != 2):
        raise bad_input("columns", list(columns), "latitude and longitude" if kind == "latlon" else "at least one")
    released = mechanism.release(read_columns(frame, columns, kind or "latlon"), rng=rng)
    return with_columns(frame, {name: released[:, i] for i, name in enumerate(columns)})


def read_columns(
    frame: object, columns: Sequence[str], kind: Kind = "latlon", zone: str | None = None
) -> NDArray[np.float64]:
    """The columns as an array of shape (rows, columns); clock times and timestamps as hours, for hours and weeks."""
    return np.stack([_read(frame, name, kind, zone) for name in columns], axis=1)


def _read(frame: object, name: str, kind: Kind, zone: str | None) -> NDArray[np.float64]:
    if kind in ("hour", "week"):
        import pyarrow as pa

        table = to_arrow(frame)
        if is_clock(table, name):
            return clock_hours(table, name, kind, zone)
        if name in table.column_names and pa.types.is_string(table.schema.field(name).type):
            wanted = "Tue 07:30" if kind == "week" else "07:30"
            raise bad_input(f"column {name!r}", "texts", f"numbers of hours, times such as {wanted}, or timestamps")
    return numbers(frame, name)


def matching_columns(present: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns, a pattern such as ``x*`` replaced by those that match it, in the order of the table.

    >>> matching_columns(["id", "x0", "x1"], ["x*"])
    ['x0', 'x1']
    """
    found: list[str] = []
    for name in names:
        some = [one for one in present if fnmatchcase(one, name)] if name not in present and "*" in name else [name]
        if not some:
            raise bad_input("--column", name, f"a pattern that matches one of {', '.join(present[:8])}")
        found += some
    return found


def label_codes(frame: object, name: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct labels in a column, and the number of its label for each row."""
    labels, codes = np.unique(column(frame, name), return_inverse=True)
    return labels, codes.astype(np.int64)


def survey_of_columns(
    frame: object, columns: Sequence[str], group: str | None = None, *, zone: str | None = None
) -> SleepSurvey:
    """A survey of times of day: one row a person, one column a night, and a column that names the group."""
    hour = read_columns(frame, columns, "hour", zone)
    return SleepSurvey(
        hour=hour, group=np.zeros(len(hour), dtype=np.int64) if group is None else label_codes(frame, group)[1]
    )


def check_ins_of_columns(
    frame: object,
    columns: Sequence[str],
    places: NDArray[np.float64],
    *,
    hour: str | None = None,
    user: str | None = None,
    zone: str | None = None,
) -> CheckIns:
    """Check-ins from columns of latitude and longitude; midnight and one user where no column says otherwise."""
    if len(columns) != 2:
        raise bad_input("columns", list(columns), "latitude and longitude")
    latlon = read_columns(frame, columns)
    return CheckIns(
        user=np.zeros(len(latlon), dtype=np.int64) if user is None else label_codes(frame, user)[1],
        hour=np.zeros(len(latlon)) if hour is None else _read(frame, hour, "hour", zone),
        latlon=latlon,
        place=nearest_place(latlon, places),
        places=places,
    )
