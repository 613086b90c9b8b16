"""Tracks of GPS receivers: GPX as a table, and back.

Read by gpxpy, after defusedxml has refused what declares entities. Written without either.
"""

from __future__ import annotations

import datetime as dt
import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING, Any, BinaryIO

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.places import coordinate_names
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parse_gpx", "print_gpx"]

_NAMESPACE = "http://www.topografix.com/GPX/1/1"
_GARMIN = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
_PLAIN = ("track", "time", "latitude", "longitude", "elevation")
_SENSORS = ("atemp", "wtemp", "depth", "hr", "cad", "speed", "course", "bearing")
"""What the extension of a track point holds, in its order."""


def parse_gpx(shown: str, content: bytes, *, notes: Notes = None) -> pa.Table:
    """A row for each point: ``track``, ``time``, ``latitude``, ``longitude``, ``elevation``, and what watches add.

    ``track`` numbers the uninterrupted parts of all tracks from 1. The values in the extensions of a point, such as the
    heart rate ``hr``, are columns under their own names. Names and comments are not read.
    """
    import pyarrow as pa

    gpxpy = extra("gpxpy", "gpx")
    defused = extra("defusedxml.ElementTree", "gpx")
    common = extra("defusedxml.common", "gpx")
    root = None
    try:
        root = defused.fromstring(content, forbid_dtd=True)
        gpx = gpxpy.parse(_decoded(content))
    except common.DefusedXmlException as error:
        raise InputError(f"{shown} declares a document type: expected plain GPX; entities can hide anything") from error
    except (ElementTree.ParseError, gpxpy.gpx.GPXException, ValueError, LookupError, TypeError, KeyError) as error:
        if root is not None:
            _check_points(root)
        raise InputError(f"{shown} is not GPX: expected tracks with latitudes and longitudes") from error
    parts = [segment.points for track in gpx.tracks for segment in track.segments if segment.points]
    points = [(number, point) for number, part in enumerate(parts, 1) for point in part]
    if notes is not None and (gpx.routes or gpx.waypoints):
        notes(f"{shown} has {len(gpx.routes)} routes and {len(gpx.waypoints)} way points beside its tracks: not read")
    if not points:
        raise InputError(f"{shown} has no records: expected a track with at least one point")
    if any(point.time is None for _, point in points):
        _check_points(root)
    columns = {
        "track": pa.array([number for number, _ in points], pa.int64()),
        "time": _times([point.time for _, point in points]),
        "latitude": pa.array([point.latitude for _, point in points], pa.float64()),
        "longitude": pa.array([point.longitude for _, point in points], pa.float64()),
        "elevation": pa.array([point.elevation for _, point in points], pa.float64()),
    }
    return pa.table(columns | _extensions([point for _, point in points]))


def _check_points(root: Any) -> None:
    """Refuse the first point of a track whose place or time is not one, by its number."""
    for number, point in enumerate((one for one in root.iter() if str(one.tag).endswith("trkpt")), 1):
        for name, called in (("lat", "latitude"), ("lon", "longitude")):
            if point.get(name) is None:
                raise InputError(f"point {number} has no {called}: expected degrees; drop the point")
            try:
                float(point.get(name))
            except ValueError:
                raise bad_input(f"{called} of point {number}", "a text", "degrees") from None
        for time in (one.text for one in point if str(one.tag).endswith("time")):
            try:
                dt.datetime.fromisoformat((time or "").strip())
            except ValueError:
                raise bad_input(f"time of point {number}", "a text", "ISO 8601, such as 2024-05-01T12:00:00Z") from None


def _extensions(points: list[Any]) -> dict[str, pa.Array]:
    """The values in the extensions of points: one column for each name, numbers if all of them are."""
    import pyarrow as pa

    found: dict[str, list[str | None]] = {}
    for row, point in enumerate(points):
        for element in (leaf for top in point.extensions for leaf in top.iter() if len(leaf) == 0):
            name = str(element.tag).rpartition("}")[2]
            name = f"{name}_extension" if name in _PLAIN else name
            if element.text and element.text.strip():
                found.setdefault(name, [None] * len(points))[row] = element.text.strip()
    columns = {}
    for name, texts in found.items():
        try:
            columns[name] = pa.array([None if text is None else float(text) for text in texts], pa.float64())
        except ValueError:
            columns[name] = pa.array(texts, pa.string())
    return columns


