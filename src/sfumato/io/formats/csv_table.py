"""CSV of any dialect and encoding as an Arrow table."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError
from sfumato.io.formats.charset import Encoding, Notes, chunks, find_encoding, named_encoding, to_utf8
from sfumato.io.formats.csv_columns import Orders, keep_codes, read_dates_and_decimals
from sfumato.io.formats.dialect import Dialect, beginning, find_dialect, header_names, plain_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["one_line", "parse_csv", "text_content"]


def text_content(shown: str, content: bytes, encoding: str | None, notes: Notes, *, guess: bool = True) -> bytes:
    """The content in UTF-8; a byte order mark may stand before it.

    Without ``guess``, what has no byte order mark and is not UTF-8 is refused.
    """
    if encoding is not None:
        found = named_encoding(encoding)
    else:
        found = find_encoding(lambda: chunks(content), shown)
        if found.guessed and not guess:
            found = Encoding("utf-8")  # which says where it is not
        else:
            found.tell(shown, notes)
            if found.plain:
                return content  # it has been checked
    text = b"".join(to_utf8(chunks(content), found, shown))
    if not text.strip():
        raise InputError(f"{shown} is empty: expected a table with at least one record")
    return text


def parse_csv(
    shown: str,
    content: bytes,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    notes: Notes = None,
    orders: Orders = None,
) -> pa.Table:
    """The table of a CSV file; the types of its columns follow from all their values."""
    content = text_content(shown, content, encoding, notes)
    start = beginning(content)
    dialect = find_dialect(start, shown, delimiter=delimiter, notes=notes)
    if not dialect.plain:
        lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
        content, dialect = b"".join(plain_csv(lines, dialect, shown)), Dialect()
        start = beginning(content)
    names = header_names(start, dialect, shown)
    table = _parse(shown, content, dialect.delimiter, one_column=len(names) == 1)
    if len(set(table.column_names)) < table.num_columns or table.num_rows == 0:
        return table  # the caller refuses it
    table = keep_codes(
        table, content, dialect.delimiter, lambda only: _read(content, dialect.delimiter, len(names) == 1, text=only)
    )
    return read_dates_and_decimals(table, shown, decimals=dialect.delimiter != ",", notes=notes, orders=orders)


def _parse(shown: str, content: bytes, delimiter: str, one_column: bool) -> pa.Table:
    import pyarrow as pa

    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    try:
        table = _read(content, delimiter, one_column, refuse=refuse)
    except pa.ArrowInvalid as error:
        if not ragged:
            raise InputError(f"{shown} is not a CSV table: {one_line(error)}") from error
    else:
        if table.num_rows and "\n" in str(table.column(table.num_columns - 1)[-1]) and content.count(b'"') % 2:
            raise InputError(
                f"{shown}: a quotation mark is opened and never closed; close it, or double it inside a field"
            )
        return table
    ragged.clear()
    with contextlib.suppress(pa.ArrowInvalid):
        _read(content, delimiter, one_column, refuse=refuse, threads=False)  # only a single thread counts rows
    row = ragged[0]
    between = "a tab" if delimiter == "\t" else f"a {delimiter!r}" if delimiter != "," else "a comma"
    raise InputError(
        f"{shown}, line {_line(content, row.number)}, row {row.number}, has {row.actual_columns} fields: "
        f"expected {row.expected_columns} as in the header; put quotes around fields that contain {between}"
    )


def _read(
    content: bytes,
    delimiter: str,
    one_column: bool,
    *,
    refuse: Any = None,
    threads: bool = True,
    text: list[str] | None = None,
) -> pa.Table:
    """All columns, or those in ``text`` as text with missing values."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(content),
        read_options=csv.ReadOptions(block_size=min(len(content) + 1, 2**31 - 1), use_threads=threads),
        parse_options=csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=True,
            invalid_row_handler=refuse,
            # in a table of one column an empty line is a missing value; in others it is nothing
            ignore_empty_lines=not one_column,
        ),
        convert_options=csv.ConvertOptions(
            include_columns=text or [],
            column_types=dict.fromkeys(text or [], pa.string()),
            strings_can_be_null=text is not None,
        ),
    )


def _line(content: bytes, row: int) -> int:
    """The line at which a row begins: a quoted field may have several lines, and blank lines are no rows."""
    rows, marks = 0, 0
    for number, line in enumerate(io.BytesIO(content), 1):
        if marks % 2 == 0 and line.strip():
            rows += 1
            if rows == row:
                return number
        marks += line.count(b'"')
    return row  # line ends of an old kind: as many lines as rows


def one_line(error: BaseException) -> str:
    """Another library's message without line breaks and without the values it quotes."""
    return re.sub(r"'[^']*'", "'…'", " ".join(str(error).split()))[:160]
