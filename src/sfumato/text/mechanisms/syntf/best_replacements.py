"""The best-rated replacements of each word, so that a draw need not look at all words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BestReplacements", "Levels", "grown"]

Levels = NDArray[np.int32]

_BLOCK = 128
_HEAD = 1024
_WHOLE = 2048


class BestReplacements:
    """The replacements with the highest levels, found when a word is first asked for.

    Those of a word are its *head*. The head of word v is at ``starts[v]:stops[v]`` of ``words`` and ``levels``. It
    holds every word above the level ``cuts[v]`` (−1: all words) and nothing else, the best first. It does not depend on
    ε.

    Parameters
    ----------
    levels_of : callable
        The levels of some words for all replacements, shape (words, size).
    size : int
        How many words there are.
    top : int
        The highest level.
    whole : bool
        Keep all replacements; otherwise about the best thousand, where there are more than two thousand.
    """

    def __init__(
        self, levels_of: Callable[[NDArray[np.int64]], Levels], *, size: int, top: int, whole: bool = False
    ) -> None:
        self.levels_of, self.size, self.top = levels_of, size, top
        self.most = size if whole or size <= _WHOLE else _HEAD
        self.starts, self.stops = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
        self.cuts = np.full(size, -1, np.int64)
        self.words, self.levels = np.empty(0, np.int32), np.empty(0, np.int32)
        self._used = 0

    def prepare(self, ids: NDArray[np.int64]) -> None:
        """Find the best replacements of these words, each named once; words that were prepared before are skipped."""
        missing = ids[self.starts[ids] < 0]
        for at in range(0, len(missing), _BLOCK):
            rows = missing[at : at + _BLOCK]
            levels = self.levels_of(rows)
            cuts, counts = np.full(len(rows), -1, np.int64), np.full(len(rows), self.size, np.int64)
            if self.most < self.size:
                _cut(levels, self.most, self.top, cuts, counts)
            ends = self._used + np.cumsum(counts)
            self.words, self.levels = grown(self.words, int(ends[-1])), grown(self.levels, int(ends[-1]))
            if self.most < self.size:
                _collect(levels, cuts, self.top, self._used, self.words, self.levels)
            else:
                order = np.argsort(-levels, axis=1, kind="stable")
                self.words[self._used : ends[-1]] = order.ravel()
                self.levels[self._used : ends[-1]] = np.take_along_axis(levels, order, axis=1).ravel()
            self.starts[rows], self.stops[rows], self.cuts[rows] = ends - counts, ends, cuts
            self._used = int(ends[-1])


def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The same array, or a copy with room for ``size`` entries and some more."""
    if len(array) >= size:
        return array
    larger = np.empty(max(size, len(array) + len(array) // 2), array.dtype)
    larger[: len(array)] = array
    return larger


@njit(cache=True)
def _cut(
    levels: Levels, most: int, top: int, cuts: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:  # pragma: no cover
    """The lowest level above which there are at most ``most`` words, and how many there are."""
    histogram = np.zeros(top + 1, np.int64)
    for k in range(levels.shape[0]):
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
    levels: Levels, cuts: NDArray[np.int64], top: int, at: int, words: NDArray[np.int32], kept: Levels
) -> None:  # pragma: no cover
    """The words above the cut of each row, the highest level first (a counting sort)."""
    place = np.zeros(top + 2, np.int64)
    for k in range(levels.shape[0]):
        place[:] = 0
        for w in range(levels.shape[1]):
            if levels[k, w] > cuts[k]:
                place[levels[k, w]] += 1
        here = at
        for level in range(top, cuts[k], -1):
            count = place[level]
            place[level] = here
            here += count
        for w in range(levels.shape[1]):
            level = levels[k, w]
            if level > cuts[k]:
                words[place[level]], kept[place[level]] = w, level
                place[level] += 1
        at = here
