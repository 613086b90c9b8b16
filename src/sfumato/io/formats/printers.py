"""An Arrow table as the bytes of a file, by its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from sfumato.errors import bad_input

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.io.formats.endings import Format

__all__ = ["print_table"]


def print_table(kind: Format, table: pa.Table, stream: BinaryIO) -> None:
    """Write the table in a format; what the format cannot hold is refused."""
    if kind in ("csv", "tsv"):
        _csv(table, stream, "," if kind == "csv" else "\t")
    elif kind in ("jsonl", "json"):
        from sfumato.io.formats.json_table import print_json, print_json_lines

        (print_json_lines if kind == "jsonl" else print_json)(table, stream)
    elif kind == "parquet":
        _parquet(table, stream)
    elif kind == "feather":
        _feather(table, stream)
    elif kind == "xlsx":
        from sfumato.io.formats.sheets import print_sheet

        print_sheet(table, stream)
    elif kind in ("geojson", "geoparquet"):
        from sfumato.io.formats.places import print_geojson, with_geometry

        if kind == "geojson":
            print_geojson(table, stream)
        else:
            _parquet(with_geometry(table), stream)
    elif kind == "gpx":
        from sfumato.io.formats.tracks import print_gpx

        print_gpx(table, stream)
    else:
        from sfumato.io.formats.arrays import print_array

        print_array(kind, table, stream)


def _csv(table: pa.Table, stream: BinaryIO, delimiter: str) -> None:
    import pyarrow as pa
    from pyarrow import csv

    for field in table.schema:
        if pa.types.is_nested(field.type):
            raise bad_input(
                f"column {field.name!r}", field.type, "plain values", "CSV has no lists: use .jsonl or .parquet"
            )
    csv.write_csv(table, stream, csv.WriteOptions(delimiter=delimiter))


def _parquet(table: pa.Table, stream: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(table, stream, compression="zstd")


def _feather(table: pa.Table, stream: BinaryIO) -> None:
    from pyarrow import feather

    feather.write_feather(table, stream, compression="lz4")
