"""Tables in and out of files: what is read, what is refused, and that no refusal shows a record."""

from __future__ import annotations

import gzip
import io
import math
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.io import json_lines_writer, read_json_lines, read_table, stream_json_lines, write_table
from sfumato.io.engine import Source
from sfumato.io.files import table_format

PEOPLE = pa.table(
    {"name": ["Ada", "Ünal", 'a "quoted", one\nin two lines'], "age": [36, 47, 59], "score": [0.5, 1.25, -3.0]}
)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.jsonl", "t.ndjson", "t.jsonl.gz", "t.parquet", "t.pq", "T.CSV"]
)
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    write_table(PEOPLE, tmp_path / name)
    assert read_table(tmp_path / name).to_pydict() == PEOPLE.to_pydict()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    words=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00\r")), min_size=1, max_size=8),
    ending=st.sampled_from(["csv", "jsonl", "parquet"]),
)
def test_any_text_survives(tmp_path: Path, words: list[str], ending: str) -> None:
    table = pa.table({"first": ["a word", *words], "text": ["a word", *words]})
    path = tmp_path / f"t.{ending}"
    write_table(table, path)
    assert read_table(path).to_pydict() == table.to_pydict()


def test_written_twice_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(PEOPLE, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_more_columns_than_a_sample_holds(tmp_path: Path) -> None:
    """The header alone is longer than what is looked at, and so is a field."""
    wide = pa.table({f"column {i} " + "with a long name " * 60: [i] for i in range(300)})  # its header is 300 kB
    path = tmp_path / "t.csv"
    write_table(wide, path)
    assert read_table(path).equals(wide)
    assert list(Source.of(path).columns) == wide.column_names
    long = "x" * 300_000
    for content in (f"a;b\n{long};1\n", f"'a';'b'\n'{long}';'1'\n"):
        path.write_text(content)
        assert read_table(path).to_pydict() == {"a": [long], "b": [1]}
        assert Source.of(path).columns == ("a", "b")


def test_columns_are_selected_in_order(tmp_path: Path) -> None:
    write_table(PEOPLE, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", columns=["age", "name"]).column_names == ["age", "name"]


def test_an_empty_line_is_a_missing_value_where_there_is_one_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age\n1\n\n3\n")
    assert read_table(path)["age"].to_pylist() == [1, None, 3]
    path.write_text("age,name\n1,a\n\n3,b\n")
    assert read_table(path)["age"].to_pylist() == [1, 3]


def test_a_late_value_decides_the_type(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "1\n" * 500_000 + "one\n")
    assert read_table(path).schema.field("x").type == pa.string()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "t.csv is empty"),
        ("t.csv", b" \n\n", "t.csv is empty"),
        ("t.parquet", b"", "t.parquet is empty"),
        ("t.csv", b"a,b\n", "t.csv has no records"),
        ("t.jsonl", b'{"a": 1}\n{"a": "\xff"}\n', r"line 2, is not UTF-8 \(byte 16 in the file\)"),
        ("t.csv", b"a,b\n1,secret\n1,secret,3\n", "row 3, has 3 fields: expected 2"),
        ("t.csv", b'a,b\n1,"secret\n2,secret\n', "a quotation mark is opened and never closed"),
        ("t.csv", b"a,a\n1,2\n", "more than one column named 'a'"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2, is not JSON"),
        ("t.jsonl", b'{"a": 1}\n["secret"]\n', "line 2, is not a JSON object"),
        ("t.jsonl", b'{"a": 1}\n{"a": "secret"}\n', "is not a table of JSON Lines"),
        ("t.parquet", b"secret, certainly", "is not a Parquet file"),
        ("t.csv.gz", b"secret", "is not a complete gzip file"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,secret\n" * 99, mtime=0)[:-9], "is not a complete gzip file"),
        ("t.csv.zst", b"secret", "is not a complete Zstandard file"),
        ("t.csv", gzip.compress(b"a\nsecret\n", mtime=0), "is packed by gzip, not csv: unpack it"),
        ("t.jsonl", b"PK\x03\x04secret", "is an archive or a spreadsheet, not jsonl"),
        ("t.feather", b"secret", "is not an Arrow or Feather file"),
        ("t.feather", b"ARROW1secret", "is not an Arrow or Feather file"),
        ("t.json", b'{"a": "secret"}', "is not a JSON list of objects"),
        ("t.json", b'[{"a": "secret"}, {"a": 1}]', "field 'a': expected values of one kind"),
        ("t.odd", b"a\n1\n", "a name that ends in .csv"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        ("a,b\n1,secret\n2,é\n".encode("latin1"), "utf-8", r"line 3, is not UTF-8 \(byte 15 in the file\)"),
        ("a\n1\n".encode("utf-16"), "utf-8", r"line 1, is not UTF-8 \(byte 0 in the file\)"),
        ("a\nsecret\né\n".encode(), "ascii", r"line 3, is not ascii \(byte 9 in the file\)"),
        (b"a\nsecret\n" + b"\x81\n", "cp1252", r"line 3, is not cp1252 \(byte 9 in the file\)"),
        (b"a\nsecret\n", "utf-99", "encoding = 'utf-99': expected the name of an encoding"),
        (b"a\nsecret\n", "base64", "encoding = 'base64': expected the name of an encoding"),
    ],
)
def test_an_encoding_that_is_told_holds(tmp_path: Path, content: bytes, encoding: str, message: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / "t.csv", encoding=encoding)
    assert "secret" not in str(caught.value)


def test_a_byte_beyond_the_first_block_is_found(tmp_path: Path) -> None:
    start = ("a\n" + "é\n" * 3_000_000).encode()
    (tmp_path / "t.csv").write_bytes(start + b"\xe9\n")
    with pytest.raises(InputError, match=rf"line 3000002, is not UTF-8 \(byte {len(start)} "):
        read_table(tmp_path / "t.csv")


def test_missing_files_and_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv does not exist"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path, format="csv")
    write_table(PEOPLE, tmp_path / "t.csv")
    with pytest.raises(InputError, match="has no column 'agee': did you mean 'age'"):
        read_table(tmp_path / "t.csv", columns=["agee"])
    with pytest.raises(InputError, match="has no column 'zzz': expected one of 'name', 'age', 'score'"):
        read_table(tmp_path / "t.csv", columns=["zzz"])
    with pytest.raises(InputError, match="format = 'xml'"):
        read_table(tmp_path / "t.csv", format="xml")


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa\n1\n")
    (tmp_path / "t.jsonl").write_bytes(b'\xef\xbb\xbf{"a": 1}\n')
    assert read_table(tmp_path / "t.csv").column_names == ["a"]
    assert read_table(tmp_path / "t.jsonl").column_names == ["a"]
    assert read_json_lines(tmp_path / "t.jsonl") == [{"a": 1}]


class _Pipe:
    def __init__(self, content: bytes = b"") -> None:
        self.buffer = io.BytesIO(content)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("format", ["csv", "jsonl", "json", "parquet", "feather", "npy", "npz", "xlsx"])
def test_pipes(monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    if format == "xlsx":
        pytest.importorskip("python_calamine", reason="pip install 'sfumato[office]'")
        pytest.importorskip("xlsxwriter", reason="pip install 'sfumato[office]'")
    out = _Pipe()
    monkeypatch.setattr(sys, "stdout", out)
    write_table(PEOPLE, "-", format=format)
    content = out.buffer.getvalue()
    for piped in (content, gzip.compress(content), pa.compress(content, "zstd", asbytes=True)):
        monkeypatch.setattr(sys, "stdin", _Pipe(piped))
        assert read_table("-").to_pydict() == PEOPLE.to_pydict()
    monkeypatch.setattr(sys, "stdin", _Pipe())
    with pytest.raises(InputError, match="standard input is empty"):
        read_table("-")
    assert table_format("-") is None


def test_piped_places_and_dialects(monkeypatch: pytest.MonkeyPatch) -> None:
    places = b'{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": null}]}'
    for piped, names in (
        (places, ["longitude", "latitude"]),
        ("name;city\nMüller;Köln\n".encode("latin-1"), ["name", "city"]),
        ("a\tb\n1\t2\n".encode("utf-16"), ["a", "b"]),
        (b'\xef\xbb\xbf{"a": 1}\n', ["a"]),
    ):
        monkeypatch.setattr(sys, "stdin", _Pipe(piped))
        assert read_table("-").column_names == names
    for piped in (b"\x1f\x8b\x08secret", b"\x28\xb5\x2f\xfdsecret"):
        monkeypatch.setattr(sys, "stdin", _Pipe(piped))
        with pytest.raises(InputError, match="standard input is not a complete"):
            read_table("-")


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="CSV has no lists"):
        write_table(pa.table({"a": [[1, 2]]}), tmp_path / "t.csv")
    with pytest.raises(InputError, match="JSON has no NaN"):
        write_table(pa.table({"a": [1.0, math.nan]}), tmp_path / "t.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_json_lines_stream(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    records = [{"text": "é", "n": number} for number in range(5)]
    with json_lines_writer(path) as write:
        for record in records:
            write(record)
        assert not path.exists()
    assert list(stream_json_lines(path)) == records
    (tmp_path / "bad.jsonl").write_bytes(b'{"a": 1}\n\n{"a": 2}\n{"a": }\n')
    stream = stream_json_lines(tmp_path / "bad.jsonl")
    assert [next(stream), next(stream)] == [{"a": 1}, {"a": 2}]
    with pytest.raises(InputError, match=r"line 4, is not JSON"):
        next(stream)
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputError, match="is empty"):
        read_json_lines(tmp_path / "empty.jsonl")


def test_nothing_is_left_of_a_failed_stream(tmp_path: Path) -> None:
    def write_some() -> None:
        with json_lines_writer(tmp_path / "t.jsonl") as write:
            write({"a": 1})
            write({"a": object()})

    with pytest.raises(InputError, match="object"):
        write_some()
    assert list(tmp_path.iterdir()) == []


def test_moments_in_json_lines_keep_what_they_say_of_their_zone(tmp_path: Path) -> None:
    """Arrow alone would make 08:00 of no time zone of 10:00+02:00."""
    path = tmp_path / "t.jsonl"
    for text, kind in (("2024-05-03T10:00:00+02:00", pa.string()), ("2024-05-03T10:00:00", pa.timestamp("s"))):
        path.write_text(f'{{"when": "{text}", "n": 1}}\n{{"n": 2}}\n')
        table = read_table(path)
        assert table.column_names == ["when", "n"]
        assert table["when"].type == kind
        found = table["when"][0].as_py()
        assert (found if isinstance(found, str) else found.isoformat()) == text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (('lat="52.5"', 'lat="north"'), "latitude of point 2 = 'a text'"),
        (('lat="52.5" ', ""), "point 2 has no latitude"),
        (("2024-05-03T10:01:00Z", "2024-13-03T10:01:00Z"), "time of point 2 = 'a text'"),
    ],
)
def test_a_bad_point_of_a_track_is_named(tmp_path: Path, wrong: tuple[str, str], words: str) -> None:
    pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
    points = [f'<trkpt lat="52.{k}" lon="13.4"><time>2024-05-03T10:0{k - 4}:00Z</time></trkpt>' for k in (4, 5, 6)]
    head = '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
    path = tmp_path / "t.gpx"
    path.write_text((head + "".join(points) + "</trkseg></trk></gpx>").replace(*wrong))
    with pytest.raises(InputError, match=words):
        read_table(path)
