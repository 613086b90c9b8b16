"""Noise on word vectors, then the nearest word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism import PlanarLaplace
from sfumato.noise import Rng
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.promise import WordPrivacy
from sfumato.text.vocabulary.nearest_word import NearestWord
from sfumato.validate import choice

__all__ = ["WordLaplace"]

_BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class WordLaplace(WordMechanism):
    """Adds planar Laplace noise to a word's vector and takes the nearest word (Feyisetan and others 2020; Fischer B9).

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
    >>> from sfumato.text import Vocabulary
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

    def _promise(self) -> WordPrivacy:
        return WordPrivacy(self.epsilon, self.vocabulary)

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
