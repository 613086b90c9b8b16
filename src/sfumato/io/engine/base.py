"""What an engine does: it summarises and recodes files that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.io.engine.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COUNT", "Arrange", "Engine", "Fold", "Recode", "coded", "placed"]

COUNT = "__count__"
"""The column of a summary that says how often a combination of values occurs."""

Recode = Callable[["pa.RecordBatch"], "pa.RecordBatch"]
"""Turns a batch of records into what is released of it; a function of the batch alone, and it pickles."""

Fold = Callable[["pa.RecordBatch"], NDArray[np.int64]]
"""Turns a batch of records into whole numbers that are added up; a function of the batch alone, and it pickles."""

Arrange = Callable[[Iterable["pa.RecordBatch"], "pa.Schema"], Iterator["pa.RecordBatch"]]
"""Puts the rows of a stream of released batches in another order (:class:`~sfumato.io.engine.Shuffler`)."""


def placed(recode: Recode, *place: int) -> Recode:
    """What recodes the batch at this place of the source; most do not care where it is."""
    at: Any = getattr(recode, "at", None)
    return recode if at is None else at(*place)


def coded(recode: Recode) -> Recode:
    """The recode with its texts as numbers of a dictionary, if it can give them so: cheaper to move, sort and quote."""
    found: Any = getattr(recode, "coded", None)
    return recode if found is None else found


class Engine(Protocol):
    """Counts combinations of values in a file, and writes the recoded file; decisions are made on the counts."""

    @property
    def name(self) -> str: ...

    @property
    def formats(self) -> tuple[str, ...]:
        """What it reads: ``"csv"``, ``"parquet"``."""

    def start(self) -> None:
        """Get ready for the first job, which would otherwise wait for it."""

    def summarise(
        self, source: Source, columns: Sequence[str], first: Recode | None = None, by: str | None = None
    ) -> pa.Table:
        """The distinct combinations of ``columns`` with their :data:`COUNT`, in any order.

        With ``first``, of what it makes of the records; with ``by``, of all records of one value of that column at a
        time.
        """

    def fold(self, source: Source, columns: Sequence[str], part: Fold) -> NDArray[np.int64]:
        """The sum of what ``part`` makes of each batch of ``columns``: whole numbers, so the order does not matter.

        Batches without records are passed over; a source without any gives an empty array.
        """

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
        """Write what ``recode`` makes of each record; returns the number of rows.

        The rows are in the order of the source, or as ``arrange`` puts them. ``advance`` is told, now and then, how
        many more rows are written. With ``by``, each batch holds all records of one value of that column.
        """
