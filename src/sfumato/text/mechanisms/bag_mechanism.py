"""Bags of words under Earth Mover's privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.mechanisms.words.word_laplace import WordLaplace
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.promise import BagPrivacy, TextLoss
from sfumato.validate import positive

__all__ = ["BagMechanism"]


@dataclass(frozen=True, kw_only=True, eq=False)
class BagMechanism(VocabularyMechanism):
    """Replaces every word of a bag and forgets their order (Fernandes, Dras and McIver 2019; Fischer B10).

    **Theorem.** If a word mechanism is ε·d-private, the bag of its N outputs is ε·N·E_d-private, E_d the Earth Mover's
    distance: pair the words by the optimal permutation and multiply the ratios. The order must be forgotten, or two
    inputs that differ in their order alone, at distance 0, could be told apart; the released words are sorted.

    N, the number of words, is not hidden. Documents to be compared should be cut to one length.

    Parameters
    ----------
    epsilon : float
        Per word and unit of distance.
    vocabulary : Vocabulary
    drop_stop_words : bool

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> BagMechanism(epsilon=60.0, vocabulary=words).release("The stock of the cat", rng=np.random.default_rng(1))
    'cat stock'
    """

    content_words = True
    shown = ("the number of words of each text",)

    epsilon: float
    drop_stop_words: bool = True

    def __post_init__(self) -> None:
        self._check_vocabulary()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    @cached_property
    def word_mechanism(self) -> WordMechanism:
        """What replaces the words."""
        return WordLaplace(epsilon=self.epsilon, vocabulary=self.vocabulary)

    def _promise(self) -> BagPrivacy:
        return BagPrivacy(self.epsilon, self.vocabulary, drop_stop_words=self.drop_stop_words)

    def text_losses(self, words: float) -> list[TextLoss]:
        return [] if self.guarantee.vacuous else self._promise().per_text(words)

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        if self.guarantee.vacuous:
            return self.guarantee
        return self._promise().assuming(*self.guarantee.assumptions).whole(words, unit=unit)

    def bag_ids(self, text: str) -> NDArray[np.int64]:
        """The words of a text by their place in the vocabulary."""
        return self.vocabulary.text_ids(text, drop_stop_words=self.drop_stop_words)

    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ids = [self.bag_ids(text) for text in texts]
        return np.concatenate([np.empty(0, np.int64), *ids]), np.array([len(row) for row in ids], np.int64)

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.word_mechanism.log_word_law(ids)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        self._check_sources(texts)
        bags = [self.bag_ids(text) for text in texts]
        flat = np.concatenate(bags) if bags else np.empty(0, np.int64)
        replaced = self.word_mechanism.replace_ids(flat, rng)
        ends = np.cumsum([len(bag) for bag in bags])
        words = self.vocabulary.words
        return [" ".join(words[k] for k in np.sort(part)) for part in np.split(replaced, ends[:-1])] if bags else []
