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
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.mechanisms.syntf.best_replacements import BestReplacements, Levels, grown
from sfumato.text.mechanisms.syntf.cosine_rating import CosineRating, Scaling, level_of
from sfumato.text.mechanisms.syntf.rating import Rating
from sfumato.validate import positive

__all__ = ["ReplacementLaw"]

_ROUND_UP = 1 + 1e-12
_LOG_ROUNDING = 2.0**-43
"""More than the rounding of two differences of logarithms of numbers below 2⁶³."""


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
    def loss(self) -> float:
        """ℓ = max_w ln(max_v π(v, w)/min_v π(v, w)): what one replaced word loses, exactly (rounded up).

        Weggenmann, eq. 5.1, in one pass over blocks of rows.
        """
        most, least = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        logs = np.log(self.weights)
        for levels in self.rating.blocks():
            _spread(levels, self.weights, logs, most, least)
        return float((most - least).max()) * _ROUND_UP + _LOG_ROUNDING

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """W(v, ·) for some v."""
        ids = np.asarray(ids, np.int64)
        return self.weights[self.rating.levels(ids)]

    def log_probs(self, ids: Any) -> NDArray[np.float64]:
        """ln π(v, ·) for some v."""
        weights = self.rows(ids)
        return np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))

    @cached_property
    def _sums(self) -> _WeightSums:
        return _WeightSums(self.rating.best, self.weights)

    def draw(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """A replacement for each word.

        A whole number below H_v + L·T_v is drawn: below H_v (the weights of the head, the words of the highest levels)
        it names one of the head; above, it names any word w and a number below T_v, the largest weight outside, and w
        is kept if it is not of the head and that number is below W(v, w) ≤ T_v. So every word is kept with a chance
        proportional to its weight.
        """
        sums = self._sums
        sums.prepare(ids)
        heads = sums.heads()
        tail = self._tail()
        chosen = np.full(len(ids), -1, np.int64)
        open_ = np.arange(len(ids))
        while open_.size:
            v = ids[open_]
            number = rng.integers(0, heads.totals[v] + self.size * heads.thresholds[v])
            _choose(v, number, heads, tail, open_, chosen)
            open_ = open_[chosen[open_] < 0]
        return chosen

    def _tail(self) -> _Tail:
        rating = self.rating
        if isinstance(rating, CosineRating) and rating.streams:
            text = rating.spellings
            return _Tail(rating.units, text.starts, text.tokens, self.weights, rating.scaling)
        # the heads are whole rows, and there is nothing outside them
        nothing = np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros(1, np.int32)
        return _Tail(*nothing, self.weights, Scaling(0.0, 0.0, 0.0, 0))


class _Heads(NamedTuple):
    """The heads of all words with the running sums of their weights; see :class:`BestReplacements`.

    ``totals[v]`` is H_v, the weight of the head of v, and ``thresholds[v]`` is T_v, the largest weight outside it.
    """

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    cuts: NDArray[np.int64]
    words: NDArray[np.int32]
    sums: NDArray[np.int64]
    totals: NDArray[np.int64]
    thresholds: NDArray[np.int64]


class _Tail(NamedTuple):
    """What the level of a word outside the head is computed from: vectors, bigrams, and the weight of each level."""

    units: NDArray[np.float64]
    starts: NDArray[np.int64]
    tokens: NDArray[np.int32]
    weights: NDArray[np.int64]
    scaling: Scaling


class _WeightSums:
    """Running sums of the weights of the best replacements, for one ε: filled as words are asked for."""

    def __init__(self, best: BestReplacements, weights: NDArray[np.int64]) -> None:
        self.best, self.weights = best, weights
        size = len(best.starts)
        self.ready = np.zeros(size, np.bool_)
        self.sums = np.empty(0, np.int64)
        self.totals, self.thresholds = np.zeros(size, np.int64), np.zeros(size, np.int64)

    def prepare(self, ids: NDArray[np.int64]) -> None:
        """Add up the weights of the words among ``ids`` that were not asked for before."""
        best = self.best
        missing = np.unique(ids[~self.ready[ids]])
        if missing.size == 0:
            return
        best.prepare(missing)
        self.sums = grown(self.sums, len(best.words))
        _add_up(missing, best.starts, best.stops, best.levels, self.weights, self.sums, self.totals)
        cuts = best.cuts[missing]
        self.thresholds[missing] = np.where(cuts >= 0, self.weights[np.maximum(cuts, 0)], 0)
        self.ready[missing] = True

    def heads(self) -> _Heads:
        """The tables as they are now: preparing more words may replace them."""
        best = self.best
        return _Heads(best.starts, best.stops, best.cuts, best.words, self.sums, self.totals, self.thresholds)


@njit(cache=True)
def _add_up(
    ids: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    levels: Levels,
    weights: NDArray[np.int64],
    sums: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:  # pragma: no cover
    """sums[at] is the weight of the head of v up to and with its entry ``at``."""
    for v in ids:
        total = np.int64(0)
        for at in range(starts[v], stops[v]):
            total += weights[levels[at]]
            sums[at] = total
        totals[v] = total


@njit(cache=True)
def _spread(
    levels: Levels,
    weights: NDArray[np.int64],
    logs: NDArray[np.float64],
    most: NDArray[np.float64],
    least: NDArray[np.float64],
) -> None:  # pragma: no cover
    """Widen [least, most], the range of ln π(·, w) over the inputs seen so far, by some more inputs."""
    for k in range(levels.shape[0]):
        total = np.int64(0)
        for w in range(levels.shape[1]):
            total += weights[levels[k, w]]
        normaliser = math.log(float(total))
        for w in range(levels.shape[1]):
            value = logs[levels[k, w]] - normaliser
            most[w] = max(most[w], value)
            least[w] = min(least[w], value)


# Every number in [0, H_v + L·T_v) is one fate of word v. Entry ``at`` of its head owns the W numbers below sums[at]
# that no entry before it owns. Beyond H_v each word w has T_v numbers, of which the first W(v, w) choose it if it is
# not of the head; all others leave chosen[places[k]] at −1, and the caller draws again.
# While searching a head, the entries before ``low`` have sums ≤ drawn; after the first loop, drawn < sums[high].
# While merging two spellings, ``common`` counts the equal tokens before a and b; tokens ascend in both words.
@njit(cache=True)
def _choose(
    v: NDArray[np.int64],
    number: NDArray[np.int64],
    heads: _Heads,
    tail: _Tail,
    places: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> None:  # pragma: no cover
    """Replace the words v[k] as the drawn numbers say; the replacement goes to chosen[places[k]]."""
    starts, tokens = tail.starts, tail.tokens
    for k in range(v.size):
        word, drawn = v[k], number[k]
        if drawn < heads.totals[word]:
            low, high, step = heads.starts[word], heads.starts[word], 1
            while heads.sums[high] <= drawn:  # the best come first and are drawn most: look there first
                low, high, step = high + 1, min(high + step, heads.stops[word] - 1), 2 * step
            while low < high:
                middle = (low + high) // 2
                if heads.sums[middle] > drawn:
                    high = middle
                else:
                    low = middle + 1
            chosen[places[k]] = heads.words[low]
            continue
        rest = drawn - heads.totals[word]
        other = rest // heads.thresholds[word]
        product = 0.0
        for j in range(tail.units.shape[1]):
            product += tail.units[word, j] * tail.units[other, j]
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
        level = level_of(product, common, bigrams, word == other, tail.scaling)
        if level <= heads.cuts[word] and rest % heads.thresholds[word] < tail.weights[level]:
            chosen[places[k]] = other
