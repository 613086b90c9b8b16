"""The engine of a cluster: Spark counts and recodes; its executors run the same code on batches of records."""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.engine.base import Arrange, Fold, Recode, coded, placed
from sfumato.io.engine.counting import AT_ONCE, add_counts, count_parts
from sfumato.io.engine.duckdb import DuckDBEngine, arrow_schema, sum_parts, whole_groups
from sfumato.io.engine.shuffling import BESIDE
from sfumato.io.engine.source import Source, empty_batch, write_batches
from sfumato.io.private_folder import PrivateFolder
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

    Work = Callable[[Iterable[pa.RecordBatch], int], Iterator[bytes]]

__all__ = ["SparkEngine"]

LEAST = 256
"""Records that a task has, at least."""

TURNS = 4
"""Tasks for each core, at least: who is done early takes another."""


@dataclass(frozen=True, kw_only=True)
class SparkEngine:
    """Parquet files on a cluster. Source and target lie where the driver and all executors reach them.

    Spark hands out tasks, each some rows of the file; an executor's Python reads them itself, as the engine of one
    machine does, and gives back counts or the name of a file with what it made. Only where all records of one person
    must come together (``by``) do records go through Spark's own reader and shuffle. Its CSV reader is never used: it
    differs from others in line ends, blank lines and broken cells, so a CSV file is first turned into Parquet by the
    driver (:func:`~sfumato.io.engine.staged`).

    Parameters
    ----------
    session : SparkSession, optional
        The session to use; by default the active one, or a new one with ``master``.
    master : str, optional
        Where a new session runs: ``local[*]``, ``local-cluster[2,1,1024]``, ``spark://host:7077``, ``yarn``. By default
        what spark-submit or the configuration says, or this machine.
    """

    session: Any = field(default=None, repr=False)
    master: str | None = None
    name: str = "spark"
    formats: tuple[str, ...] = ("parquet",)

    def start(self) -> None:
        """Start the session and its executors."""
        self._spark()

    def _spark(self) -> Any:
        if self.session is not None:
            return self.session
        sql = extra("pyspark.sql", "spark")
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            raise InputError("engine = 'spark': expected Java on this machine; install Java 17 or set JAVA_HOME")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # executors on this machine run this environment
        builder = sql.SparkSession.builder if self.master is None else sql.SparkSession.builder.master(self.master)
        for name, value in (("spark.ui.enabled", "false"), ("spark.sql.session.timeZone", "UTC")):
            builder = builder.config(name, value)
        running = sql.SparkSession.getActiveSession() is not None
        session = builder.appName("sfumato").getOrCreate()
        if not running:  # executors that lose their driver at the end of the process print pages of Java
            atexit.register(session.stop)
        return session

    def _each(
        self, source: Source, work: Work, columns: Sequence[str] | None = None, by: str | None = None
    ) -> list[bytes]:
        """What ``work`` makes of the batches of each task, in the order of the tasks; it is told the task's number.

        Spark may run a task twice, but takes what one of its runs gives, and nothing else of the other.
        """
        import pyarrow as pa

        if source.format not in self.formats:
            raise bad_input("source", str(source.path), "a Parquet file", "staged(source, engine, target) makes one")
        at = source.path.resolve()
        with _reading(source):
            spark = self._spark()
            if by is None:
                pieces = [replace(source, path=at, rows=rows) for rows in _pieces(at, spark)]
                frame = spark.range(0, len(pieces), 1, max(len(pieces), 1))

                def made(batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
                    for task in (number for batch in batches for number in batch.column(0).to_pylist()):
                        with DuckDBEngine(threads=1).batches(pieces[task], columns) as records:
                            yield from work(records, task)
            else:
                frame = spark.read.parquet(str(at)).repartition(_name(by)).sortWithinPartitions(_name(by))

                def made(batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
                    from pyspark import TaskContext

                    context = TaskContext.get()
                    return work(whole_groups(batches, by), 0 if context is None else context.partitionId())

            def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                for part in made(batches):
                    yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.binary())})

            return [bytes(row["part"]) for row in frame.mapInArrow(run, "part binary").collect()]

    def summarise(
        self, source: Source, columns: Sequence[str], first: Recode | None = None, by: str | None = None
    ) -> pa.Table:
        names = list(columns)

        def work(batches: Iterable[pa.RecordBatch], task: int) -> Iterator[bytes]:
            return count_parts(batches if first is None else _through(batches, first, task), names)

        def nothing() -> pa.Table:
            import pyarrow as pa

            none = empty_batch(arrow_schema(source))
            return pa.Table.from_batches([(none if first is None else first(none)).select(names)])

        return add_counts(self._each(source, work, names if first is None else None, by), names, nothing)

    def fold(self, source: Source, columns: Sequence[str], part: Fold) -> NDArray[np.int64]:
        def work(batches: Iterable[pa.RecordBatch], task: int) -> Iterator[bytes]:
            yield sum_parts(part(batch) for batch in batches if batch.num_rows).astype(np.int64).tobytes()

        found = (np.frombuffer(one, np.int64) for one in self._each(source, work, columns))
        return sum_parts(total for total in found if len(total))

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
        import pyarrow as pa

        none = empty_batch(arrow_schema(source))
        shape, made = recode(none).schema, coded(recode)
        written = made(none).schema
        with PrivateFolder(target.resolve().parent, prefix=BESIDE, watched=True) as place:
            folder = str(place.folder)

            def work(batches: Iterable[pa.RecordBatch], task: int) -> Iterator[bytes]:
                name = f"{secrets.token_hex(8)}.arrow"  # of this run of the task
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                with pa.ipc.new_stream(str(Path(folder, name)), written, options=options) as stream:
                    for batch in _through(batches, made, task):
                        # Spark has fewer types than Parquet: what comes out has the types that every engine writes
                        stream.write_batch(batch if batch.schema == written else batch.cast(written))
                yield name.encode()

            # Nothing is read before all tasks have said which file is theirs, and nothing is computed again from it.
            names = self._each(source, work, by=by)
            batches: Iterator[pa.RecordBatch] = (
                batch for name in names for batch in _arrow_file(place.folder / name.decode())
            )
            if arrange is not None:  # the driver shuffles what it merges
                batches = arrange(batches, written)
            return write_batches(batches, shape, target, delimiter, advance)


