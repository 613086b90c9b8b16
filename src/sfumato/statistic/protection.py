"""Protect a column in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.engine import Engine, Source, find_engine, reader_of
from sfumato.io.frames import is_frame, to_arrow
from sfumato.mechanism import SmoothGaussian
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.release import Card, Check, Release, Terms
from sfumato.statistic.core.smooth_median import SmoothMedian
from sfumato.statistic.examples import attacks_on, utilities_on
from sfumato.statistic.question import Question, kinds
from sfumato.statistic.streamed_records import stream_records
from sfumato.statistic.streamed_totals import stream_totals
from sfumato.study.score import Finding, Score
from sfumato.study.settings import build
from sfumato.validate import choice

__all__ = ["attack", "measure", "mechanism_of", "protect", "question_of", "recompute"]


def protect(
    frame: Any,
    columns: str | Sequence[str],
    *,
    mechanism: str,
    epsilon: float | None = None,
    low: float | None = None,
    high: float | None = None,
    delta: float | None = None,
    neighbours: str | None = None,
    clip: bool = False,
    bins: int = 10,
    categories: Sequence[str] = (),
    quantiles: Sequence[float] = (0.5,),
    group: str = "group",
    labels: Sequence[str] = (),
    deviation: float | None = None,
    settings: Mapping[str, Any] | None = None,
    engine: Engine | str = "duckdb",
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release a statistic of a column, or the column itself with noise, under differential privacy.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        A :class:`~sfumato.io.engine.Source` is a CSV or Parquet file that need not fit in memory: counts, sums, means,
        histograms and quantiles of it are added up as it streams past, and records get their noise as
        :meth:`~sfumato.Release.write` writes them. The answers have the same law.
    columns : str or sequence of str
        The column, or several for a mechanism on vectors.
    mechanism : str
        Its name, such as ``"mean"``; a wrong one lists all.
    epsilon, low, high, delta, neighbours, clip, bins, categories, quantiles, group, labels, deviation
        As in ``sfumato statistic protect --help``. Bounds, categories and labels are public: never take them from the
        data.
    settings : mapping, optional
        More parameters of the mechanism by name.
    engine : {"duckdb", "spark"} or Engine
        What reads a source.
    terms : Terms, optional
        Who pays, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [31, 47, 52]})
    >>> release = protect(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
    >>> release.data.column_names, release.card.promise["statement"]
    (['mechanism', 'column', 'part', 'value'], 'ε = 1')
    """
    question = Question(
        kind=kinds()[choice("mechanism", mechanism, list(kinds()))],
        columns=[columns] if isinstance(columns, str) else list(columns),
        epsilon=epsilon,
        low=low,
        high=high,
        delta=delta,
        neighbours=neighbours,
        clip=clip,
        bins=bins,
        categories=tuple(categories),
        quantiles=tuple(quantiles),
        group=group,
        labels=tuple(labels),
        deviation=deviation,
        settings=dict(settings or {}),
    )
    terms, generator = terms or Terms(), resolve_rng(rng)
    runs = find_engine(engine) if isinstance(engine, str) else engine
    if isinstance(frame, Source):
        if question.each_record:
            return stream_records(question, mechanism_of(question, ()), frame, engine=runs, terms=terms, rng=generator)
        made, released = _streamed(question, frame, runs, generator)
    elif is_frame(frame):
        made = mechanism_of(question, frame)
        data = question.data(frame, made)
        question.check(made, data)
        released = made.release(data, rng=generator)
    else:
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    if question.each_record:
        values = np.asarray(released)
        table, rows = question.record_table(values), np.arange(len(values))
        roles = dict.fromkeys(table.column_names, "protected")
    else:
        table, rows = question.answer_table(made, released), None
        roles = dict.fromkeys(table.column_names, "statistic")
    return Release.make(
        table,
        kind="statistic",
        mechanism=question.name,
        guarantee=made.guarantee,
        per_person=terms.for_people_in(made.guarantee, frame, runs)
        if isinstance(frame, Source)
        else terms.for_people(made.guarantee, frame),
        parameters=question.public(),
        roles=roles,
        rows=rows,
        ordered=not question.each_record,
        terms=terms,
        rng=generator,
        technique="noise addition" if question.each_record else "aggregate statistic with noise",
        like=table if isinstance(frame, Source) else frame,
    )


def _streamed(question: Question, source: Source, engine: Engine, rng: Rng) -> tuple[Any, Any]:
    """The mechanism and its release of a file that streams past."""
    if question.deviation is not None:
        raise bad_input("deviation", question.deviation, "none with an engine")
    made = mechanism_of(question, ())
    # Totals are added up while the driver reads a CSV file: a copy for the cluster would cost more than it saves.
    with source.as_plain() as plain:
        totals, size = stream_totals(question, made, plain, reader_of(plain, engine))
    return made, made.release_totals(totals, size, rng=rng)


def attack(original: Any, release: Release, *, seed: int = 0, repeats: int = 2000) -> list[Finding]:
    """What an attacker learns of a record from a statistic, or of all records from their noisy versions."""
    table, question, rng = to_arrow(original), question_of(release.card), seeded_rng(seed)
    mechanism: Any = mechanism_of(question, table)
    data: Any = question.records(table)
    if question.each_record:
        released = question.released_records(release.arrow)
        data = data[release.input_rows(len(data))]
    else:
        released = release.arrow["value"].to_numpy()
    if isinstance(mechanism, SmoothGaussian):
        mechanism = SmoothMedian(mechanism, question.bounds)
    attacks = attacks_on(mechanism, repeats)
    return [Finding.of(one, lambda one: one.attack(data, released, mechanism=mechanism, rng=rng)) for one in attacks]


def measure(original: Any, release: Release, *, seed: int = 0, repeats: int = 200) -> list[Finding]:
    """How far releases like this one are from the exact answer, over many repetitions."""
    table, question, rng = to_arrow(original), question_of(release.card), seeded_rng(seed)
    mechanism = mechanism_of(question, table)
    data = question.data(table, mechanism)
    if hasattr(mechanism, "sample"):
        answers = mechanism.sample(data, repeats, rng)
    else:
        answers = [mechanism.release(data, rng=rng) for _ in range(repeats)]

    def run(one: Any) -> Score:
        several = [one.measure(data, answer, rng=rng) for answer in answers]
        return Score.of_mean([score.value for score in several], several[0].reference)

    return [Finding.of(one, run) for one in utilities_on(mechanism)]


def recompute(release: Release) -> list[Check]:
    """Check that the released columns are those of the card."""
    return [Check.of_shape(release)]


def question_of(card: Card) -> Question:
    """What was asked, from the card."""
    given = dict(card.mechanism.parameters)
    return Question(kind=kinds()[choice("mechanism", card.mechanism.name, list(kinds()))], **given)


def mechanism_of(question: Question, frame: Any) -> Any:
    """The mechanism that a question asks for; of the table only the number of rows is used."""
    given = question.parameters(frame)
    settled = {name: given.pop(name) for name in question.settled - set(question.settings) if name in given}
    return build(kinds(), question.name, given, hidden={*question.settled, "unit", "model"}, **settled)
