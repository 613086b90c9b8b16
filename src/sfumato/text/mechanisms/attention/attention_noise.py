"""Laplace noise scaled by public attention: the sound form of attention-guided noise (Fischer §7.4)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Laplace, RandomizedResponse
from sfumato.noise import Rng
from sfumato.promise.amount import multiply_up
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.promise import TextLoss, TextPrivacy, WordPrivacy
from sfumato.text.vocabulary.nearest_word import NearestWord
from sfumato.validate import finite_array, positive

__all__ = ["AttentionNoise", "AttentionPrivacy", "LevelNoise"]

_GRID = 2.0**-16


@dataclass(frozen=True)
class AttentionPrivacy(WordPrivacy):
    """ε·Σ_j |x_j − y_j|/a_j for each word, and ``response`` more for its released level (Fischer Thm 3, corrected).

    Parameters
    ----------
    epsilon : float
    vocabulary : Vocabulary
        Whose vectors are compared.
    weights : tuple of float
        a, one for each number of a vector; public, never a function of the text.
    response : float
        The ε of the released level of a word.

    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog"), vectors=[[0.0, 3.0], [4.0, 0.0]])
    >>> AttentionPrivacy(2.0, words, weights=(1.0, 0.5)).loss_bound("cat", "dog")
    20.0
    """

    weights: tuple[float, ...] = field(default=(), kw_only=True, repr=False)
    response: float = field(default=0.0, kw_only=True)
    distance: str = field(default="weighted Manhattan", kw_only=True)

    @property
    def statement(self) -> str:
        more = f", and ε = {self.response:.6g} for its level" if self.response else ""
        return f"{super().statement}{more}"

    def scaled(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The points of words divided by the weights, in whole steps of the grid: what noise is added to."""
        return scaled_points(self.vocabulary, ids, self.weights)

    def loss_bound(self, x: Any, y: Any) -> float:
        first, second = self.vocabulary.text_ids(x), self.vocabulary.text_ids(y)
        if len(first) != len(second):
            return math.inf
        apart = np.abs(self.scaled(first) - self.scaled(second)).sum()
        return self.epsilon * float(apart) + self.response * int((first != second).sum())

    @cached_property
    def farthest(self) -> float:
        """No two words are farther apart than this."""
        every = self.scaled(np.arange(len(self.vocabulary) + 1))
        return math.nextafter(float((every.max(axis=0) - every.min(axis=0)).sum()), math.inf)

    def per_text(self, words: float) -> list[TextLoss]:
        most = (self.epsilon * self.farthest + self.response) * words
        return [TextLoss("per unit of distance", self.epsilon * words), TextLoss("any two words", most, bound=True)]

    @property
    def per_word(self) -> float:
        return math.nextafter(multiply_up(self.epsilon, self.farthest) + self.response, math.inf)


