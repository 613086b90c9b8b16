"""Base of the mechanisms that replace texts word by word."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.mechanisms.word_law import exponential_law
from sfumato.text.promise import TextLoss, TextPrivacy
from sfumato.validate import positive

__all__ = ["WordMechanism", "word_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class WordMechanism(VocabularyMechanism):
    """Replaces every word of a text by a word of the vocabulary; punctuation and numbers are left out.

    A word outside the vocabulary is an input like any other: its vector is the public mean. Nothing passes unchanged.

    Parameters
    ----------
    epsilon : float
        Per word, in the unit that ``guarantee`` names.
    """

    in_order = True
    shown: ClassVar[tuple[str, ...]] = ("the number of words of each text",)

    epsilon: float

    def __post_init__(self) -> None:
        self._check_vocabulary()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    @abstractmethod
    def _promise(self) -> TextPrivacy: ...

    def text_losses(self, words: float) -> list[TextLoss]:
        return [] if self.guarantee.vacuous else self._promise().per_text(words)

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        if self.guarantee.vacuous:
            return self.guarantee
        return self._promise().assuming(*self.guarantee.assumptions).whole(words, unit=unit)

    @abstractmethod
    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """A replacement for each word, given and returned by its place; L stands for a word outside."""

    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ids = [self.vocabulary.text_ids(text) for text in texts]
        return np.concatenate([np.empty(0, np.int64), *ids]), np.array([len(row) for row in ids], np.int64)

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return exponential_law(self.vocabulary, ids, self.epsilon)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        self._check_sources(texts)
        inputs = [self.vocabulary.text_ids(text) for text in texts]
        flat = np.concatenate(inputs) if inputs else np.empty(0, np.int64)
        replaced = self.replace_ids(flat, rng)
        words = self.vocabulary.words
        ends = np.cumsum([len(ids) for ids in inputs])
        return [" ".join(words[k] for k in part) for part in np.split(replaced, ends[:-1])] if inputs else []


def word_of(data: Any, mechanism: WordMechanism) -> int:
    """The place of the only word of a text, where a law is known for single words."""
    ids = mechanism.vocabulary.text_ids(data)
    if len(ids) != 1:
        raise bad_input("data", len(ids), "a text of one word", "the law of a text is the product over its words")
    return int(ids[0])
