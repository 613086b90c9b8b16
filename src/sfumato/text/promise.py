"""What word-level mechanisms promise: how far two texts may be told apart, by the distance of their words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.promise import Guarantee, MetricDP
from sfumato.promise.guarantee import Model, Neighbours
from sfumato.text.core.earth_mover import earth_mover_distance
from sfumato.text.vocabulary.vectoriser import tokens
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["BagPrivacy", "CandidatePrivacy", "WordPrivacy", "word_ids"]


def word_ids(text: str, vocabulary: Vocabulary) -> Any:
    """The places of the words of a text, lower-cased; the last place + 1 for a word outside the vocabulary."""
    return vocabulary.ids(word.lower().replace("’", "'") for word in tokens(text))


@dataclass(frozen=True)
class WordPrivacy(MetricDP):
    """ε·d-privacy of each word, d the distance of word vectors; a word outside the vocabulary has the mean vector.

    Texts of equally many words lose ε·Σ d(xᵢ, yᵢ). How many words a text has is not hidden.

    Parameters
    ----------
    vocabulary : Vocabulary
        Whose vectors measure the distance.
    cap : float
        No two words count as farther apart than this.
    """

    vocabulary: Vocabulary
    cap: float = field(default=math.inf, kw_only=True)
    unit: str = field(default="word", kw_only=True)

    @property
    def statement(self) -> str:
        most = "" if math.isinf(self.cap) else f", at most ε = {self.epsilon * self.cap:.6g}"
        return f"ε = {self.epsilon:.6g} per unit of {self.metric} distance{most}"

    def __str__(self) -> str:
        return f"{super().__str__()}; the number of words is not hidden"

    def loss_bound(self, x: Any, y: Any) -> float:
        first, second = word_ids(x, self.vocabulary), word_ids(y, self.vocabulary)
        if len(first) != len(second):
            return math.inf
        apart = np.linalg.norm(self.vocabulary.points(first) - self.vocabulary.points(second), axis=1)
        return self.epsilon * float(np.minimum(apart, self.cap).sum())


@dataclass(frozen=True)
class CandidatePrivacy(Guarantee):
    """ε-differential privacy among the words that share a candidate set; which set a word is in is told.

    Parameters
    ----------
    epsilon : float
    vocabulary : Vocabulary
    groups : bytes
        The set of each word, and of a word outside the vocabulary, as int32 numbers.
    """

    losses = ("epsilon",)

    epsilon: float
    vocabulary: Vocabulary
    groups: bytes = field(repr=False)
    unit: str = field(default="word", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    @property
    def statement(self) -> str:
        groups = np.frombuffer(self.groups, np.int32)
        return (
            f"ε = {self.epsilon:.6g} among words of one candidate set ({groups.max() + 1} sets); "
            "which set a word is in is not hidden"
        )

    def __str__(self) -> str:
        return f"{super().__str__()}; the number of words is not hidden"

    def loss_bound(self, x: Any, y: Any) -> float:
        groups = np.frombuffer(self.groups, np.int32)
        first, second = word_ids(x, self.vocabulary), word_ids(y, self.vocabulary)
        if len(first) != len(second) or (groups[first] != groups[second]).any():
            return math.inf
        return self.epsilon * float((first != second).sum())


@dataclass(frozen=True)
class BagPrivacy(MetricDP):
    """ε·N·E_d-privacy of bags of N words, E_d their Earth Mover's distance (Fernandes, Dras and McIver 2019).

    Bags of different sizes can be told apart: N is not hidden.
    """

    vocabulary: Vocabulary
    drop_stop_words: bool = field(default=False, kw_only=True)
    unit: str = field(default="document", kw_only=True)

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}·N per unit of {self.metric} distance of bags of N words"

    def __str__(self) -> str:
        return f"{super().__str__()}; N is not hidden"

    def loss_bound(self, x: Any, y: Any) -> float:
        from sfumato.text.mechanisms.bag import bag_ids

        first, second = (bag_ids(text, self.vocabulary, self.drop_stop_words) for text in (x, y))
        if len(first) != len(second):
            return math.inf
        if len(first) == 0:
            return 0.0
        return (
            self.epsilon
            * len(first)
            * earth_mover_distance(self.vocabulary.points(first), self.vocabulary.points(second))
        )
