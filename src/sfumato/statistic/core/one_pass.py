"""Sums and counts of many plain numbers in one pass: what a scan of a large file is measured against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.statistic.core.column import MOST_RECORDS, Outside, grid_steps

__all__ = ["bin_counts", "grid_total"]

_BLOCK = 1024
_MOST_EDGES = 1 << 30


def grid_total(data: Any, bounds: tuple[float, float], outside: Outside) -> int | None:
    """The sum of the numbers in grid steps above the lower bound, as :func:`on_grid` counts them.

    None if this is not a plain array of numbers, all of which may be used: the slower way then says what is wrong.

    >>> grid_total(np.array([0.0, 0.25]), (0.0, 1.0), "reject") == 2**28
    True
    """
    if not _plain(data):
        return None
    low, high = bounds
    total, sound = _grid_total(data, low, high, grid_steps() / (high - low), float(grid_steps()), outside == "clip")
    return int(total) if sound else None


def bin_counts(data: Any, edges: NDArray[np.float64], outside: Outside) -> NDArray[np.int64] | None:
    """How many numbers are in each bin between equidistant edges, the last one closed; None as above.

    >>> bin_counts(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), "reject")
    array([1, 2])
    """
    width = (edges[-1] - edges[0]) / (len(edges) - 1)
    even = np.abs(edges - (edges[0] + width * np.arange(len(edges)))).max() <= width / 4
    if not _plain(data) or not even or not 0 < width < np.inf or len(edges) > _MOST_EDGES:
        return None
    if outside == "clip":
        if not np.isfinite(data).all():
            return None
        data = np.clip(data, edges[0], edges[-1])
    counts, sound = _bin_counts(data, edges, 1 / width)
    return counts if sound else None


def _plain(data: Any) -> bool:
    return type(data) is np.ndarray and data.dtype == np.float64 and data.ndim == 1 and 0 < len(data) <= MOST_RECORDS


@njit(cache=True, nogil=True)
def _grid_total(
    values: NDArray[np.float64], low: float, high: float, scale: float, most: float, clip: bool
) -> tuple[Any, bool]:
    # total is the sum of the grid steps of all values before x, each of which lies within the bounds or was moved there
    total = np.int64(0)
    for x in values:
        if not low <= x <= high:
            if not clip or np.isnan(x) or np.isinf(x):
                return 0, False
            x = min(max(x, low), high)
        total += np.int64(min(np.rint((x - low) * scale), most))
    return total, True


@njit(cache=True, nogil=True)
def _bin_counts(
    values: NDArray[np.float64], edges: NDArray[np.float64], scale: float
) -> tuple[NDArray[np.int64], bool]:
    # counts holds the bins of all blocks before this one. The first loop of a block has no branches, so that it runs on
    # several values at once; its guess is at most one bin off, since the edges are even. A place without a sign spares
    # the question whether it counts from the end.
    last, one = np.uint64(len(edges) - 2), np.uint64(1)
    low, high = edges[0], edges[last + one]
    counts = np.zeros(last + one, np.int64)
    guess = np.empty(_BLOCK, np.int32)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        sound = True
        for i in range(len(block)):
            x = block[i]
            sound &= (low <= x) & (x <= high)
            guess[i] = np.int32((x - low) * scale)
        if not sound:
            return counts, False
        for i in range(len(block)):
            x = block[i]
            k = min(np.uint64(guess[i]), last)
            if x < edges[k]:
                k -= one
            elif k < last and x >= edges[k + one]:
                k += one
            counts[k] += 1
    return counts, True
