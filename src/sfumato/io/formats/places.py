"""Points on the Earth: GeoJSON and GeoParquet as tables with a longitude and a latitude, and back.

GeoJSON is RFC 7946, GeoParquet its specification 1.1 (points as Well-Known Binary or as pairs of numbers). Both are in
degrees of WGS 84; a file that says otherwise is refused, since a projection is not undone here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.json_table import records_table
from sfumato.io.streams import print_record

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "coordinate_names",
    "feature_table",
    "points_to_columns",
    "print_geojson",
    "with_geometry",
    "with_points",
]

_DEGREES = {("OGC", "CRS84"), ("OGC", "CRS84H"), ("EPSG", "4326"), ("EPSG", "4979")}
_POINT = {1: 2, 1001: 3, 2001: 3, 3001: 4}
"""Numbers of a point in Well-Known Binary, by its type: plain, with height, with a measure, with both."""
_WITH_SRID, _WITH_HEIGHT = 0x20000000, 0x80000000
_NAMES = (("longitude", "latitude"), ("lon", "lat"), ("lng", "lat"))


def feature_table(shown: str, document: dict[str, Any]) -> pa.Table:
    """The properties of each feature beside its longitude and latitude.

    A line is a track: a row for each of its points, and a column ``track`` that numbers the lines. Heights become a
    column ``elevation``, and the times of its points, where ``coordTimes`` has them, a column ``time``. Areas are
    refused.
    """
    named = str((document.get("crs") or {}).get("properties", {}).get("name", "CRS84"))
    if not named.upper().endswith(("CRS84", "EPSG::4326", "EPSG:4326")):
        raise InputError(f"{shown} has coordinates in {named}: expected degrees (WGS 84); convert it first")
    features = document.get("features", []) if document["type"] == "FeatureCollection" else [document]
    if not isinstance(features, list):
        raise InputError(f"{shown} is not GeoJSON: expected a list of features")
    rows: list[dict[str, Any]] = []
    tracks = 0
    for number, feature in enumerate(features, 1):
        try:
            own = dict(feature.get("properties") or {})
            lines = _lines(feature.get("geometry"))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{shown}, feature {number}, is not GeoJSON: expected a point or a line") from error
        if lines is None:
            kind = feature["geometry"]["type"]
            raise InputError(f"{shown}, feature {number}, is a {kind}: expected points or lines; take a point of each")
        taken = {"track", "longitude", "latitude", "elevation"} & set(own)
        if taken:
            raise InputError(
                f"{shown}, feature {number}, has a property {min(taken)!r} beside its place: rename it first"
            )
        moments = _moments(shown, number, own, lines)
        for (line, is_track), times in zip(lines, moments, strict=True):
            tracks += is_track
            for place, time in zip(line, times, strict=True):
                row = {**own, "track": tracks} if is_track else dict(own)
                if time is not None:
                    row["time"] = time
                row |= {"longitude": place[0], "latitude": place[1]}
                if len(place) > 2 and place[2] is not None:
                    row["elevation"] = place[2]
                rows.append(row)
    names = {name for row in rows for name in row}
    last = [name for name in ("track", "longitude", "latitude", "elevation") if name in names]
    table = records_table(shown, rows)
    return table.select([name for name in table.column_names if name not in last] + last)


def _lines(geometry: dict[str, Any] | None) -> list[tuple[list[list[float | None]], bool]] | None:
    """The places of a geometry, and whether they are a track; ``None`` if it is neither points nor lines."""
    if geometry is None:
        return [([[None, None]], False)]
    kind, places = geometry["type"], geometry.get("coordinates", ())
    if kind == "Point":
        return [([_place(places)], False)]
    if kind == "MultiPoint":
        return [([_place(place) for place in places], False)]
    if kind == "LineString":
        return [([_place(place) for place in places], True)]
    if kind == "MultiLineString":
        return [([_place(place) for place in line], True) for line in places]
    return None


def _moments(
    shown: str, number: int, own: dict[str, Any], lines: list[tuple[list[list[float | None]], bool]]
) -> list[list[Any]]:
    """The times of the points of each line, taken out of the feature's properties; None where there are none.

    They are in ``coordTimes`` or in ``coordinateProperties.times``, as converters of GPX write them: a list, or a list
    for each line.
    """
    held = own.get("coordinateProperties")
    given = own.pop("coordTimes", None) or (held.get("times") if isinstance(held, dict) else None)
    if given is None or not any(is_track for _, is_track in lines):
        return [[None] * len(line) for line, _ in lines]
    own.pop("coordinateProperties", None)
    each = given if len(lines) > 1 or (given and isinstance(given[0], list)) else [given]
    if not isinstance(each, list) or [len(times) for times in each] != [len(line) for line, _ in lines]:
        raise InputError(f"{shown}, feature {number}, has other times than points: expected one for each")
    if "time" in own:
        raise InputError(
            f"{shown}, feature {number}, has a property 'time' beside those of its points: rename it first"
        )
    return each


def _place(values: Any) -> list[float | None]:
    if len(values) == 0:
        return [None, None]
    place: list[float | None] = [float(value) for value in values[:3]]
    if len(place) < 2:
        raise ValueError("a place has two coordinates")
    return place


def with_points(shown: str, table: pa.Table, *, required: bool, notes: Notes = None) -> pa.Table:
    """A Parquet table with its points, if its metadata says that it has some, as longitude and latitude."""
    described = (table.schema.metadata or {}).get(b"geo")
    if described is None:
        if required:
            raise InputError(f"{shown} is not GeoParquet: its metadata describes no geometry; format parquet reads it")
        return table
    try:
        geo = json.loads(described)
        name = geo["primary_column"]
        about = geo["columns"][name]
        crs = about.get("crs", {"id": {"authority": "OGC", "code": "CRS84"}})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{shown} is not GeoParquet: its metadata cannot be read") from error
    if crs is None:
        if notes is not None:
            notes(f"{shown} does not say its coordinate system; taken as degrees (WGS 84)")
    else:
        known = crs.get("id", {}) if isinstance(crs, dict) else {}
        if (str(known.get("authority", "")).upper(), str(known.get("code", "")).upper()) not in _DEGREES:
            raise InputError(
                f"{shown} has coordinates in {crs.get('name', 'another system') if isinstance(crs, dict) else crs}: "
                "expected degrees (WGS 84); convert it first"
            )
    kept = {key: value for key, value in table.schema.metadata.items() if key not in (b"geo", b"pandas")}
    return points_to_columns(shown, table.replace_schema_metadata(kept or None), name)


def points_to_columns(shown: str, table: pa.Table, name: str) -> pa.Table:
    """The table with a column of points, binary or pairs of numbers, as longitude and latitude at its end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name not in table.column_names:
        raise InputError(f"{shown} is not GeoParquet: it has no column {name!r}")
    column = table[name].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_struct(column.type):
        parts = [pc.struct_field(column, part) for part in ("x", "y")]
    elif pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        places = _well_known(shown, column.to_pylist())
        absent = np.isnan(places[:, 0])
        parts = [pa.array(places[:, part], mask=absent) for part in (0, 1)]
    else:
        raise InputError(f"{shown}, column {name!r}, is {column.type}: expected points; take a point of each")
    rest = table.drop_columns([name])
    for title, part in zip(("longitude", "latitude"), parts, strict=True):
        if title in rest.column_names:
            raise InputError(f"{shown} has a column {title!r} beside its geometry: rename it first")
        rest = rest.append_column(title, part)
    return rest


