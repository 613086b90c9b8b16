"""The engine of one machine: DuckDB reads and counts, spilling to disk; batches stream through to the output."""

from __future__ import annotations

import contextlib
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
from sfumato.io.engine.base import COUNT, Arrange, Fold, Recode
from sfumato.io.engine.source import Source, empty_batch, write_batches
from sfumato.io.formats.endings import compression
from sfumato.validate import extra, integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DuckDBEngine", "arrow_schema", "sum_parts"]

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

    @contextlib.contextmanager
    def _reading(self, source: Source) -> Iterator[tuple[Any, str]]:
        """A connection, and what it scans; what goes wrong while reading is said in one line that shows no record."""
        duckdb = extra("duckdb", "table")
        with (
            source.as_plain() as plain,
            tempfile.TemporaryDirectory(prefix="sfumato-") as folder,
            duckdb.connect() as connection,
        ):
            connection.execute("SET memory_limit = ?", [self.memory])
            connection.execute("SET threads = ?", [self._workers])
            connection.execute("SET temp_directory = ?", [folder])
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

    def summarise(self, source: Source, columns: Sequence[str]) -> pa.Table:
        names = ", ".join(map(_name, columns))
        with self._reading(source) as (connection, scan):
            query = f"SELECT {names}, count(*) AS {_name(COUNT)} FROM {scan} GROUP BY {names}"
            return connection.sql(query).to_arrow_table()

    def fold(self, source: Source, columns: Sequence[str], part: Fold) -> NDArray[np.int64]:
        with self._reading(source) as (connection, scan):
            connection.execute("SET preserve_insertion_order = false")
            query = f"SELECT {', '.join(map(_name, columns))} FROM {scan}"
            reader = connection.sql(query).to_arrow_reader(8 * self.batch)
            return sum_parts(self._through((batch for batch in reader if batch.num_rows), part))

    def recode(
        self,
        source: Source,
        recode: Recode,
        target: Path,
        delimiter: str = ",",
        advance: Callable[[int], None] | None = None,
        arrange: Arrange | None = None,
    ) -> int:
        with self._reading(source) as (connection, scan):
            reader = connection.sql(f"SELECT * FROM {scan}").to_arrow_reader(self.batch)
            schema = recode(empty_batch(reader.schema)).schema
            batches = self._through(reader, recode)
            if arrange is not None:
                batches = arrange(batches, schema)
            return write_batches(batches, schema, target, delimiter, advance)

    def read(self, source: Source) -> pa.Table:
        """The whole table, in memory; the cells of a CSV file are text."""
        with self._reading(source) as (connection, scan):
            return connection.sql(f"SELECT * FROM {scan}").to_arrow_table()

    def _through(self, reader: Iterable[pa.RecordBatch], run: Callable[[pa.RecordBatch], T]) -> Iterator[T]:
        """Work on a few batches at a time in threads, and hand the results on in order."""
        with ThreadPoolExecutor(self._workers) as pool:
            waiting: deque[Future[T]] = deque()
            for batch in reader:
                waiting.append(pool.submit(run, batch))
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
        return f"read_parquet({_text(str(source.path))})"
    names = "{" + ", ".join(f"{_text(name)}: 'VARCHAR'" for name in source.columns) + "}"
    return (
        f"read_csv({_text(str(source.path))}, columns = {names}, header = true, auto_detect = false, "
        f"skip = {source.blank}, delim = {_text(source.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        f"compression = {_text(compression(source.path) or 'none')})"
    )
