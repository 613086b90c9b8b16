"""Words drawn by their distance: the exponential mechanism over the vocabulary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.choice import draw_exponential_many
from sfumato.noise.interval import Interval, exact
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism, word_of
from sfumato.text.promise import WordPrivacy

__all__ = ["WordExponential"]

_BLOCK = 1 << 22
_ROUNDING = 2.0**-26


@dataclass(frozen=True, kw_only=True, eq=False)
class WordExponential(WordMechanism):
    """Replaces x by y with Pr ∝ exp(−ε·d(x, y)/2): ε·d-private (SanText, Yue and others 2021).

    **Proof.** Between inputs x and x′ every weight moves by a factor of at most exp(ε·d(x, x′)/2), by the triangle
    inequality, and so does their sum. The draw is exact and needs no table of all pairs. Distances are rounded roots of
    exact squares, which breaks the triangle inequality by at most 2⁻²⁸ steps of the grid of word vectors; different
    points are at least one step apart, so that ε is lowered by 2⁻²⁶ of itself for it.

    Parameters
    ----------
    epsilon : float
        Per unit of Euclidean distance of the vectors.
    vocabulary : Vocabulary

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> WordExponential(epsilon=100.0, vocabulary=words).release("cat gnu", rng=np.random.default_rng(1))
    'cat dog'
    """

    @property
    def reach(self) -> float:
        """Beyond this distance all words are equally likely."""
        return math.inf

    def _promise(self) -> WordPrivacy:
        return WordPrivacy(self.epsilon, self.vocabulary, cap=self.reach)

    @cached_property
    def _squares(self) -> NDArray[np.float64]:
        return (self.vocabulary.all_points**2).sum(axis=1)

    def scores(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """−min(d, reach) to every word, shape (inputs, L)."""
        points = self.vocabulary.all_points
        apart = self._squares[ids][:, None] + self._squares[:-1] - 2 * (points[ids] @ points[:-1].T)
        scores: NDArray[np.float64] = -np.sqrt(apart)
        return np.maximum(scores, -self.reach) if math.isfinite(self.reach) else scores

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        chosen = np.empty(len(ids), np.int64)
        different, back = np.unique(ids, return_inverse=True)
        order = np.argsort(back, kind="stable")
        rows = max(1, _BLOCK // len(self.vocabulary))
        for start in range(0, len(different), rows):
            first, last = np.searchsorted(back[order], [start, start + rows])
            places = order[first:last]
            scores = self.scores(different[start : start + rows])
            chosen[places] = draw_exponential_many(scores, back[places] - start, self._half, rng)
        return chosen

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        logits = self.scores(ids) * self.rate
        return np.asarray(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True), np.float64)

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each output word for a text of one word."""
        law = np.append(self.log_word_law(np.array([word_of(data, self)]))[0], -np.inf)
        return law[self.vocabulary.ids(output)]

    @property
    def rate(self) -> float:
        """What multiplies the distances: ε/2, less the allowance for their rounding."""
        return self.epsilon / 2 * (1 - _ROUNDING)

    def _half(self, digits: int) -> Interval:
        return exact(self.rate, digits)
