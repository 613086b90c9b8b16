"""Answers of a file that need not fit in memory, each encoded on its own: the local step of a survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.engine import Engine, Source, find_engine
from sfumato.io.frames import missing_columns
from sfumato.noise import Rng, seeded_rng
from sfumato.release import Release, Terms
from sfumato.survey.data.survey import Survey
from sfumato.survey.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_answers"]


@dataclass(frozen=True)
class _Encoded:
    """The reports of a batch in the place of its answers."""

    question: Question
    kept: tuple[str, ...]

    @property
    def _one(self) -> Survey:
        return Survey(np.zeros(1, np.int64), np.zeros((1, 1)), self.question.categories)

    @cached_property
    def mechanism(self) -> Any:
        return self.question.build(self._one)

    def schema(self, source: pa.Schema) -> pa.Schema:
        import pyarrow as pa

        # a report of no one, thrown away, shows the columns
        report = self.mechanism.release(self._one.answers, rng=seeded_rng(0))
        answer = source.field(self.question.column).type
        reports = self.question.report_columns(report, self._one, answer)
        fields: list[Any] = []
        for one in source:
            if one.name == self.question.column:
                fields += [pa.field(name, values.type) for name, values in reports.items()]
            elif one.name in self.kept:
                fields.append(one)
        return pa.schema(fields)

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, Any]:
        import pyarrow as pa

        table = pa.Table.from_batches([batch])
        survey = self.question.survey(table)
        reports = self.mechanism.release(survey.answers, rng=rng)
        answer = table.schema.field(self.question.column).type
        return {name: table[name] for name in self.kept} | self.question.report_columns(reports, survey, answer)


def stream_answers(
    question: Question, source: Source, kept: Sequence[str], *, engine: Engine | str, terms: Terms, rng: Rng
) -> Release:
    """The answers of a CSV or Parquet file, each encoded on its own, as they stream past."""
    if not question.encodes:
        raise bad_input(
            "engine",
            str(engine),
            "unary-encoding or hadamard-response with it",
            "shuffling looks at all owners at once",
        )
    missing_columns([question.column, *kept], source.columns, "the file")
    runs = find_engine(engine) if isinstance(engine, str) else engine
    draw = _Encoded(question, tuple(kept))
    taken = [name for name in question.bit_names if name in kept]
    if taken:
        raise bad_input("--keep", taken[0], "other names than those of the reports", "rename the column first")
    promise = question.promise(draw.mechanism)
    roles = dict.fromkeys([question.column, *question.bit_names], "protected") | dict.fromkeys(kept, "kept")
    return Release.streamed(
        source,
        draw,
        kind="survey",
        mechanism=question.mechanism,
        guarantee=promise,
        per_person=terms.for_people_in(promise, source, runs),
        parameters=question.public(),
        roles=roles | dict.fromkeys(question.group, "public place"),
        engine=runs,
        terms=terms,
        rng=rng,
        not_covered=[*(f"{name} (unchanged)" for name in kept), "the number of owners"],
        technique="randomization",
    )
