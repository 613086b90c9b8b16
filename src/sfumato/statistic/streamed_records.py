"""Records of a file that need not fit in memory, each with noise of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.io.engine import Engine, Source, as_numbers, find_engine
from sfumato.io.frames import missing_columns
from sfumato.noise import Rng
from sfumato.release import Release, Terms
from sfumato.statistic.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_records"]


@dataclass(frozen=True)
class _Noisy:
    """The columns that were asked about, with noise on every record."""

    question: Question
    mechanism: Any
    kinds: tuple[Any, ...]

    def schema(self, source: pa.Schema) -> pa.Schema:
        import pyarrow as pa

        return pa.schema(list(zip(self.question.columns, self.kinds, strict=True)))

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, Any]:
        table = as_numbers(batch.select(list(self.question.columns)), self.question.columns)
        released = self.mechanism.release(self.question.data(table, self.mechanism), rng=rng)
        table = self.question.record_table(released)
        return {name: table[name] for name in table.column_names}


def stream_records(
    question: Question, mechanism: Any, source: Source, *, engine: Engine | str, terms: Terms, rng: Rng
) -> Release:
    """The columns of a CSV or Parquet file with noise on every record, as they stream past."""
    missing_columns(question.columns, source.columns, "the file")
    question.check_reach(mechanism)
    runs = find_engine(engine) if isinstance(engine, str) else engine
    return Release.streamed(
        source,
        _Noisy(question, mechanism, _kinds(question, mechanism)),
        kind="statistic",
        mechanism=question.name,
        guarantee=mechanism.guarantee,
        per_person=terms.for_people_in(mechanism.guarantee, source, runs),
        parameters=question.public(),
        roles=dict.fromkeys(question.columns, "protected"),
        engine=runs,
        terms=terms,
        rng=rng,
        technique="noise addition",
    )


def _kinds(question: Question, mechanism: Any) -> tuple[Any, ...]:
    """The types of the released columns, from a release of zeros that is thrown away."""
    low = 0 if question.low is None else question.low
    shape = 1 if len(question.columns) == 1 and not question.vectors else (1, len(question.columns))
    tried = question.record_table(mechanism.release(np.full(shape, low), rng=np.random.default_rng(0)))
    return tuple(tried.schema.types)
