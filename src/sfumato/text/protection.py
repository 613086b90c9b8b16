"""Protect a column of texts in one call; attack, measure and recompute the release."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.engine import Engine, Source
from sfumato.io.frames import is_frame, missing_columns, to_arrow
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, Guarantee
from sfumato.release import Release, Terms
from sfumato.study.console import progress_bar
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.records import Empty, filled_rows, labels_of, texts_by_person, texts_of
from sfumato.text.core.streamed_texts import stream_texts
from sfumato.text.core.text_totals import TextTotals, verdict
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.mechanisms.skipgram.vector_release import learn_vectors
from sfumato.text.returned.assessment import SECRET, STATED, attack, measure
from sfumato.text.returned.recomputation import recompute
from sfumato.text.scrub.review.recall_estimate import recall_words
from sfumato.text.scrub.review.span_review import SpanReview
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.text_method import TextMethod, default_names
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.text.vocabulary.vocabulary_recipe import GLOVE, SOURCE
from sfumato.validate import choice

__all__ = ["ORIGINALS", "SECRET", "attack", "measure", "protect", "recompute"]

_BATCH = 1024
_ENOUGH = 20
_BLANK = "knowledge which texts are empty"
_SKIPPED = "which texts are empty: they were left out"
ORIGINALS = "originals"
"""Where the private key keeps what pseudonyms stand for."""


def protect(
    frame: Any,
    column: str = "text",
    *,
    mechanism: str = "syntf",
    epsilon: float | None = None,
    length: int | None = None,
    keep: Sequence[str] = (),
    vocabulary: Vocabulary | Sequence[str] | None = None,
    words: int = 30_000,
    synsets: bool = False,
    pool: PublicPool | str | Path | None = None,
    pool_topic: str = "topic",
    known: PublicPool | None = None,
    model: RewritingModel | None = None,
    author: str | None = None,
    scrub: bool = False,
    names: str | None = None,
    pseudonyms: bytes | None = None,
    review: SpanReview | str | Path | None = None,
    longest: int = 10_000_000,
    empty: Empty = "keep",
    settings: Mapping[str, Any] | None = None,
    engine: Engine | str = "duckdb",
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Replace texts or their words, or learn word vectors from them.

    Only the texts and the columns named by ``keep`` leave, in random order. What is lost is stated per word, per
    document and, with ``author`` or ``Terms(person=…)``, for all texts of one person, which is what a ledger is
    charged. The table is
    held in memory, texts before and after; they are worked on a thousand at a time.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        A :class:`~sfumato.io.engine.Source` is a CSV or Parquet file that need not fit in memory, for mechanisms that
        replace each text or its words on their own.
    column : str
        The column that holds the texts.
    mechanism : str
        Its name, such as ``"syntf"``; a wrong one lists all. ``"private-skip-gram"`` gives word vectors, and needs
        ``Terms(person=…)``.
    epsilon : float, optional
        Per word; of ``"private-skip-gram"``, per person; of ``"topic-response"`` and ``"neighbourhood-response"``, per
        text, or per author if ``author`` is named; of ``"retrieve"`` and ``"truncated-mean"``, per text, or per
        sentence with ``settings={"unit": "sentence"}``.
    length : int, optional
        SynTF: words in every release, 150 by default.
    keep : sequence of str
        Columns that are released unchanged.
    vocabulary : Vocabulary or sequence of str, optional
        Public; never taken from the texts. By default GloVe, with the number of ``words`` and perhaps ``synsets``.
    pool : PublicPool or path, optional
        Public texts by other people, of which a response or a retrieval releases one; or the file they are in, with
        their topics in the column ``pool_topic``. A topic response also releases its topic, in the column ``stated``,
        and so does a retrieval from a pool with topics. Without one, a retrieval takes film reviews
        (:func:`film_reviews_pool`).
    known : PublicPool, optional
        ``"code-response"``: texts by the same authors that need no protection, with the authors as their topics. What
        tells these authors apart is left out of the topics of a release.
    model : RewritingModel, optional
        The public network that writes the texts anew, for the mechanisms that do (``"dp-vae"``, ``"code-vae"``).
    author : str, optional
        The column that names the author: the largest total of an author is stated and charged, as with
        ``Terms(person=…)``. A response then gives a single release for all texts of an author, which loses ε in all.
    scrub : bool
        Mask names and numbers first.
    names : {"lists", "capitals", "model", "cautious"}, optional
        How scrubbing knows names: by default ``"cautious"`` where the ``text`` extra is installed, ``"lists"``
        elsewhere. The card says which.
    pseudonyms : bytes, optional
        The secret of the scrubber's pseudonyms (``settings={"replacement": "pseudonym"}``); made anew by default. It is
        in the private key.
    review : SpanReview or path, optional
        What a reviewer decided about the scrubber's findings in these texts: it is hidden and kept as they say.
    longest : int
        Texts with more characters are refused.
    empty : {"keep", "skip"}
        What happens to texts without a word, such as scanned pages: they are released like the others, or left out. How
        many were left out can then be seen by whoever knows how many there were, and the card says so.
    settings : mapping, optional
        More parameters of the mechanism by name.
    engine : {"duckdb", "spark"} or Engine
        What reads a source.
    terms : Terms, optional
        Who pays, whose texts they are, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> mails = pa.table({"text": ["the cat sat", "a dog"], "from": ["ann", "bob"]})
    >>> public = sf.text.Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> release = protect(mails, mechanism="word-exponential", epsilon=2.0, vocabulary=public)
    >>> release.data.column_names, sorted(len(text.split()) for text in release.data["text"].to_pylist())
    (['text'], [2, 3])
    """
    method = TextMethod(
        mechanism=mechanism,
        column=column,
        epsilon=epsilon,
        length=length,
        scrub=scrub,
        names=names or _names(mechanism, scrub),
        settings=dict(settings or {}),
    )
    if isinstance(review, str | Path):
        review = SpanReview.read(review)
    if review is not None:
        method = replace(method, review=review.to_card())
    if author is not None and method.responds:
        method = replace(method, averaged=True)
    if not is_frame(frame) and not isinstance(frame, Source):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    if isinstance(keep, str):
        raise bad_input("keep", keep, f"a list of columns such as [{keep!r}]")
    terms, generator = _of_author(terms or Terms(), author), resolve_rng(rng)
    if column in keep:
        raise bad_input("keep", column, "a column other than the text")
    like, skips = frame, choice("empty", empty, get_args(Empty)) == "skip"
    if not isinstance(frame, Source):
        table = to_arrow(frame)
        missing_columns([column, *keep, *([author] if author else [])], table.column_names, "the table")
        texts = texts_of(frame, column, longest=longest)
        rows = filled_rows(texts) if skips else np.arange(len(texts))
        if review is not None:
            review.require(texts)
            review = review.taken(rows.tolist())
        if skips:
            frame = table = table.take(rows)
            texts = [texts[row] for row in rows.tolist()]
    elif review is not None:
        raise bad_input("review", "a review", "texts in memory", "leave the engine out")
    elif skips:
        raise bad_input("empty", empty, "keep with an engine", "texts without a word are left out in memory only")
    if isinstance(pool, str | Path):
        pool = PublicPool.read(pool, column=column, topic=pool_topic)
    if pseudonyms is not None and not method.pseudonyms:
        raise bad_input("pseudonyms", "a secret", "the scrubber with replacement=pseudonym", "leave it out")
    if method.pseudonyms and pseudonyms is None:
        pseudonyms = secrets.token_bytes(32)
    pool = method.usual_pool() if pool is None else pool
    method, public = method.settle(vocabulary, words=words, synsets=synsets, pool=pool, known=known, model=model)
    made = method.build(public, pool=pool, known=known, model=model, pseudonyms=pseudonyms)
    _warn(made)
    common: dict[str, Any] = {"kind": "text", "mechanism": method.mechanism, "parameters": method.public()}
    common |= {
        "guarantee": _sourced(made.guarantee, method, terms, skips),
        "terms": terms,
        "rng": generator,
        "like": like,
    }
    if isinstance(frame, Source):
        if not method.on_texts:
            raise bad_input("engine", method.mechanism, "a mechanism that gives texts", "it learns in memory")
        states = getattr(made, "stated", lambda texts: None)(list(pool.texts[:1]) if pool is not None else [])
        if states is not None and STATED in keep:
            raise bad_input("keep", STATED, "another column", "the release has one of this name; rename it first")
        return stream_texts(
            made,
            method,
            frame,
            keep=keep,
            stated=None if states is None else STATED,
            longest=longest,
            engine=engine,
            common=common,
            not_covered=_not_covered(made, method, keep),
            sourced=lambda whole: _sourced(whole, method, terms, skips),
        )
    if not method.on_texts:
        return learn_vectors(made, frame, method.column, first=method.first, keep=keep, common=common)
    if method.averaged:
        return _one_for_each(made, method, frame, rows, keep=keep, common=common)
    _check_overlap(made, texts)
    originals: dict[str, str] = {}
    missed: list[str] = []
    if isinstance(made, Scrubber):  # all at once: a name found in one text is looked for in all
        spans = made.spans(texts)
        if review is not None:
            spans, missed = review.apply(spans), recall_words(review, spans)
        scrubbed = made.scrub(texts, spans=spans)
        released, originals = scrubbed.texts, scrubbed.originals
    else:
        released = _in_batches(made, texts, generator)
    stated = _stated(made, released, keep)
    totals = TextTotals.found([len(text.split()) for text in released], frame, terms)
    whole = totals.promise(made)
    import pyarrow as pa

    columns: dict[str, Any] = {name: table[name] for name in keep} | {column: pa.array(released, pa.string())}
    return Release.make(
        pa.table({name: columns[name] for name in table.column_names if name in columns} | stated),
        per_person=None if whole is None else _sourced(whole, method, terms, skips),
        totals=totals.record(made),
        roles=dict.fromkeys(keep, "kept") | dict.fromkeys([column, *stated], "protected"),
        rows=rows,
        draws=not isinstance(made, Scrubber),
        secrets=None if pseudonyms is None else {SECRET: pseudonyms.hex(), ORIGINALS: originals},
        not_covered=[*_not_covered(made, method, keep), *missed, *([_SKIPPED] if skips else [])],
        technique="pseudonymization" if method.pseudonyms else made.technique,
        **common,
    )


