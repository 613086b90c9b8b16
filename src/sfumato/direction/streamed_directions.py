"""Directions of a file that need not fit in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.direction.promise import per_person
from sfumato.direction.question import Question
from sfumato.errors import bad_input
from sfumato.io.engine import Engine, Source, as_numbers, find_engine
from sfumato.io.engine.duckdb import arrow_schema
from sfumato.io.frames import missing_columns
from sfumato.noise import Rng
from sfumato.promise import PureDP
from sfumato.release import Release, Terms

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_directions"]


@dataclass(frozen=True)
class _Noisy:
    """The released columns of a batch: each direction with noise of its own."""

    question: Question
    kept: tuple[str, ...]

    @cached_property
    def _mechanism(self) -> Any:
        return self.question.build()

    def schema(self, source: pa.Schema) -> pa.Schema:
        import pyarrow as pa

        new = set(self.question.protected)
        fields = [pa.field(one.name, pa.float64()) if one.name in new else one for one in source]
        return pa.schema([one for one in fields if one.name in new or one.name in self.kept])

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, Any]:
        import pyarrow as pa

        table = as_numbers(batch, self.question.protected)
        new = self.question.released(self._mechanism.release(self.question.data(table), rng=rng), table)
        return {name: table[name] for name in self.kept} | {name: pa.array(values) for name, values in new.items()}


def stream_directions(
    question: Question, source: Source, kept: Sequence[str], *, engine: Engine | str, terms: Terms, rng: Rng
) -> Release:
    """Directions of a CSV or Parquet file, each with noise of its own, as they stream past."""
    import pyarrow as pa

    if question.gives_means or question.of_traces:
        raise bad_input("engine", str(engine), f"none with {question.mechanism}", "it looks at several records at once")
    missing_columns([*question.protected, *kept], source.columns, "the file")
    fields = arrow_schema(source)
    for name in question.protected:
        if pa.types.is_temporal(fields.field(name).type) or question.zone is not None:
            raise bad_input("engine", str(engine), f"hours as numbers, but {name!r} holds times", "leave --engine out")
    runs = find_engine(engine) if isinstance(engine, str) else engine
    made = question.build()
    promise = question.promise(made)
    counted = None if promise.vacuous else terms.for_people_in(PureDP(1.0), source, runs)
    total, records = per_person(promise, counted, question.in_a_row, row_is_person=question.row_is_person)
    return Release.streamed(
        source,
        _Noisy(question, tuple(kept)),
        kind="direction",
        mechanism=question.mechanism,
        guarantee=promise,
        per_person=total,
        totals=question.totals(made, total, records),
        parameters=question.public(),
        roles=dict.fromkeys(question.protected, "protected") | dict.fromkeys(kept, "kept"),
        engine=runs,
        terms=terms,
        rng=rng,
        not_covered=[*(f"{name} (unchanged)" for name in kept), "the number of records"],
        technique="noise addition",
    )
