"""Exact discrete Laplace and Gaussian noise on the integers, in batches.

Both laws have weights f(n) that fall with |n|. The half-line n ≥ 0 is cut into strips of 2^L integers; a strip H is
proposed with the probability t_H/2⁶⁴, *an integer number of 2⁶⁴ths* (alias method, so this is exact), an integer n in
it uniformly (L random bits, exact), and n is kept with probability

    a(n) = c·f(n)/t_H ≤ 1,

so that the law of what is kept is proportional to f exactly, whatever the t_H are: they only have to lie above c·f. The
comparison of a uniform number with a(n) is decided in floating point unless they are within 2⁻⁴⁰ of each other, and by
:mod:`sfumato.noise.lazy_uniform` then. The last entry of the table, drawn once in 2⁶⁴, stands for the infinite tail.
Hence the distance to the ideal law is zero, but for the numbers beyond ±2⁶² which int64 cannot hold and which are set
to it: at the scales allowed here this has probability below exp(−2¹⁶).

**Time.** Every try does the same work (three random words, one table look-up, one exponential), whatever it draws, and
the number of tries is fixed by the batch size with room for the few rejected ones. In rejection sampling the number of
tries is independent of the values that are kept, so even the rare further round tells nothing about them. This is what
Jin, McMurtry, Rubinstein and Ohrimenko ("Are we there yet? Timing and floating-point attacks on differential privacy
systems", 2022) found missing in samplers that count up to the noise one coin at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, exact
from sfumato.noise.lazy_uniform import LazyUniform, geometric, random_words, uniform_below

__all__ = ["LARGEST_SCALE", "draw_lattice", "log_normaliser"]

LARGEST_SCALE = 2.0**46
"""Noise of this scale still fits int64 with a margin that no draw will ever see."""

_LARGEST = 2**62
_STRIPS_PER_SCALE = 5  # log2: between 32 and 64 strips to one scale, so that 1 to 2 % of the tries are rejected
_MARGIN = 2.0**-40  # of the floating-point comparison; its error is below 2⁻⁴⁴
_CHUNK = 1 << 14  # tries at a time, so that the words stay in the cache
_TAIL = {False: 46.0, True: 9.6}  # where the tail starts, in scales: beyond it lies less than 2⁻⁶⁵ of the mass
_ACCEPTED, _OPEN, _OUTSIDE = 1, 2, 3


class _Table(NamedTuple):
    """What a try needs of a law: the alias table of the strips, c/t_H of each, and how a strip becomes an integer."""

    threshold: NDArray[np.uint64]
    alias: NDArray[np.int64]
    ratio: NDArray[np.float64]
    tail: int
    low_bits: int
    scale: float
    gaussian: bool


@dataclass(frozen=True)
class _Strips:
    """One law cut into strips."""

    gaussian: bool
    scale: float
    low_bits: int
    tail: int
    constant: float
    count: NDArray[np.uint64]
    kept: float
    table: _Table

    def log_weight(self, n: int, digits: int) -> Interval:
        """ln f(n), enclosed."""
        x = exact(n, digits) / self.scale
        return -(x * x) / 2 if self.gaussian else -x

    def acceptance(self, n: int, digits: int) -> Interval:
        """a(n) = c·f(n)/t_H, enclosed."""
        return self.log_weight(n, digits).exp() * self.constant / int(self.count[n >> self.low_bits])


@lru_cache(maxsize=32)
def _strips(gaussian: bool, scale: float, tail_at: float) -> _Strips:
    low_bits = max(0, math.frexp(scale)[1] - 1 - _STRIPS_PER_SCALE)
    tail = max(1, math.ceil(tail_at * scale / 2**low_bits))
    x = np.arange(tail) * (2.0**low_bits / scale)
    weight = np.exp(-x * x / 2 if gaussian else -x)
    beyond = _tail_mass(gaussian, scale, tail << low_bits) / 2**low_bits
    constant = float(2.0**64 * (1 - 2.0**-20) / (weight.sum() + beyond))
    # The margin 2⁻⁴⁰ covers the rounding of weight and constant, so that t_H ≥ c·f(first of H) holds for the reals.
    count = np.zeros(tail + 1, np.uint64)
    count[:tail] = np.floor(constant * weight * (1 + 2.0**-40)).astype(np.uint64) + np.uint64(2)
    count[tail] = np.uint64(math.floor(constant * beyond * (1 + 2.0**-40)) + 1)
    count[0] += np.uint64(-int(count.sum(dtype=np.uint64)) % 2**64)  # what is left only raises the first bound
    threshold, alias = _alias_table(count)
    kept = constant * 2.0 ** (-65 - low_bits) * math.exp(log_normaliser(gaussian, scale))
    table = _Table(threshold, alias, constant / count.astype(np.float64), tail, low_bits, scale, gaussian)
    return _Strips(gaussian, scale, low_bits, tail, constant, count, kept, table)


def _tail_mass(gaussian: bool, scale: float, first: int) -> float:
    """The sum of the tail's majorant, a geometric series from ``first`` on."""
    start = first / scale
    rate = start / scale if gaussian else 1 / scale
    return math.exp(-(start * start / 2 if gaussian else start)) / -math.expm1(-rate)


