"""The points of a trace as they came in a table, and as they leave in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.io.frames import to_arrow
from sfumato.trace.core.gps import (
    GpsTrace,
    Projection,
    place_names,
    rounded,
    time_name,
    times_of,
    trace_of,
    without_repeats,
)
from sfumato.trace.core.merged import check_one_person

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TracePoints", "beside"]


@dataclass(frozen=True, eq=False)
class TracePoints:
    """The points of one person in a table.

    Parameters
    ----------
    frame, table
        The table as it came, and as Arrow.
    rows : ndarray of int
        Which rows of it the points are.
    trace : GpsTrace
    about : mapping
        What the card says of the input: ``zone``, ``dedupe``, ``thin``.
    """

    frame: Any
    table: pa.Table
    rows: NDArray[np.intp]
    trace: GpsTrace
    about: Mapping[str, Any]

    @classmethod
    def read(cls, frame: Any, about: Mapping[str, Any]) -> TracePoints:
        """The points of a table. ``about`` may name the time zone, and say to dedupe or thin."""
        table, zone = to_arrow(frame), about.get("zone")
        rows = without_repeats(times_of(table, zone=zone), dedupe="dedupe" in about, thin=about.get("thin"))
        trace = trace_of(table.take(rows), zone=zone)
        plane = Projection.about(trace)
        check_one_person(trace.times, plane.to_metres(trace.latitude, trace.longitude))
        return cls(frame, table, rows, trace, about)

    def only(self, kept: NDArray[np.bool_]) -> TracePoints:
        """Those that are kept; at least two."""
        if kept.sum() < 2:
            raise InputError("fewer than two points are left: the whole path is hidden; there is nothing to release")
        trace = self.trace
        kept_trace = GpsTrace(trace.times[kept], trace.latitude[kept], trace.longitude[kept])
        return replace(self, rows=self.rows[kept], trace=kept_trace)

    def released(self, latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> tuple[pa.Table, list[str]]:
        """Times as they came and places to five decimals, under the names of the input; and what is left out."""
        import pyarrow as pa

        table = self.table.take(self.rows)
        lon, lat = place_names(table)
        columns = {time_name(table): table[time_name(table)], lat: pa.array(rounded(latitude))}
        columns[lon] = pa.array(rounded(longitude))
        left_out = beside(self.table)
        if "track" in table.column_names and len(self.table["track"].unique()) > 1:
            left_out.append("where one track ends and the next begins")
        return pa.table({name: columns[name] for name in table.column_names if name in columns}), left_out


def beside(table: pa.Table) -> list[str]:
    """Columns with something in them beside times and places; GPX numbers its tracks."""
    known = {time_name(table), *place_names(table), "track"}
    return [name for name in table.column_names if name not in known and table[name].null_count < table.num_rows]
