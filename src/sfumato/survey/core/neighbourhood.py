"""Rows of neighbours in compressed form, for :class:`~sfumato.survey.Groups`."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import choice, finite_array, positive

__all__ = [
    "LARGEST",
    "Geometry",
    "as_points",
    "graph_rows",
    "is_symmetric",
    "misplaced_row",
    "nearest_rows",
    "own_radius_rows",
    "radius_in_points",
    "radius_of_points",
    "radius_rows",
    "to_sites",
]

LARGEST = 10**8
"""Most neighbourhoods that are stored: 0.4 GB at rest and 1.6 GB while they are found."""

Rows = tuple[NDArray[np.int64], NDArray[np.int32]]
Points = NDArray[np.float64]
Geometry = Literal["plane", "globe"]


def as_points(places: ArrayLike, geometry: Geometry) -> Points:
    """Places as rows of coordinates; latitude and longitude become points of the unit sphere."""
    points = finite_array("places", places)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.size == 0:
        raise bad_input("places", points.shape, "one row of coordinates for each owner")
    if choice("geometry", geometry, get_args(Geometry)) == "plane":
        return points
    if points.shape[1] != 2 or (abs(points[:, 0]) > 90).any() or (abs(points[:, 1]) > 360).any():
        raise bad_input("places", points.shape, "latitude in [−90, 90] and longitude, in degrees", "check their order")
    latitude, longitude = np.radians(points).T
    return np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    )


def radius_in_points(radius: float, geometry: Geometry) -> float:
    """A radius in the unit of :func:`as_points`: on the globe kilometres become a chord of the unit sphere."""
    reach = positive("radius", radius, "a radius is a distance; 0 leaves only owners at the same place", zero=True)
    return reach if geometry == "plane" else 2 * math.sin(min(1000 * reach / EARTH_RADIUS, math.pi) / 2)


def radius_of_points(reach: float, geometry: Geometry) -> float:
    """The inverse of :func:`radius_in_points`.

    >>> round(radius_of_points(radius_in_points(5.0, "globe"), "globe"), 9)
    5.0
    """
    return reach if geometry == "plane" else 2 * math.asin(min(reach / 2, 1.0)) * EARTH_RADIUS / 1000


def to_sites(points: Points) -> tuple[Points, NDArray[np.int64]]:
    """The distinct points, and for each point which of them it is."""
    n = len(points)
    if np.unique(points[:, 0]).size == n:  # the usual case of measured places, without sorting rows
        return points, np.arange(n)
    order = np.lexsort(points.T[::-1])
    ranked = points[order]
    fresh = np.concatenate([[True], (ranked[1:] != ranked[:-1]).any(axis=1)])
    site_of = np.empty(n, np.int64)
    site_of[order] = np.cumsum(fresh) - 1
    return ranked[fresh], site_of


def radius_rows(points: Points, radius: float, crowd: NDArray[np.int64]) -> Rows:
    """Row i: the points within ``radius`` of point i (closed ball, i included)."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    m = len(points)
    some = np.linspace(0, m - 1, min(m, 500)).astype(np.int64)
    typical = tree.query_ball_point(points[some], radius, return_length=True).mean()
    if typical * m > LARGEST:
        raise bad_input(
            "radius",
            radius,
            f"fewer than {LARGEST:.0e} neighbourhoods; this one has about {typical * m:.1e}",
            "a smaller radius, places rounded to fewer sites, or Groups.everyone",
        )
    pairs = tree.query_pairs(radius, output_type="ndarray")
    return _symmetric_rows(pairs, m)


def own_radius_rows(points: Points, radii: Points) -> Rows:
    """Row i: the points within ``radii[i]`` of point i: i may be in the row of j without j in that of i."""
    from scipy.spatial import cKDTree

    tree, m = cKDTree(points), len(points)
    sizes = tree.query_ball_point(points, radii, return_length=True)
    if sizes.sum() > LARGEST:
        raise bad_input("radius", float(radii.max()), f"fewer than {LARGEST:.0e} neighbourhoods", "smaller radii")
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indices = np.empty(indptr[-1], np.int32)
    for begin in range(0, m, 10_000):  # lists of Python numbers are large
        rows = tree.query_ball_point(points[begin : begin + 10_000], radii[begin : begin + 10_000], return_sorted=True)
        for i, row in enumerate(rows, begin):
            indices[indptr[i] : indptr[i + 1]] = row
    return indptr, indices


