"""Tables and records from files and pipes, and back, with nothing half written.

CSV, Parquet and JSON Lines, the text formats also gzipped; ``-`` is standard input or output. Every failure is an
:class:`~sfumato.errors.InputError` (or a plain :class:`~sfumato.errors.SfumatoError` when the disk is to blame) whose
message is one line and shows no record.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast, get_args

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, check_output, reading
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.io.streams import (
    json_lines_writer,
    not_utf8,
    open_input,
    open_output,
    print_record,
    read_json_lines,
    shown_path,
    stream_json_lines,
)
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Format",
    "atomic_path",
    "check_table_output",
    "json_lines_writer",
    "read_json_lines",
    "read_table",
    "stream_json_lines",
    "table_format",
    "write_table",
]

Format = Literal["csv", "jsonl", "parquet"]
_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_CHUNK = 1 << 22


def table_format(path: str | Path, format: str | None = None) -> Format | None:
    """The format named, or the one the file's name ends with; ``None`` for a pipe that does not say.

    >>> table_format("people.csv.gz"), table_format("people.data", "parquet")
    ('csv', 'parquet')
    """
    if format is not None:
        return cast(Format, choice("format", format, get_args(Format)))
    if str(path) == "-":
        return None
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        raise bad_input(
            "path", str(path), "a name that ends in .csv, .jsonl or .parquet (or .gz after it)", "or say the format"
        )
    return _SUFFIXES[suffixes[-1]]


def read_table(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    notes: Any = None,
) -> pa.Table:
    """The table in a file, or on standard input for ``-``.

    Parameters
    ----------
    path
        Its ending tells the format, unless ``format`` does; a pipe is recognised by its first bytes.
    columns
        Only these, in this order. Without it, all of them.
    format : {"csv", "jsonl", "parquet"}, optional

    Notes
    -----
    The type of a CSV column is inferred from all its values, so a late one cannot contradict an early guess.
    """
    kind = table_format(path, format)
    content = _content(path)
    if kind is None:
        kind = _sniff(content)
    if kind != "parquet":
        _require_utf8(path, content)
    table = {"csv": _parse_csv, "jsonl": _parse_json_lines, "parquet": _parse_parquet}[kind](shown_path(path), content)
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise InputError(f"{shown_path(path)} has more than one column named {repeated[0]!r}; rename them first")
    if columns is not None:
        missing_columns(columns, table.column_names, shown_path(path))
        table = table.select(list(columns))
    if table.num_rows == 0:
        raise InputError(f"{shown_path(path)} has no records: expected at least one row after the header")
    return table


def write_table(table: Any, path: str | Path, *, format: str | None = None) -> None:
    """Write a frame (Arrow, pandas or Polars) to a file or, for ``-``, to standard output (CSV unless told).

    The file is written beside its place and renamed into it: a reader sees the old one or the whole new one.
    """
    kind = table_format(path, format) or "csv"
    arrow = to_arrow(table)
    with open_output(path) as stream:
        {"csv": _print_csv, "jsonl": _print_json_lines, "parquet": _print_parquet}[kind](arrow, stream)


def check_table_output(path: str | Path, *inputs: str | Path, format: str | None = None) -> None:
    """Check that a table can be written, before anything is charged: raises what :func:`write_table` would raise."""
    table_format(path, format)
    check_output(path, *inputs)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _content(path: str | Path) -> bytes:
    with reading(path), open_input(path) as stream:
        content = stream.read()
    if str(path) == "-" and content[:2] == b"\x1f\x8b":
        with reading(path):
            content = gzip.decompress(content)
    if not content.strip():
        raise InputError(f"{shown_path(path)} is empty: expected a table with at least one record")
    return content


def _sniff(content: bytes) -> Format:
    """What came through a pipe: Parquet has a magic number, JSON Lines start with an object, the rest is CSV."""
    if content[:4] == b"PAR1":
        return "parquet"
    return "jsonl" if content.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{" else "csv"


def _require_utf8(path: str | Path, content: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _CHUNK):
        chunk = content[start : start + _CHUNK]
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=start + _CHUNK >= len(content))
        except UnicodeDecodeError as error:
            offset = start - held + error.start
            raise not_utf8(path, content.count(b"\n", 0, offset) + 1, offset) from error


def _parse_csv(shown: str, content: bytes) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    # In a table of one column an empty line is a missing value; in others it is nothing.
    one_column = b"," not in content[: content.find(b"\n")]

    def parse(threads: bool) -> pa.Table:
        return csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(block_size=min(len(content) + 1, 2**31 - 1), use_threads=threads),
            parse_options=csv.ParseOptions(
                newlines_in_values=True, invalid_row_handler=refuse, ignore_empty_lines=not one_column
            ),
        )

    try:
        table = parse(threads=True)
        if content.count(b'"') % 2 and table.num_rows and "\n" in str(table.column(table.num_columns - 1)[-1]):
            raise InputError(
                f"{shown}: a quotation mark is opened and never closed; close it, or double it inside a field"
            )
        return table
    except pa.ArrowInvalid as error:
        if not ragged:
            raise InputError(f"{shown} is not a CSV table: {_one_line(error)}") from error
    ragged.clear()
    with contextlib.suppress(pa.ArrowInvalid):
        parse(threads=False)  # a second time, since only a single thread counts rows
    row = ragged[0]
    raise InputError(
        f"{shown}, row {row.number}, has {row.actual_columns} fields: "
        f"expected {row.expected_columns} as in the header; put quotes around fields that contain a comma"
    )


def _parse_json_lines(shown: str, content: bytes) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json as arrow_json

    content = content.removeprefix(codecs.BOM_UTF8)
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
        raise InputError(f"{shown} is not a table of JSON Lines: {_one_line(error)}") from error


def _parse_parquet(shown: str, content: bytes) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown} is not a Parquet file: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    """Another library's message without line breaks and without the values it quotes."""
    return re.sub(r"'[^']*'", "'…'", " ".join(str(error).split()))[:160]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _print_csv(table: pa.Table, stream: BinaryIO) -> None:
    import pyarrow as pa
    from pyarrow import csv

    for field in table.schema:
        if pa.types.is_nested(field.type):
            raise bad_input(
                f"column {field.name!r}", field.type, "plain values", "CSV has no lists: use .jsonl or .parquet"
            )
    csv.write_csv(table, stream)


def _print_json_lines(table: pa.Table, stream: BinaryIO) -> None:
    for batch in table.to_batches(max_chunksize=10_000):
        for record in batch.to_pylist():
            print_record(record, stream)


def _print_parquet(table: pa.Table, stream: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(table, stream, compression="zstd")
