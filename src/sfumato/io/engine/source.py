"""A file that an engine reads, and the file that it writes."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.io.formats.charset import Encoding, Notes, find_encoding, named_encoding, to_utf8
from sfumato.io.formats.dialect import SAMPLE, Dialect, beginning, find_dialect, header_names, plain_csv
from sfumato.io.formats.endings import compression
from sfumato.io.private_folder import PrivateFolder
from sfumato.io.streams import open_input

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RAW", "Source", "csv_lines", "empty_batch", "write_batches"]

RAW = "sfumato-raw-"
"""How the names of private folders with copies of raw records begin, among the temporary files."""

_PIECE = 1 << 22


@dataclass(frozen=True)
class Source:
    """A CSV (also packed by gzip or Zstandard) or Parquet file.

    Parameters
    ----------
    path : Path
    format : {"csv", "parquet"}
    delimiter : str
        Of a CSV file.
    columns : tuple of str
    encoding : str
        Of a CSV file.
    dialect : Dialect, optional
        How a CSV file quotes its fields, if not as everybody does.
    blank : int
        Blank lines before the header.
    rows : (int, int), optional
        From which row up to which, the last not included; of Parquet only.
    """

    path: Path
    format: Literal["csv", "parquet"]
    delimiter: str
    columns: tuple[str, ...]
    encoding: str = "utf-8"
    dialect: Dialect | None = None
    blank: int = 0
    rows: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        path: str | Path,
        *,
        format: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        notes: Notes = None,
    ) -> Source:
        """Look at a file: its format by its name, its columns, and what is not told of its dialect and encoding.

        The rules are those of :func:`~sfumato.io.read_table`. To know its encoding, a CSV file is read to its end.
        """
        path = Path(path)
        kind = file_format(path, format)
        if kind == "parquet":
            if delimiter is not None or encoding is not None:
                raise bad_input("delimiter or encoding", delimiter or encoding, "none with Parquet")
            return cls(path, kind, ",", _distinct(path, _parquet_names(path)))
        with reading(path):
            if encoding is not None:
                found = named_encoding(encoding)
            else:
                found = find_encoding(partial(_pieces, path), str(path))
            start = _start(to_utf8(_pieces(path), found, str(path)))
        if encoding is None:
            found.tell(str(path), notes)
        text = beginning(start)
        if not text.strip():
            raise InputError(f"{path} is empty: expected a header with the names of the columns")
        told = delimiter or ("\t" if tabs(path) and format is None else None)
        dialect = find_dialect(text, str(path), delimiter=told, notes=notes)
        names = _distinct(path, header_names(text, dialect, str(path)))
        blank = len(start[: len(start) - len(start.lstrip(b"\r\n"))].splitlines())
        return cls(path, kind, dialect.delimiter, names, found.name, None if dialect.plain else dialect, blank)

    @property
    def plain(self) -> bool:
        """Whether an engine can read the file as it is: Parquet, or UTF-8 with double quotation marks."""
        return self.format == "parquet" or (self.encoding == "utf-8" and self.dialect is None)

    @contextlib.contextmanager
    def as_plain(self) -> Iterator[Source]:
        """The source itself, or a copy in UTF-8 with double quotation marks that is removed afterwards."""
        if self.plain:
            yield self
            return
        with PrivateFolder(tempfile.gettempdir(), prefix=RAW, watched=True) as place:
            copy = place.folder / "plain.csv"
            shown = str(self.path)
            with reading(self.path), copy.open("wb") as out:
                pieces = to_utf8(_pieces(self.path), Encoding(self.encoding), shown)
                if self.dialect is not None:
                    lines = io.TextIOWrapper(_Joined(pieces), "utf-8", newline="")  # type: ignore[type-var]
                    pieces = plain_csv(lines, self.dialect, shown)
                for piece in pieces:
                    out.write(piece)
            if self.dialect is None:
                yield replace(self, path=copy, encoding="utf-8")
            else:
                yield replace(self, path=copy, encoding="utf-8", dialect=None, delimiter=",", blank=0)


class _Joined(io.RawIOBase):
    """Pieces of bytes as one stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.held = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.held:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.held = piece
        taken = self.held[: len(buffer)]
        self.held = self.held[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)


def _pieces(path: Path) -> Iterator[bytes]:
    with open_input(path) as stream:
        while piece := stream.read(_PIECE):
            yield piece


def _start(pieces: Iterator[bytes]) -> bytes:
    """As many pieces as hold a sample and the first line after blank ones."""
    start = b""
    for piece in pieces:
        start += piece
        if len(start) >= SAMPLE and b"\n" in start.lstrip(b"\r\n"):
            break
    return start


def _parquet_names(path: Path) -> list[str]:
    from pyarrow import ArrowInvalid, parquet

    try:
        with reading(path):
            return list(parquet.read_schema(path).names)
    except ArrowInvalid as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error


def _distinct(path: Path, names: list[str]) -> tuple[str, ...]:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise bad_input(f"{path}: column", twice[0], "each name once", "rename it")
    return tuple(names)


def file_format(path: Path, format: str | None = None) -> Literal["csv", "parquet"]:
    """The format told, or by the name of the file."""
    if format is not None:
        if format not in ("csv", "tsv", "parquet"):
            raise bad_input("format", format, "csv, tsv or parquet for an engine", "read_table reads others")
        return "parquet" if format == "parquet" else "csv"
    ends = [end.lower() for end in path.suffixes]
    packed = compression(path) is not None
    if packed:
        ends.pop()
    if ends and ends[-1] in (".csv", ".tsv", ".tab", ".txt"):
        return "csv"
    if ends and ends[-1] in (".parquet", ".pq") and not packed:
        return "parquet"
    raise bad_input("file", str(path), "a name that ends in .csv, .csv.gz or .parquet")


def tabs(path: Path) -> bool:
    """Whether the name says that tabs stand between fields."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return name.endswith((".tsv", ".tab"))


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
    """Stream batches to a CSV (also packed) or Parquet file that appears whole or not at all; returns the rows.

    A name that ends in .tsv has tabs, whatever the delimiter. Batches may hold the texts of ``schema`` as numbers of a
    dictionary.
    """
    target = Path(target)
    delimiter = "\t" if tabs(target) else delimiter
    rows = 0
    with atomic_path(target) as beside:
        if file_format(target) == "parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(beside, schema, compression="zstd", compression_level=1) as writer:
                for batch in batches:
                    writer.write_batch(batch if batch.schema.equals(schema) else batch.cast(schema))
                    rows += batch.num_rows
                    if advance is not None:
                        advance(batch.num_rows)
            return rows
        with beside.open("wb") as raw, contextlib.closing(_packing(target, raw)) as stream:
            header = io.StringIO()
            csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
            stream.write(header.getvalue().encode())
            for batch in batches:
                stream.write(csv_lines(batch, delimiter))
                rows += batch.num_rows
                if advance is not None:
                    advance(batch.num_rows)
    return rows


def _packing(target: Path, raw: BinaryIO) -> Any:
    """What packs the bytes on their way to the file, as its name says."""
    packed = compression(target)
    if packed == "gzip":
        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=5, mtime=0)
    if packed == "zstd":
        from pyarrow import CompressedOutputStream

        return CompressedOutputStream(raw, "zstd")
    return raw
