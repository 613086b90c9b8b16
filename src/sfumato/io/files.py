"""Tables and records from files and pipes, and back, with nothing half written.

One reader for every kind of data. ``-`` is standard input or output. Every failure is an
:class:`~sfumato.errors.InputError` (or a plain :class:`~sfumato.errors.SfumatoError` when the disk is to blame) whose
message is one line and shows no record.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError
from sfumato.io.atomic import atomic_path, check_output, reading
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.csv_columns import Orders, tell_lost_zeros
from sfumato.io.formats.endings import Format, require_format, sniff_format, table_format
from sfumato.io.formats.parsers import parse
from sfumato.io.formats.printers import print_table
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.io.streams import (
    json_lines_writer,
    open_input,
    open_output,
    read_json_lines,
    shown_path,
    stream_json_lines,
    unpacked,
)

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


def read_table(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    notes: Notes = None,
    orders: Orders = None,
) -> pa.Table:
    """The table in a file, or on standard input for ``-``.

    Parameters
    ----------
    path
        Its ending tells the format, unless ``format`` does; a pipe is recognised by its first bytes.
    columns
        Only these, in this order. Without it, all of them.
    format : str, optional
        ``csv``, ``tsv``, ``jsonl``, ``json``, ``parquet``, ``feather``, ``xlsx``, ``npy``, ``npz``, ``geojson``,
        ``geoparquet`` or ``gpx``.
    delimiter, encoding : str, optional
        Of a text file; found if not given.
    notes : callable, optional
        Is told what was guessed or looks odd, one sentence at a time: an encoding, a delimiter, dates with the day
        first, codes that lost a leading zero. The names of columns are in it, no values.
    orders : callable, optional
        Is told the name of each column of a CSV file that became dates and was not written in ISO's order, and
        ``"day-first"`` or ``"month-first"``.

    Notes
    -----
    The type of a CSV column is inferred from all its values, so a late one cannot contradict an early guess. In a
    column of numbers or dates a blank cell and ``NA`` are missing values; in a column of text they are texts. A column
    of digits with a leading zero in any value is text, with missing values.
    """
    kind = table_format(path, format)
    require_format(kind)
    with reading(path), open_input(path) as stream:
        content = stream.read()
        if str(path) == "-":
            content = unpacked(content)
    shown = shown_path(path)
    if not content.strip():
        raise InputError(f"{shown} is empty: expected a table with at least one record")
    if kind is None:
        kind = sniff_format(content)
        require_format(kind)
    table = parse(kind, shown, content, delimiter=delimiter, encoding=encoding, notes=notes, orders=orders)
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise InputError(f"{shown} has more than one column named {repeated[0]!r}; rename them first")
    if columns is not None:
        missing_columns(columns, table.column_names, shown)
        table = table.select(list(columns))
    if table.num_rows == 0:
        raise InputError(f"{shown} has no records: expected at least one row after the header")
    if notes is not None:
        tell_lost_zeros(table, shown, notes)
    return table


def write_table(table: Any, path: str | Path, *, format: str | None = None) -> None:
    """Write a frame (Arrow, pandas or Polars) to a file or, for ``-``, to standard output (CSV unless told).

    The file is written beside its place and renamed into it: a reader sees the old one or the whole new one.
    """
    kind = table_format(path, format, writing=True) or "csv"
    require_format(kind, writing=True)
    arrow = to_arrow(table)
    with open_output(path) as stream:
        print_table(kind, arrow, stream)


def check_table_output(path: str | Path, *inputs: str | Path, format: str | None = None) -> None:
    """Check that a table can be written and that no input would be overwritten, before anything is charged.

    Raises what :func:`write_table` would raise.
    """
    require_format(table_format(path, format, writing=True), writing=True)
    check_output(path, *inputs)
