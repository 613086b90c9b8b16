"""Attack and measure a release of texts: every registered attack and utility, with the texts in their old order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SfumatoError, bad_input
from sfumato.io.frames import to_arrow
from sfumato.noise import seeded_rng
from sfumato.release import Release
from sfumato.study.score import Finding, Score
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.records import labelled_corpora, labels_of, texts_by_person, texts_of
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.text_method import TextMethod
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["SECRET", "STATED", "attack", "measure"]

SECRET = "pseudonyms"
"""Where the private key keeps the secret of the pseudonyms."""
STATED = "stated"
"""The column with the topic that a release states."""


def attack(
    original: Any,
    release: Release,
    *,
    seed: int = 0,
    author: str = "author",
    suspects: int | None = None,
    vocabulary: Vocabulary | Sequence[str] | None = None,
    pool: PublicPool | str | Path | None = None,
    pool_topic: str = "topic",
    known: PublicPool | None = None,
    model: RewritingModel | None = None,
    raw: bool = False,
) -> list[Finding]:
    """Try to name the authors of protected texts, or to tell whose texts word vectors were learned from.

    The risk is the largest of what is found. The attackers know the method from the card.

    Parameters
    ----------
    original : frame
        The texts that were protected.
    author : str
        The column of ``original`` that names the author.
    suspects : int, optional
        Suspects for each text; by default all authors.
    vocabulary : Vocabulary or sequence of str, optional
        The vocabulary, if it was not GloVe.
    pool : PublicPool or path, optional
        The public texts of a response, or the file they are in, with their topics in the column ``pool_topic``.
    known : PublicPool, optional
        The texts of known authors whose differences were left out.
    model : RewritingModel, optional
        The network that wrote the texts.
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
    if isinstance(pool, str | Path):
        pool = PublicPool.read(pool, column=method.column, topic=pool_topic)
    mechanism = _known(method, release, vocabulary, pool, known, model)
    if method.averaged:
        authors = _Averaged(release=release, method=method, data=data, author=author, raw=raw)
        linkage = [one for one in TEXT_ATTACKS if getattr(one, "people", False)]
        return [Finding.of(one, lambda one: one.attack_people(*authors.both, mechanism=mechanism)) for one in linkage]
    texts = _Aligned(release=release, method=method, data=data)

    def run(one: Any) -> Score:
        labels = None if getattr(one, "label", "author") == "" else _labels(data, author, "author")
        before, seen = texts.corpora(labels)
        if raw:
            seen = seen.with_texts(before.texts)
        found: Score = one.attack(before, seen, mechanism=None if raw else mechanism, rng=seeded_rng(seed))
        return found

    attacks = [replace(one, suspects=suspects) if hasattr(one, "suspects") else one for one in TEXT_ATTACKS]
    if raw:  # whoever sees the raw texts needs no method, and their order is that of the owner
        attacks = [replace(one, learns_from="raw") if hasattr(one, "reader") else one for one in attacks]
        attacks = [one for one in attacks if getattr(one, "learns_from", "") != "method"]
        attacks = [one for one in attacks if not getattr(one, "order", False)]
        attacks = [one for one in attacks if getattr(one, "by", "") not in ("order", "sentence")]
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
        Of word vectors, and of one release for each author: the column that names whose texts they are.
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
    if method.averaged:
        authors = _Averaged(release=release, method=method, data=data, author=author, topic=topic)
        return [
            Finding.of(one, lambda one: one.measure_people(*authors.topics))
            for one in TEXT_UTILITIES
            if getattr(one, "people", False)
        ]
    texts = _Aligned(release=release, method=method, data=data)
    needs: dict[str, Callable[[], Any]] = {
        "topic": lambda: texts.corpora(_labels(data, topic, "topic")),
        "mood": lambda: texts.corpora(_labels(data, mood, "mood"), moods=_labels(data, mood, "mood")),
        "": lambda: texts.corpora(None),
    }

    def run(one: Any) -> Score:
        if hasattr(one, "vocabulary"):
            if method.vocabulary is None:
                raise bad_input("vocabulary", None, "a mechanism with word vectors")
            one = replace(one, vocabulary=method.vocabulary.make(vocabulary))
        if hasattr(one, "sensitive") and method.settings.get("sensitive"):
            one = replace(one, sensitive=method.settings["sensitive"])
        found: Score = one.measure(*needs[one.label](), rng=seeded_rng(seed))
        return found

    return [Finding.of(one, run) for one in TEXT_UTILITIES]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Aligned:
    """Raw and protected texts side by side, in the order of the original."""

    release: Release
    method: TextMethod
    data: Any

    def __post_init__(self) -> None:
        _ = self.places

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the original that were protected, in order: blank texts may have been left out."""
        rows, size = self.release.input_rows(self.data.num_rows), self.data.num_rows
        found = np.unique(rows)
        whole = len(found) == len(rows) == self.release.arrow.num_rows
        if not whole or (len(found) and found[-1] >= size) or any(text.strip() for text in self._others(found)):
            wanted = f"those that were protected: {self.release.arrow.num_rows}"
            raise bad_input("original", f"{size} texts", wanted)
        return found

    def _others(self, rows: NDArray[np.int64]) -> list[str]:
        kept = set(rows.tolist())
        return [text for row, text in enumerate(texts_of(self.data, self.method.column)) if row not in kept]

    @cached_property
    def before(self) -> list[str]:
        return texts_of(self.data.take(self.rows), self.method.column)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The place of each protected text in the release."""
        rows = self.release.input_rows(self.data.num_rows)
        places = np.empty(len(rows), np.int64)
        places[np.searchsorted(self.rows, rows)] = np.arange(len(rows))
        return places

    def corpora(self, labels: NDArray[Any] | None, *, moods: NDArray[Any] | None = None) -> tuple[Corpus, Corpus]:
        """Both as corpora with the labels of the original."""
        table = self.release.arrow.take(self.places)
        after = texts_of(table, self.method.column)
        stated = labels_of(table, STATED) if STATED in table.column_names and self.method.states else None
        chosen, felt = (None if one is None else one[self.rows] for one in (labels, moods))
        return labelled_corpora(self.before, after, chosen, moods=felt, stated=stated, order=self.places)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Averaged:
    """The texts of each author beside the one release for all of them."""

    release: Release
    method: TextMethod
    data: Any
    author: str
    topic: str = ""
    raw: bool = False

    @property
    def both(self) -> tuple[list[list[str]], list[str]]:
        """All texts of each author, and their release, in the same order."""
        names = _labels(self.data, self.author, "author")
        people = texts_by_person(self.data, self.method.column, self.author)
        after = texts_of(self.release.arrow, self.method.column)
        owners = [str(names[row]) for row in self.release.input_rows(len(after)).tolist()]
        if sorted(owners) != sorted(people):
            raise bad_input("original", f"{len(people)} authors", f"those of the release: {len(after)}")
        scrubbed = self.method.first
        texts = [people[owner] if scrubbed is None else scrubbed.release(people[owner]) for owner in owners]
        return texts, after

    @property
    def topics(self) -> tuple[list[str], list[str]]:
        """The topic that each author writes most about, and the one that is stated."""
        from collections import Counter

        names, topics = _labels(self.data, self.author, "author"), _labels(self.data, self.topic, "topic")
        if STATED not in self.release.arrow.column_names:
            raise bad_input("release", self.method.mechanism, "a release that states topics")
        stated = labels_of(self.release.arrow, STATED).tolist()
        rows = self.release.input_rows(len(stated)).tolist()
        main = [Counter(topics[names == names[row]].tolist()).most_common(1)[0][0] for row in rows]
        return main, stated


