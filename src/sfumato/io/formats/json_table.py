"""JSON Lines, and a JSON list of objects, as an Arrow table."""

from __future__ import annotations

import codecs
import io
import json
from typing import TYPE_CHECKING, Any, BinaryIO

from sfumato.errors import InputError
from sfumato.io.formats.csv_table import one_line, text_content
from sfumato.io.formats.encoding import Notes
from sfumato.io.streams import print_record

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_json", "parse_json", "parse_json_lines", "print_json", "print_json_lines", "records_table"]


def parse_json_lines(shown: str, content: bytes, *, encoding: str | None = None, notes: Notes = None) -> pa.Table:
    """The table of one object a line."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    content = text_content(shown, content, encoding, notes, guess=False).removeprefix(codecs.BOM_UTF8)
    options = arrow_json.ReadOptions(block_size=min(len(content) + 1, 2**31 - 1))
    try:
        return arrow_json.read_json(pa.BufferReader(content), read_options=options)
    except pa.ArrowInvalid as error:
        for number, line in enumerate(io.BytesIO(content), 1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    raise InputError(f"{shown}, line {number}, is not a JSON object {{…}}: write one record a line")
            except json.JSONDecodeError as bad:
                raise InputError(f"{shown}, line {number}, is not JSON: {bad.msg} at column {bad.colno}") from error
        raise InputError(f"{shown} is not a table of JSON Lines: {one_line(error)}") from error


def load_json(shown: str, content: bytes, encoding: str | None, notes: Notes) -> Any:
    """The value of a JSON document."""
    content = text_content(shown, content, encoding, notes, guess=False)
    try:
        return json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"{shown}, line {error.lineno}, is not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InputError(f"{shown} is nested too deeply: expected a list of plain objects") from error


def parse_json(shown: str, content: bytes, *, encoding: str | None = None, notes: Notes = None) -> pa.Table:
    """The table of a list of objects; a GeoJSON document is read as one."""
    value = load_json(shown, content, encoding, notes)
    if isinstance(value, dict) and value.get("type") in ("FeatureCollection", "Feature"):
        from sfumato.io.formats.places import feature_table

        return feature_table(shown, value)
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise InputError(f"{shown} is not a JSON list of objects [{{…}}, …]: for one object a line use .jsonl")
    return records_table(shown, value)


def records_table(shown: str, records: list[dict[str, Any]]) -> pa.Table:
    """Records with any fields as a table; what a record does not have is missing."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for record in records for name in record))
    try:
        return pa.table({name: pa.array([record.get(name) for record in records]) for name in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        for name in names:
            try:
                pa.array([record.get(name) for record in records])
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                raise InputError(f"{shown}, field {name!r}: expected values of one kind in all records") from error
        raise


def print_json_lines(table: pa.Table, stream: BinaryIO) -> None:
    """One object a line."""
    for batch in table.to_batches(max_chunksize=10_000):
        for record in batch.to_pylist():
            print_record(record, stream)


def print_json(table: pa.Table, stream: BinaryIO) -> None:
    """A list of objects, one a line."""
    lines = io.BytesIO()
    print_json_lines(table, lines)
    stream.write(b"[\n" + lines.getvalue().rstrip(b"\n").replace(b"\n", b",\n") + b"\n]\n")
