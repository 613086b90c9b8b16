"""Uniform pairs in the unit disc, and normal numbers from them, with as many bits as wanted (Marsaglia and Bray 1964).

A pair is kept as two 64-bit words, the leading bits of two numbers in [−1, 1). Floating point uses the words;
:func:`lazy_pair` continues them.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval
from sfumato.noise.lazy_uniform import LazyUniform, decide, random_words

__all__ = ["draw_pairs", "lazy_normals", "lazy_pair", "normals", "signed"]

_IN_DISC = math.pi / 4


@njit(cache=True)
def _keep_pairs(words: NDArray[np.uint64], kept: NDArray[np.uint64]) -> int:  # pragma: no cover
    """Copy the pairs inside the unit disc, or too close to its edge to tell."""
    count = 0
    for k in range(words.size // 2):
        v = float(np.int64(words[2 * k])) * 2.0**-63
        w = float(np.int64(words[2 * k + 1])) * 2.0**-63
        if v * v + w * w < 1 + 2.0**-48 and count < kept.shape[0]:
            kept[count, 0] = words[2 * k]
            kept[count, 1] = words[2 * k + 1]
            count += 1
    return count


def draw_pairs(count: int, rng: Rng) -> NDArray[np.uint64]:
    """``count`` pairs of words, uniform in the disc but for those within 2⁻⁴⁸ of its edge, which are not yet settled.

    A caller must send every pair with a squared norm above 1 − 2⁻⁴⁸ to :func:`lazy_pair`.
    """
    pairs = np.empty((count, 2), np.uint64)
    done = 0
    while done < count:
        wanted = (count - done) / _IN_DISC
        words = random_words(rng, 2 * int(wanted + 3 * math.sqrt(wanted) + 8))
        done += _keep_pairs(words, pairs[done:])
    return pairs


def signed(uniform: LazyUniform, digits: int) -> Interval:
    """The number in [−1, 1) whose two's complement bits the uniform has."""
    known = uniform.interval(digits) * 2
    return known - 2 if uniform.leading_bit else known


def lazy_pair(rng: Rng, words: NDArray[np.uint64]) -> tuple[LazyUniform, LazyUniform]:
    """The pair that continues two words if it is inside the disc, else a new one that is."""
    while True:
        pair = LazyUniform(rng, int(words[0])), LazyUniform(rng, int(words[1]))
        if decide(partial(_inside, pair), list(pair)):
            return pair
        words = random_words(rng, 2)


def _inside(pair: tuple[LazyUniform, LazyUniform], digits: int) -> bool:
    v, w = signed(pair[0], digits), signed(pair[1], digits)
    return (v * v + w * w).below(1)


@njit(cache=True)
def normals(pairs: NDArray[np.uint64], normal: NDArray[np.float64]) -> float:  # pragma: no cover
    """Two standard normal numbers from each pair, in floating point; returns a bound on the error of any of them.

    The bound is infinite if a pair is so close to the edge of the disc that ln s is mostly error.
    """
    worst = 0.0
    for j in range(pairs.shape[0]):
        v = float(np.int64(pairs[j, 0])) * 2.0**-63
        w = float(np.int64(pairs[j, 1])) * 2.0**-63
        square = v * v + w * w + 2.0**-126
        if square > 1 - 2.0**-40:
            worst = math.inf
            square = 0.5
        length = math.sqrt(-2 * math.log(square))
        norm = math.sqrt(square)
        normal[2 * j], normal[2 * j + 1] = v * length / norm, w * length / norm
        # The unknown bits change v and w by 2⁻⁶³, each operation rounds by 2⁻⁵³, and d√(−2 ln s) = ds/(s·√(−2 ln s)).
        worst = max(worst, (2.0**-49 + 2.0**-60 / norm) * (length + 2 / length))
    return worst


def lazy_normals(pairs: list[tuple[LazyUniform, LazyUniform]], digits: int) -> list[Interval]:
    """Two standard normal numbers from each pair."""
    normals = []
    for pair in pairs:
        v, w = signed(pair[0], digits), signed(pair[1], digits)
        square = v * v + w * w
        stretch = (-square.log() * 2 / square).sqrt()
        normals += [v * stretch, w * stretch]
    return normals