def scaled_points(vocabulary: Any, ids: NDArray[np.int64], weights: Sequence[float]) -> NDArray[np.float64]:
    """Word vectors divided by the weights, rounded to the grid."""
    points: NDArray[np.float64] = np.rint(vocabulary.points(ids) / np.array(weights) / _GRID) * _GRID
    return points


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionNoise(WordMechanism):
    """Adds Laplace noise of scale a_j/ε to the j-th number of every word vector and takes the nearest word.

    **Theorem** (Fischer Thm 3, as it should read). For weights a > 0 that do *not* depend on the text, a word x is
    ε·Σ_j |x_j − y_j|/a_j-private. The thesis computes a from the mail itself; then two mails have noise of different
    scale and no finite ε holds (:class:`AttentionAnonymizer`). Here a is public: constant, or the mean attention over a
    public corpus (:func:`public_attention`), never below a floor.

    Parameters
    ----------
    epsilon : float
        Per unit of weighted Manhattan distance.
    vocabulary : Vocabulary
    attention : sequence of float, optional
        a, one for each number of a word vector, as a mean over public texts; by default 1/m for all, which is what the
        Anonymizer of the thesis learned.
    floor : float
        No weight is below this share of 1/m: the least weight drives the loss.
    never : collection of str
        Words of the vocabulary that are never written, such as names: near a name there are often other names.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> noise = AttentionNoise(epsilon=50.0, vocabulary=words)
    >>> noise.weights, noise.release("Cat, dog!", rng=np.random.default_rng(1))
    ((0.5, 0.5), 'cat dog')
    """

    attention: Sequence[float] | None = None
    floor: float = 0.25
    never: Collection[str] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("floor", self.floor)
        if self.attention is not None:
            given = finite_array("attention", self.attention, ndim=1)
            if len(given) != self.vocabulary.dimension or (given <= 0).any():
                wanted = f"{self.vocabulary.dimension} weights > 0, one for each number of a vector"
                raise bad_input("attention", f"{len(given)} weights, the least {given.min():g}", wanted)
        if isinstance(self.never, str) or not self._written.size:
            raise bad_input("never", self.never, "a list of words, fewer than the vocabulary has")
        _ = self._noise

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """a, with its floor."""
        size = self.vocabulary.dimension
        given = np.full(size, 1 / size) if self.attention is None else finite_array("attention", self.attention)
        return tuple(np.maximum(given, self.floor / size).tolist())

    @cached_property
    def _noise(self) -> Laplace:
        return Laplace(epsilon=self.epsilon, sensitivity=1.0, grid=_GRID, unit="word", neighbours="any-pair")

    @cached_property
    def _written(self) -> NDArray[np.int64]:
        """The places of the words that may be written."""
        left_out = set(self.never)
        return np.array([k for k, word in enumerate(self.vocabulary.words) if word not in left_out], np.int64)

    @cached_property
    def _nearest(self) -> NearestWord:
        words = self.vocabulary.words
        kept = self.vocabulary.keep(words[k] for k in self._written.tolist()) if self.never else self.vocabulary
        return NearestWord(kept)

    def _words(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nearest word that may be written, of each point."""
        return self._written[self._nearest.ids(points)]

    def noisy(self, texts: Sequence[str], rng: Rng) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The noisy matrices, shape (texts, longest, m), which an attacker may see in place of the words."""
        ids = [self.vocabulary.text_ids(text) for text in texts]
        mask = np.arange(max(map(len, ids), default=0)) < np.array([len(own) for own in ids])[:, None]
        points = np.zeros((*mask.shape, self.vocabulary.dimension))
        if mask.any():
            points[mask] = self._moved(np.concatenate(ids), rng)
        return points, mask

    def _promise(self) -> TextPrivacy:
        return AttentionPrivacy(self.epsilon, self.vocabulary, weights=self.weights)

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        return ids if len(ids) == 0 else self._words(self._moved(ids, rng))

    def _moved(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """The points of words with their noise."""
        points = scaled_points(self.vocabulary, ids, self.weights)
        return np.asarray(self._noise.release(points, rng=rng) * np.array(self.weights))


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelNoise(AttentionNoise):
    """One weight a word: sensitive words get more noise, and which ones these are is itself private.

    Whether a word is in the public list of ``sensitive`` words goes through randomised response with ε₁ = ``level``;
    the released bit decides whether the noise is ``stronger`` times as large. **Theorem.** Given the bit, the noise has
    one scale for all words, at least that of :class:`AttentionNoise`: a word loses ε₁ + ε·Σ_j |x_j − y_j|/a_j at most.

    Parameters
    ----------
    sensitive : sequence of str
        Public: a list of names, say.
    level : float
        ε₁.
    stronger : float
        At least 1.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "ann", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> noise = LevelNoise(epsilon=2.0, vocabulary=words, sensitive=["ann"], level=3.0)
    >>> round(noise.guarantee.per_word, 2)
    10.6
    """

    sensitive: Sequence[str] = ()
    level: float = 2.0
    stronger: float = 8.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("level", self.level)
        if isinstance(self.sensitive, str):
            raise bad_input("sensitive", self.sensitive, "a list of words")
        if positive("stronger", self.stronger) < 1:
            raise bad_input("stronger", self.stronger, "at least 1", "the weaker noise is what is promised")

    @cached_property
    def response(self) -> RandomizedResponse:
        """What the bit goes through."""
        return RandomizedResponse(epsilon=self.level, categories=2, unit="word")

    @cached_property
    def _stronger_noise(self) -> Laplace:
        return Laplace(
            epsilon=self.epsilon / self.stronger, sensitivity=1.0, grid=_GRID, unit="word", neighbours="any-pair"
        )

    @cached_property
    def _listed(self) -> NDArray[np.int64]:
        own = set(self.sensitive)
        return np.array([word in own for word in (*self.vocabulary.words, "")], np.int64)

    def _promise(self) -> TextPrivacy:
        return AttentionPrivacy(self.epsilon, self.vocabulary, weights=self.weights, response=self.level)

    def _moved(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        bits = self.response.release(self._listed[ids], rng=rng)
        points = scaled_points(self.vocabulary, ids, self.weights)
        weak, strong = (noise.release(points, rng=rng) for noise in (self._noise, self._stronger_noise))
        return np.asarray(np.where(bits[:, None] > 0, strong, weak) * np.array(self.weights))
