"""The exponential mechanism on levels, in whole numbers.

Word w replaces v with probability W(v, w)/Σ_w W(v, w), where W is the whole number

    W = ⌊2ᵇ·exp(−ε·(ρ_max − ρ(v, w))/(2Δ))⌋ + 1.

So the law is a law of fractions: what is drawn, what :meth:`ReplacementLaw.log_probs` says and what
:attr:`ReplacementLaw.loss` bounds are one and the same, and no word has probability zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.rating import CosineRating, Levels, Rating, level_of
from sfumato.validate import positive

__all__ = ["ReplacementLaw"]

_BLOCK = 128
_HEAD = 1024
_WHOLE = 2048
_ROUND_UP = 1 + 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class ReplacementLaw:
    """Which word replaces which, at per-word budget ε.

    Parameters
    ----------
    rating : Rating
    epsilon : float
        Of the exponential mechanism with sensitivity Δ of the rating.
    """

    rating: Rating
    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    def __getstate__(self) -> dict[str, Any]:
        return {"rating": self.rating, "epsilon": self.epsilon}

    @property
    def size(self) -> int:
        return self.rating.size

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """W for every level. A row of them, and its bounds while drawing, stay below 2⁶³."""
        bits = 61 - max(1, math.ceil(math.log2(self.size)))
        rate = self.epsilon * self.rating.step / (2 * self.rating.sensitivity)
        down = np.arange(self.rating.top, -1, -1) * rate
        return np.floor(np.exp(-down) * 2.0**bits).astype(np.int64) + 1

    @cached_property
    def _streamed(self) -> tuple[NDArray[np.int64], float]:
        """Row totals, and the largest log-ratio within a column (Weggenmann, eq. 5.1), in one pass over blocks."""
        totals = np.empty(self.size, np.int64)
        most, least = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        logs = np.log(self.weights)
        for start in range(0, self.size, _BLOCK):
            levels = self.rating.levels(start, min(start + _BLOCK, self.size))
            _spread(levels, self.weights, logs, totals[start : start + len(levels)], most, least)
        return totals, float((most - least).max()) * _ROUND_UP

    @property
    def totals(self) -> NDArray[np.int64]:
        return self._streamed[0]

    @property
    def loss(self) -> float:
        """ℓ = max_w ln(max_v π(v, w)/min_v π(v, w)): what one replaced word loses, exactly (rounded up)."""
        return self._streamed[1]

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """W(v, ·) for some v."""
        ids = np.asarray(ids, np.int64)
        if len(ids) == 0:
            return np.empty((0, self.size), np.int64)
        return np.vstack([self.weights[self.rating.levels(int(v), int(v) + 1)] for v in ids])

    def log_probs(self, ids: Any) -> NDArray[np.float64]:
        """ln π(v, ·) for some v."""
        weights = self.rows(ids)
        return np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))

    @cached_property
    def head(self) -> _Head:
        """The likeliest replacements of every word, so that a draw need not look at all L."""
        return _Head.of(self)

    def draw(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """A replacement for each word.

        A whole number below H_v + L·T_v is drawn: below H_v (the weights above T_v) it names one of the head; above, it
        names any word w and a number below T_v, and w is kept if that number is below W(v, w) ≤ T_v. So every word is
        kept with a chance proportional to its weight.
        """
        head = self.head
        chosen = np.full(len(ids), -1, np.int64)
        open_ = np.arange(len(ids))
        bound = head.totals + self.size * head.threshold
        rating = self.rating
        while open_.size:
            v = ids[open_]
            number = rng.integers(0, bound[v])
            if isinstance(rating, CosineRating) and rating.overlap is None:
                text = rating.spellings
                units, starts, tokens, scaling = rating.units, text.starts, text.tokens, rating.scaling
            else:
                units, starts, tokens = np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros(1, np.int32)
                scaling = (0.0, 0.0, 0.0, 0)
            _choose(
                v, number, head.starts, head.words, head.sums, head.totals, head.threshold,
                units, starts, tokens, self.weights, *scaling, open_, chosen,
            )  # fmt: skip
            open_ = open_[chosen[open_] < 0]
        return chosen


@dataclass(frozen=True, eq=False)
class _Head:
    """For each word the replacements with weight above its threshold, with running sums; threshold 0 if all are."""

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    sums: NDArray[np.int64]
    totals: NDArray[np.int64]
    threshold: NDArray[np.int64]

    @classmethod
    def of(cls, law: ReplacementLaw) -> _Head:
        size = law.size
        streams = isinstance(law.rating, CosineRating) and law.rating.overlap is None
        most = size if size <= _WHOLE or not streams else _HEAD
        counts, cuts = np.empty(size, np.int64), np.empty(size, np.int32)
        words: list[NDArray[np.int32]] = []
        sums: list[NDArray[np.int64]] = []
        for start in range(0, size, _BLOCK):
            levels = law.rating.levels(start, min(start + _BLOCK, size))
            part = slice(start, start + len(levels))
            _cut(levels, most, law.rating.top, cuts[part], counts[part])
            total = int(counts[part].sum())
            words.append(np.empty(total, np.int32))
            sums.append(np.empty(total, np.int64))
            _collect(levels, cuts[part], law.weights, words[-1], sums[-1])
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        all_sums = np.concatenate(sums)
        totals = np.where(counts > 0, all_sums[np.maximum(starts[1:] - 1, 0)], 0)
        threshold = np.where(cuts >= 0, law.weights[np.maximum(cuts, 0)], 0)
        return cls(starts, np.concatenate(words), all_sums, totals, threshold)


@njit(cache=True)
def _spread(
    levels: Levels,
    weights: NDArray[np.int64],
    logs: NDArray[np.float64],
    totals: NDArray[np.int64],
    most: NDArray[np.float64],
    least: NDArray[np.float64],
) -> None:  # pragma: no cover
    for k in range(levels.shape[0]):
        total = np.int64(0)
        for w in range(levels.shape[1]):
            total += weights[levels[k, w]]
        totals[k] = total
        normaliser = math.log(float(total))
        for w in range(levels.shape[1]):
            value = logs[levels[k, w]] - normaliser
            most[w] = max(most[w], value)
            least[w] = min(least[w], value)


@njit(cache=True)
def _cut(
    levels: Levels, most: int, top: int, cuts: NDArray[np.int32], counts: NDArray[np.int64]
) -> None:  # pragma: no cover
    """The lowest level above which there are at most ``most`` words (−1: all), and how many there are."""
    histogram = np.zeros(top + 1, np.int64)
    for k in range(levels.shape[0]):
        if most >= levels.shape[1]:
            cuts[k], counts[k] = -1, levels.shape[1]
            continue
        histogram[:] = 0
        for w in range(levels.shape[1]):
            histogram[levels[k, w]] += 1
        level, above = top, 0
        while level >= 0 and above + histogram[level] <= most:
            above += histogram[level]
            level -= 1
        cuts[k], counts[k] = level, above


@njit(cache=True)
def _collect(
    levels: Levels,
    cuts: NDArray[np.int32],
    weights: NDArray[np.int64],
    words: NDArray[np.int32],
    sums: NDArray[np.int64],
) -> None:  # pragma: no cover
    at = 0
    for k in range(levels.shape[0]):
        total = np.int64(0)
        for w in range(levels.shape[1]):
            if levels[k, w] > cuts[k]:
                total += weights[levels[k, w]]
                words[at], sums[at] = w, total
                at += 1


@njit(cache=True)
def _choose(
    v: NDArray[np.int64],
    number: NDArray[np.int64],
    head_starts: NDArray[np.int64],
    head_words: NDArray[np.int32],
    head_sums: NDArray[np.int64],
    head_totals: NDArray[np.int64],
    threshold: NDArray[np.int64],
    units: NDArray[np.float64],
    starts: NDArray[np.int64],
    tokens: NDArray[np.int32],
    weights: NDArray[np.int64],
    s: float,
    shift: float,
    scale: float,
    top: int,
    places: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> None:  # pragma: no cover
    for k in range(v.size):
        word, drawn = v[k], number[k]
        if drawn < head_totals[word]:
            low, high = head_starts[word], head_starts[word + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if head_sums[middle] > drawn:
                    high = middle
                else:
                    low = middle + 1
            chosen[places[k]] = head_words[low]
            continue
        rest = drawn - head_totals[word]
        other = rest // threshold[word]
        product = 0.0
        for j in range(units.shape[1]):
            product += units[word, j] * units[other, j]
        a, b, common = starts[word], starts[other], 0
        while a < starts[word + 1] and b < starts[other + 1]:
            if tokens[a] == tokens[b]:
                common += 1
                a += 1
                b += 1
            elif tokens[a] < tokens[b]:
                a += 1
            else:
                b += 1
        bigrams = starts[word + 1] - starts[word] + starts[other + 1] - starts[other]
        weight = weights[level_of(product, common, bigrams, word == other, s, shift, scale, top)]
        if weight <= threshold[word] and rest % threshold[word] < weight:
            chosen[places[k]] = other
