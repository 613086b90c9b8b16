"""Random insertion depths: truncated geometric numbers, drawn exactly.

The repeated insertion of a Mallows permutation needs, for step i, a depth d in {0, …, i − 1} with Pr[d] ∝ e^{−θd}.
Two exact routes, both through ⌊E/θ⌋ for a standard exponential E = −ln U:

- X = ⌊E/θ⌋ is geometric, and X mod i has exactly the truncated law: Σ_k q^{d+ki} ∝ q^d;
- where θi < 1 a uniform d is accepted with probability e^{−θd}, that is iff ⌊E/θ⌋ ≥ d.

U is a real number of which 64 bits are drawn. Floating point settles ⌊E/θ⌋ with an error bound; in the rare case that
the bound leaves it open (about one in 10¹¹ at θ = 10⁻³), more bits of the same U are drawn and the logarithm is taken
in decimal arithmetic. No depth is therefore unreachable and none is favoured by rounding.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng

__all__ = ["insertion_depths"]

_CHUNK = 1 << 14  # words drawn at a time: they stay in the processor's cache
_DONE, _MORE, _OPEN = 0, 1, 2


def insertion_depths(n: int, theta: float, rows: int, rng: Rng) -> NDArray[np.int64]:
    """Depths for ``rows`` permutations of n items: entry (r, i) is in {0, …, i} with Pr[d] ∝ e^{−θd}, 0 < θ < ∞."""
    depths = np.zeros(rows * n, np.int64)
    state = np.zeros(4, np.int64)  # next entry, next word, an open comparison's word and its candidate depth
    status = _MORE
    while status != _DONE:
        if status == _MORE:
            left = int(depths.size - state[0]) + 16
            words = rng.integers(0, 2**64, size=min(_CHUNK, left), dtype=np.uint64)
            quotients = _quotients(words, theta)
            state[1] = 0
        else:
            _settle(depths, n, theta, words, state, rng)
        status = _draw(depths, n, theta, words, quotients, state)
    return depths.reshape(rows, n)


def _settle(
    depths: NDArray[np.int64], n: int, theta: float, words: NDArray[np.uint64], state: NDArray[np.int64], rng: Rng
) -> None:
    entry = int(state[0])
    steps = entry % n + 1
    value = floor_exponential(int(words[state[2]]), theta, rng)
    candidate = int(state[3])
    if candidate < 0:
        depths[entry] = value % steps
    elif value >= candidate:
        depths[entry] = candidate
    else:
        return  # rejected: the kernel draws this entry again
    state[0] += 1


def floor_exponential(word: int, theta: float, rng: Rng) -> int:
    """⌊−ln(U)/θ⌋ for the uniform real U whose first 64 bits are ``word``, with as many further bits as it takes."""
    bits, known = 64, word
    while True:
        known = (known << 64) | int(rng.integers(0, 2**64, dtype=np.uint64))
        bits += 64
        if known == 0:
            continue
        with localcontext() as context:
            context.prec = 40 + bits  # far more digits than the bits of U hold
            unit = Decimal(2) ** -bits
            scale = Decimal(theta)
            high = math.floor(-(Decimal(known) * unit).ln() / scale)
            low = math.floor(-(Decimal(known + 1) * unit).ln() / scale)
        if low == high:
            return low


@njit(cache=True)
def _quotients(words: NDArray[np.uint64], theta: float) -> NDArray[np.float64]:  # pragma: no cover - compiled
    """E/θ by the 64 bits known of each U; in a loop of its own, which compiles far better than inside the other."""
    inverse = 1.0 / theta
    result = np.empty(words.size)
    for k in range(words.size):
        result[k] = -math.log((np.float64(words[k]) + 0.5) * 2.0**-64) * inverse
    return result


@njit(cache=True)
def _draw(
    depths: NDArray[np.int64],
    n: int,
    theta: float,
    words: NDArray[np.uint64],
    quotients: NDArray[np.float64],
    state: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Fill in depths until all are drawn (0), the words are used up (1) or floating point cannot decide (2).

    At every turn: all depths before ``entry`` are final, ``steps`` = entry mod n + 1 is the number of depths that the
    entry can have, and no word from ``at`` on has been used. A word is used once, whatever becomes of it; an entry that
    is rejected starts again with fresh words.
    """
    entry, at = state[0], state[1]
    inverse = 1.0 / theta
    low32 = np.uint64(0xFFFFFFFF)
    steps = entry % n + 1
    while entry < depths.size:
        if steps > n:
            steps = 1
        if steps == 1:
            depths[entry] = 0
            entry, steps = entry + 1, 2
            continue
        if at + 2 > words.size:
            state[0], state[1] = entry, at
            return 1
        candidate = np.int64(-1)
        if theta * steps < 1.0:
            bound = np.uint64(steps)
            product = (words[at] & low32) * bound  # Lemire's multiplication: unbiased after the rejection below
            at += 1
            remainder = product & low32
            if remainder < bound and remainder < (np.uint64(2**32) - bound) % bound:
                continue
            candidate = np.int64(product >> np.uint64(32))
            if candidate == 0:
                depths[entry] = 0
                entry, steps = entry + 1, steps + 1
                continue
        word = words[at]
        at += 1
        quotient = quotients[at - 1]
        doubt = 2.0**-49 * (inverse + quotient)
        if word < np.uint64(2**52):
            doubt += inverse / np.float64(word) if word > 0 else np.inf  # few significant bits are known
        value = np.floor(quotient)
        if candidate >= 0:
            if quotient < candidate - doubt:
                continue
            settled = bool(quotient > candidate + doubt)
            depth = candidate
        else:
            settled = bool(doubt < quotient - value < 1.0 - doubt)
            depth = np.int64(value)
        if not settled:
            state[0], state[1], state[2], state[3] = entry, at, at - 1, candidate
            return 2
        while depth >= steps:  # X mod i; as θi ≥ 1 here, rarely more than once
            depth -= steps
        depths[entry] = depth
        entry, steps = entry + 1, steps + 1
    state[0], state[1] = entry, at
    return 0
