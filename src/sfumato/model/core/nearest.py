"""Exact nearest neighbours under the Euclidean distance, block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, integer

__all__ = ["Neighbours", "nearest", "points"]

_TREE = 12  # dimensions up to which a tree beats the whole matrix of distances
_BLOCK = 64_000_000  # bytes of one block of distances


class Neighbours(NamedTuple):
    """For each query the distances of its nearest points, closest first, and which they are."""

    distance: NDArray[np.float64]
    which: NDArray[np.int64]


def points(name: str, value: object, *, dimension: int | None = None) -> NDArray[np.float64]:
    """Finite numbers as rows: images and other arrays are flattened sample by sample."""
    array = finite_array(name, value)  # type: ignore[arg-type]
    if array.ndim < 2 or not len(array) or not array.size:
        raise bad_input(name, array.shape, "at least one sample, one a row", "reshape a single column to (n, 1)")
    flat = array.reshape(len(array), -1)
    if dimension is not None and flat.shape[1] != dimension:
        raise bad_input(name, f"{flat.shape[1]} numbers a sample", f"{dimension}, as in the training set")
    return flat


def nearest(known: NDArray[np.float64], queries: NDArray[np.float64], *, count: int = 1) -> Neighbours:
    """The ``count`` nearest rows of ``known`` for each row of ``queries``.

    In few dimensions a k-d tree answers, otherwise ‖a‖² + ‖b‖² − 2ab over blocks of bounded memory. The distances
    themselves are computed again from the differences, so that an exact copy is at distance 0 and not at what
    cancellation leaves.

    >>> nearest(np.array([[0.0], [3.0]]), np.array([[1.0], [3.0]])).distance.ravel()
    array([1., 0.])
    """
    known, queries = points("known", known), points("queries", queries, dimension=np.shape(known)[-1])
    count = integer("count", count, most=len(known), remedy="there are no more points")
    if known.shape[1] <= _TREE:
        from scipy.spatial import cKDTree

        distance, index = cKDTree(known).query(queries, k=np.arange(1, count + 1))
        return Neighbours(distance, index.astype(np.int64))
    centre = known.mean(axis=0)  # less is lost by cancellation around the middle
    shifted, moved = known - centre, queries - centre
    lengths = np.einsum("ij,ij->i", shifted, shifted)
    turned = np.ascontiguousarray(-2.0 * shifted.T)
    found = np.empty((len(queries), count), np.int64)
    step = max(1, _BLOCK // (8 * len(known)))
    for start in range(0, len(queries), step):
        block = moved[start : start + step] @ turned
        block += lengths
        if count == 1:
            found[start : start + step, 0] = block.argmin(axis=1)
        elif count < len(known):
            found[start : start + step] = np.argpartition(block, count - 1, axis=1)[:, :count]
        else:
            found[start : start + step] = np.arange(len(known))
    distance = np.empty(found.shape)
    for place in range(count):
        gap = queries - known[found[:, place]]
        distance[:, place] = np.sqrt(np.einsum("ij,ij->i", gap, gap))
    order = np.lexsort((found, distance), axis=1)
    return Neighbours(np.take_along_axis(distance, order, 1), np.take_along_axis(found, order, 1))
