"""A file that an engine reads, and the file that it writes."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Source", "csv_lines", "empty_batch", "write_batches"]

DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Source:
    """A CSV (also gzipped) or Parquet file.

    Parameters
    ----------
    path : Path
    format : {"csv", "parquet"}
    delimiter : str
        Of a CSV file.
    columns : tuple of str
    """

    path: Path
    format: Literal["csv", "parquet"]
    delimiter: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, path: str | Path, *, delimiter: str | None = None) -> Source:
        """Look at a file: its format by its name, its columns, and the delimiter by its header unless given."""
        path = Path(path)
        kind = file_format(path)
        if kind == "parquet":
            from pyarrow import ArrowInvalid, parquet

            try:
                with reading(path):
                    names = parquet.read_schema(path).names
            except ArrowInvalid as error:
                raise InputError(f"{path} is not a Parquet file: {error}") from error
            return cls(path, kind, ",", _distinct(path, names))
        with reading(path), _open(path) as stream:
            first = stream.readline()
        try:
            header = first.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8: save it as UTF-8") from error
        if not header:
            raise InputError(f"{path} is empty: expected a header with the names of the columns")
        found = delimiter or max(DELIMITERS, key=lambda mark: len(next(csv.reader([header], delimiter=mark))))
        return cls(path, kind, found, _distinct(path, next(csv.reader([header], delimiter=found))))


def _distinct(path: Path, names: list[str]) -> tuple[str, ...]:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise bad_input(f"{path}: column", twice[0], "each name once", "rename it")
    return tuple(names)


def file_format(path: Path) -> Literal["csv", "parquet"]:
    """The format by the name of the file."""
    ends = [end.lower() for end in path.suffixes]
    if ends and ends[-1] == ".gz":
        ends.pop()
    if ends and ends[-1] in (".csv", ".tsv", ".txt"):
        return "csv"
    if ends and ends[-1] in (".parquet", ".pq"):
        return "parquet"
    raise bad_input("file", str(path), "a name that ends in .csv, .csv.gz or .parquet")


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """A batch of no records, to see what becomes of the columns."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def csv_lines(batch: pa.RecordBatch, delimiter: str) -> pa.Buffer | bytes:
    """A batch as lines of CSV. Only values that need quotes get them; a missing value is empty.

    >>> import pyarrow as pa
    >>> bytes(csv_lines(pa.record_batch({"a": ["x", "y;z"], "b": [1, None]}), ";")).decode()
    'x;1\\n"y;z";\\n'
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if batch.num_rows == 0:
        return b""
    cells = []
    special = '["\\r\\n' + ("\\t" if delimiter == "\t" else "\\" + delimiter) + "]"
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            if pa.types.is_dictionary(column.type):
                words = _quoted(column.dictionary.cast(pa.string()), special)
                text = pa.DictionaryArray.from_arrays(column.indices, words).cast(pa.string())
            else:
                text = _quoted(column.cast(pa.string()), special)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            raise bad_input(
                f"column {name!r}: type", str(column.type), "text, numbers or dates in CSV", "write Parquet"
            ) from error
        cells.append(pc.fill_null(text, ""))
    if len(cells) == 1:  # a line with one empty cell would be a blank line
        cells[0] = pc.if_else(pc.equal(cells[0], ""), '""', cells[0])
    cells[-1] = pc.binary_join_element_wise(cells[-1], "\n", "")
    lines = pc.binary_join_element_wise(*cells, delimiter) if len(cells) > 1 else cells[0]
    lines = lines.cast(pa.large_string())
    offsets = memoryview(lines.buffers()[1]).cast("q")
    return lines.buffers()[2].slice(offsets[lines.offset], offsets[lines.offset + len(lines)] - offsets[lines.offset])


def _quoted(words: pa.Array, special: str) -> pa.Array:
    import pyarrow.compute as pc

    needs = pc.match_substring_regex(words, special)
    if not pc.any(needs).as_py():
        return words
    wrapped = pc.binary_join_element_wise('"', pc.replace_substring(words, '"', '""'), '"', "")
    return pc.if_else(pc.fill_null(needs, False), wrapped, words)


def write_batches(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    target: str | Path,
    delimiter: str = ",",
    advance: Callable[[int], None] | None = None,
) -> int:
    """Stream batches to a CSV (also gzipped) or Parquet file that appears whole or not at all; returns the rows."""
    target = Path(target)
    rows = 0
    with atomic_path(target) as beside:
        if file_format(target) == "parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(beside, schema, compression="zstd", compression_level=1) as writer:
                for batch in batches:
                    writer.write_batch(batch)
                    rows += batch.num_rows
                    if advance is not None:
                        advance(batch.num_rows)
            return rows
        with beside.open("wb") as raw:
            zipped = target.suffix.lower() == ".gz"
            stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=5, mtime=0) if zipped else raw
            header = io.StringIO()
            csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
            stream.write(header.getvalue().encode())
            for batch in batches:
                stream.write(csv_lines(batch, delimiter))
                rows += batch.num_rows
                if advance is not None:
                    advance(batch.num_rows)
            if zipped:
                stream.close()
    return rows
