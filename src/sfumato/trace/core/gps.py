"""GPS files in and out, and the projection between degrees and metres.

A trace is projected to a plane by the azimuthal equidistant projection about its own middle: distances from the middle
are exact, others within 0.01 % over 100 km. The middle is part of the data, so it is rounded to a tenth of a degree
before it is used; the projection then depends on the rough region only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.files import read_table, write_table
from sfumato.io.frames import numbers, to_arrow
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import finite_array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DECIMALS",
    "GpsTrace",
    "Projection",
    "as_track",
    "place_names",
    "read_gps",
    "rounded",
    "time_name",
    "trace_of",
    "write_gps",
]

Vector = NDArray[np.float64]
DECIMALS = 5
"""Of released degrees."""


@dataclass(frozen=True, eq=False)
class GpsTrace:
    """Times (Unix seconds, increasing) and places (degrees).

    Parameters
    ----------
    times : ndarray of shape (n,)
    latitude, longitude : ndarray of shape (n,)
    """

    times: Vector
    latitude: Vector
    longitude: Vector

    def __post_init__(self) -> None:
        times = finite_array("times", self.times, ndim=1)
        latitude, longitude = (
            finite_array("latitude", self.latitude, ndim=1),
            finite_array("longitude", self.longitude, ndim=1),
        )
        if not len(times) == len(latitude) == len(longitude):
            raise bad_input("trace", (len(times), len(latitude), len(longitude)), "as many places as times")
        if len(times) < 2:
            raise bad_input(
                "trace", f"{len(times)} point", "at least two points", "one point has no path to hide it in"
            )
        if not (np.diff(times) > 0).all():
            row = int(np.argmin(np.diff(times) > 0)) + 1
            raise bad_input(
                f"time of point {row}", float(times[row]), "times that increase", "sort the file, drop duplicates"
            )
        if np.abs(latitude).max() > 90:
            raise bad_input("latitude", float(latitude[np.abs(latitude).argmax()]), "degrees from −90 to 90")
        if np.abs(longitude).max() > 180:
            raise bad_input("longitude", float(longitude[np.abs(longitude).argmax()]), "degrees from −180 to 180")


@dataclass(frozen=True)
class Projection:
    """Azimuthal equidistant projection about a centre in degrees.

    >>> plane = Projection(52.0, 13.0)
    >>> there = plane.to_metres(np.array([52.01]), np.array([13.0]))
    >>> there.round(1)
    array([[   0., 1112.]])
    >>> [part.round(6).item() for part in plane.to_degrees(there)]
    [52.01, 13.0]
    """

    latitude: float
    longitude: float

    @classmethod
    def about(cls, trace: GpsTrace) -> Projection:
        """About the middle of a trace, to a tenth of a degree."""
        middle = np.angle(np.exp(1j * np.radians(trace.longitude)).mean(), deg=True)
        return cls(round(float(trace.latitude.mean()), 1), round(float(middle), 1))

    def to_metres(self, latitude: Vector, longitude: Vector) -> Vector:
        """East and north of the centre, of shape (n, 2)."""
        phi, phi0 = np.radians(latitude), np.radians(self.latitude)
        turn = np.radians(longitude - self.longitude)
        east = np.cos(phi) * np.sin(turn)
        north = np.cos(phi0) * np.sin(phi) - np.sin(phi0) * np.cos(phi) * np.cos(turn)
        up = np.sin(phi0) * np.sin(phi) + np.cos(phi0) * np.cos(phi) * np.cos(turn)
        across = np.hypot(east, north)
        # arctan2, not arccos: small angles keep their digits
        stretch = np.divide(np.arctan2(across, up), across, out=np.ones_like(across), where=across > 0)
        return EARTH_RADIUS * np.stack([stretch * east, stretch * north], axis=1)

    def to_degrees(self, metres: Vector) -> tuple[Vector, Vector]:
        """Latitude and longitude of points in the plane."""
        east, north = metres[:, 0] / EARTH_RADIUS, metres[:, 1] / EARTH_RADIUS
        angle = np.hypot(east, north)
        share = np.sinc(angle / np.pi)  # sin(angle)/angle
        phi0 = np.radians(self.latitude)
        latitude = np.arcsin(np.clip(np.cos(angle) * np.sin(phi0) + north * share * np.cos(phi0), -1, 1))
        turn = np.arctan2(east * share, np.cos(phi0) * np.cos(angle) - north * share * np.sin(phi0))
        longitude = (self.longitude + np.degrees(turn) + 180) % 360 - 180
        return np.degrees(latitude), longitude


def read_gps(path: str | Path) -> GpsTrace:
    """A trace from a file: GPX, GeoJSON, or a table with a time and a place in every row (:func:`trace_of`)."""
    return trace_of(read_table(path))


def write_gps(trace: GpsTrace, path: str | Path) -> None:
    """Write a trace in the format of the file name; places to a metre (five decimals), so that no low bits leave."""
    import pyarrow as pa

    latitude, longitude = rounded(trace.latitude), rounded(trace.longitude)
    write_table(pa.table({"time": trace.times, "latitude": latitude, "longitude": longitude}), path)


def rounded(degrees: Vector) -> Vector:
    """Degrees to five decimals, about a metre."""
    return np.round(degrees, DECIMALS)


def trace_of(frame: Any) -> GpsTrace:
    """The trace in a table with columns ``time`` (or ``t``), ``latitude`` and ``longitude`` (or ``lat`` and ``lon``).

    Times are moments, ISO 8601 texts (UTC unless they say otherwise) or seconds since 1970.
    """
    table = to_arrow(frame)
    when, (lon, lat) = time_name(table), place_names(table)
    return GpsTrace(_seconds(table[when]), numbers(table, lat), numbers(table, lon))


def as_track(table: pa.Table) -> pa.Table:
    """The table with its times as moments in a column ``time``, as GPX has them; all other columns stay."""
    import pyarrow as pa

    when = time_name(table)
    moments = pa.array(np.round(_seconds(table[when]) * 1e6).astype(np.int64), pa.timestamp("us", tz="UTC"))
    return table.set_column(table.column_names.index(when), "time", moments)


def time_name(table: pa.Table) -> str:
    """The column that holds the times."""
    for name in ("time", "t"):
        if name in table.column_names:
            return name
    raise bad_input(
        "columns", ", ".join(table.column_names), "time, latitude and longitude (or t, lat and lon)", "rename them"
    )


def place_names(table: pa.Table) -> tuple[str, str]:
    """The columns that hold longitude and latitude."""
    for names in (("longitude", "latitude"), ("lon", "lat"), ("lng", "lat")):
        if all(name in table.column_names for name in names):
            return names
    raise bad_input(
        "columns", ", ".join(table.column_names), "time, latitude and longitude (or t, lat and lon)", "rename them"
    )


def _seconds(times: Any) -> Vector:
    """A column of times as seconds since 1970."""
    import pyarrow as pa

    if times.null_count:
        row = int(np.flatnonzero(times.is_null().to_numpy())[0]) + 1
        raise InputError(f"row {row} has no time: a path without times cannot be protected")
    if pa.types.is_string(times.type) or pa.types.is_large_string(times.type):
        return np.array([_moment(text, row) for row, text in enumerate(times.to_pylist(), 1)])
    if pa.types.is_timestamp(times.type):
        whole = times.cast(pa.timestamp("us", tz=times.type.tz), safe=False).cast(pa.int64())
        return np.asarray(whole.to_numpy(), np.float64) / 1e6
    if not (pa.types.is_integer(times.type) or pa.types.is_floating(times.type)):
        raise bad_input("time", str(times.type), "moments, ISO 8601 texts or seconds since 1970")
    return np.asarray(times.to_numpy(), np.float64)


def _moment(text: str, row: int) -> float:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise bad_input(f"time in row {row}", "a text", "ISO 8601, such as 2024-05-01T12:00:00Z") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
