"""JSON Lines, and a JSON list of objects, as an Arrow table."""

from __future__ import annotations

import codecs
import io
import json
from typing import TYPE_CHECKING, Any, BinaryIO

from sfumato.errors import InputError
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.csv_table import one_line, text_content
from sfumato.io.streams import print_record

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "list_table",
    "load_json",
    "parse_json_lines",
    "print_json",
    "print_json_lines",
    "records_table",
    "with_dates",
]

_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}$"


def parse_json_lines(shown: str, content: bytes, *, encoding: str | None = None, notes: Notes = None) -> pa.Table:
    """The table of one object a line."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    content = text_content(shown, content, encoding, notes, guess=False).removeprefix(codecs.BOM_UTF8)
    options = arrow_json.ReadOptions(block_size=min(len(content) + 1, 2**31 - 1))
    try:
        table = arrow_json.read_json(pa.BufferReader(content), read_options=options)
        moments = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if moments:  # Arrow takes 10:00+02:00 for 08:00 of no time zone: such texts stay texts
            parse = arrow_json.ParseOptions(explicit_schema=pa.schema({name: pa.string() for name in moments}))
            order = table.column_names
            table = arrow_json.read_json(pa.BufferReader(content), read_options=options, parse_options=parse)
            table = table.select(order)
        return with_dates(table)
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


def list_table(shown: str, value: Any) -> pa.Table:
    """The table of a list of objects."""
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise InputError(f"{shown} is not a JSON list of objects [{{…}}, …]: for one object a line use .jsonl")
    return records_table(shown, value)


def records_table(shown: str, records: list[dict[str, Any]]) -> pa.Table:
    """Records with any fields as a table; what a record does not have is missing."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for record in records for name in record))
    try:
        return with_dates(pa.table({name: pa.array([record.get(name) for record in records]) for name in names}))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        for name in names:
            try:
                pa.array([record.get(name) for record in records])
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                raise InputError(f"{shown}, field {name!r}: expected values of one kind in all records") from error
        raise


def with_dates(table: pa.Table) -> pa.Table:
    """The table with texts such as 1999-12-31 as dates, which JSON does not have, if a whole column is such texts.

    >>> import pyarrow as pa
    >>> with_dates(pa.table({"day": ["1999-12-31", None], "note": ["1999-12-31", "soon"]})).schema.types
    [DataType(date32[day]), DataType(string)]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        column = table.column(place)
        wanted = None
        if pa.types.is_string(field.type) and column.null_count < len(column):
            for pattern, kind in ((_DAY, pa.date32()), (_MOMENT, pa.timestamp("s"))):
                if wanted is None and pc.all(pc.match_substring_regex(column, pattern)).as_py():
                    wanted = kind
        elif pa.types.is_timestamp(field.type) and field.type.tz is None and column.null_count < len(column):
            days = column.cast(pa.date32(), safe=False)  # Arrow's reader of JSON has moments only
            if pc.all(pc.equal(days.cast(field.type), column)).as_py():
                wanted = pa.date32()
        if wanted is not None:
            try:
                table = table.set_column(place, field.name, column.cast(wanted))
            except pa.ArrowInvalid:  # no calendar has such a day: a text
                continue
    return table


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
