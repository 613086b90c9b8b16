"""Elliptical noise on word vectors, then the nearest word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.mechanisms.words.word_laplace import WordLaplace
from sfumato.text.promise import WordPrivacy
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import probability

__all__ = ["WordMahalanobis"]


@dataclass(frozen=True, kw_only=True, eq=False)
class WordMahalanobis(WordLaplace):
    """Adds noise shaped like the vocabulary to a word's vector and takes the nearest word (Xu and others 2020).

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

    def _promise(self) -> WordPrivacy:
        return WordPrivacy(self.epsilon, self._space, distance="Mahalanobis")

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        if len(ids) == 0:
            return ids
        noisy = self._noise.release(self._space.points(ids), rng=rng)
        return self._decode(noisy @ self._roots[0])
