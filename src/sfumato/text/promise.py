"""What mechanisms on words promise: how far two texts may be told apart, by the words in which they differ."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sfumato.errors import bad_input
from sfumato.promise import Assumption, Guarantee, Model, Neighbours, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.promise.yardstick import LogRatio, Yardstick
from sfumato.text.core.earth_mover import earth_mover_distance
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import positive

__all__ = ["BagPrivacy", "CandidatePrivacy", "ResponsePrivacy", "TextLoss", "TextPrivacy", "WordPrivacy"]


class TextLoss(NamedTuple):
    """What one text loses, counted in one way.

    Parameters
    ----------
    counted : str
        What is compared: ``"any two words"``.
    epsilon : float
    bound : bool
        Whether the text may also lose less.
    """

    counted: str
    epsilon: float
    bound: bool = False


@dataclass(frozen=True)
class TextPrivacy(Guarantee):
    """Base of the promises about the words of a text. The number of words is not hidden.

    Parameters
    ----------
    epsilon : float
    vocabulary : Vocabulary
        The public words; a word outside counts as one more word, with the mean vector.
    """

    losses = ("epsilon",)
    remedy = "account for whole texts: PureDP with the largest total that per_text(words) names"

    epsilon: float
    vocabulary: Vocabulary
    unit: str = field(default="word", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, zero=True)

    @property
    def scoped(self) -> str:
        return f"{super().scoped}; the number of words is not hidden"

    def _over(self, k: int) -> Self:
        raise bad_input("guarantee", self, "a promise per unit", "it covers whole texts: see per_text(words)")

    @abstractmethod
    def per_text(self, words: float) -> list[TextLoss]:
        """What a text of that many words loses in total, for each way of counting."""

    @property
    @abstractmethod
    def per_word(self) -> float:
        """The most that two words which the promise compares lose, rounded up."""

    taken_as_public: ClassVar[tuple[Assumption, ...]] = (Assumption("number of words of each text"),)
    """What a promise about whole texts takes as public: the release shows it."""

    def whole(self, words: int, *, unit: str = "document") -> PureDP:
        """The promise for all of ``words`` words together, which is what a ledger can be charged.

        It compares any two texts that agree in what the release shows of them.

        >>> words = Vocabulary(words=("cat", "dog"), vectors=[[0.0, 3.0], [4.0, 0.0]])
        >>> print(WordPrivacy(0.5, words, cap=2.0).whole(10))
        ε = 10 per document (any-pair neighbours, local model), provided that the number of words of each text is public
        """
        terms = {**self.terms, "unit": unit, "assumptions": (*self.assumptions, *self.taken_as_public)}
        return PureDP(multiply_up(self.per_word, words), **terms)


@dataclass(frozen=True)
class WordPrivacy(TextPrivacy):
    """ε·d-privacy of each word, d the distance of word vectors.

    Texts of equally many words lose ε·Σ d(xᵢ, yᵢ).

    Parameters
    ----------
    epsilon : float
        Per unit of distance.
    vocabulary : Vocabulary
        Whose vectors measure the distance.
    distance : str
        What the distance is called.
    cap : float
        No two words count as farther apart than this.

    >>> words = Vocabulary(words=("cat", "dog"), vectors=[[0.0, 3.0], [4.0, 0.0]])
    >>> WordPrivacy(2.0, words).loss_bound("cat cat", "cat dog")
    10.0
    """

    distance: str = field(default="word-vector", kw_only=True)
    cap: float = field(default=math.inf, kw_only=True)

    @property
    def statement(self) -> str:
        most = "" if math.isinf(self.cap) else f", at most ε = {self.epsilon * self.cap:.6g}"
        return f"ε = {self.epsilon:.6g} per unit of {self.distance} distance{most}"

    @property
    def meaning(self) -> str:
        return (
            "Whoever sees the release can shift their odds between two words by a factor of at most "
            f"e^({self.epsilon:.6g}·d), where d is their {self.distance} distance. They see how many words there were."
        )

    @property
    def by_distance(self) -> bool:
        return True

    def yardsticks(self) -> list[Yardstick]:
        return [LogRatio(self.loss_bound, name=f"ε per {self.distance}", called=self.epsilon)]

    def loss_bound(self, x: Any, y: Any) -> float:
        first, second = self.vocabulary.text_ids(x), self.vocabulary.text_ids(y)
        if len(first) != len(second):
            return math.inf
        apart = np.linalg.norm(self.vocabulary.points(first) - self.vocabulary.points(second), axis=1)
        return self.epsilon * float(np.minimum(apart, self.cap).sum())

    def per_text(self, words: float) -> list[TextLoss]:
        return _by_distance(self.epsilon * words, min(self.cap, self.vocabulary.diameter_bound))

    @property
    def per_word(self) -> float:
        return multiply_up(self.epsilon, min(self.cap, _above(self.vocabulary.diameter_bound)))


@dataclass(frozen=True)
class CandidatePrivacy(TextPrivacy):
    """ε-differential privacy among the words that share a candidate set; which set a word is in is not hidden.

    Parameters
    ----------
    epsilon : float
        Per word.
    vocabulary : Vocabulary
    groups : bytes
        The set of each word, and of a word outside the vocabulary, as int32 numbers.
    """

    groups: bytes = field(repr=False)

    @property
    def statement(self) -> str:
        groups = np.frombuffer(self.groups, np.int32)
        return (
            f"ε = {self.epsilon:.6g} among words of one candidate set ({groups.max() + 1} sets); "
            "which set a word is in is not hidden"
        )

    @property
    def meaning(self) -> str:
        return (
            "Whoever sees the release knows how many words there were and the candidate set of each. Within a set they "
            f"can shift their odds between two words by a factor of at most e^{self.epsilon:.6g}."
        )

    def loss_bound(self, x: Any, y: Any) -> float:
        groups = np.frombuffer(self.groups, np.int32)
        first, second = self.vocabulary.text_ids(x), self.vocabulary.text_ids(y)
        if len(first) != len(second) or (groups[first] != groups[second]).any():
            return math.inf
        return self.epsilon * float((first != second).sum())

    def per_text(self, words: float) -> list[TextLoss]:
        return [
            TextLoss("words of one set", self.epsilon * words, bound=True),
            TextLoss("words of two sets", math.inf),
        ]

    taken_as_public = (Assumption("candidate set of each word"), *TextPrivacy.taken_as_public)

    @property
    def per_word(self) -> float:
        return self.epsilon


@dataclass(frozen=True)
class BagPrivacy(TextPrivacy):
    """ε·N·E_d-privacy of bags of N words, E_d their Earth Mover's distance (Fernandes, Dras and McIver 2019).

    Bags of different sizes can be told apart: N is not hidden.

    Parameters
    ----------
    epsilon : float
        Per word and unit of distance.
    vocabulary : Vocabulary
        Whose vectors measure the distance.
    drop_stop_words : bool
        Whether stop words do not count.
    """

    drop_stop_words: bool = field(default=False, kw_only=True)
    unit: str = field(default="document", kw_only=True)

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}·N per unit of Earth Mover's distance of bags of N words"

    @property
    def meaning(self) -> str:
        return (
            "Whoever sees the release can shift their odds between two bags of N words by a factor of at most "
            f"e^({self.epsilon:.6g}·N·d), where d is their Earth Mover's distance. They see N."
        )

    @property
    def by_distance(self) -> bool:
        return True

    def yardsticks(self) -> list[Yardstick]:
        return [LogRatio(self.loss_bound, name="ε per Earth Mover's", called=self.epsilon)]

    def loss_bound(self, x: Any, y: Any) -> float:
        first, second = (self.vocabulary.text_ids(text, drop_stop_words=self.drop_stop_words) for text in (x, y))
        if len(first) != len(second):
            return math.inf
        if len(first) == 0:
            return 0.0
        apart = earth_mover_distance(self.vocabulary.points(first), self.vocabulary.points(second))
        return self.epsilon * len(first) * apart

    def per_text(self, words: float) -> list[TextLoss]:
        return _by_distance(self.epsilon * words, self.vocabulary.diameter_bound)

    @property
    def per_word(self) -> float:
        return multiply_up(self.epsilon, _above(self.vocabulary.diameter_bound))


@dataclass(frozen=True)
class ResponsePrivacy(PureDP):
    """ε-differential privacy of whole documents, and a bound on the maximal leakage as a second promise.

    The leakage ℒ = ln Σ_y max_x Pr[y|x] says that nobody's chance to guess anything about the document in one try
    grows by more than e^ℒ, whatever they know beforehand (Issa, Wagner and Kamath 2020). It adds up over releases, as ε
    does, and is never larger than ε.

    Parameters
    ----------
    epsilon : float
    leakage : float
        ℒ, in nats.

    >>> print(ResponsePrivacy(5.0, 2.8757, unit="document"))
    ε = 5, and no guess is more than 17.7 times as likely to be right (maximal leakage 2.8757) per document
    (any-pair neighbours, local model)
    """

    losses: ClassVar[Any] = ("epsilon", "leakage")
    forms: ClassVar[Any] = ("ResponsePrivacy", *PureDP.forms)

    leakage: float
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("leakage", self.leakage, zero=True)
        if self.leakage > self.epsilon:
            raise bad_input("leakage", self.leakage, f"at most ε = {self.epsilon:g}", "pure privacy bounds it")

    @property
    def statement(self) -> str:
        return (
            f"{super().statement}, and no guess is more than {math.exp(min(self.leakage, 700.0)):.3g} times as likely "
            f"to be right (maximal leakage {self.leakage:.6g})"
        )

    @property
    def meaning(self) -> str:
        return (
            f"{super().meaning} Their chance to guess anything about it in one try grows by a factor of at most "
            f"{math.exp(min(self.leakage, 700.0)):.3g}."
        )

    def _over(self, k: int) -> Self:
        both = multiply_up(self.epsilon, k), multiply_up(self.leakage, k)
        return replace(self, epsilon=both[0], leakage=min(both))


def _by_distance(per_unit: float, farthest: float) -> list[TextLoss]:
    """The loss for each unit of distance, and the most that any two texts lose."""
    return [
        TextLoss("per unit of distance", per_unit),
        TextLoss("any two words", per_unit * farthest, bound=True),
    ]


def _above(value: float) -> float:
    """The next number: the root behind a distance may have been rounded down."""
    return math.nextafter(value, math.inf)