def _pieces(path: Path, spark: Any) -> list[tuple[int, int]]:
    """The rows of each task: a few tasks for each core, none larger than what is counted at a time."""
    from pyarrow import parquet

    rows = parquet.read_metadata(path).num_rows
    context = getattr(spark, "sparkContext", None)  # a session of Spark Connect has none
    cores = 16 if context is None else context.defaultParallelism
    size = min(max(-(-rows // (TURNS * cores)), LEAST), AT_ONCE)
    return [(start, min(start + size, rows)) for start in range(0, rows, size)]


def _through(batches: Iterable[pa.RecordBatch], recode: Recode, task: int) -> Iterator[pa.RecordBatch]:
    """What a recode makes of the batches of a task; on an executor."""
    for number, batch in enumerate(batches):
        yield placed(recode, task, number)(batch)


def _arrow_file(path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        yield from reader


def _name(column: str) -> str:
    return f"`{column.replace('`', '``')}`"


@contextlib.contextmanager
def _reading(source: Source) -> Iterator[None]:
    """What goes wrong in the cluster is said in one line: the last of what an executor's Python says, or the first of
    what Java says."""
    errors = extra("py4j.protocol", "spark").Py4JError, extra("pyspark.errors", "spark").PySparkException
    try:
        yield
    except errors as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = [line for line in lines if "Error: " in line and not line.startswith("at ")]
        reason = said[-1].split("Error: ", 1)[1] if said else next(iter(lines), "no reason given")
        raise InputError(f"{source.path}: Spark failed: {reason}") from error