# At every turn of the second loop: an index is in ``small`` if what is left of it does not fill its column, in
# ``large`` if it does, and in neither if its column is finished; the counts left add up to the capacity of the columns
# left. So when one list is empty the rest fill their columns exactly, and the threshold stays at the capacity.
@njit(cache=True)
def _alias_table(count: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:  # pragma: no cover
    """Walker's table (Vose's construction) in whole 2⁶⁴ths; there are at least two counts, one strip and the tail."""
    size = 1
    bits = 0
    while size < count.size:
        size *= 2
        bits += 1
    capacity = np.uint64(1) << np.uint64(64 - bits)
    left = np.zeros(size, np.uint64)
    left[: count.size] = count
    alias = np.arange(size)
    threshold = np.empty(size, np.uint64)
    threshold[:] = capacity
    small = np.empty(size, np.int64)
    large = np.empty(size, np.int64)
    n_small = n_large = 0
    for i in range(size):
        if left[i] < capacity:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        i = small[n_small]
        j = large[n_large - 1]
        threshold[i] = left[i]
        alias[i] = j
        left[j] = left[j] - (capacity - left[i])
        if left[j] < capacity:
            n_large -= 1
            small[n_small] = j
            n_small += 1
    return threshold, alias


# At every turn of the loop: the first ``kept`` places hold, in order, the tries so far that are accepted, open or in
# the tail; place ``kept`` is written to in every turn and counts only if the try is not rejected, so that a turn does
# the same work whatever it draws. ``kept`` is at most the number of turns, so the places suffice.
@njit(cache=True)
def _try_strips(
    words: NDArray[np.uint64],
    table: _Table,
    margin: float,
    value: NDArray[np.int64],
    origin: NDArray[np.int64],
    state: NDArray[np.uint8],
) -> tuple[int, bool]:  # pragma: no cover
    """One try for every three words; what is not rejected is kept in order. Returns how many, and if any is open."""
    threshold, alias, ratio, tail, low_bits, scale, gaussian = table
    bits = 0
    while (1 << bits) < threshold.size:
        bits += 1
    shift = np.uint64(64 - bits)
    rest = (np.uint64(1) << shift) - np.uint64(1)
    low_mask = (np.uint64(1) << np.uint64(low_bits)) - np.uint64(1)
    kept = 0
    special = False
    for k in range(words.size // 3):
        first, second, third = words[3 * k], words[3 * k + 1], words[3 * k + 2]
        strip = np.int64(first >> shift)
        if (first & rest) >= threshold[strip]:
            strip = alias[strip]
        n = (strip << np.int64(low_bits)) + np.int64(second & low_mask)
        negative = np.int64(second >> np.uint64(63))
        x = n / scale
        log_weight = -0.5 * x * x if gaussian else -x
        gap = ratio[strip] * math.exp(log_weight) - np.float64(third >> np.uint64(11)) * 2.0**-53
        status = _ACCEPTED if gap > 0 else 0
        if abs(gap) < margin:
            status = _OPEN
        if strip == tail:
            status = _OUTSIDE
        if n == 0 and negative == 1:  # zero has one sign only
            status = 0
        value[kept] = n * (1 - 2 * negative)
        origin[kept] = k
        state[kept] = status
        special = special or status > _ACCEPTED
        kept += status > 0
    return kept, special


def draw_lattice(
    gaussian: bool,
    scale: float,
    count: int,
    rng: Rng,
    *,
    tail_at: float | None = None,
    margin: float = _MARGIN,
) -> NDArray[np.int64]:
    """``count`` integers with P(n) ∝ exp(−|n|/s), or exp(−n²/2s²) for the Gaussian, exactly.

    ``scale`` is taken as the real number that the double is. ``tail_at`` moves the point, in scales, from which on the
    tail is drawn by itself, and ``margin`` the distance below which a comparison is made with more bits: neither
    changes the law.
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise bad_input("scale", scale, "a scale of integer noise in (0, 2^46]", "count in larger steps")
    strips = _strips(gaussian, float(scale), _TAIL[gaussian] if tail_at is None else tail_at)
    noise = np.empty(count, np.int64)
    value, origin, state = np.empty(_CHUNK, np.int64), np.empty(_CHUNK, np.int64), np.empty(_CHUNK, np.uint8)
    done = 0
    while done < count:
        wanted = (count - done) / strips.kept
        tries = min(_CHUNK, int(wanted + 6 * math.sqrt(wanted * (1 - strips.kept)) + 16))
        words = random_words(rng, 3 * tries)
        kept, special = _try_strips(words, strips.table, margin, value, origin, state)
        if special:
            kept = _settle(strips, value, origin, state, kept, words, rng)
        taken = min(kept, count - done)
        noise[done : done + taken] = value[:taken]
        done += taken
    return noise


def _settle(
    strips: _Strips,
    value: NDArray[np.int64],
    origin: NDArray[np.int64],
    state: NDArray[np.uint8],
    kept: int,
    words: NDArray[np.uint64],
    rng: Rng,
) -> int:
    """Decide, in place, the tries that floating point left open; returns how many are kept in the end."""
    keep = np.ones(kept, bool)
    for k in np.flatnonzero(state[:kept] > _ACCEPTED):
        _, second, third = (int(word) for word in words[3 * origin[k] : 3 * origin[k] + 3])
        uniform = LazyUniform(rng, third)
        if state[k] == _OPEN:
            n = abs(int(value[k]))
            keep[k] = uniform_below(uniform, partial(strips.acceptance, n))
        else:
            n, keep[k] = _draw_tail(strips, uniform, rng)
            value[k] = -min(n, _LARGEST) if second >> 63 else min(n, _LARGEST)
    left = int(keep.sum())
    value[:left] = value[:kept][keep]
    return left


def _draw_tail(strips: _Strips, uniform: LazyUniform, rng: Rng) -> tuple[int, bool]:
    """A try beyond the strips: a geometric step from the first integer there, whose law lies above both laws."""
    first = strips.tail << strips.low_bits

    def rate(digits: int) -> Interval:
        one = exact(1, digits) / strips.scale
        return one * first / strips.scale if strips.gaussian else one

    step = geometric(rng, rate)

    def accept(digits: int) -> Interval:
        surplus = exact(step if strips.gaussian else 0, digits) / strips.scale
        majorant = exact(1, digits) - (-rate(digits)).exp()
        weight = (strips.log_weight(first, digits) - surplus * surplus / 2).exp()
        return weight * strips.constant / majorant / (1 << strips.low_bits) / int(strips.count[strips.tail])

    return first + step, uniform_below(uniform, accept)


def log_normaliser(gaussian: bool, scale: float) -> float:
    """ln Σ f(n) over all integers.

    >>> round(log_normaliser(False, 0.5), 6), round(log_normaliser(True, 1.0), 6)  # ln coth 1, and nearly ln √2π
    (0.272341, 0.918939)
    """
    if not gaussian:
        return -math.log(math.tanh(0.5 / scale))
    if scale < 0.5:
        return math.log1p(2 * sum(math.exp(-0.5 * (n / scale) ** 2) for n in range(1, 8)))
    # Poisson summation: the sum is σ√2π·Σ exp(−2π²σ²k²), and two terms are exact to double precision.
    wave = math.exp(-2 * (math.pi * scale) ** 2)
    return math.log(scale) + 0.5 * math.log(2 * math.pi) + math.log1p(2 * wave + 2 * wave**4)
