"""Word-by-word replacement: the shape that the word-level mechanisms share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, resolve_rng
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.promise import word_ids
from sfumato.validate import positive

__all__ = ["Deniability", "WordMechanism", "deniability"]


@dataclass(frozen=True, kw_only=True, eq=False)
class WordMechanism(VocabularyMechanism):
    """Replaces every word of a text by a word of the vocabulary; punctuation and numbers are left out.

    A word outside the vocabulary is an input like any other: its vector is the public mean. Nothing passes unchanged.

    Parameters
    ----------
    epsilon : float
        Per word, in the unit that ``guarantee`` names.
    """

    epsilon: float

    def __post_init__(self) -> None:
        self._check_vocabulary()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    @abstractmethod
    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """A replacement for each word, given and returned by its place; L stands for a word outside."""

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        self._check_sources(texts)
        inputs = [word_ids(text, self.vocabulary) for text in texts]
        flat = np.concatenate(inputs) if inputs else np.empty(0, np.int64)
        replaced = self.replace_ids(flat, rng)
        words = self.vocabulary.words
        ends = np.cumsum([len(ids) for ids in inputs])
        return [" ".join(words[k] for k in part) for part in np.split(replaced, ends[:-1])] if inputs else []


@dataclass(frozen=True)
class Deniability:
    """How deniable each word is (Feyisetan and others 2020).

    Parameters
    ----------
    kept : array
        N_w: the share of releases in which the word came back unchanged.
    distinct : array
        S_w: how many different words came out.
    """

    kept: NDArray[np.float64]
    distinct: NDArray[np.int64]


def deniability(
    mechanism: WordMechanism, words: Sequence[str], *, draws: int = 100, rng: Rng | None = None
) -> Deniability:
    """N_w and S_w of some words over ``draws`` releases each.

    >>> from sfumato.text import Vocabulary, WordLaplace
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> shares = deniability(WordLaplace(epsilon=200.0, vocabulary=words), ["cat", "gnu"], rng=np.random.default_rng(0))
    >>> shares.kept, shares.distinct
    (array([1., 0.]), array([1, 1]))
    """
    from sfumato.validate import integer

    draws, rng = integer("draws", draws), resolve_rng(rng)
    ids = mechanism.vocabulary.ids(words)
    drawn = mechanism.replace_ids(np.repeat(ids, draws), rng).reshape(len(ids), draws)
    distinct = np.array([len(np.unique(row)) for row in drawn], np.int64)
    return Deniability((drawn == ids[:, None]).mean(axis=1), distinct)


def word_of(data: Any, mechanism: WordMechanism) -> int:
    """The place of the only word of a text, for the laws of word mechanisms."""
    from sfumato.errors import bad_input

    ids = word_ids(data, mechanism.vocabulary)
    if len(ids) != 1:
        raise bad_input("data", len(ids), "a text of one word", "the law of a text is the product over its words")
    return int(ids[0])