def _labels(data: Any, name: str, option: str) -> NDArray[Any]:
    if name not in data.column_names:  # the reason may stand on a card: it names no column that is there
        raise bad_input(option, name, "a column of the original", f"--{option} names it")
    return labels_of(data, name)


def _known(
    method: TextMethod,
    release: Release,
    vocabulary: Vocabulary | Sequence[str] | None,
    pool: PublicPool | None,
    known: PublicPool | None,
    model: RewritingModel | None,
) -> Any:
    """The mechanism as the attacker knows it from the card; None where it cannot be made again."""
    held = release.key.secrets.get(SECRET)
    try:
        secret = None if held is None else bytes.fromhex(held)
        return method.again(vocabulary, pool=pool, known=known, model=model, pseudonyms=secret)
    except SfumatoError:
        if any(one is not None for one in (vocabulary, pool, known, model)):
            raise
        return None


def _vectors(release: Release) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    table = release.arrow
    names = [name for name in table.column_names if name != "word"]
    return tuple(table["word"].to_pylist()), np.stack([table[name].to_numpy() for name in names], axis=1)


def _people(data: Any, method: TextMethod, author: str) -> dict[str, list[str]]:
    _labels(data, author, "author")
    people = texts_by_person(data, method.column, author)
    return people if method.first is None else {one: method.first.release(texts) for one, texts in people.items()}
