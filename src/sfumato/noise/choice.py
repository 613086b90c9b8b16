"""Exact choices among finitely many: biased coins and exponential weights, in batches.

A choice tells no low bits, but its probabilities can still be wrong: a float sampler gives an option of probability
2⁻⁶⁰ no chance at all, and an option that one input can produce and its neighbour cannot breaks a pure promise. Here
every probability is met exactly, by proposals in whole 2⁶⁴ths and comparisons with lazily drawn reals
(:mod:`sfumato.noise.lazy_uniform`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, exact
from sfumato.noise.lazy_uniform import LazyUniform, random_words, uniform_below

__all__ = ["LARGEST_RATE", "LEAST_RATE", "draw_coins", "draw_exponential", "draw_exponential_many"]

_MARGIN = 2.0**-40  # of the floating-point comparison; its error is below 2⁻⁴⁴
_CELLS = 64  # the bound on a weight is constant while the weight falls by 2^(1/64)
_TOTAL_BITS = 56  # of the sum of all bounds, so that a 64-bit word is rarely outside a multiple of it
_BLOCK = 64
LEAST_RATE, LARGEST_RATE = 2.0**-900, 2.0**900
"""What multiplies the scores must lie between these."""


class _Weights(NamedTuple):
    """The law of the options: scores, the best of each row, their factor as a double, and C."""

    scores: NDArray[np.float64]
    best: NDArray[np.float64]
    rate: float
    constant: float


def draw_coins(bound: Callable[[int], Interval], count: int, rng: Rng) -> NDArray[np.bool_]:
    """``count`` coins that are true with exactly the probability that ``bound(digits)`` encloses.

    >>> third = draw_coins(lambda digits: exact(1, digits) / 3, 1000, np.random.default_rng(3))
    >>> 280 < int(third.sum()) < 390
    True
    """
    words = random_words(rng, count)
    enclosed = bound(40) * 2**64
    low, high = (np.uint64(min(max(math.floor(end), 0), 2**64 - 1)) for end in (enclosed.low, enclosed.high))
    coins = words < low
    for k in np.flatnonzero((words >= low) & (words <= high)):  # usually one word of 2⁶⁴
        coins[k] = uniform_below(LazyUniform(rng, int(words[k])), bound)
    return coins


def draw_exponential(
    scores: NDArray[np.float64], factor: Callable[[int], Interval], rng: Rng, *, margin: float = _MARGIN
) -> NDArray[np.int64]:
    """One option for each row of ``scores``, with probability ∝ exp(factor·score), exactly.

    The weight of option j relative to the best is w = exp(−factor·(best − s_j)). It is bounded by a whole number
    t_j ≥ C·w from a table in steps of 2^(1/64); an option is proposed with probability t_j/Σt, which is exact in
    integers, and kept with probability C·w/t_j, of which about 1 % are not. No exponential is needed but for the
    proposed one.

    Parameters
    ----------
    scores : array of shape (n, k)
    factor
        ε/(2Δ) as a formula for an interval, since the quotient of two doubles is not a double.
    """
    scores = np.ascontiguousarray(scores)  # one layout, one compilation
    rows, options = scores.shape
    table, constant = _bounds(options)
    weights = _weights(scores, factor, constant)
    _, best, rate, _ = weights
    chosen = np.empty(rows, np.int64)
    open_rows = np.arange(rows)
    while open_rows.size:
        words = random_words(rng, 2 * open_rows.size).reshape(-1, 2)
        _propose(weights, table, open_rows, words, margin, chosen)
        for k in np.flatnonzero(chosen[open_rows] < -1):
            row = open_rows[k]
            option = -2 - int(chosen[row])
            if not _settle(
                scores[row, option], best[row], factor, rate, table, constant, LazyUniform(rng, words[k, 1])
            ):
                option = -1
            chosen[row] = option
        open_rows = open_rows[chosen[open_rows] == -1]
    return chosen


def draw_exponential_many(
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    factor: Callable[[int], Interval],
    rng: Rng,
    *,
    margin: float = _MARGIN,
) -> NDArray[np.int64]:
    """One option for each entry of ``rows``, drawn from that row of ``scores`` as :func:`draw_exponential` does.

    The bounds of a row are added up once and every draw is a binary search, so that many draws from few rows cost
    little more than one from each.

    >>> drawn = draw_exponential_many(
    ...     np.array([[0.0, 9.0]]), np.zeros(5, np.int64), lambda digits: exact(4, digits), np.random.default_rng(1)
    ... )
    >>> drawn
    array([1, 1, 1, 1, 1])
    """
    table, constant = _bounds(scores.shape[1])
    weights = _weights(scores, factor, constant)
    _, best, rate, _ = weights
    sums = np.empty(scores.shape, np.int64)
    _add_up(weights, table, sums)
    chosen = np.empty(len(rows), np.int64)
    open_draws = np.arange(len(rows))
    while open_draws.size:
        words = random_words(rng, 2 * open_draws.size).reshape(-1, 2)
        _propose_from(weights, sums, rows, open_draws, words, margin, chosen)
        for k in np.flatnonzero(chosen[open_draws] < -1):
            draw = open_draws[k]
            option = -2 - int(chosen[draw])
            row = rows[draw]
            uniform = LazyUniform(rng, words[k, 1])
            if not _settle(scores[row, option], best[row], factor, rate, table, constant, uniform):
                option = -1
            chosen[draw] = option
        open_draws = open_draws[chosen[open_draws] == -1]
    return chosen


def _weights(scores: NDArray[np.float64], factor: Callable[[int], Interval], constant: float) -> _Weights:
    """The law of the options, if doubles can hold what the proposals need of it: the factor and all differences.

    With an infinite factor 0·∞ would be no bound at all, and no proposal would ever be kept.
    """
    middle = factor(40)
    rate = float((middle.low + middle.high) / 2)
    if not LEAST_RATE <= rate <= LARGEST_RATE:
        raise bad_input("ε/Δ", rate, "a factor of the scores between 2^-900 and 2^900", "scale scores and Δ alike")
    best = scores.max(axis=1)
    with np.errstate(over="ignore"):
        spread = best - scores.min(axis=1)
    if not np.isfinite(spread).all():
        raise bad_input(
            "scores", "a range beyond 1.8e308", "differences that a double holds", "scale scores and Δ alike"
        )
    return _Weights(scores, best, rate, constant)


@lru_cache(maxsize=64)
def _bounds(options: int) -> tuple[NDArray[np.int64], float]:
    """Whole numbers t_i ≥ C·2^(−i/64), down to 1, and C."""
    bits = max(1, _TOTAL_BITS - options.bit_length())
    cells = np.arange(_CELLS * (bits + 1) + 1)
    constant = 2.0**bits
    # The margin covers the rounding of the score difference, which may put a weight one cell too low.
    return np.floor(constant * 2.0 ** (-cells / _CELLS) * (1 + 2.0**-30)).astype(np.int64) + 1, constant


def _cell(drop: float, rate: float, last: int) -> int:
    return int(min(drop * rate * (_CELLS / math.log(2)), last))


def _settle(
    score: float,
    best: float,
    factor: Callable[[int], Interval],
    rate: float,
    table: NDArray[np.int64],
    constant: float,
    uniform: LazyUniform,
) -> bool:
    bound = int(table[_cell(best - score, rate, table.size - 1)])

    def accept(digits: int) -> Interval:
        drop = exact(float(best), digits) - float(score)
        return (-(drop * factor(digits))).exp() * constant / bound

    return uniform_below(uniform, accept)


# At every turn of the outer loop: ``block`` holds the sums of the bounds of 64 options each, and ``total`` their sum.
# The two searches below it keep one invariant: the proposed option is the first at which the bounds, added up from the
# current block (then option) on, exceed ``place``. The blocks leave 64 + options/64 steps to the search.
@njit(cache=True)
def _propose(
    weights: _Weights,
    table: NDArray[np.int64],
    rows: NDArray[np.int64],
    words: NDArray[np.uint64],
    margin: float,
    chosen: NDArray[np.int64],
) -> None:  # pragma: no cover
    """One try for each listed row: the option kept, −1 for none, −2 − option if more bits must decide."""
    scores, best, rate, constant = weights
    options = scores.shape[1]
    per_unit = rate * (_CELLS / math.log(2.0))
    last = table.size - 1
    block = np.empty((options + _BLOCK - 1) // _BLOCK, np.int64)
    for k in range(rows.size):
        row, top = scores[rows[k]], best[rows[k]]
        total = np.int64(0)
        for b in range(block.size):
            part = np.int64(0)
            for j in range(b * _BLOCK, min(options, (b + 1) * _BLOCK)):
                part += table[np.int64(min((top - row[j]) * per_unit, last))]
            block[b] = part
            total += part
        chosen[rows[k]] = -1
        word = words[k, 0]
        size = np.uint64(total)
        if word >= size * (np.uint64(0xFFFFFFFFFFFFFFFF) // size):
            continue  # outside the largest multiple of the total: the remainder would not be uniform
        place = np.int64(word % size)
        b = 0
        while place >= block[b]:
            place -= block[b]
            b += 1
        j = b * _BLOCK
        bound = table[np.int64(min((top - row[j]) * per_unit, last))]
        while place >= bound:
            place -= bound
            j += 1
            bound = table[np.int64(min((top - row[j]) * per_unit, last))]
        gap = math.exp(-(top - row[j]) * rate) * constant / bound
        gap -= np.float64(words[k, 1] >> np.uint64(11)) * 2.0**-53
        if abs(gap) < margin:
            chosen[rows[k]] = -2 - j
        elif gap > 0:
            chosen[rows[k]] = j


@njit(cache=True)
def _add_up(weights: _Weights, table: NDArray[np.int64], sums: NDArray[np.int64]) -> None:  # pragma: no cover
    """The running sums of the bounds of each row."""
    scores, best, rate, _ = weights
    per_unit = rate * (_CELLS / math.log(2.0))
    last = table.size - 1
    for k in range(scores.shape[0]):
        total = np.int64(0)
        for j in range(scores.shape[1]):
            total += table[np.int64(min((best[k] - scores[k, j]) * per_unit, last))]
            sums[k, j] = total


# At every turn of the inner loop: the first option whose running sum exceeds ``place`` is one of low … high.
@njit(cache=True)
def _propose_from(
    weights: _Weights,
    sums: NDArray[np.int64],
    rows: NDArray[np.int64],
    draws: NDArray[np.int64],
    words: NDArray[np.uint64],
    margin: float,
    chosen: NDArray[np.int64],
) -> None:  # pragma: no cover
    """As ``_propose``, with the sums of the bounds at hand."""
    scores, best, rate, constant = weights
    for k in range(draws.size):
        row = rows[draws[k]]
        chosen[draws[k]] = -1
        word = words[k, 0]
        size = np.uint64(sums[row, -1])
        if word >= size * (np.uint64(0xFFFFFFFFFFFFFFFF) // size):
            continue  # outside the largest multiple of the total: the remainder would not be uniform
        place = np.int64(word % size)
        low, high = 0, sums.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if sums[row, middle] > place:
                high = middle
            else:
                low = middle + 1
        bound = sums[row, low] - (sums[row, low - 1] if low > 0 else 0)
        gap = math.exp(-(best[row] - scores[row, low]) * rate) * constant / bound
        gap -= np.float64(words[k, 1] >> np.uint64(11)) * 2.0**-53
        if abs(gap) < margin:
            chosen[draws[k]] = -2 - low
        elif gap > 0:
            chosen[draws[k]] = low
