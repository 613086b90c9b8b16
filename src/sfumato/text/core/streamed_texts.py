"""Texts of a file that need not fit in memory, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.engine import COUNT, Engine, Source, find_engine, reader_of
from sfumato.io.frames import missing_columns
from sfumato.noise import Rng
from sfumato.release import Release, Terms
from sfumato.text.core.records import texts_of
from sfumato.text.core.text_totals import TextTotals
from sfumato.text.mechanisms.bag_mechanism import BagMechanism
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.text_method import TextMethod

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_texts"]

_AT_ONCE, _ENOUGH = 1024, 20


@dataclass(frozen=True)
class _Protected:
    """The released texts of a batch, and the columns that are kept."""

    mechanism: Any
    column: str
    kept: tuple[str, ...]
    stated: str | None
    longest: int

    def schema(self, source: pa.Schema) -> pa.Schema:
        import pyarrow as pa

        fields = [pa.field(one.name, pa.string()) if one.name == self.column else one for one in source]
        shown = [one for one in fields if one.name == self.column or one.name in self.kept]
        return pa.schema(shown + ([] if self.stated is None else [pa.field(self.stated, pa.string())]))

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, Any]:
        import pyarrow as pa

        table = pa.Table.from_batches([batch])
        texts, released = texts_of(table, self.column, longest=self.longest), []
        for start in range(0, len(texts), _AT_ONCE):
            released += self.mechanism.release_texts(texts[start : start + _AT_ONCE], rng)
        columns: dict[str, Any] = {name: table[name] for name in self.kept}
        columns[self.column] = pa.array(released, pa.string())
        if self.stated is not None:
            columns[self.stated] = pa.array(self.mechanism.stated(released), pa.string())
        return columns


@dataclass(frozen=True)
class _Counted:
    """How many words the release of each text will have, and whether the vocabulary knows one of them."""

    mechanism: Any
    column: str
    person: str | None

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        ids = [self._ids(text) for text in texts_of(pa.Table.from_batches([batch]), self.column)]
        size = len(self.mechanism.vocabulary)
        columns = {
            "words": pa.array([len(row) for row in ids], pa.int64()),
            "known": pa.array([bool((row < size).any()) for row in ids], pa.bool_()),
        }
        if self.person is not None:
            columns["person"] = batch.column(self.person)
        return pa.RecordBatch.from_pydict(columns)

    def _ids(self, text: str) -> Any:
        if isinstance(self.mechanism, BagMechanism):
            return self.mechanism.bag_ids(text)
        return self.mechanism.vocabulary.text_ids(text)


def stream_texts(
    made: Any,
    method: TextMethod,
    source: Source,
    *,
    keep: Sequence[str],
    stated: str | None,
    longest: int,
    engine: Engine | str,
    common: dict[str, Any],
    not_covered: Sequence[str],
    sourced: Any,
) -> Release:
    """The texts of a CSV or Parquet file, each protected on its own, as they stream past.

    What a document and a person lose is counted first, as the promise must be known before anything is drawn.
    """
    terms: Terms = common["terms"]
    fixed = getattr(made, "length", None)
    counts = isinstance(made, (WordMechanism, BagMechanism)) and fixed is None
    obstacle = "" if counts or fixed is not None or method.states else method.mechanism
    obstacle = "--scrub" if method.scrub else "one release for each author" if method.averaged else obstacle
    if obstacle:
        raise bad_input("engine", str(engine), f"none with {obstacle}", "it works in memory")
    missing_columns([method.column, *keep, *filter(None, [terms.person])], source.columns, "the file")
    runs = find_engine(engine) if isinstance(engine, str) else engine
    if counts or isinstance(made, VocabularyMechanism):
        totals = _totals(made, method.column, source, runs, terms, fixed)
        stated_totals = totals.record(made)
    else:  # a public text stands in for each: how long those are is public, too
        sizes = [len(text.split()) for text in made.pool.texts]
        totals = TextTotals.of(sizes)
        # which of them will stand there is not drawn yet, so the card cannot say how long they are
        stated_totals = totals.record(made) | {"words": {}}
        if terms.person is not None:
            raise bad_input("person", terms.person, f"none with an engine and {method.mechanism}", "it works in memory")
    whole = totals.promise(made)
    common = {name: value for name, value in common.items() if name != "like"}
    return Release.streamed(
        source,
        _Protected(made, method.column, tuple(keep), stated, longest),
        per_person=None if whole is None else sourced(whole),
        totals=stated_totals,
        roles=dict.fromkeys(keep, "kept") | dict.fromkeys([method.column, *filter(None, [stated])], "protected"),
        engine=runs,
        not_covered=not_covered,
        technique=made.technique,
        **common,
    )


def _totals(made: Any, column: str, source: Source, engine: Engine, terms: Terms, fixed: int | None) -> TextTotals:
    by = ["words", "known", *(["person"] if terms.person is not None else [])]
    found = reader_of(source, engine).summarise(source, by, _Counted(made, column, terms.person))
    times = np.asarray(found[COUNT])
    if times.sum() >= _ENOUGH and not np.asarray(found["known"]).any():
        raise bad_input(
            "texts",
            f"{times.sum()} without a known word",
            "words of the vocabulary",
            "texts and vocabulary must share a language",
        )
    words = np.asarray(found["words"]) if fixed is None else np.full(len(times), fixed)
    people = None if terms.person is None else found["person"].combine_chunks()
    if people is not None:
        terms.check_roll(people.unique())
    return TextTotals.of(words, people=people, most=terms.most, times=times)
