"""Bags of words under Earth Mover's privacy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.mechanisms.words.word_exponential import WordExponential
from sfumato.text.mechanisms.words.word_laplace import WordLaplace
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.promise import BagPrivacy, word_ids
from sfumato.text.vocabulary.vectoriser import stop_words, tokens
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import positive

__all__ = ["BagExponential", "BagMechanism", "bag_ids"]

_MOST_ENUMERATED = 7


def bag_ids(text: str, vocabulary: Vocabulary, drop_stop_words: bool) -> NDArray[np.int64]:
    """The words of a text by their place, stop words left out if asked."""
    if not drop_stop_words:
        return word_ids(text, vocabulary)
    lower = (word.lower().replace("’", "'") for word in tokens(text))
    return vocabulary.ids(word for word in lower if word not in stop_words())


@dataclass(frozen=True, kw_only=True, eq=False)
class BagMechanism(VocabularyMechanism):
    """Every word of a bag replaced, their order forgotten (Fernandes, Dras and McIver 2019; Fischer B10).

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
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> BagMechanism(epsilon=60.0, vocabulary=words).release("The stock of the cat", rng=np.random.default_rng(1))
    'cat stock'
    """

    epsilon: float
    drop_stop_words: bool = True

    def __post_init__(self) -> None:
        self._check_vocabulary()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    @cached_property
    def word_mechanism(self) -> WordMechanism:
        return WordLaplace(epsilon=self.epsilon, vocabulary=self.vocabulary)

    def _promise(self) -> Guarantee:
        return BagPrivacy(self.epsilon, "Earth Mover's", self.vocabulary, drop_stop_words=self.drop_stop_words)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        self._check_sources(texts)
        bags = [bag_ids(text, self.vocabulary, self.drop_stop_words) for text in texts]
        flat = np.concatenate(bags) if bags else np.empty(0, np.int64)
        replaced = self.word_mechanism.replace_ids(flat, rng)
        ends = np.cumsum([len(bag) for bag in bags])
        words = self.vocabulary.words
        return [" ".join(words[k] for k in np.sort(part)) for part in np.split(replaced, ends[:-1])] if bags else []


@dataclass(frozen=True, kw_only=True, eq=False)
class BagExponential(BagMechanism):
    """A bag whose words are drawn by their distance (:class:`WordExponential`): the same promise, and a known law."""

    @cached_property
    def word_mechanism(self) -> WordExponential:
        return WordExponential(epsilon=self.epsilon, vocabulary=self.vocabulary)

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of released bags, written as texts, for up to 7 words.

        It is the permanent of the words' laws: the sum over all ways to match inputs and outputs.
        """
        inputs = bag_ids(data, self.vocabulary, self.drop_stop_words)
        if not 1 <= len(inputs) <= _MOST_ENUMERATED:
            raise bad_input("data", len(inputs), f"a text of 1 to {_MOST_ENUMERATED} words")
        logits = self.word_mechanism.scores(inputs) * self.epsilon / 2
        laws = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
        values = np.full(len(output), -np.inf)
        for place, text in enumerate(output):
            ids = self.vocabulary.ids(text.split())
            if len(ids) != len(inputs) or (ids == len(self.vocabulary)).any():
                continue
            arrangements = set(itertools.permutations(ids.tolist()))
            chance = math.fsum(float(laws[np.arange(len(inputs)), list(a)].prod()) for a in arrangements)
            values[place] = math.log(chance) if chance > 0 else -math.inf
        return values