def nearest_rows(points: Points, count: int) -> Rows:
    """Row i: point i and the ``count`` − 1 other points nearest to it."""
    from scipy.spatial import cKDTree

    n = len(points)
    if count * n > LARGEST:
        raise bad_input("nearest", count, f"at most {LARGEST // n} for {n} owners", "Groups.everyone for all of them")
    if count == 1:
        return np.arange(n + 1), np.arange(n, dtype=np.int32)
    tree = cKDTree(points)
    rows = np.empty((n, count), np.int32)
    for start in range(0, n, 50_000):
        _, found = tree.query(points[start : start + 50_000], k=count)
        rows[start : start + 50_000] = found
    itself = np.arange(n)
    lost = ~(rows == itself[:, None]).any(axis=1)  # among many coincident points the tree may miss the asker
    rows[lost, -1] = itself[lost]
    rows.sort(axis=1)
    return np.arange(n + 1) * count, rows.ravel()


def graph_rows(pattern: Any, hops: int) -> Rows:
    """Row i: the nodes at most ``hops`` steps from node i."""
    from scipy import sparse

    n = pattern.shape[0]
    step = sparse.eye_array(n, dtype=np.int8, format="csr") + pattern
    reach = sparse.eye_array(n, dtype=np.int8, format="csr")
    for _ in range(hops):
        reach = ((reach @ step) != 0).astype(np.int8)
        if reach.nnz > LARGEST:
            raise bad_input("hops", hops, f"fewer than {LARGEST:.0e} neighbourhoods", "fewer hops")
    reach = sparse.csr_array(reach)
    reach.sort_indices()
    return reach.indptr.astype(np.int64), reach.indices.astype(np.int32)


@njit(cache=True)
def misplaced_row(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> int:  # pragma: no cover - compiled
    """The first row that does not list different rows in ascending order with itself among them; −1 if all do."""
    m = indptr.size - 1
    for i in range(m):
        last, itself = -1, False
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] <= last or indices[k] >= m:
                return i
            last = indices[k]
            itself |= last == i
        if not itself:
            return i
    return -1


@njit(cache=True)
def is_symmetric(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> bool:  # pragma: no cover - compiled
    """Whether i is in row j whenever j is in row i; rows are in ascending order."""
    m = indptr.size - 1
    cursor = indptr[:-1].copy()
    for i in range(m):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            # Going through the rows in order meets the entries of row j in order, if the matrix is symmetric.
            if cursor[j] == indptr[j + 1] or indices[cursor[j]] != i:
                return False
            cursor[j] += 1
    return True


@njit(cache=True)
def _symmetric_rows(pairs: NDArray[np.int64], m: int) -> Rows:  # pragma: no cover - compiled
    """Rows in ascending order from unordered pairs i ≠ j, with i added to its own row."""
    indptr = np.zeros(m + 1, np.int64)
    for p in range(pairs.shape[0]):
        indptr[pairs[p, 0] + 1] += 1
        indptr[pairs[p, 1] + 1] += 1
    for i in range(m):
        indptr[i + 1] += indptr[i] + 1
    end = indptr[:-1].copy()
    loose = np.empty(indptr[m], np.int32)
    for i in range(m):
        loose[end[i]] = i
        end[i] += 1
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        loose[end[i]] = j
        end[i] += 1
        loose[end[j]] = i
        end[j] += 1
    # The transpose of a symmetric matrix is itself, and transposing row after row leaves the rows in order.
    indices = np.empty(indptr[m], np.int32)
    end[:] = indptr[:-1]
    for i in range(m):
        for k in range(indptr[i], indptr[i + 1]):
            j = loose[k]
            indices[end[j]] = i
            end[j] += 1
    return indptr, indices
