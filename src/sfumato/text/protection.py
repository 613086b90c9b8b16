"""Protect a column of texts in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SfumatoError, bad_input
from sfumato.io.frames import is_frame, missing_columns, to_arrow
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.promise import Guarantee
from sfumato.release import Release, Terms
from sfumato.study.console import progress_bar
from sfumato.study.score import Finding, Score
from sfumato.text.core.records import labelled_corpora, labels_of, texts_by_person, texts_of
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.text_totals import TextTotals, verdict
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.recomputation import recompute
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.text_method import TextMethod, kinds
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.text.vocabulary.vocabulary_recipe import GLOVE, SOURCE

__all__ = ["SECRET", "attack", "measure", "protect", "recompute"]

_BATCH = 1024
_ENOUGH = 20
SECRET = "pseudonyms"
"""Where the private key keeps the secret of the pseudonyms."""
STATED = "stated"
"""The column with the topic that a release states."""
NAN = Score(float("nan"))


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
    pool: PublicPool | None = None,
    author: str | None = None,
    scrub: bool = False,
    names: str = "lists",
    pseudonyms: bytes | None = None,
    longest: int = 10_000_000,
    settings: Mapping[str, Any] | None = None,
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
    frame : pandas, Polars or Arrow table
    column : str
        The column that holds the texts.
    mechanism : str
        Its name, such as ``"syntf"``; a wrong one lists all. ``"private-skip-gram"`` gives word vectors, and needs
        ``Terms(person=…)``.
    epsilon : float, optional
        Per word; of ``"private-skip-gram"``, per person; of ``"topic-response"`` and ``"neighbourhood-response"``, per
        text, or per author if ``author`` is named.
    length : int, optional
        SynTF: words in every release, 150 by default.
    keep : sequence of str
        Columns that are released unchanged.
    vocabulary : Vocabulary or sequence of str, optional
        Public; never taken from the texts. By default GloVe, with the number of ``words`` and perhaps ``synsets``.
    pool : PublicPool, optional
        Public texts by other people, of which a response releases one. A topic response also releases its topic, in the
        column ``stated``.
    author : str, optional
        The column that names the author: the largest total of an author is stated and charged, as with
        ``Terms(person=…)``. A response then gives a single release for all texts of an author, which loses ε in all.
    scrub : bool
        Mask names and numbers first.
    names : {"lists", "capitals", "model"}
        How scrubbing knows names.
    pseudonyms : bytes, optional
        The secret of the scrubber's pseudonyms (``settings={"replacement": "pseudonym"}``); made anew by default. It is
        in the private key.
    longest : int
        Texts with more characters are refused.
    settings : mapping, optional
        More parameters of the mechanism by name.
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
        names=names,
        settings=dict(settings or {}),
        averaged=author is not None and issubclass(kinds()[mechanism], ResponseMechanism),
    )
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    if isinstance(keep, str):
        raise bad_input("keep", keep, f"a list of columns such as [{keep!r}]")
    terms, generator = _of_author(terms or Terms(), author), resolve_rng(rng)
    table = to_arrow(frame)
    missing_columns([column, *keep, *([author] if author else [])], table.column_names, "the table")
    if column in keep:
        raise bad_input("keep", column, "a column other than the text")
    texts = texts_of(frame, column, longest=longest)
    if pseudonyms is not None and not method.pseudonyms:
        raise bad_input("pseudonyms", "a secret", "the scrubber with replacement=pseudonym", "leave it out")
    if method.pseudonyms and pseudonyms is None:
        pseudonyms = secrets.token_bytes(32)
    method, public = method.settle(vocabulary, words=words, synsets=synsets, pool=pool)
    made = method.build(public, pool=pool, pseudonyms=pseudonyms)
    common: dict[str, Any] = {"kind": "text", "mechanism": method.mechanism, "parameters": method.public()}
    common |= {"guarantee": _sourced(made.guarantee, method, terms), "terms": terms, "rng": generator, "like": frame}
    if not method.on_texts:
        return _learn_vectors(made, method, frame, keep=keep, common=common)
    if method.averaged:
        return _one_for_each(made, method, frame, keep=keep, common=common)
    _check_overlap(made, texts)
    released = _in_batches(made, texts, generator)
    stated = _stated(made, released, keep)
    totals = TextTotals.found([len(text.split()) for text in released], frame, terms)
    whole = totals.promise(made)
    import pyarrow as pa

    columns: dict[str, Any] = {name: table[name] for name in keep} | {column: pa.array(released, pa.string())}
    return Release.make(
        pa.table({name: columns[name] for name in table.column_names if name in columns} | stated),
        per_person=None if whole is None else _sourced(whole, method, terms),
        totals=totals.record(made),
        roles=dict.fromkeys(keep, "kept") | dict.fromkeys([column, *stated], "protected"),
        rows=np.arange(len(texts)),
        draws=not isinstance(made, Scrubber),
        secrets=None if pseudonyms is None else {SECRET: pseudonyms.hex()},
        not_covered=_not_covered(made, method, keep),
        technique="pseudonymization" if method.pseudonyms else made.technique,
        **common,
    )


def _of_author(terms: Terms, author: str | None) -> Terms:
    """The terms with the author as the person whose texts they are."""
    if author is not None and terms.person not in (None, author):
        raise bad_input("author", author, f"the same column as person ({terms.person!r})", "name one of them")
    return terms if author is None else replace(terms, person=author)


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
    made: Any, method: TextMethod, frame: Any, *, keep: Sequence[str], common: dict[str, Any]
) -> Release:
    """One row for each author, in random order, without the name."""
    import pyarrow as pa

    terms: Terms = common["terms"]
    if keep:
        raise bad_input("keep", ", ".join(keep), "nothing to keep", "a row of the release stands for all of an author")
    people = list(texts_by_person(frame, method.column, str(terms.person)).values())
    stage = getattr(made, "then", made)
    if method.first is not None:
        people = [method.first.release(texts) for texts in people]
    released = stage.release_people(people, rng=common["rng"])
    stated = _stated(stage, released, keep)
    promise = common.pop("guarantee").over(1, unit="person")
    return Release.make(
        pa.table({method.column: pa.array(released, pa.string())} | stated),
        guarantee=promise,
        totals={"words": {}, "epsilon": [], "verdict": {"person": _verdict(promise)}},
        per_person=promise,
        roles=dict.fromkeys([method.column, *stated], "protected"),
        not_covered=["the number of authors"],
        technique=stage.technique,
        **common,
    )


def _verdict(promise: Guarantee) -> str:
    loss = float(promise.cost().amounts["epsilon"])
    return f"ε = {loss:.6g} for one {promise.unit}: {verdict(loss)}"


def attack(
    original: Any,
    release: Release,
    *,
    seed: int = 0,
    author: str = "author",
    suspects: int | None = None,
    vocabulary: Vocabulary | Sequence[str] | None = None,
    raw: bool = False,
) -> list[Finding]:
    """Try to name the authors of protected texts, or to tell whose texts word vectors were learned from.

    Parameters
    ----------
    original : frame
        The texts that were protected.
    author : str
        The column of ``original`` that names the author.
    suspects : int, optional
        Suspects for each text; by default all authors.
    vocabulary : Vocabulary or sequence of str, optional
        The vocabulary, if it was not GloVe: the attacker knows the method.
    raw : bool
        Attack the raw texts instead, for comparison.
    """
    from sfumato.text.examples import TEXT_ATTACKS, VECTOR_ATTACKS

    method, data = TextMethod.of_card(release.card), to_arrow(original)
    if not method.on_texts:

        def learn(one: Any) -> Score:
            words, vectors = _vectors(release)
            people, known = _people(data, method, author), method.again(words)
            found: Score = one.attack(people, vectors, mechanism=known, rng=seeded_rng(seed))
            return found

        return [_found(one, learn) for one in VECTOR_ATTACKS]
    before, after = _both(data, release, method)
    mechanism = _known(method, release, vocabulary)

    def run(one: Any) -> Score:
        known, seen = labelled_corpora(before, before if raw else after, _labels(data, author, "author"))
        found: Score = one.attack(known, seen, mechanism=mechanism, rng=seeded_rng(seed))
        return found

    attacks = [replace(one, suspects=suspects) if hasattr(one, "suspects") else one for one in TEXT_ATTACKS]
    return [_found(one, run) for one in attacks]


def measure(
    original: Any,
    release: Release,
    *,
    seed: int = 0,
    topic: str = "topic",
    mood: str = "mood",
    author: str = "author",
    vocabulary: Vocabulary | Sequence[str] | None = None,
) -> list[Finding]:
    """What is left of protected texts: topic, sentiment, similarity and search; or of word vectors.

    Parameters
    ----------
    topic, mood : str
        The columns of ``original`` that name the topic and the sentiment.
    author : str
        Of word vectors: the column that names whose texts they are.
    """
    from sfumato.text.examples import TEXT_UTILITIES, VECTOR_UTILITIES

    method, data = TextMethod.of_card(release.card), to_arrow(original)
    if not method.on_texts:
        words, vectors = _vectors(release)

        def look(one: Any) -> Score:
            found: Score = replace(one, words=words).measure(
                _people(data, method, author), vectors, rng=seeded_rng(seed)
            )
            return found

        return [_found(one, look) for one in VECTOR_UTILITIES]
    before, after = _both(data, release, method)
    needs: dict[str, Callable[[], Any]] = {
        "topic": lambda: labelled_corpora(before, after, _labels(data, topic, "topic")),
        "mood": lambda: labelled_corpora(before, after, _labels(data, mood, "mood"), moods=_labels(data, mood, "mood")),
        "": lambda: labelled_corpora(before, after),
    }

    def run(one: Any) -> Score:
        if hasattr(one, "vocabulary"):
            if method.vocabulary is None:
                raise bad_input("vocabulary", None, "a mechanism with word vectors")
            one = replace(one, vocabulary=method.vocabulary.make(vocabulary))
        found: Score = one.measure(*needs[one.label](), rng=seeded_rng(seed))
        return found

    return [_found(one, run) for one in TEXT_UTILITIES]


def _found(one: Any, run: Callable[[Any], Score]) -> Finding:
    """What an attack or a utility finds, or why it could not run."""
    about: dict[str, Any] = {"name": one.name, "better": getattr(one, "better", "")}
    about |= {"criterion": getattr(one, "criterion", None), "knows": getattr(one, "knows", "")}
    try:
        return Finding(score=run(one), **about)
    except SfumatoError as error:
        return Finding(score=NAN, reason=str(error), **about)


def _labels(data: Any, name: str, option: str) -> NDArray[Any]:
    if name not in data.column_names:  # the reason may stand on a card: it names no column that is there
        raise bad_input(option, name, "a column of the original", f"--{option} names it")
    return labels_of(data, name)


def _both(data: Any, release: Release, method: TextMethod) -> tuple[list[str], list[str]]:
    """Raw and protected texts in the order of the original."""
    before = texts_of(data, method.column)
    rows, released = release.input_rows(len(before)), texts_of(release.arrow, method.column)
    if len(rows) != len(before) or len(released) != len(before) or set(rows.tolist()) != set(range(len(before))):
        raise bad_input("original", f"{len(before)} texts", f"those that were protected: {len(released)}")
    after = [""] * len(before)
    for row, text in zip(rows.tolist(), released, strict=True):
        after[row] = text
    return before, after


def _known(method: TextMethod, release: Release, vocabulary: Vocabulary | Sequence[str] | None) -> Any:
    """The mechanism as the attacker knows it from the card; None where it cannot be made again."""
    try:
        return method.again(vocabulary, pseudonyms=_secret(release))
    except SfumatoError:
        if vocabulary is not None:
            raise
        return None


def _secret(release: Release) -> bytes | None:
    held = release.key.secrets.get(SECRET)
    return None if held is None else bytes.fromhex(held)


def _sourced(guarantee: Guarantee, method: TextMethod, terms: Terms) -> Guarantee:
    """The promise with the source of the shipped vocabulary, unless the terms declare another."""
    recipe = method.vocabulary
    if recipe is None or recipe.name != GLOVE or "vocabulary" in terms.public or guarantee.vacuous:
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


def _learn_vectors(
    made: PrivateSkipGram, method: TextMethod, frame: Any, *, keep: Sequence[str], common: dict[str, Any]
) -> Release:
    """A word and its vector a row, learned from the texts of each person."""
    import pyarrow as pa

    terms: Terms = common["terms"]
    if keep:
        raise bad_input(
            "keep", ", ".join(keep), f"nothing to keep for {method.mechanism}", "it gives words, not records"
        )
    if terms.person is None:
        raise bad_input("person", None, "the column that names who wrote a text", "say person= or --person")
    people = texts_by_person(frame, method.column, terms.person)
    if method.first is not None:
        people = {person: method.first.release(texts) for person, texts in people.items()}
    vectors = made.release(people, rng=common["rng"])
    columns = {"word": pa.array(made.words, pa.string())}
    columns |= {f"v{k}": pa.array(vectors[:, k - 1]) for k in range(1, made.dimension + 1)}
    return Release.make(
        pa.table(columns),
        roles={"word": "public", **dict.fromkeys(list(columns)[1:], "protected")},
        ordered=True,
        not_covered=["which words there are: the vocabulary is public"],
        technique="differential privacy",
        **common,
    )


def _vectors(release: Release) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    table = release.arrow
    names = [name for name in table.column_names if name != "word"]
    return tuple(table["word"].to_pylist()), np.stack([table[name].to_numpy() for name in names], axis=1)


def _people(data: Any, method: TextMethod, author: str) -> dict[str, list[str]]:
    _labels(data, author, "author")
    people = texts_by_person(data, method.column, author)
    return people if method.first is None else {one: method.first.release(texts) for one, texts in people.items()}