def _well_known(shown: str, values: list[bytes | None]) -> NDArray[np.float64]:
    """Longitude and latitude of points in Well-Known Binary; a missing or an empty point is NaN.

    A point is the order of its bytes (1: little-endian), its type as a 32-bit number, perhaps the number of its
    coordinate system, and its coordinates as doubles. Values of the same head are read together.
    """
    found = np.full((len(values), 2), np.nan)
    groups: dict[bytes, list[int]] = {}
    for row, value in enumerate(values):
        if value is not None:
            groups.setdefault(value[:5], []).append(row)
    for head, rows in groups.items():
        order = "<" if head[:1] == b"\x01" else ">"
        code = int.from_bytes(head[1:], "little" if order == "<" else "big")
        start = 9 if code & _WITH_SRID else 5
        kind = (code & 0x0FFFFFFF) + (1000 if code & _WITH_HEIGHT else 0)
        width = start + 8 * _POINT.get(kind, 0)
        if kind not in _POINT or any(len(values[row] or b"") != width for row in rows):
            raise InputError(f"{shown}, row {rows[0] + 1}, is not a point: take a point of each geometry")
        joined = np.frombuffer(b"".join(values[row] or b"" for row in rows), np.uint8).reshape(len(rows), width)
        pairs = np.ascontiguousarray(joined[:, start : start + 16]).view(f"{order}f8")
        found[rows] = pairs
    return found


def coordinate_names(table: pa.Table) -> tuple[str, str]:
    """The columns that hold longitude and latitude."""
    for names in _NAMES:
        if all(name in table.column_names for name in names):
            return names
    raise bad_input("columns", ", ".join(table.column_names), "longitude and latitude (or lon and lat)",
                    "a map needs places; use .csv or .parquet")  # fmt: skip


def print_geojson(table: pa.Table, stream: BinaryIO) -> None:
    """A feature for each row: a point, and the other columns as its properties."""
    lon, lat = coordinate_names(table)
    stream.write(b'{"type": "FeatureCollection", "features": [\n')
    before = b""
    for batch in table.to_batches(max_chunksize=10_000):
        for record in batch.to_pylist():
            place = [record.pop(lon), record.pop(lat)]
            point = None if None in place else {"type": "Point", "coordinates": place}
            stream.write(before)
            print_record({"type": "Feature", "geometry": point, "properties": record}, stream)
            before = b","
    stream.write(b"]}\n")


def with_geometry(table: pa.Table) -> pa.Table:
    """The table with its longitude and latitude as a column of points, and the metadata of GeoParquet."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lon, lat = coordinate_names(table)
    size = table.num_rows
    points = np.zeros((size, 21), np.uint8)
    points[:, 0] = points[:, 1] = 1
    absent = pc.or_(pc.is_null(table[lon]), pc.is_null(table[lat])).to_numpy()
    places = np.stack([pc.fill_null(table[name].cast(pa.float64()), np.nan).to_numpy() for name in (lon, lat)], axis=1)
    points[:, 5:] = np.ascontiguousarray(places.astype("<f8")).view(np.uint8).reshape(size, 16)
    geometry = [None if gone else row.tobytes() for row, gone in zip(points, absent, strict=True)]
    column = {"encoding": "WKB", "geometry_types": ["Point"]}
    about = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    rest = table.drop_columns([lon, lat]).append_column("geometry", pa.array(geometry, pa.binary()))
    return rest.replace_schema_metadata({b"geo": json.dumps(about).encode()})
