"""The best replacements of each word, so that a draw need not look at all L."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.text.mechanisms.syntf.rating import Rating

__all__ = ["Heads", "Levels", "grown"]

Levels = NDArray[np.int32]

_BLOCK = 128
_HEAD = 1024
_WHOLE = 2048


class Heads:
    """For some words the replacements of the highest levels, found when a word is first asked for.

    The head of v is at ``starts[v]:stops[v]`` of ``words`` and ``levels``; it holds every word above the level
    ``cuts[v]`` (−1: all words) and nothing else, the best first. It knows no ε.
    """

    def __init__(self, rating: Rating) -> None:
        self.rating = rating
        size = rating.size
        self.most = size if size <= _WHOLE or not rating.streams else _HEAD
        self.starts, self.stops = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
        self.cuts = np.full(size, -1, np.int64)
        self.words, self.levels = np.empty(0, np.int32), np.empty(0, np.int32)
        self._used = 0

    def prepare(self, ids: NDArray[np.int64]) -> None:
        """Find the heads of these different words, but for those that are there."""
        missing = ids[self.starts[ids] < 0]
        for at in range(0, len(missing), _BLOCK):
            rows = missing[at : at + _BLOCK]
            levels = self.rating.levels(rows)
            cuts, counts = np.full(len(rows), -1, np.int64), np.full(len(rows), self.rating.size, np.int64)
            if self.most < self.rating.size:
                _cut(levels, self.most, self.rating.top, cuts, counts)
            ends = self._used + np.cumsum(counts)
            self.words, self.levels = grown(self.words, int(ends[-1])), grown(self.levels, int(ends[-1]))
            if self.most < self.rating.size:
                _collect(levels, cuts, self.rating.top, self._used, self.words, self.levels)
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
