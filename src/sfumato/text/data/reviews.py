"""Film reviews: those of four critics to protect, and public ones by others to learn from; Enron senders."""

from __future__ import annotations

import json
import lzma
import zipfile

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.datasets.catalogue import data_file
from sfumato.noise import seeded_rng
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.public_pool import PublicPool

__all__ = ["load_critics", "load_enron_senders", "load_public_reviews"]

_WORDS, _SHARED = 8, 3
"""A public review that has three groups of eight words in common with the private ones may be one of them."""


def load_critics(*, seed: int = 0, test: int = 1500) -> Corpus:
    """Load 5 006 film reviews by four critics (Pang and Lee 2005); good is a rating above one half.

    ``test`` of them, drawn with ``seed``, are for testing. Topics are not known: they repeat the moods.
    """
    with lzma.open(data_file("authorship/movie_scale_4authors.jsonl.xz"), "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    if not 0 < test < len(records):
        raise bad_input("test", test, f"a number between 0 and {len(records)}")
    train = np.ones(len(records), np.bool_)
    train[seeded_rng(seed).permutation(len(records))[:test]] = False
    moods = np.array(["good" if one["rating"] > 0.5 else "bad" for one in records])
    names = {name: f"critic {k}" for k, name in enumerate(sorted({one["author"] for one in records}), 1)}
    authors = [names[one["author"]] for one in records]
    return Corpus(texts=[one["text"] for one in records], authors=authors, topics=moods, moods=moods, train=train)


def load_public_reviews(private: Corpus | None = None) -> PublicPool:
    """Load 2 000 public film reviews, half of them good (Pang and Lee 2004), as a pool whose topics are good and bad.

    Those that share wording with ``private`` are left out: the two sets come from the same newsgroup.
    """
    with zipfile.ZipFile(data_file("nltk_data/corpora/movie_reviews.zip")) as held:
        names = sorted(name for name in held.namelist() if name.endswith(".txt"))
        texts = [held.read(name).decode("utf-8") for name in names]
    moods = ["good" if "/pos/" in name else "bad" for name in names]
    if private is not None:
        known = {group for text in private.texts for group in _groups(text)}
        kept = [k for k, text in enumerate(texts) if sum(group in known for group in _groups(text)) < _SHARED]
        texts, moods = [texts[k] for k in kept], [moods[k] for k in kept]
    return PublicPool.of(texts, topics=moods, source="movie_reviews of NLTK (Pang and Lee 2004)")


def load_enron_senders(*, authors: int = 39, mails: int = 100, seed: int = 0) -> Corpus:
    """Load mails of the PAN 2011 corpus: the senders with most mails, so many of each; every third is for testing.

    Real people wrote them: do not print any. Topics are not known: all are the same.
    """
    with lzma.open(data_file("enron/pan11_enron_authors.jsonl.xz"), "rt", encoding="utf-8") as lines:
        records = [one for one in map(json.loads, lines) if one["task"] == "large" and one["author"]]
    own: dict[str, list[str]] = {}
    for one in records:
        own.setdefault(one["author"], []).append(one["text"])
    chosen = sorted(own, key=lambda name: (-len(own[name]), name))[:authors]
    fewest = min(len(own[name]) for name in chosen)
    if len(chosen) < authors or fewest < mails:
        raise bad_input("authors, mails", (authors, mails), f"at most {len(own)} senders with so many mails each")
    texts, senders = [], []
    for number, name in enumerate(chosen, 1):
        drawn = seeded_rng(seed).permutation(len(own[name]))[:mails]
        texts += [own[name][k] for k in sorted(drawn.tolist())]
        senders += [f"sender {number}"] * mails
    train = np.arange(len(texts)) % 3 != 2
    return Corpus(texts=texts, authors=senders, topics=["mail"] * len(texts), train=train)


def _groups(text: str) -> set[int]:
    """The groups of eight neighbouring words, as numbers."""
    words = text.lower().split()
    return {hash(tuple(words[k : k + _WORDS])) for k in range(len(words) - _WORDS + 1)}
