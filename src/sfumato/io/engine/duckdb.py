"""The engine of one machine: DuckDB reads and counts, spilling to disk; batches stream through to the output."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.io.atomic import reading
from sfumato.io.engine.base import COUNT, Arrange, Fold, Recode, coded, placed
from sfumato.io.engine.source import RAW, Source, empty_batch, write_batches
from sfumato.io.formats.endings import compression
from sfumato.io.private_folder import PrivateFolder
from sfumato.validate import extra, integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DuckDBEngine", "arrow_schema", "sum_parts", "whole_groups"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class DuckDBEngine:
    """Files larger than memory on this machine.

    Parameters
    ----------
    memory : str
        What DuckDB may hold before it spills to disk.
    threads : int, optional
        Processors to use; all by default.
    batch : int
        Records that are recoded at a time.
    """

    memory: str = "1GB"
    threads: int | None = None
    batch: int = 131_072
    name: str = "duckdb"
    formats: tuple[str, ...] = ("csv", "parquet")

    def __post_init__(self) -> None:
        integer("batch", self.batch)
        if self.threads is not None:
            integer("threads", self.threads)

    def start(self) -> None:
        """Nothing: a connection is opened in no time."""

    @contextlib.contextmanager
    def _reading(self, source: Source) -> Iterator[tuple[Any, str]]:
        """A connection, and what it scans; what goes wrong while reading is said in one line that shows no record."""
        duckdb = extra("duckdb", "table")
        with (
            source.as_plain() as plain,
            PrivateFolder(tempfile.gettempdir(), prefix=RAW) as place,
            duckdb.connect() as connection,
        ):
            connection.execute("SET memory_limit = ?", [self.memory])
            connection.execute("SET threads = ?", [self._workers])
            connection.execute("SET temp_directory = ?", [str(place.folder)])
            connection.execute("SET preserve_insertion_order = true")
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = ?", [sys.stderr.isatty()])  # a pipe gets no bars
            try:
                yield connection, _scan(plain)
            except duckdb.Error as error:
                raise InputError(f"{source.path} cannot be read: {_reason(error)}") from error
            except OSError as error:  # pyarrow's readers wrap what DuckDB says
                if "DuckDB" not in str(error) and "Error" not in str(error):
                    raise
                raise InputError(f"{source.path} cannot be read: {_reason(error)}") from error

    @property
    def _workers(self) -> int:
        return self.threads or len(
            os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
        )

    def summarise(
        self, source: Source, columns: Sequence[str], first: Recode | None = None, by: str | None = None
    ) -> pa.Table:
        import pyarrow as pa

        names = ", ".join(map(_name, columns))
        with self._reading(source) as (connection, scan):
            if first is not None:
                reader, batches = self._batches(connection.cursor(), scan, by)
                made = self._through(batches, first)
                connection.register("made", pa.RecordBatchReader.from_batches(_shape(first, reader.schema), made))
                scan = "made"
            query = f"SELECT {names}, count(*) AS {_name(COUNT)} FROM {scan} GROUP BY {names}"
            return connection.sql(query).to_arrow_table()

    def fold(self, source: Source, columns: Sequence[str], part: Fold) -> NDArray[np.int64]:
        if source.format == "parquet" and (file := _doubles(source, columns)) is not None:
            with file:
                batches = file.iter_batches(self.batch, columns=list(columns))
                return sum_parts(self._through((batch for batch in batches if batch.num_rows), part))
        with self._reading(source) as (connection, scan):
            connection.execute("SET preserve_insertion_order = false")
            query = f"SELECT {', '.join(map(_name, columns))} FROM {scan}"
            reader = connection.sql(query).to_arrow_reader(self.batch)
            return sum_parts(self._through((batch for batch in reader if batch.num_rows), part))

    def recode(
        self,
        source: Source,
        recode: Recode,
        target: Path,
        delimiter: str = ",",
        advance: Callable[[int], None] | None = None,
        arrange: Arrange | None = None,
        by: str | None = None,
    ) -> int:
        with self._reading(source) as (connection, scan):
            reader, found = self._batches(connection, scan, by)
            batches = self._through(found, coded(recode))
            if arrange is not None:
                batches = arrange(batches, _shape(coded(recode), reader.schema))
            return write_batches(batches, _shape(recode, reader.schema), target, delimiter, advance)

    def read(self, source: Source) -> pa.Table:
        """The whole table, in memory; the cells of a CSV file are text."""
        with self._reading(source) as (connection, scan):
            return connection.sql(f"SELECT * FROM {scan}").to_arrow_table()

    @contextlib.contextmanager
    def batches(self, source: Source, columns: Sequence[str] | None = None) -> Iterator[Iterable[pa.RecordBatch]]:
        """The records one batch after the other, in their order; all columns by default."""
        names = "*" if columns is None else ", ".join(map(_name, columns))
        with self._reading(source) as (connection, scan):
            yield connection.sql(f"SELECT {names} FROM {scan}").to_arrow_reader(self.batch)

    def _batches(self, connection: Any, scan: str, by: str | None) -> tuple[Any, Iterable[pa.RecordBatch]]:
        """The reader of all records, and its batches: some records each, or all of one value of ``by``."""
        order = "" if by is None else f" ORDER BY {_name(by)}"
        reader = connection.sql(f"SELECT * FROM {scan}{order}").to_arrow_reader(self.batch)
        return reader, reader if by is None else whole_groups(reader, by)

    def _through(self, reader: Iterable[pa.RecordBatch], run: Callable[[pa.RecordBatch], T]) -> Iterator[T]:
        """Work on a few batches at a time in threads, and hand the results on in order."""
        with ThreadPoolExecutor(self._workers) as pool:
            waiting: deque[Future[T]] = deque()
            for number, batch in enumerate(reader):
                waiting.append(pool.submit(placed(run, number), batch))
                if len(waiting) > self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def sum_parts(parts: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The parts added up, place by place; empty without any.

    >>> sum_parts([np.array([1, 2]), np.array([3, 4])])
    array([4, 6])
    """
    total = np.zeros(0, np.int64)
    for part in parts:
        total = total + part if len(total) else part
    return total


