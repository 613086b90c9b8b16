"""How many items a Hamming–Mallows permutation leaves in place: truncated Poisson numbers, drawn exactly.

Pr[B = b] ∝ λ^b/b! for b = 0, …, n with λ = e^θ − 1. A uniform number is compared with the cumulated weights: in
floating point where a margin that is far wider than the rounding decides, else (about once in 10⁸ draws for a small λ)
with more bits of the same number in interval arithmetic. No count is therefore out of reach, however improbable.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, Undecided, exact
from sfumato.noise.lazy_uniform import LazyUniform, decide, random_words

__all__ = ["truncated_poisson"]

_MARGIN = 2.0**-30  # of the cumulated weights, whose rounding errors stay below 2⁻³⁶ up to n = 10⁹
_LARGEST = 1e9  # a larger θ is taken as this one: it moves more, and neither ever moves anything


def truncated_poisson(n: int, theta: float, rows: int, rng: Rng) -> NDArray[np.int64]:
    """``rows`` counts of places that are kept on purpose, for 0 < θ < ∞.

    >>> truncated_poisson(5, 50.0, 3, np.random.default_rng(0))
    array([5, 5, 5])
    """
    first, sums = _cumulated(n, theta)
    words = random_words(rng, rows)
    points = (words.astype(np.float64) + 0.5) * (2.0**-64 * sums[-1])
    at = np.searchsorted(sums, points).clip(max=sums.size - 1)
    below = np.where(at > 0, sums[at - 1], 0.0)
    margin = _MARGIN * sums[-1]
    kept = first + at
    for row in np.flatnonzero((points < below + margin) | (points > sums[at] - margin)):
        kept[row] = _settle(n, min(theta, _LARGEST), LazyUniform(rng, int(words[row])))
    return kept


def _cumulated(n: int, theta: float) -> tuple[int, NDArray[np.float64]]:
    """The weights around the commonest count, added up, and the count of the first; what is left out is below e⁻⁶⁰."""
    rate = math.expm1(min(theta, 700.0))
    mode = int(min(n, rate))
    reach = 60 + int(12 * math.sqrt(mode))
    first, last = max(0, mode - reach), min(n, mode + reach)
    down = np.cumprod(np.arange(mode, first, -1) / rate)
    up = np.cumprod(rate / np.arange(mode + 1, last + 1))
    return first, np.cumsum(np.concatenate([down[::-1], [1.0], up]))


def _settle(n: int, theta: float, uniform: LazyUniform) -> int:
    """The count that the uniform number stands for."""

    def formula(digits: int) -> int:
        rate = exact(theta, digits).exp() - 1
        if rate.low <= 0:
            raise Undecided
        mode = min(n, int(rate.low))
        down, below = _weights(mode, 0, rate)
        up, above = _weights(mode, n, rate)
        weights = [below, *reversed(down), exact(1, digits), *up]
        point = uniform.interval(digits) * (sum(weights, start=above))
        reached = exact(0, digits)
        for count, weight in enumerate(weights, mode - len(down) - 1):  # `below` stands for all counts before
            reached = reached + weight
            if count == n or point.below(reached):
                return count
        raise Undecided  # a count above the last that was looked at

    return decide(formula, [uniform])


def _weights(mode: int, end: int, rate: Interval) -> tuple[list[Interval], Interval]:
    """Weights from beside the mode (whose weight is 1) towards ``end`` while they count, and the sum of the others."""
    step = 1 if end > mode else -1
    weights: list[Interval] = []
    count, weight, least = mode, exact(1, rate.digits), Decimal(10) ** -rate.digits
    while count != end and weight.high > least:
        weight = weight * _ratio(count, step, rate)
        count += step
        weights.append(weight)
    if count == end:
        return weights, exact(0, rate.digits)
    ratio = _ratio(count, step, rate)  # from here on the ratios fall: a geometric sum bounds the rest
    rest = weight * ratio / (-ratio + 1)
    return weights, Interval(Decimal(0), rest.high, rate.digits)


def _ratio(count: int, step: int, rate: Interval) -> Interval:
    """The weight of the next count relative to this one."""
    return rate / (count + 1) if step > 0 else exact(count, rate.digits) / rate
