"""The nearest word of a vocabulary, exactly, for many points at once.

Scores z·w − ‖w‖²/2 come from a single-precision matrix product, tile by tile. Only the tiles whose best score comes
within its rounding error of the best of all are computed again in double precision. Vectors stay where they are (on
the disk, if they are memory-mapped) and no table of all scores is held. Each thread that BLAS may use takes batches of
its own, so that everything around the product runs on all cores too.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["NearestWord"]

_BATCH = 2048
_TILE = 256
_STRIP = 16 * _TILE


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _best_of_tiles(products, halves, best):  # type: ignore[no-untyped-def]
    """The largest z·w − ‖w‖²/2 of every tile, in one pass over the products."""
    for i in range(products.shape[0]):
        for tile in range(best.shape[1]):
            start = tile * _TILE
            largest = products[i, start] - halves[start]
            for j in range(start + 1, min(start + _TILE, products.shape[1])):
                largest = max(largest, products[i, j] - halves[j])
            best[i, tile] = largest


@dataclass(frozen=True, eq=False)
class NearestWord:
    """Finds nearest words, the first of those equally near.

    >>> words = Vocabulary(words=("low", "high"), vectors=[[0.0, 0.0], [0.0, 9.0]])
    >>> NearestWord(words).ids(np.array([[1.0, 4.0], [1.0, 5.0]]))
    array([0, 1])
    """

    vocabulary: Vocabulary

    def __getstate__(self) -> dict[str, Any]:
        return {"vocabulary": self.vocabulary}

    @cached_property
    def _half_squares(self) -> NDArray[np.float64]:
        vectors = self.vocabulary.vectors
        steps = range(0, len(vectors), 1 << 16)
        return np.concatenate([0.5 * (np.asarray(vectors[s : s + (1 << 16)], float) ** 2).sum(axis=1) for s in steps])

    @cached_property
    def _largest(self) -> float:
        return float(np.sqrt(2 * self._half_squares.max()))

    def ids(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The place of the nearest word of each point of an array of shape (m, d)."""
        batches = [points[start : start + _BATCH] for start in range(0, len(points), _BATCH)]
        if len(batches) < 2:
            return self._batch(points)
        from threadpoolctl import ThreadpoolController

        blas = ThreadpoolController().select(user_api="blas")
        threads = max((library["num_threads"] for library in blas.info()), default=1)
        with blas.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            return np.concatenate(list(pool.map(self._batch, batches)))

    def _batch(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        points = np.asarray(points, np.float64)
        vectors, size = self.vocabulary.vectors, len(self.vocabulary)
        tiles = -(-size // _TILE)
        best = np.empty((len(points), tiles), np.float32)
        room = np.empty(len(points) * min(_STRIP, size), np.float32)  # taken from the system once, not for every strip
        halves = self._half_squares.astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # points beyond single precision: see below
            single = points.astype(np.float32)
            for start in range(0, size, _STRIP):
                stop = min(start + _STRIP, size)
                products = room[: len(points) * (stop - start)].reshape(len(points), -1)
                np.matmul(single, vectors[start:stop].T, out=products)
                _best_of_tiles(products, halves[start:stop], best[:, start // _TILE : -(-stop // _TILE)])
        # |fl(z·w) − z·w| ≤ n·2⁻²⁴·‖z‖‖w‖ for n products, plus the rounding of z, of ‖w‖²/2 and of the difference
        norms = np.linalg.norm(points, axis=1)
        error = 2.0**-23 * (points.shape[1] + 8) * (norms + self._largest) * self._largest + 1e-30
        close = best >= (best.max(axis=1) - 2 * error)[:, None]
        close[norms * self._largest > 1e37] = True
        found = np.empty(len(points), np.int64)
        top = np.full(len(points), -np.inf)
        for tile in np.flatnonzero(close.any(axis=0)):  # ascending: the first of equals wins
            rows = np.flatnonzero(close[:, tile])
            part = slice(tile * _TILE, min((tile + 1) * _TILE, size))
            exact = points[rows] @ np.asarray(vectors[part], np.float64).T - self._half_squares[part]
            place = exact.argmax(axis=1)
            value = exact[np.arange(len(rows)), place]
            better = value > top[rows]
            top[rows[better]] = value[better]
            found[rows[better]] = part.start + place[better]
        return found
