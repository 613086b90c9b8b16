"""A release that never is in memory: records stream from file to file, each batch with noise of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sfumato.errors import InputError, bad_input
from sfumato.io.engine import Draw, Drawing, Engine, Shuffler, Source, find_engine, staged
from sfumato.io.engine.source import file_format
from sfumato.noise import Rng, is_secure

__all__ = ["Stream"]


@dataclass(eq=False)
class Stream:
    """The job behind a release: it was paid for, and it runs once.

    A second run would draw other noise for the same records, and both together would tell more than was paid for. So a
    job that has begun is over, whether it ended well or not; protect again, and pay again.

    Parameters
    ----------
    source : Source
    drawing : Drawing
    engine : Engine
    order : numpy Generator, optional
        Shuffles the rows; None leaves them in the order of the source.
    by : str, optional
        The column that says whose record it is: all records of a person are drawn together, and stay together; people
        are numbered in random order.
    """

    source: Source
    drawing: Drawing
    engine: Engine
    order: Rng | None = field(repr=False)
    by: str | None = None
    begun: bool = False
    written: Path | None = None

    @classmethod
    def of(cls, source: Source, draw: Draw, engine: Engine | str, rng: Rng, *, shuffled: bool, by: str | None) -> Self:
        """The job that draws from generators of its own, or from seeds if ``rng`` has one."""
        return cls(
            source=source,
            drawing=Drawing(draw=draw, seed=None if is_secure(rng) else int(rng.integers(2**63))),
            engine=find_engine(engine) if isinstance(engine, str) else engine,
            order=rng if shuffled else None,
            by=by,
        )

    def check(self, path: str | Path) -> None:
        """Refuse what cannot be written, before anything is drawn."""
        if str(path) == "-":
            raise bad_input("path", "-", "a file", "what streams past is written beside its place and renamed")
        file_format(Path(path))
        if self.begun:
            raise InputError(
                "this release was drawn already: a second draw of the same records would tell more than was paid for; "
                "copy its file, or protect again"
            )

    def write(self, staged_path: Path, target: Path, advance: Callable[[int], None] | None) -> int:
        """Run the job into ``staged_path``, in the format of ``target``; gives the number of rows."""
        self.check(target)
        self.begun = True
        arrange = None
        if self.order is not None:
            # a record takes some 8 bytes in Parquet; the estimate only says into how many files rows are dealt
            rows = self.source.path.stat().st_size // 8 + 1
            arrange = Shuffler(folder=staged_path.parent, rows=rows, rng=self.order, by=self.by)
        named = staged_path.with_name(staged_path.stem + "".join(target.suffixes))  # engines know a format by its name
        with staged(self.source, self.engine, target) as ready:  # the engine leaves a whole file or none
            rows = self.engine.recode(ready, self.drawing, named, self.source.delimiter, advance, arrange, self.by)
        os.replace(named, staged_path)
        self.written = target
        return rows