def _of_author(terms: Terms, author: str | None) -> Terms:
    """The terms with the author as the person whose texts they are."""
    if author is not None and terms.person not in (None, author):
        raise bad_input("author", author, f"the same column as person ({terms.person!r})", "name one of them")
    return terms if author is None else replace(terms, person=author)


def _warn(made: Any) -> None:
    """Say what an ε for less than a text costs, before anything is paid."""
    told = getattr(getattr(made, "then", made), "warning", "")
    if told:
        warnings.warn(told, stacklevel=3)


def _stated(made: TextMechanism, released: list[str], keep: Sequence[str]) -> dict[str, Any]:
    """The column of topics that a release states, if it states any."""
    import pyarrow as pa

    topics = getattr(made, "then", made).stated(released)
    if topics is None:
        return {}
    if STATED in keep:
        raise bad_input("keep", STATED, "another column", "the release has one of this name; rename it first")
    return {STATED: pa.array(topics, pa.string())}


def _one_for_each(
    made: Any,
    method: TextMethod,
    frame: Any,
    numbers: NDArray[np.int64],
    *,
    keep: Sequence[str],
    common: dict[str, Any],
) -> Release:
    """One row for each author, in random order, without the name."""
    import pyarrow as pa

    terms: Terms = common["terms"]
    if keep:
        raise bad_input("keep", ", ".join(keep), "nothing to keep", "a row of the release stands for all of an author")
    people = texts_by_person(frame, method.column, str(terms.person))
    terms.check_roll(people)
    first: dict[str, int] = {}
    for row, name in enumerate(labels_of(frame, str(terms.person)).tolist()):
        first.setdefault(name, row)
    stage, texts = getattr(made, "then", made), list(people.values())
    if method.first is not None:
        texts = [method.first.release(own) for own in texts]
    released = stage.release_people(texts, rng=common["rng"])
    stated = _stated(stage, released, keep)
    promise = common.pop("guarantee").over(1, unit="person")
    return Release.make(
        pa.table({method.column: pa.array(released, pa.string())} | stated),
        guarantee=promise,
        totals={"words": {}, "epsilon": [], "verdict": {"person": _verdict(promise)}},
        per_person=promise,
        roles=dict.fromkeys([method.column, *stated], "protected"),
        rows=numbers[[first[name] for name in people]],
        not_covered=["the number of authors", *stage.shown],
        technique=stage.technique,
        **common,
    )