def whole_groups(batches: Iterable[pa.RecordBatch], by: str) -> Iterator[pa.RecordBatch]:
    """Sorted batches cut anew: each holds all records of one value of ``by``.

    >>> import pyarrow as pa
    >>> parts = [pa.record_batch({"who": ["a", "a"]}), pa.record_batch({"who": ["a", "b"]})]
    >>> [batch["who"].to_pylist() for batch in whole_groups(parts, "who")]
    [['a', 'a', 'a'], ['b']]
    """
    held: list[pa.RecordBatch] = []
    for batch in batches:
        values = batch.column(by)
        codes = values.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
        cuts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), batch.num_rows]
        for start, end in itertools.pairwise(cuts):
            if start == end:
                continue
            if held and held[-1].column(by)[0] != values[start]:
                yield _joined(held)
                held = []
            held.append(batch.slice(start, end - start))
    if held:
        yield _joined(held)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _doubles(source: Source, columns: Sequence[str]) -> Any:
    """The file, if these columns are doubles: Arrow's own reader hands those over without DuckDB's copy of them."""
    from pyarrow import ArrowInvalid, float64, parquet

    try:
        with reading(source.path):
            file = parquet.ParquetFile(source.path, pre_buffer=False)
    except ArrowInvalid as error:
        raise InputError(f"{source.path} is not a Parquet file: {error}") from error
    if all(file.schema_arrow.field(name).type == float64() for name in columns):
        return file
    file.close()
    return None


def _shape(recode: Recode, schema: pa.Schema) -> pa.Schema:
    """The columns that come out of a recode."""
    return recode(empty_batch(schema)).schema


def _reason(error: Exception) -> str:
    """The first lines of what DuckDB says: where and what, without the record."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines[:1] + lines[1:4] if line and not line.startswith(("Original Line", "Possible"))]
    return "; ".join(told[:2])


def arrow_schema(source: Source) -> pa.Schema:
    """The columns of a source as every engine hands them on."""
    engine = DuckDBEngine()
    with engine._reading(source) as (connection, scan):
        return connection.sql(f"SELECT * FROM {scan} LIMIT 0").to_arrow_table().schema


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _scan(source: Source) -> str:
    """The table function that reads the source; every CSV cell is text, an empty one is missing."""
    if source.format == "parquet":
        scan = f"read_parquet({_text(str(source.path))})"
        if source.rows is None:
            return scan
        first, end = source.rows
        return f"(SELECT * FROM {scan} WHERE file_row_number >= {first} AND file_row_number < {end})"
    names = "{" + ", ".join(f"{_text(name)}: 'VARCHAR'" for name in source.columns) + "}"
    return (
        f"read_csv({_text(str(source.path))}, columns = {names}, header = true, auto_detect = false, "
        f"skip = {source.blank}, delim = {_text(source.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        f"compression = {_text(compression(source.path) or 'none')})"
    )
