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
from sfumato.text.core.text_totals import TextTotals
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.recomputation import recompute
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.text_method import TextMethod, default_names
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.text.vocabulary.vocabulary_recipe import GLOVE, SOURCE

__all__ = ["ORIGINALS", "SECRET", "attack", "measure", "protect", "recompute"]

_BATCH = 1024
_ENOUGH = 20
SECRET = "pseudonyms"
"""Where the private key keeps the secret of the pseudonyms."""
ORIGINALS = "originals"
"""Where it keeps what they stand for."""


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
    scrub: bool = False,
    names: str | None = None,
    pseudonyms: bytes | None = None,
    longest: int = 10_000_000,
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Replace the words of texts, or learn word vectors from them.

    Only the texts and the columns named by ``keep`` leave, in random order. What is lost is stated per word, per
    document and, with ``Terms(person=…)``, for all texts of one person, which is what a ledger is charged. The table is
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
        Per word; of ``"private-skip-gram"``, per person.
    length : int, optional
        SynTF: words in every release, 150 by default.
    keep : sequence of str
        Columns that are released unchanged.
    vocabulary : Vocabulary or sequence of str, optional
        Public; never taken from the texts. By default GloVe, with the number of ``words`` and perhaps ``synsets``.
    scrub : bool
        Mask names and numbers first.
    names : {"lists", "capitals", "model", "cautious"}, optional
        How scrubbing knows names: by default ``"cautious"`` where the ``text`` extra is installed, ``"lists"``
        elsewhere. The card says which.
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
        names=names or _names(mechanism, scrub),
        settings=dict(settings or {}),
    )
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    if isinstance(keep, str):
        raise bad_input("keep", keep, f"a list of columns such as [{keep!r}]")
    terms, generator = terms or Terms(), resolve_rng(rng)
    table = to_arrow(frame)
    missing_columns([column, *keep], table.column_names, "the table")
    if column in keep:
        raise bad_input("keep", column, "a column other than the text")
    texts = texts_of(frame, column, longest=longest)
    if pseudonyms is not None and not method.pseudonyms:
        raise bad_input("pseudonyms", "a secret", "the scrubber with replacement=pseudonym", "leave it out")
    if method.pseudonyms and pseudonyms is None:
        pseudonyms = secrets.token_bytes(32)
    method, public = method.settle(vocabulary, words=words, synsets=synsets)
    made = method.build(public, pseudonyms=pseudonyms)
    common: dict[str, Any] = {"kind": "text", "mechanism": method.mechanism, "parameters": method.public()}
    common |= {"guarantee": _sourced(made.guarantee, method, terms), "terms": terms, "rng": generator, "like": frame}
    if not method.on_texts:
        return _learn_vectors(made, method, frame, keep=keep, common=common)
    _check_overlap(made, texts)
    originals: dict[str, str] = {}
    if isinstance(made, Scrubber):  # all at once: a name found in one text is looked for in all
        scrubbed = made.scrub(texts)
        released, originals = scrubbed.texts, scrubbed.originals
    else:
        released = _in_batches(made, texts, generator)
    totals = TextTotals.found([len(text.split()) for text in released], frame, terms)
    whole = totals.promise(made)
    import pyarrow as pa

    columns: dict[str, Any] = {name: table[name] for name in keep} | {column: pa.array(released, pa.string())}
    return Release.make(
        pa.table({name: columns[name] for name in table.column_names if name in columns}),
        per_person=None if whole is None else _sourced(whole, method, terms),
        totals=totals.record(made),
        roles=dict.fromkeys(keep, "kept") | {column: "protected"},
        rows=np.arange(len(texts)),
        draws=not isinstance(made, Scrubber),
        secrets=None if pseudonyms is None else {SECRET: pseudonyms.hex(), ORIGINALS: originals},
        not_covered=_not_covered(made, method, keep),
        technique="pseudonymization" if method.pseudonyms else made.technique,
        **common,
    )


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

        return [Finding.of(one, learn) for one in VECTOR_ATTACKS]
    before, after = _both(data, release, method)
    mechanism = _known(method, release, vocabulary)

    def run(one: Any) -> Score:
        known, seen = labelled_corpora(before, before if raw else after, _labels(data, author, "author"))
        found: Score = one.attack(known, seen, mechanism=mechanism, rng=seeded_rng(seed))
        return found

    attacks = [replace(one, suspects=suspects) if hasattr(one, "suspects") else one for one in TEXT_ATTACKS]
    return [Finding.of(one, run) for one in attacks]


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

        return [Finding.of(one, look) for one in VECTOR_UTILITIES]
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

    return [Finding.of(one, run) for one in TEXT_UTILITIES]


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


def _names(mechanism: str, scrub: bool) -> str:
    """How names are known unless it was said; of no concern where nothing is scrubbed."""
    return default_names() if scrub or mechanism == "scrubber" else "lists"


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
