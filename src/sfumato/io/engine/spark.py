"""The engine of a cluster: Spark counts and recodes; its executors run the same code on batches of records."""

from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.engine.base import Arrange, Fold, Recode, placed
from sfumato.io.engine.counting import add_counts, count_parts
from sfumato.io.engine.duckdb import arrow_schema, sum_parts, whole_groups
from sfumato.io.engine.shuffling import BESIDE
from sfumato.io.engine.source import Source, empty_batch, write_batches
from sfumato.io.private_folder import PrivateFolder
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine"]


@dataclass(frozen=True, kw_only=True)
class SparkEngine:
    """Parquet files on a cluster. Source and target lie where the driver and all executors reach them.

    Spark's CSV reader differs from others in line ends, blank lines and broken cells; so a CSV file is first turned
    into Parquet by the driver (:func:`~sfumato.io.engine.staged`), and there is one way to read CSV.

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

    def _frame(self, source: Source) -> Any:
        if source.format not in self.formats:
            raise bad_input("source", str(source.path), "a Parquet file", "staged(source, engine, target) makes one")
        return self._spark().read.parquet(str(source.path.resolve()))

    def summarise(
        self, source: Source, columns: Sequence[str], first: Recode | None = None, by: str | None = None
    ) -> pa.Table:
        names = list(columns)

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for part in count_parts(batches if first is None else _through(batches, first, by), names):
                yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.binary())})

        with _reading(source):
            frame = self._frame(source)
            frame = frame.select(*map(_name, names)) if first is None else _gathered(frame, by)
            found = frame.mapInArrow(run, "part binary").collect()
            return add_counts((row["part"] for row in found), names, lambda: self._empty(frame, first, names))

    @staticmethod
    def _empty(frame: Any, first: Recode | None, names: list[str]) -> pa.Table:
        """No records at all, with the columns that there would be."""
        import pyarrow as pa

        none = empty_batch(_arrow(frame))
        none = none if first is None else first(none)
        return pa.Table.from_batches([none.select(names)])

    def fold(self, source: Source, columns: Sequence[str], part: Fold) -> NDArray[np.int64]:
        import pyarrow as pa

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            total = sum_parts(part(batch) for batch in batches if batch.num_rows)
            if len(total):
                yield pa.RecordBatch.from_pydict({"part": pa.array([total], pa.list_(pa.int64()))})

        with _reading(source):
            frame = self._frame(source).select(*map(_name, columns))
            found = frame.mapInArrow(run, "part array<bigint>").collect()
        return sum_parts(np.array(row["part"], np.int64) for row in found)

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
        from pyarrow import parquet

        with PrivateFolder(target.resolve().parent, prefix=BESIDE, watched=True) as place:
            parts = place.folder / "parts"
            with _reading(source):
                frame = self._frame(source)
                # A task may run twice, and draw twice; Spark commits the file of one of its runs. Nothing of the parts
                # is read before all are committed, and nothing is computed a second time from them.
                _mapped(frame, recode, by).write.parquet(str(parts))
            # Spark has fewer types than Parquet: what comes out has the types that every engine writes
            schema = recode(empty_batch(arrow_schema(source))).schema
            # Spark numbers its parts in the order of the source, and keeps that order within each
            files = sorted(parts.glob("part-*.parquet"))
            batches: Iterator[pa.RecordBatch] = (
                pa.RecordBatch.from_arrays(
                    [batch.column(n).cast(schema.field(n).type) for n in schema.names], schema=schema
                )
                for file in files
                for batch in parquet.ParquetFile(file).iter_batches()
            )
            if arrange is not None:  # the driver shuffles what it merges
                batches = arrange(batches, schema)
            return write_batches(batches, schema, target, delimiter, advance)


def _mapped(frame: Any, recode: Recode, by: str | None = None) -> Any:
    """What a recode makes of the batches of a frame, on the executors."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for made in _through(batches, recode, by):
            yield _signed(made)

    frame = _gathered(frame, by)
    return frame.mapInArrow(run, _ddl(_signed(recode(empty_batch(_arrow(frame)))).schema))


def _gathered(frame: Any, by: str | None) -> Any:
    """The frame with all records of one value of ``by`` in one partition, one after the other."""
    return frame if by is None else frame.repartition(_name(by)).sortWithinPartitions(_name(by))


def _through(batches: Iterator[pa.RecordBatch], recode: Recode, by: str | None) -> Iterator[pa.RecordBatch]:
    """What a recode makes of the batches of a partition; on an executor."""
    from pyspark import TaskContext

    context = TaskContext.get()
    part = 0 if context is None else context.partitionId()
    for number, batch in enumerate(batches if by is None else whole_groups(batches, by)):
        yield placed(recode, part, number)(batch)


def _signed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with signed whole numbers: Spark has no others. The driver turns them back."""
    import pyarrow as pa

    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    if not any(field.type in wider for field in batch.schema):
        return batch
    columns = [column.cast(wider.get(column.type, column.type)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


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


def _arrow(frame: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    asked = inspect.signature(to_arrow_schema).parameters  # since Spark 4.1 it does not take UTC for granted
    return to_arrow_schema(frame.schema, **({"timezone": "UTC"} if "timezone" in asked else {}))


def _ddl(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