def _decoded(content: bytes) -> str:
    """The document as text: gpxpy takes bytes for UTF-8 whatever the document says."""
    encoding = "utf-8-sig"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif said := re.match(rb"\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)", content):
        encoding = said[1].decode()
    text = content.decode(encoding)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # what one reader of XML sees, another may not
        raise ValueError("a document type")
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)


def _times(times: list[Any]) -> pa.Array:
    """Moments in UTC; if none says its time zone, clock times without one, which whoever reads them has to name."""
    import pyarrow as pa

    known = [time for time in times if time is not None]
    if known and all(time.tzinfo is None for time in known):
        return pa.array(times, pa.timestamp("us"))
    return pa.array([_utc(time) for time in times], pa.timestamp("us", tz="UTC"))


def _utc(time: Any) -> Any:
    if time is None:
        return None
    return time.replace(tzinfo=dt.UTC) if time.tzinfo is None else time.astimezone(dt.UTC)


def print_gpx(table: pa.Table, stream: BinaryIO) -> None:
    """A track for each number in ``track``, or one, with ``time``, ``elevation`` and what a watch adds to a point."""
    lon, lat = coordinate_names(table)
    beside = [name for name in table.column_names if name not in (lon, lat, *_PLAIN, *_SENSORS)]
    if beside:
        held = "track, time, latitude, longitude and elevation, and " + ", ".join(_SENSORS)
        raise bad_input("columns", ", ".join(beside), held, "GPX holds no others: use .csv or .parquet")
    ElementTree.register_namespace("gpxtpx", _GARMIN)
    root = ElementTree.Element("gpx", {"version": "1.1", "creator": "sfumato", "xmlns": _NAMESPACE})
    segments: dict[Any, ElementTree.Element] = {}
    for row, record in enumerate(table.to_pylist(), 1):
        if record[lon] is None or record[lat] is None:
            raise InputError(f"row {row} has no place: a track holds none without; remove it first")
        number = record.get("track")
        if number not in segments:
            segments[number] = ElementTree.SubElement(ElementTree.SubElement(root, "trk"), "trkseg")
        place = {"lat": repr(float(record[lat])), "lon": repr(float(record[lon]))}
        point = ElementTree.SubElement(segments[number], "trkpt", place)
        if record.get("elevation") is not None:
            ElementTree.SubElement(point, "ele").text = repr(float(record["elevation"]))
        if record.get("time") is not None:
            ElementTree.SubElement(point, "time").text = _stamp(record["time"], row)
        sensed = {name: record[name] for name in _SENSORS if record.get(name) is not None}
        if sensed:
            inside = ElementTree.SubElement(
                ElementTree.SubElement(point, "extensions"), f"{{{_GARMIN}}}TrackPointExtension"
            )
            for name, value in sensed.items():
                ElementTree.SubElement(inside, f"{{{_GARMIN}}}{name}").text = _number(name, value, row)
    ElementTree.ElementTree(root).write(stream, encoding="utf-8", xml_declaration=True)


def _number(name: str, value: Any, row: int) -> str:
    if not isinstance(value, int | float):
        raise bad_input(f"{name} in row {row}", type(value).__name__, "a number")
    return f"{value:.15g}"


def _stamp(time: Any, row: int) -> str:
    if isinstance(time, int | float):
        time = dt.datetime.fromtimestamp(time, dt.UTC)
    if not isinstance(time, dt.datetime):
        raise bad_input(f"time in row {row}", type(time).__name__, "a moment, or seconds since 1970")
    return str(_utc(time).isoformat()).replace("+00:00", "Z")
