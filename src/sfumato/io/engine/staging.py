"""A file in a format that an engine reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sfumato.io.engine.base import Engine
from sfumato.io.engine.duckdb import DuckDBEngine
from sfumato.io.engine.shuffling import BESIDE
from sfumato.io.engine.source import Source
from sfumato.io.private_folder import PrivateFolder

__all__ = ["reader_of", "staged"]


def reader_of(source: Source, engine: Engine) -> Engine:
    """The engine itself, or DuckDB where it cannot read the source: a cluster gets CSV through its driver anyway."""
    return engine if source.format in engine.formats else DuckDBEngine()


@contextlib.contextmanager
def staged(source: Source, engine: Engine, target: Path) -> Iterator[Source]:
    """The source itself, or a Parquet copy that is removed afterwards.

    The copy holds raw records. It lies in a private folder beside the target, where all executors reach it; the folder
    goes with this process, and what a fallen machine leaves is swept by the next job there.

    The copy streams through DuckDB: whatever the engine, CSV is read by one reader. A CSV file in another encoding than
    UTF-8 is copied once, here, and not by every step. A cluster starts meanwhile.
    """
    if source.format in engine.formats:
        with source.as_plain() as plain:
            yield plain
        return
    with PrivateFolder(target.resolve().parent, prefix=BESIDE, watched=True) as place:
        copy = place.folder / "source.parquet"
        with ThreadPoolExecutor(1) as beside:
            starting = beside.submit(engine.start)
            DuckDBEngine().recode(source, lambda batch: batch, copy)
            starting.result()
        yield Source.of(copy)
