"""GPS files in and out, and the projection between degrees and metres.

A trace is projected to a plane by the azimuthal equidistant projection about its own middle: distances from the middle
are exact, others within 0.01 % over 100 km. The middle is part of the data, so it is rounded to a tenth of a degree
before it is used; the projection then depends on the rough region only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.files import read_table, write_table
from sfumato.io.frames import to_arrow
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import finite_array, positive

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
    "time_zone",
    "times_of",
    "trace_of",
    "without_repeats",
    "write_gps",
]

Vector = NDArray[np.float64]
DECIMALS = 5
"""Of released degrees."""
_LATEST = 1e11
"""Seconds since 1970 that are the year 5138: larger numbers are milliseconds."""


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
            same = times[row] == times[row - 1]
            remedy = "two points have one time: --dedupe keeps the first" if same else "sort the file"
            raise bad_input(f"time of point {row + 1}", float(times[row]), "times that increase", remedy)
        for name, degrees, most in (("latitude", latitude, 90), ("longitude", longitude, 180)):
            if np.abs(degrees).max() > most:
                row = int(np.argmax(np.abs(degrees) > most))
                raise bad_input(f"{name} of point {row + 1}", float(degrees[row]), f"degrees from −{most} to {most}")


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


def read_gps(path: str | Path, *, zone: str | None = None) -> GpsTrace:
    """A trace from a file: GPX, GeoJSON, or a table with a time and a place in every row (:func:`trace_of`)."""
    return trace_of(read_table(path), zone=zone)


def write_gps(trace: GpsTrace, path: str | Path) -> None:
    """Write a trace in the format of the file name; places to a metre (five decimals), so that no low bits leave."""
    import pyarrow as pa

    latitude, longitude = rounded(trace.latitude), rounded(trace.longitude)
    write_table(pa.table({"time": trace.times, "latitude": latitude, "longitude": longitude}), path)


def rounded(degrees: Vector) -> Vector:
    """Degrees to five decimals, about a metre."""
    return np.round(degrees, DECIMALS)


def trace_of(frame: Any, *, zone: str | None = None) -> GpsTrace:
    """The trace in a table with columns ``time`` (or ``t``), ``latitude`` and ``longitude`` (or ``lat`` and ``lon``).

    Times are moments, ISO 8601 texts or seconds since 1970. Where they do not say their time zone, ``zone`` must, such
    as ``"Europe/Berlin"``.
    """
    table = to_arrow(frame)
    times, (lon, lat) = times_of(table, zone=zone), place_names(table)
    return GpsTrace(times, _degrees(table, lat, "latitude"), _degrees(table, lon, "longitude"))


def places_of(frame: Any) -> tuple[Vector, Vector]:
    """Latitudes and longitudes of a table, whatever else it has.

    >>> import pyarrow as pa
    >>> [part.tolist() for part in places_of(pa.table({"lat": [52.5], "lon": [13.4]}))]
    [[52.5], [13.4]]
    """
    table = to_arrow(frame)
    lon, lat = place_names(table)
    return _degrees(table, lat, "latitude"), _degrees(table, lon, "longitude")


def as_track(table: pa.Table, *, zone: str | None = None) -> pa.Table:
    """The table with its times as moments in a column ``time``, as GPX has them; all other columns stay."""
    import pyarrow as pa

    moments = pa.array(np.round(times_of(table, zone=zone) * 1e6).astype(np.int64), pa.timestamp("us", tz="UTC"))
    return table.set_column(table.column_names.index(time_name(table)), "time", moments)


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


def times_of(table: pa.Table, *, zone: str | None = None) -> Vector:
    """The times of a table in seconds since 1970; ``zone`` is that of times which do not say their own."""
    import pyarrow as pa

    times = table[time_name(table)]
    if times.null_count:
        row = int(np.flatnonzero(times.is_null().to_numpy())[0]) + 1
        raise InputError(f"point {row} has no time: a path without times cannot be protected")
    if pa.types.is_string(times.type) or pa.types.is_large_string(times.type):
        clock = time_zone(zone)
        return np.array([_moment(text, row, clock) for row, text in enumerate(times.to_pylist(), 1)])
    if pa.types.is_timestamp(times.type):
        whole = times.cast(pa.timestamp("us", tz=times.type.tz), safe=False)
        if times.type.tz is None:
            clock = time_zone(zone)
            if clock is None:
                raise _zoneless(1)
            return np.array([moment.replace(tzinfo=clock).timestamp() for moment in whole.to_pylist()])
        return np.asarray(whole.cast(pa.int64()).to_numpy(), np.float64) / 1e6
    if not (pa.types.is_integer(times.type) or pa.types.is_floating(times.type)):
        raise bad_input("time", str(times.type), "moments, ISO 8601 texts or seconds since 1970")
    seconds = np.asarray(times.to_numpy(), np.float64)
    late = ~(np.abs(seconds) < _LATEST)
    if late.any():
        row = int(np.argmax(late))
        raise bad_input(
            f"time of point {row + 1}", float(seconds[row]), "seconds since 1970", "divide milliseconds by 1000"
        )
    return seconds


def time_zone(zone: str | None) -> ZoneInfo | None:
    """The time zone of a name; None for none."""
    if zone is None:
        return None
    try:
        return ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise bad_input("--zone", zone, "a time zone such as UTC or Europe/Berlin") from None


def _degrees(table: pa.Table, name: str, called: str) -> Vector:
    """A column of degrees; a missing or strange one is named by the number of its point."""
    import pyarrow as pa

    column = table[name]
    try:
        values = np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)
    except pa.ArrowInvalid:
        row = next(k for k, one in enumerate(column.to_pylist(), 1) if not _is_number(one))
        raise bad_input(f"{called} of point {row}", "a text", "degrees") from None
    bad = ~np.isfinite(values)
    if bad.any():
        raise InputError(f"point {int(np.argmax(bad)) + 1} has no {called}: expected degrees; drop the point")
    return values


def _is_number(value: Any) -> bool:
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError):
        return False


def _moment(text: str, row: int, clock: ZoneInfo | None) -> float:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise bad_input(f"time of point {row}", "a text", "ISO 8601, such as 2024-05-01T12:00:00Z") from None
    if moment.tzinfo is None:
        if clock is None:
            raise _zoneless(row)
        moment = moment.replace(tzinfo=clock)
    return moment.timestamp()


def _zoneless(row: int) -> InputError:
    return bad_input(
        f"time of point {row}",
        "no time zone",
        "times with one, such as 2024-05-01T12:00:00Z",
        "or --zone Europe/Berlin",
    )


def without_repeats(times: Vector, *, dedupe: bool, thin: float | None) -> NDArray[np.intp]:
    """The rows that stay: with ``dedupe`` the first of several points of one time, with ``thin`` none sooner than that.

    >>> without_repeats(np.array([0.0, 0.0, 5.0, 60.0]), dedupe=True, thin=30.0).tolist()
    [0, 3]
    """
    kept = np.arange(len(times))
    if dedupe and len(times):
        kept = kept[np.concatenate([[True], np.diff(times) != 0])]
    if thin is not None:
        positive("thin", thin)
        last, rows = -np.inf, []
        for row in kept.tolist():
            if times[row] >= last + thin or times[row] < last:  # what goes back in time is refused later, not dropped
                rows.append(row)
                last = float(times[row])
        kept = np.array(rows, dtype=np.intp)
    return kept
