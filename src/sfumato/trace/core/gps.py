"""GPS files in and out, and the projection between degrees and metres.

A trace is projected to a plane by the azimuthal equidistant projection about its own middle: distances from the middle
are exact, others within 0.01 % over 100 km. The middle is part of the data, so it is rounded to a tenth of a degree
before it is used; the projection then depends on the rough region only.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.io.files import read_table, write_table
from sfumato.io.frames import column, numbers
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import finite_array

__all__ = ["GpsTrace", "Projection", "read_gps", "write_gps"]

Vector = NDArray[np.float64]
_NAMESPACE = "{http://www.topografix.com/GPX/1/1}"


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
    """A trace from GPX, or from a table with columns ``t`` (Unix seconds or ISO 8601), ``lat`` and ``lon``."""
    if str(path).lower().endswith(".gpx"):
        return _read_gpx(Path(path))
    table = read_table(path, columns=["t", "lat", "lon"])
    times = column(table, "t")
    if times.dtype.kind in "OUM":
        times = times.astype("datetime64[ms]").astype(np.float64) / 1000
    return GpsTrace(times.astype(np.float64), numbers(table, "lat"), numbers(table, "lon"))


def write_gps(trace: GpsTrace, path: str | Path) -> None:
    """Write a trace in the format of the file name; places to a metre (five decimals), so that no low bits leave."""
    latitude, longitude = np.round(trace.latitude, 5), np.round(trace.longitude, 5)
    if not str(path).lower().endswith(".gpx"):
        import pyarrow as pa

        write_table(pa.table({"t": trace.times, "lat": latitude, "lon": longitude}), path)
        return
    root = ElementTree.Element("gpx", {"version": "1.1", "creator": "sfumato", "xmlns": _NAMESPACE[1:-1]})
    segment = ElementTree.SubElement(ElementTree.SubElement(root, "trk"), "trkseg")
    for moment, lat, lon in zip(trace.times, latitude, longitude, strict=True):
        point = ElementTree.SubElement(segment, "trkpt", {"lat": f"{lat:.5f}", "lon": f"{lon:.5f}"})
        stamp = datetime.fromtimestamp(float(moment), UTC).isoformat().replace("+00:00", "Z")
        ElementTree.SubElement(point, "time").text = stamp
    with atomic_path(path) as beside:
        ElementTree.ElementTree(root).write(beside, encoding="utf-8", xml_declaration=True)


def _read_gpx(path: Path) -> GpsTrace:
    with reading(path):
        content = path.read_bytes()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise InputError(f"{path.name} declares a document type: expected plain GPX; entities can hide anything")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise InputError(f"{path.name} is not GPX: {error}") from error
    times: list[float] = []
    latitudes: list[float] = []
    longitudes: list[float] = []
    for point in root.iter():
        if point.tag.rpartition("}")[2] != "trkpt":
            continue
        stamp = next((child.text for child in point if child.tag.rpartition("}")[2] == "time"), None)
        if stamp is None:
            raise InputError(
                f"{path.name}: track point {len(times)} has no time; a path without times cannot be protected"
            )
        times.append(datetime.fromisoformat(stamp.strip()).timestamp())
        latitudes.append(float(point.attrib["lat"]))
        longitudes.append(float(point.attrib["lon"]))
    return GpsTrace(np.array(times), np.array(latitudes), np.array(longitudes))
