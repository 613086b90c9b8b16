"""The engine of a cluster: Spark counts and recodes; its executors run the same code on batches of records."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.engine.base import COUNT, Recode
from sfumato.engine.source import Source, write_batches
from sfumato.errors import InputError
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine"]


@dataclass(frozen=True, kw_only=True)
class SparkEngine:
    """Files on a cluster. Source and target lie where the driver and all executors reach them.

    Parameters
    ----------
    session : SparkSession, optional
        The session to use; by default the active one, or a new one with ``master``.
    master : str, optional
        Where a new session runs: ``local[*]``, ``local-cluster[2,1,1024]``, ``spark://host:7077``, ``yarn``. By default
        what spark-submit or the configuration says, or this machine.
    multiline : bool
        Whether a quoted CSV cell may hold a line break. Then one executor reads each CSV file; say False for one
        huge CSV without such cells (Parquet is always read in parallel).
    """

    session: Any = field(default=None, repr=False)
    master: str | None = None
    multiline: bool = True
    name: str = "spark"

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
        return builder.appName("sfumato").getOrCreate()

    def _frame(self, source: Source) -> Any:
        read = self._spark().read
        path = str(source.path.resolve())
        if source.format == "parquet":
            return read.parquet(path)
        names = ", ".join(f"`{name.replace('`', '``')}` STRING" for name in source.columns)
        return read.csv(
            path, schema=names, sep=source.delimiter, header=True, quote='"', escape='"', nullValue="", emptyValue="",
            multiLine=self.multiline, mode="FAILFAST", enforceSchema=True,
        )  # fmt: skip

    def summarise(self, source: Source, columns: Sequence[str]) -> pa.Table:
        import pyarrow as pa

        names = [f"`{name.replace('`', '``')}`" for name in columns]
        counted = self._frame(source).groupBy(*names).count().withColumnRenamed("count", COUNT)
        if hasattr(counted, "toArrow"):
            return counted.toArrow()
        rows = counted.collect()
        return pa.table({name: [row[i] for row in rows] for i, name in enumerate([*columns, COUNT])})

    def recode(
        self,
        source: Source,
        recode: Recode,
        target: Path,
        delimiter: str = ",",
        advance: Callable[[int], None] | None = None,
    ) -> int:
        import pyarrow as pa
        from pyarrow import parquet

        frame = self._frame(source)
        empty = pa.RecordBatch.from_arrays([pa.array([], t) for t in _types(frame)], names=list(source.columns))
        schema = recode(empty).schema
        parts = target.resolve().parent / f".{target.name}.{secrets.token_hex(6)}.parts"

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield recode(batch)

        try:
            frame.mapInArrow(run, _ddl(schema)).write.parquet(str(parts))
            # Spark numbers its parts in the order of the source, and keeps that order within each
            files = sorted(parts.glob("part-*.parquet"))
            batches = (
                pa.RecordBatch.from_arrays(
                    [batch.column(n).cast(schema.field(n).type) for n in schema.names], schema=schema
                )
                for file in files
                for batch in parquet.ParquetFile(file).iter_batches()
            )
            return write_batches(batches, schema, target, delimiter, advance)
        finally:
            shutil.rmtree(parts, ignore_errors=True)


def _types(frame: Any) -> list[pa.DataType]:
    from pyspark.sql.pandas.types import to_arrow_schema

    return [item.type for item in to_arrow_schema(frame.schema)]


def _ddl(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