def _verdict(promise: Guarantee) -> str:
    loss = float(promise.cost().amounts["epsilon"])
    return f"ε = {loss:.6g} for one {promise.unit}: {verdict(loss)}"


def _names(mechanism: str, scrub: bool) -> str:
    """How names are known unless it was said; of no concern where nothing is scrubbed."""
    return default_names() if scrub or mechanism == "scrubber" else "lists"


def _sourced(guarantee: Guarantee, method: TextMethod, terms: Terms, skips: bool) -> Guarantee:
    """The promise with the source of the shipped vocabulary, unless the terms declare another; it cannot hide what is
    left out."""
    if guarantee.vacuous:
        return guarantee
    if skips:
        guarantee = guarantee.assuming(Assumption(_BLANK))
    recipe = method.vocabulary
    if recipe is None or recipe.name != GLOVE or "vocabulary" in terms.public:
        return guarantee
    return guarantee.declare(vocabulary=SOURCE)


def _in_batches(made: TextMechanism, texts: list[str], rng: Rng) -> list[str]:
    released: list[str] = []
    with progress_bar("texts", len(texts)) as advance:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            released += made.release_texts(batch, rng)
            advance(len(batch))
    return released


def _not_covered(made: TextMechanism, method: TextMethod, keep: Sequence[str]) -> list[str]:
    stage = getattr(made, "then", made)
    found = [f"the columns kept unchanged: {', '.join(keep)}"] if keep else []
    found += ["the number of texts", *stage.shown]
    if method.first is not None and not stage.any_texts:
        found.append("what scrubbing left or removed: the promise is about the texts as scrubbed")
    return found


def _check_overlap(made: TextMechanism, texts: list[str]) -> None:
    """Refuse a vocabulary of another language before anything is released; few texts may share no word with it."""
    stage, first = getattr(made, "then", made), texts[:_BATCH]
    if len(first) < _ENOUGH or not isinstance(stage, VocabularyMechanism):
        return
    vocabulary = stage.vocabulary
    if not any((vocabulary.text_ids(text) < len(vocabulary)).any() for text in first):
        raise bad_input(
            "texts",
            f"{len(first)} without a known word",
            "words of the vocabulary",
            "texts and vocabulary must share a language",
        )
