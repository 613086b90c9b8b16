"""The bytes of a file as an Arrow table, by its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.charset import Notes, named_encoding
from sfumato.io.formats.csv_columns import Orders
from sfumato.io.formats.csv_table import one_line, parse_csv

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.io.formats.endings import Format

__all__ = ["parse"]

_TEXT = ("csv", "tsv", "jsonl", "json", "geojson")
_PACKED = (
    (b"\x1f\x8b", "packed by gzip"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard"),
    (b"PK\x03\x04", "an archive or a spreadsheet"),
    (b"PAR1", "Parquet"),
)


def parse(
    kind: Format,
    shown: str,
    content: bytes,
    *,
    delimiter: str | None,
    encoding: str | None,
    notes: Notes,
    orders: Orders = None,
) -> pa.Table:
    """The table; ``shown`` is the file in messages, ``orders`` is told how the dates of a CSV file are written."""
    if delimiter is not None and kind not in ("csv", "tsv"):
        raise bad_input("delimiter", delimiter, "none with this format", f"{shown} is {kind}")
    if encoding is not None:
        named_encoding(encoding)
        if kind not in _TEXT:
            raise bad_input("encoding", encoding, "none with this format", f"{shown} is {kind}")
    if kind in _TEXT:
        for sign, what in _PACKED:
            if content.startswith(sign):
                raise InputError(f"{shown} is {what}, not {kind}: unpack it, or give it the name that it should have")
    if kind in ("csv", "tsv"):
        delimiter = "\t" if kind == "tsv" and delimiter is None else delimiter
        return parse_csv(shown, content, delimiter=delimiter, encoding=encoding, notes=notes, orders=orders)
    if kind == "jsonl":
        from sfumato.io.formats.json_table import parse_json_lines

        return parse_json_lines(shown, content, encoding=encoding, notes=notes)
    if kind in ("json", "geojson"):
        return _json(kind, shown, content, encoding, notes)
    if kind in ("geoparquet", "parquet"):
        from sfumato.io.formats.places import with_points

        table = _parquet(shown, content)
        if notes is not None and any(name.startswith("__index_level_") for name in table.column_names):
            notes(f"{shown} has the index of a pandas frame as a column '__index_level_0__'")
        return with_points(shown, table, required=kind == "geoparquet", notes=notes)
    if kind == "feather":
        return _feather(shown, content)
    if kind == "xlsx":
        from sfumato.io.formats.sheets import parse_sheet

        return parse_sheet(shown, content, notes=notes)
    if kind == "gpx":
        from sfumato.io.formats.tracks import parse_gpx

        return parse_gpx(shown, content, notes=notes)
    from sfumato.io.formats.arrays import parse_array

    return parse_array(shown, content)


def _json(kind: str, shown: str, content: bytes, encoding: str | None, notes: Notes) -> pa.Table:
    """A JSON document: a list of objects, or places. A .json file may be either."""
    from sfumato.io.formats.json_table import list_table, load_json
    from sfumato.io.formats.places import feature_table

    value = load_json(shown, content, encoding, notes)
    if isinstance(value, dict) and value.get("type") in ("FeatureCollection", "Feature"):
        return feature_table(shown, value)
    if kind == "geojson":
        raise InputError(f"{shown} is not GeoJSON: expected a FeatureCollection")
    return list_table(shown, value)


def _parquet(shown: str, content: bytes) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown} is not a Parquet file: fetch or save it again ({one_line(error)})") from error


def _feather(shown: str, content: bytes) -> pa.Table:
    """Arrow's file format (Feather version 2), or a stream of it."""
    import pyarrow as pa
    from pyarrow import ipc

    try:
        if content.startswith(b"ARROW1"):
            return ipc.open_file(pa.BufferReader(content)).read_all()
        if content.startswith(b"FEA1"):
            raise InputError(f"{shown} is Feather version 1: write it anew with version 2")
        return ipc.open_stream(pa.BufferReader(content)).read_all()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown} is not an Arrow or Feather file: {one_line(error)}") from error
