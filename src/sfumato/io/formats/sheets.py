"""Spreadsheets: the first sheet as a table, and a table as a sheet.

Read by python-calamine (.xlsx, .xlsm, .xlsb, .xls, .ods), written by XlsxWriter (.xlsx).
"""

from __future__ import annotations

import datetime as dt
import io
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.archives import check_archive
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.csv_columns import read_dates_and_decimals
from sfumato.io.formats.json_table import with_dates
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parse_sheet", "print_sheet"]

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767
_EXACT = 2**53
_MIDNIGHT = dt.time()


def parse_sheet(shown: str, content: bytes, *, notes: Notes = None) -> pa.Table:
    """The first sheet. Its first row has the names; an empty cell is a missing value, an empty row is nothing."""
    calamine = extra("python_calamine", "office")
    if content.startswith(b"PK"):
        check_archive(shown, content, "spreadsheet")
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            names = book.sheet_names
            rows = book.get_sheet_by_index(0).to_python() if names else []
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise InputError(
            f"{shown} is not a spreadsheet that can be read: save it as .xlsx without a password"
        ) from error
    if len(names) > 1 and notes is not None:
        notes(f"{shown} has {len(names)} sheets: only the first is read")
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        raise InputError(f"{shown} is empty: expected a table with at least one record")
    return read_dates_and_decimals(with_dates(_table(shown, rows)), shown, decimals=False, notes=notes)


def _table(shown: str, rows: list[list[Any]]) -> pa.Table:
    import pyarrow as pa

    header, *records = rows
    columns, titles = [], []
    for place, title in enumerate(header):
        cells = [record[place] for record in records]
        if title == "":
            if any(cell != "" for cell in cells):
                raise InputError(f"{shown}, column {place + 1}, has values and no name: name it in the first row")
            continue
        titles.append(_text(title))
        columns.append(_column([None if cell == "" else cell for cell in cells]))
    return pa.Table.from_arrays(columns, titles)


def _column(cells: list[Any]) -> pa.Array:
    """The cells with the one type that holds them all; numbers that are all whole are whole numbers."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float} and kinds:
        if all(cell is None or (math.isfinite(cell) and cell == int(cell) and abs(cell) < _EXACT) for cell in cells):
            return pa.array([None if cell is None else int(cell) for cell in cells], pa.int64())
        return pa.array(cells, pa.float64())
    if kinds and kinds <= {dt.date, dt.datetime}:
        if all(type(cell) is not dt.datetime or cell.time() == _MIDNIGHT for cell in cells):
            days = [cell.date() if isinstance(cell, dt.datetime) else cell for cell in cells]
            return pa.array(days, pa.date32())
        moments = [dt.datetime.combine(cell, _MIDNIGHT) if type(cell) is dt.date else cell for cell in cells]
        return pa.array(moments, pa.timestamp("us"))
    if len(kinds) <= 1:
        return pa.array(cells)
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str:
    """A cell as its sheet shows it, among texts."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def print_sheet(table: pa.Table, stream: BinaryIO) -> None:
    """One sheet with the names in its first row. Texts stay texts: none becomes a formula, a link or a number."""
    xlsxwriter = extra("xlsxwriter", "office")
    if table.num_rows >= _MOST_ROWS or table.num_columns > _MOST_COLUMNS:
        shape = (table.num_rows, table.num_columns)
        most = f"at most {_MOST_ROWS - 1} rows and {_MOST_COLUMNS} columns"
        raise bad_input("table", shape, most, "a sheet holds no more: use .csv or .parquet")
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    book.set_properties({"created": dt.datetime(2000, 1, 1)})  # the same table is the same file
    sheet = book.add_worksheet("release")
    formats = {kind: book.add_format({"num_format": how}) for kind, how in _SHOWN.items()}
    for place, name in enumerate(table.column_names):
        sheet.write_string(0, place, _short(name, "name"))
        for row, value in enumerate(table.column(place).to_pylist(), 1):
            _write(sheet, row, place, value, name, formats)
    book.close()


_SHOWN = {dt.date: "yyyy-mm-dd", dt.datetime: "yyyy-mm-dd hh:mm:ss", dt.time: "hh:mm:ss"}


def _write(sheet: Any, row: int, place: int, value: Any, name: str, formats: dict[type, Any]) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif isinstance(value, str):
        sheet.write_string(row, place, _short(value, name))
    elif isinstance(value, int | float | Decimal):
        number = float(value)
        if not math.isfinite(number) or number != value or (number.is_integer() and abs(number) > _EXACT):
            raise bad_input(f"column {name!r}", value, "numbers that a sheet holds exactly", "use .csv or .parquet")
        sheet.write_number(row, place, number)
    elif type(value) in _SHOWN and getattr(value, "tzinfo", None) is None:
        if isinstance(value, dt.date) and value.year < 1900:
            raise bad_input(f"column {name!r}", str(value), "dates from 1900 on", "a sheet has no others: use .csv")
        sheet.write_datetime(row, place, value, formats[type(value)])
    elif isinstance(value, dt.datetime):
        sheet.write_string(row, place, value.isoformat())
    else:
        raise bad_input(f"column {name!r}", type(value).__name__, "plain values", "use .jsonl or .parquet")


def _short(text: str, name: str) -> str:
    if len(text) > _LONGEST:
        raise bad_input(f"column {name!r}", f"{len(text)} characters", f"at most {_LONGEST} in a cell", "use .csv")
    return text
