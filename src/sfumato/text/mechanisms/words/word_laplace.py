"""Noise on word vectors, then the nearest word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism import PlanarLaplace
from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.promise import WordPrivacy
from sfumato.text.vocabulary.nearest_word import NearestWord
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, probability

__all__ = ["WordLaplace", "WordMahalanobis"]

_BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class WordLaplace(WordMechanism):
    """Planar Laplace noise on the word's vector, then the nearest word (Feyisetan and others 2020; Fischer B9).

    The noise has density ∝ exp(−ε‖z‖₂) in d dimensions: radius Gamma(d, 1/ε), direction uniform. Each word is
    ε·‖·‖₂-private (:class:`~sfumato.mechanism.PlanarLaplace`, drawn exactly on a grid); what happens to the noisy
    vector afterwards uses public knowledge only and costs nothing.

    Parameters
    ----------
    epsilon : float
        Per unit of Euclidean distance of the vectors.
    vocabulary : Vocabulary
    decode : {"nearest", "remapped"}
        The nearest word, found exactly; or the word of largest posterior probability ∝ prior(w)·exp(−ε‖z − w‖), where
        the prior falls with the rank r of a word in the vocabulary as 1/(r + 2).

    Examples
    --------
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> WordLaplace(epsilon=50.0, vocabulary=words).release("Cat, dog!", rng=np.random.default_rng(1))
    'cat dog'
    """

    decode: Literal["nearest", "remapped"] = "nearest"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("decode", self.decode, ("nearest", "remapped"))
        _ = self._noise

    @cached_property
    def _noise(self) -> PlanarLaplace:
        return PlanarLaplace(epsilon=self.epsilon, dimension=self.vocabulary.dimension, unit="word")

    @cached_property
    def _nearest(self) -> NearestWord:
        return NearestWord(self.vocabulary)

    def _promise(self) -> Guarantee:
        return WordPrivacy(self.epsilon, "word-vector", self.vocabulary)

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        if len(ids) == 0:
            return ids
        return self._decode(self._noise.release(self.vocabulary.points(ids), rng=rng))

    def _decode(self, noisy: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.decode == "nearest":
            return self._nearest.ids(noisy)
        log_prior = -np.log(np.arange(len(self.vocabulary)) + 2.0)
        vectors = np.asarray(self.vocabulary.vectors, np.float64)
        squares = (vectors**2).sum(axis=1)
        found = np.empty(len(noisy), np.int64)
        rows = max(1, _BLOCK // len(vectors))
        for start in range(0, len(noisy), rows):
            z = noisy[start : start + rows]
            apart = (z**2).sum(axis=1)[:, None] + squares - 2 * (z @ vectors.T)
            found[start : start + rows] = (log_prior - self.epsilon * np.sqrt(np.maximum(apart, 0.0))).argmax(axis=1)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class WordMahalanobis(WordLaplace):
    """Elliptical noise that follows the spread of the vocabulary, then the nearest word (Xu and others 2020).

    With Σ the covariance of all word vectors, scaled to trace d, and M = λΣ + (1 − λ)I, the noise has density
    ∝ exp(−ε‖M^(−1/2)z‖). It is drawn as planar Laplace noise on M^(−1/2)x and carried back, so each word is
    ε·d_M-private with d_M(x, y) = ‖M^(−1/2)(x − y)‖.

    Parameters
    ----------
    mixture : float
        λ in [0, 1]; 0 is :class:`WordLaplace`.
    """

    mixture: float = 0.2

    def __post_init__(self) -> None:
        probability("mixture", self.mixture, zero=True, one=True)
        super().__post_init__()

    @cached_property
    def _roots(self) -> tuple[Any, Any]:
        """M^(1/2) and M^(−1/2)."""
        vectors = np.asarray(self.vocabulary.vectors, np.float64)
        spread = np.atleast_2d(np.cov(vectors.T, bias=True))
        dimension = self.vocabulary.dimension
        scale = dimension / np.trace(spread) if np.trace(spread) > 0 else 1.0
        values, axes = np.linalg.eigh(self.mixture * scale * spread + (1 - self.mixture) * np.eye(dimension))
        values = np.maximum(values, 1e-6)  # λ = 1 with a flat direction would leave it without noise
        return (axes * np.sqrt(values)) @ axes.T, (axes / np.sqrt(values)) @ axes.T

    @cached_property
    def _space(self) -> Vocabulary:
        """The vocabulary in the coordinates where the noise is round."""
        return Vocabulary(
            words=self.vocabulary.words, vectors=np.asarray(self.vocabulary.vectors, float) @ self._roots[1]
        )

    def _promise(self) -> Guarantee:
        return WordPrivacy(self.epsilon, "Mahalanobis", self._space)

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        if len(ids) == 0:
            return ids
        noisy = self._noise.release(self._space.points(ids), rng=rng)
        return self._decode(noisy @ self._roots[0])


def truncation_for(epsilon: float, size: int, share: float) -> float:
    """γ = (2/ε)·ln((1 − β)(L − 1)/β): words farther than γ get at most the share β (Carvalho and others 2023)."""
    return max(0.0, 2 / epsilon * math.log((1 - share) * max(1, size - 1) / share))
