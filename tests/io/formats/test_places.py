"""GeoJSON, GeoParquet and GPX: places in degrees as columns, and back."""

from __future__ import annotations

import datetime as dt
import json
import struct
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from sfumato.errors import InputError, MissingExtraError
from sfumato.io import read_table, to_arrow, write_table
from sfumato.io.frames import to_native_like


def geojson(*features: Any, **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def feature(kind: str, coordinates: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


DEGREES = st.tuples(st.floats(-180, 180), st.floats(-90, 90))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    places=st.lists(DEGREES | st.none(), min_size=1, max_size=6).filter(any),
    ending=st.sampled_from(["geojson", "geojson.gz", "geoparquet"]),
)
def test_points_survive(tmp_path: Path, places: list[tuple[float, float] | None], ending: str) -> None:
    table = pa.table(
        {
            "name": [f"é{i}" for i in range(len(places))],
            "longitude": [None if place is None else place[0] for place in places],
            "latitude": [None if place is None else place[1] for place in places],
        }
    )
    write_table(table, tmp_path / f"t.{ending}")
    assert read_table(tmp_path / f"t.{ending}").to_pydict() == table.to_pydict()


def test_features_become_rows(tmp_path: Path) -> None:
    (tmp_path / "t.geojson").write_bytes(
        geojson(
            feature("Point", [13.4, 52.5], name="a"),
            feature("LineString", [[1, 2, 9.5], [3, 4]], name="b"),
            feature("MultiLineString", [[[5, 6]], [[7, 8]]]),
            feature("MultiPoint", [[9, 10], [11, 12]], name="d"),
        )
    )
    (tmp_path / "t.json").write_bytes((tmp_path / "t.geojson").read_bytes())
    found = read_table(tmp_path / "t.geojson")
    assert found.to_pydict() == {
        "name": ["a", "b", "b", None, None, "d", "d"],
        "track": [None, 1, 1, 2, 3, None, None],
        "longitude": [13.4, 1, 3, 5, 7, 9, 11],
        "latitude": [52.5, 2, 4, 6, 8, 10, 12],
        "elevation": [None, 9.5, None, None, None, None, None],
    }
    assert read_table(tmp_path / "t.json").equals(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1]", "is not GeoJSON"),
        (b"{", "line 1, is not JSON"),
        (b"[" * 100_000, "is nested too deeply|is not JSON"),
        (geojson(), "has no records"),
        (geojson(feature("Polygon", [[[0, 0], [1, 1], [1, 0], [0, 0]]])), "feature 1, is a Polygon: expected points"),
        (geojson(feature("Point", [1])), "feature 1, is not GeoJSON"),
        (geojson(feature("Point", ["secret", 2])), "feature 1, is not GeoJSON"),
        (geojson("secret"), "feature 1, is not GeoJSON"),
        (geojson(feature("Point", [1, 2], latitude=3)), "has a property 'latitude' beside its place"),
        (geojson(feature("Point", [1, 2], a=1), feature("Point", [1, 2], a="secret")), "field 'a': expected values"),
        (
            geojson(
                feature("Point", [1, 2]), crs={"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}
            ),
            "has coordinates in urn:ogc:def:crs:EPSG::3857: expected degrees",
        ),
    ],
)
def test_bad_geojson(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.geojson").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / "t.geojson")
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")


def geoparquet(path: Path, values: list[bytes | None], crs: Any = "none", **about: Any) -> Path:
    column = {"encoding": "WKB", "geometry_types": ["Point"], **({} if crs == "none" else {"crs": crs})}
    geo = {"version": "1.1.0", "primary_column": "g", "columns": {"g": column}, **about}
    table = pa.table({"n": list(range(len(values))), "g": pa.array(values, pa.binary())})
    parquet.write_table(table.replace_schema_metadata({b"geo": json.dumps(geo).encode()}), path)
    return path


POINTS = [
    struct.pack("<BIdd", 1, 1, 13.4, 52.5),
    struct.pack(">BIdd", 0, 1, 13.4, 52.5),
    struct.pack("<BIddd", 1, 1001, 13.4, 52.5, 7),
    struct.pack("<BIddd", 1, 0x80000001, 13.4, 52.5, 7),
    struct.pack("<BIIdd", 1, 0x20000001, 4326, 13.4, 52.5),
    struct.pack("<BIdddd", 1, 3001, 13.4, 52.5, 7, 8),
]


def test_every_way_to_write_a_point(tmp_path: Path) -> None:
    empty = struct.pack("<BIdd", 1, 1, float("nan"), float("nan"))
    found = read_table(geoparquet(tmp_path / "t.parquet", [*POINTS, None, empty]))
    assert found.column_names == ["n", "longitude", "latitude"]
    assert found["longitude"].to_pylist() == [13.4] * 6 + [None] * 2
    assert found["latitude"].to_pylist() == [52.5] * 6 + [None] * 2
    assert found.schema.metadata is None


def test_points_as_pairs(tmp_path: Path) -> None:
    column = {"encoding": "point", "geometry_types": ["Point"]}
    geo = {"version": "1.1.0", "primary_column": "g", "columns": {"g": column}}
    table = pa.table({"g": [{"x": 13.4, "y": 52.5}]}).replace_schema_metadata({b"geo": json.dumps(geo).encode()})
    parquet.write_table(table, tmp_path / "t.geoparquet")
    assert read_table(tmp_path / "t.geoparquet").to_pydict() == {"longitude": [13.4], "latitude": [52.5]}


def test_a_file_that_does_not_say_its_system(tmp_path: Path) -> None:
    said: list[str] = []
    path = geoparquet(tmp_path / "t.parquet", POINTS[:1], crs=None)
    read_table(path, notes=said.append)
    assert said == [f"{path} does not say its coordinate system; taken as degrees (WGS 84)"]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([struct.pack("<BII", 1, 2, 0)], {}, "row 1, is not a point"),
        ([POINTS[0], POINTS[0] + b"x"], {}, "row 1, is not a point"),
        ([b""], {}, "row 1, is not a point"),
        (POINTS, {"crs": {"name": "Mercator", "id": {"authority": "EPSG", "code": 3857}}}, "coordinates in Mercator"),
        (POINTS, {"primary_column": "elsewhere"}, "its metadata cannot be read"),
    ],
)
def test_bad_geoparquet(tmp_path: Path, values: list[bytes], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_table(geoparquet(tmp_path / "t.parquet", values, **options))


def test_geoparquet_must_have_places(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "t.geoparquet")
    with pytest.raises(InputError, match="is not GeoParquet"):
        read_table(tmp_path / "t.geoparquet")
    assert read_table(tmp_path / "t.geoparquet", format="parquet").to_pydict() == {"a": [1]}


@pytest.mark.parametrize("ending", ["geojson", "geoparquet", "gpx"])
def test_a_map_needs_places(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InputError, match="expected longitude and latitude"):
        write_table(pa.table({"a": [1]}), tmp_path / f"t.{ending}")
    write_table(pa.table({"lon": [1.0], "lat": [2.0]}), tmp_path / f"t.{ending}")


class _System:
    def __init__(self, code: int) -> None:
        self.code = code

    def to_epsg(self) -> int:
        return self.code

    def to_string(self) -> str:
        return f"EPSG:{self.code}"


class _GeoFrame:
    """What is used of a GeoDataFrame."""

    def __init__(self, code: int) -> None:
        self.crs = _System(code)
        self.geometry = type("Geometry", (), {"name": "where"})

    def to_wkb(self) -> Any:
        import pandas as pd

        return pd.DataFrame({"n": [1, 2], "where": [POINTS[0], None]}, index=[7, 8])


def test_geo_data_frames() -> None:
    expected = {"n": [1, 2], "longitude": [13.4, None], "latitude": [52.5, None]}
    assert to_arrow(_GeoFrame(4326)).to_pydict() == expected


GPX = """<?xml version="1.0" encoding="{encoding}"?>
<gpx version="1.1" creator="é" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="1" lon="2"><name>secret</name></wpt>
<trk><name>secret é</name><trkseg>
<trkpt lat="52.5" lon="13.4"><ele>34.5</ele><time>2020-06-01T12:30:00Z</time></trkpt>
<trkpt lat="52.6" lon="13.5"><time>2020-06-01T14:31:00.25+02:00</time></trkpt></trkseg><trkseg>
<trkpt lat="52.7" lon="13.6"></trkpt></trkseg></trk></gpx>"""


@pytest.fixture
def gpx() -> None:
    pytest.importorskip("gpxpy", reason="pip install 'sfumato[gpx]'")
    pytest.importorskip("defusedxml", reason="pip install 'sfumato[gpx]'")


@pytest.mark.usefixtures("gpx")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1", "utf-16"])
def test_gpx(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.gpx"
    path.write_bytes(GPX.format(encoding=encoding.removesuffix("-sig")).encode(encoding))
    said: list[str] = []
    table = read_table(path, notes=said.append)
    assert table.to_pydict() == {
        "track": [1, 1, 2],
        "time": [
            dt.datetime(2020, 6, 1, 12, 30, tzinfo=dt.UTC),
            dt.datetime(2020, 6, 1, 12, 31, 0, 250_000, tzinfo=dt.UTC),
            None,
        ],
        "latitude": [52.5, 52.6, 52.7],
        "longitude": [13.4, 13.5, 13.6],
        "elevation": [34.5, None, None],
    }
    assert said == [f"{path} has 0 routes and 1 way points beside its tracks: not read"]
    write_table(table, tmp_path / "u.gpx")
    assert read_table(tmp_path / "u.gpx").equals(table)


BOMB = '<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "secret">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(8)
)


@pytest.mark.usefixtures("gpx")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB + "]><gpx>&h;</gpx>", "declares a document type"),
        ('<!DOCTYPE gpx SYSTEM "file:///secret"><gpx/>', "declares a document type"),
        ("<gpx><trk>", "is not GPX"),
        ("secret", "is not GPX"),
        ('<gpx version="1.1"><trk><trkseg><trkpt lat="secret" lon="1"/></trkseg></trk></gpx>', "latitude of point 1"),
        ('<gpx version="1.1"><trk><trkseg><trkpt lon="1"/></trkseg></trk></gpx>', "point 1 has no latitude"),
        ('<gpx version="1.1" creator="x"></gpx>', "has no records"),
    ],
)
def test_bad_gpx(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "t.gpx").write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / "t.gpx")
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"name": ["a"]}, "columns = 'name': expected track, time"),
        ({"time": ["noon"]}, "time in row 1"),
    ],
)
def test_what_gpx_cannot_hold(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_table(pa.table({"lon": [1.0], "lat": [2.0], **columns}), tmp_path / "t.gpx")
    with pytest.raises(InputError, match="row 2 has no place"):
        write_table(pa.table({"lon": [1.0, None], "lat": [2.0, 3.0]}), tmp_path / "t.gpx")


def test_the_missing_extra_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpxpy", None)
    with pytest.raises(MissingExtraError, match=r"gpxpy is not installed; pip install 'sfumato\[gpx\]'"):
        read_table(tmp_path / "nowhere.gpx")


WATCH = """<gpx version="1.1" creator="watch" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="urn:g"><trk><trkseg>
<trkpt lat="52.5" lon="13.4"><time>2020-06-01T12:30:00Z</time><extensions><g:TrackPointExtension><g:hr>121</g:hr>
<g:atemp>18.5</g:atemp></g:TrackPointExtension><g:lap>first</g:lap></extensions></trkpt>
<trkpt lat="52.6" lon="13.5"><time>2020-06-01T12:30:01Z</time><extensions><g:TrackPointExtension><g:hr>122</g:hr>
</g:TrackPointExtension><g:time>7</g:time></extensions></trkpt></trkseg></trk></gpx>"""


@pytest.mark.usefixtures("gpx")
def test_what_a_watch_adds_to_a_point(tmp_path: Path) -> None:
    (tmp_path / "watch.gpx").write_text(WATCH)
    table = read_table(tmp_path / "watch.gpx")
    assert table.select(["hr", "atemp", "lap", "time_extension"]).to_pydict() == {
        "hr": [121.0, 122.0],
        "atemp": [18.5, None],
        "lap": ["first", None],
        "time_extension": [None, 7.0],
    }
    kept = table.drop_columns(["lap", "time_extension"])
    write_table(kept, tmp_path / "again.gpx")
    again = read_table(tmp_path / "again.gpx")
    assert again.select(sorted(kept.column_names)).equals(kept.select(sorted(kept.column_names)))
    with pytest.raises(InputError, match="hr in row 1"):
        write_table(pa.table({"lon": [1.0], "lat": [2.0], "hr": ["fast"]}), tmp_path / "bad.gpx")


@pytest.mark.parametrize("kind", ["LineString", "MultiLineString"])
@pytest.mark.parametrize("new", [False, True])
def test_times_of_a_line(tmp_path: Path, kind: str, new: bool) -> None:
    places, times = [[13.4, 52.5], [13.5, 52.6]], ["2020-06-01T12:30:00Z", "2020-06-01T12:31:00Z"]
    several = kind == "MultiLineString"
    given: Any = [times] if several else times
    properties: dict[str, Any] = {"coordinateProperties": {"times": given}} if new else {"coordTimes": given}
    feature = {"type": "Feature", "properties": properties}
    feature["geometry"] = {"type": kind, "coordinates": [places] if several else places}
    (tmp_path / "t.geojson").write_text(json.dumps(feature))
    table = read_table(tmp_path / "t.geojson")
    assert table["track"].to_pylist() == [1, 1]
    assert [str(time)[14:16] for time in table["time"].to_pylist()] == ["30", "31"]
    fewer: Any = [times[:1]] if several else times[:1]
    properties |= {"coordinateProperties": {"times": fewer}} if new else {"coordTimes": fewer}
    (tmp_path / "t.geojson").write_text(json.dumps(feature))
    with pytest.raises(InputError, match="other times than points"):
        read_table(tmp_path / "t.geojson")


def test_a_geo_data_frame_comes_back_as_one() -> None:
    geopandas = pytest.importorskip("geopandas", reason="pip install geopandas")
    frame = geopandas.GeoDataFrame(
        {"n": [1, 2]}, geometry=geopandas.points_from_xy([13.4, 13.5], [52.5, 52.6]), crs="EPSG:4326"
    )
    table = to_arrow(frame)
    assert table.to_pydict() == {"n": [1, 2], "longitude": [13.4, 13.5], "latitude": [52.5, 52.6]}
    again = to_native_like(table, frame)
    assert isinstance(again, geopandas.GeoDataFrame)
    assert again.crs == frame.crs
    assert again.geometry.geom_equals(frame.geometry).all()
    assert list(again.columns) == list(frame.columns)


@pytest.mark.parametrize("system", ["EPSG:32633", "EPSG:3857"])
def test_points_of_another_system_are_read_in_degrees_and_come_back_in_theirs(system: str) -> None:
    geopandas = pytest.importorskip("geopandas", reason="pip install geopandas")
    points = geopandas.points_from_xy([13.4, 13.5], [52.5, 52.6])
    frame = geopandas.GeoDataFrame({"n": [1, 2]}, geometry=points, crs="EPSG:4326").to_crs(system)
    table = to_arrow(frame)
    assert table["longitude"].to_pylist() == pytest.approx([13.4, 13.5], abs=1e-9)
    assert table["latitude"].to_pylist() == pytest.approx([52.5, 52.6], abs=1e-9)
    again = to_native_like(table, frame)
    assert again.crs == frame.crs
    assert again.geometry.distance(frame.geometry).max() < 1e-3  # of a metre


def test_geoparquet_is_read_by_others_and_theirs_here(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas", reason="pip install geopandas")
    table = pa.table({"n": [1, 2], "longitude": [13.4, 13.5], "latitude": [52.5, 52.6]})
    write_table(table, tmp_path / "ours.geoparquet")
    theirs = geopandas.read_parquet(tmp_path / "ours.geoparquet")
    assert theirs.geometry.x.tolist() == [13.4, 13.5]
    theirs.to_parquet(tmp_path / "theirs.geoparquet")
    assert read_table(tmp_path / "theirs.geoparquet").to_pydict() == table.to_pydict()
