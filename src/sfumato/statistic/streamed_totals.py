"""Answers about a file that need not fit in memory: exact totals of its parts are added up, then comes the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.engine import Engine, Source
from sfumato.statistic.core.column import MOST_RECORDS
from sfumato.statistic.mechanisms.totals import Ints
from sfumato.statistic.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_totals"]


def stream_totals(question: Question, mechanism: Any, source: Source, engine: Engine) -> tuple[Ints, int]:
    """The exact totals of a whole file, and the number of records where it is public: as if it were read at once.

    They are whole numbers on a public grid, so they are the same in whatever pieces and order an engine reads the file.
    """
    if not getattr(mechanism, "adds_up", False):
        raise bad_input(
            "engine",
            engine.name,
            f"none with this {question.name}: it does not stream past",
            "counts, sums, means, histograms, quantiles, variances (add-remove) and noise on each record do",
        )
    missing = [name for name in question.columns if name not in source.columns]
    if missing:
        raise bad_input("column", missing[0], f"one of {', '.join(source.columns)}")
    found = engine.fold(source, question.columns, _Part(question, mechanism))
    if not len(found):
        empty = np.zeros(0, _dtype(question))
        return mechanism.totals(empty)  # refuses it where n is public
    if found[0] > MOST_RECORDS:
        raise bad_input("data", int(found[0]), f"at most {MOST_RECORDS} records", "split them")
    return found[2:], int(found[1])


@dataclass(frozen=True)
class _Part:
    """The number of records of a batch, that number where it is public, and the totals."""

    question: Question
    mechanism: Any

    def __call__(self, batch: pa.RecordBatch) -> Ints:
        import pyarrow as pa

        only = batch.column(0)
        if _dtype(self.question) == "float64" and only.type == pa.float64() and not only.null_count:
            records = only.to_numpy()  # as it is: whatever is wrong with it, the mechanism says
        else:
            table = pa.table({name: _typed(batch, name, self.question) for name in batch.schema.names})
            records = self.question.records(table)
        totals, size = self.mechanism.totals(records)
        return np.concatenate([[batch.num_rows, size], totals])


def _dtype(question: Question) -> Literal["str", "bool", "float64"]:
    """What the question takes the column for."""
    if question.categories:
        return "str"
    return "float64" if question.low is not None or question.high is not None else "bool"


def _typed(batch: pa.RecordBatch, name: str, question: Question) -> pa.Array:
    """The column of a batch; the text cells of a CSV file become what the question asks about."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = batch.column(name)
    wanted = _dtype(question)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)) or wanted == "str":
        return column
    kind = pa.float64() if wanted == "float64" else pa.bool_()
    try:
        cast = column.cast(kind)
    except pa.ArrowInvalid as error:  # its text quotes the cell
        raise InputError(f"column {name!r}: expected {_SAID[wanted]} in every record; found other text") from error
    if wanted == "float64" and pc.any(pc.greater(pc.abs(cast), 2.0**53)).as_py():
        raise InputError(f"column {name!r}: expected numbers up to 2^53, which doubles hold; take a coarser unit")
    return cast


_SAID = {"float64": "a number", "bool": "true or false"}
