"""Whom each owner hides among: one group of owners for each owner, who is always in it.

Groups are public. They come from places (everybody within a radius, or the r nearest), from distances, from a graph or
from lists that the owners wrote themselves. Owners who stand at the same place share one *site*, and only the
neighbourhood between sites is stored: 30 000 people with 73 distinct ages cost 73 rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.survey.core.neighbourhood import (
    Geometry,
    as_points,
    graph_rows,
    is_symmetric,
    misplaced_row,
    nearest_rows,
    own_radius_rows,
    radius_in_points,
    radius_rows,
    to_sites,
)
from sfumato.survey.permutation.mallows import check_permutation
from sfumato.validate import finite_array, integer, positive

__all__ = ["Groups"]

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """The groups G_i of n owners, 0-based (Meehan 2023, §4.4.2).

    Built by :meth:`from_places`, :meth:`from_distances`, :meth:`from_graph`, :meth:`from_lists`, :meth:`banded`,
    :meth:`everyone` and :meth:`alone`; two collections with the same groups are equal.

    Parameters
    ----------
    site_of : array of shape (n,)
        The site of each owner, in 0 … m − 1.
    indptr, indices : arrays of shape (m + 1,) and (number of neighbourhoods,)
        Row s lists, in ascending order, the sites whose owners form the group of the owners at s.

    Examples
    --------
    >>> groups = Groups.from_places([1.0, 2.0, 2.0, 9.0], radius=1)
    >>> groups
    Groups(4 owners, 3 sites, groups of 1 to 3)
    >>> groups.members(0)
    array([0, 1, 2])
    """

    site_of: Index
    indptr: Index
    indices: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name, kind in (("site_of", np.int64), ("indptr", np.int64), ("indices", np.int32)):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
                raise bad_input(
                    name, array.shape, "a list of whole numbers", "from_lists takes groups as they are written"
                )
            object.__setattr__(self, name, array.astype(kind, copy=False))
        rises = self.indptr[0] == 0 and (np.diff(self.indptr) >= 0).all() and self.indptr[-1] == self.indices.size
        if self.sites < 1 or not rises:
            raise bad_input("indptr", self.indptr, "where each row of indices starts, and the end of the last")
        if self.site_of.min() < 0 or self.site_of.max() >= self.sites:
            raise bad_input("site_of", int(self.site_of.max()), f"sites from 0 to {self.sites - 1}")
        row = misplaced_row(self.indptr, self.indices)
        if row >= 0:
            raise bad_input(
                f"row {row} of indices",
                self.indices[self.indptr[row] : self.indptr[row + 1]].tolist(),
                f"different sites from 0 to {self.sites - 1} in ascending order, {row} among them",
            )

    @classmethod
    def from_places(
        cls,
        places: ArrayLike,
        *,
        radius: float | ArrayLike | None = None,
        nearest: int | None = None,
        geometry: Geometry = "plane",
    ) -> Self:
        """Everybody within ``radius``, or the ``nearest`` owners (oneself included), found with a KD-tree.

        Parameters
        ----------
        places : array of shape (n,) or (n, d)
        radius : float, or array of shape (n,)
            In the unit of the places; in kilometres on the globe. One for all, or each owner's own (Meehan 2023,
            §4.4.2): it must be public, and must not depend on the answer.
        nearest : int
            0 and 1 leave everybody alone.
        geometry : {"plane", "globe"}
            On the globe, places are latitude and longitude in degrees and distance is along the great circle.
        """
        points = as_points(places, geometry)
        _one_of(radius, nearest)
        if radius is not None and np.ndim(radius) > 0:
            return cls._within_own_radii(points, finite_array("radius", radius, ndim=1), geometry)
        if radius is not None:
            reach = radius_in_points(radius, geometry)  # type: ignore[arg-type]
            sites, site_of = to_sites(points)
            return cls(site_of, *radius_rows(sites, reach, np.bincount(site_of)))
        count = min(integer("nearest", nearest, least=0), len(points))
        return cls(np.arange(len(points)), *nearest_rows(points, max(count, 1)))

    @classmethod
    def _within_own_radii(cls, points: NDArray[np.float64], radii: NDArray[np.float64], geometry: Geometry) -> Self:
        if len(radii) != len(points):
            raise bad_input("radius", radii.shape, f"one radius, or one for each of the {len(points)} owners")
        reach = np.array([radius_in_points(float(radius), geometry) for radius in radii])
        sites, site_of = to_sites(np.concatenate([points, reach[:, None]], axis=1))  # alike in place and radius
        return cls(site_of, *own_radius_rows(sites[:, :-1], sites[:, -1]))

    @classmethod
    def from_distances(cls, distances: ArrayLike, *, radius: float | None = None, nearest: int | None = None) -> Self:
        """The same from an n × n matrix of distances, which must be symmetric with a zero diagonal."""
        matrix = finite_array("distances", distances, ndim=2)
        _one_of(radius, nearest)
        if matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise bad_input("distances", matrix.shape, "a square matrix")
        if (matrix < 0).any() or matrix.diagonal().any():
            raise bad_input("distances", "negative or d(i, i) ≠ 0", "distances ≥ 0 that are 0 on the diagonal")
        uneven = np.argwhere(matrix != matrix.T)
        if len(uneven):
            i, j = uneven[0]
            raise bad_input(
                f"distances[{i}, {j}]",
                float(matrix[i, j]),
                f"a symmetric matrix; distances[{j}, {i}] = {matrix[j, i]:g}",
                "symmetrise it first, e.g. by np.maximum(d, d.T)",
            )
        if radius is not None:
            positive("radius", radius, zero=True)
            return cls.from_lists([np.flatnonzero(row <= radius) for row in matrix])
        count = max(1, min(integer("nearest", nearest, least=0), len(matrix)))
        ranked = matrix.copy()
        np.fill_diagonal(ranked, -1.0)  # oneself comes first even among coincident owners
        return cls.from_lists(np.sort(np.argsort(ranked, axis=1, kind="stable")[:, :count], axis=1))

    @classmethod
    def from_graph(cls, adjacency: Any, *, hops: int = 1) -> Self:
        """Everybody within ``hops`` steps of an undirected graph, a symmetric matrix (dense or scipy sparse)."""
        from scipy import sparse

        given = adjacency if sparse.issparse(adjacency) else np.asarray(adjacency)
        if len(given.shape) != 2 or given.shape[0] != given.shape[1] or given.shape[0] == 0:
            raise bad_input("adjacency", given.shape, "a square matrix")
        matrix = sparse.csr_array(given)
        if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix.data).all():
            raise bad_input("adjacency", matrix.dtype, "finite numbers, 0 where there is no edge")
        pattern = (matrix != 0).astype(np.int8)
        if (pattern != pattern.T).nnz:
            raise bad_input("adjacency", "a directed graph", "a symmetric matrix", "add its transpose")
        integer("hops", hops, least=0)
        return cls(np.arange(matrix.shape[0]), *graph_rows(pattern, hops))

    @classmethod
    def from_friends(cls, owners: ArrayLike, pairs: ArrayLike, *, hops: int = 1) -> Self:
        """Everybody within ``hops`` steps of friendship, from a list of pairs of owners.

        Parameters
        ----------
        owners : array of shape (n,)
            The public name of each owner.
        pairs : array of shape (m, 2)
            Who is a friend of whom, in either order. Pairs with somebody who is no owner are refused.

        >>> Groups.from_friends(["a", "b", "c", "d"], [["a", "b"], ["c", "b"]], hops=2).members(0)
        array([0, 1, 2])
        """
        from scipy import sparse

        names, number = np.unique(np.asarray(owners), return_inverse=True)
        links = np.asarray(pairs)
        if len(names) < np.size(owners):
            raise bad_input("owners", np.size(owners), "different names", "one row for each owner")
        if links.ndim != 2 or links.shape[1] != 2:
            raise bad_input("pairs", links.shape, "rows of two owners")
        place = np.minimum(np.searchsorted(names, links), len(names) - 1)
        if not (names[place] == links).all():
            raise bad_input("pairs", "somebody else", "pairs of owners", "leave out pairs with others")
        row = np.argsort(number)[place]
        ones = np.ones(2 * len(links), np.int8)
        both = np.concatenate([row, row[:, ::-1]])
        graph = sparse.csr_array((ones, (both[:, 0], both[:, 1])), shape=(len(names), len(names)))
        return cls.from_graph(graph, hops=hops)

    @classmethod
    def from_lists(cls, lists: Iterable[Sequence[int] | Index]) -> Self:
        """The groups as written: ``lists[i]`` holds the owners that i hides among, i included."""
        try:
            rows = [np.asarray(row) for row in lists]
        except (TypeError, ValueError) as error:
            raise bad_input("lists", lists, "one flat list of owners for each owner") from error
        n = len(rows)
        if n == 0:
            raise bad_input("lists", [], "one group for each owner")
        for i, row in enumerate(rows):
            if row.ndim != 1 or row.size == 0 or row.dtype.kind not in "iu":
                raise bad_input(f"lists[{i}]", row, "a list of owners as whole numbers")
            if row.min() < 0 or row.max() >= n:
                raise bad_input(f"lists[{i}]", row.tolist(), f"owners from 0 to {n - 1}")
            if not (row == i).any():
                raise bad_input(f"lists[{i}]", row.tolist(), f"owner {i} in the group of owner {i}", "add it")
        rows = [np.unique(row) for row in rows]
        indptr = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(np.int64)
        return cls(np.arange(n), indptr, np.concatenate(rows).astype(np.int32))

    @classmethod
    def banded(cls, order: ArrayLike, *, reach: int) -> Self:
        """Everybody at most ``reach`` places away in a public order: groups of 2·reach + 1 even where places coincide.

        >>> Groups.banded([2, 0, 1, 3], reach=1).members(0)
        array([0, 1, 2])
        """
        place = np.argsort(check_permutation("order", np.asarray(order)))
        return cls.from_places(place.astype(float), radius=integer("reach", reach, least=0))

    @classmethod
    def everyone(cls, n: int) -> Self:
        """One group of all n owners: the promise of a uniform shuffle."""
        integer("n", n)
        return cls(np.zeros(n, np.int64), np.array([0, 1]), np.zeros(1, np.int32))

    @classmethod
    def alone(cls, n: int) -> Self:
        """Nobody hides among anybody: local privacy only."""
        integer("n", n)
        return cls(np.arange(n), np.arange(n + 1), np.arange(n, dtype=np.int32))

    @property
    def n(self) -> int:
        """Number of owners."""
        return int(self.site_of.size)

    @property
    def sites(self) -> int:
        """Number of sites."""
        return int(self.indptr.size - 1)

    @cached_property
    def crowd(self) -> Index:
        """Number of owners at each site."""
        return np.bincount(self.site_of, minlength=self.sites)

    @cached_property
    def owners(self) -> tuple[Index, Index]:
        """The owners by site, as ``(indptr, indices)``."""
        order = np.argsort(self.site_of, kind="stable")
        return np.concatenate([[0], np.cumsum(self.crowd)]), order

    @cached_property
    def site_sizes(self) -> Index:
        """|G_i| for the owners at each site."""
        totals = np.concatenate([[0], np.cumsum(self.crowd[self.indices])])
        return totals[self.indptr[1:]] - totals[self.indptr[:-1]]

    @property
    def sizes(self) -> Index:
        """|G_i| of each owner."""
        return self.site_sizes[self.site_of]

    def members(self, owner: int) -> Index:
        """The group of one owner, in ascending order."""
        site = self.site_of[integer("owner", owner, least=0, most=self.n - 1)]
        indptr, owners = self.owners
        near = self.indices[self.indptr[site] : self.indptr[site + 1]]
        return np.sort(np.concatenate([owners[indptr[s] : indptr[s + 1]] for s in near]))

    @cached_property
    def neighbours(self) -> tuple[Index, NDArray[np.int32]]:
        """The graph of Algorithm 1 between sites, with an edge where either is in the other's group."""
        if is_symmetric(self.indptr, self.indices):
            return self.indptr, self.indices
        from scipy import sparse

        entries = np.ones(self.indices.size, np.int8)
        rows = sparse.csr_array((entries, self.indices, self.indptr), shape=(self.sites, self.sites))
        either = rows + rows.T.tocsr()
        either.sort_indices()
        return either.indptr.astype(np.int64), either.indices.astype(np.int32)

    @cached_property
    def digest(self) -> str:
        """Names these groups: equal groups have equal digests."""
        state = hashlib.sha256()
        for array in (self.site_of, self.indptr, self.indices):
            state.update(np.ascontiguousarray(array, np.int64).data)
            state.update(b"|")
        return state.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """The groups alone: what was derived from them neither travels between processes nor changes their digest."""
        return {name: self.__dict__[name] for name in ("site_of", "indptr", "indices")}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        return self is other or (self.n == other.n and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        sizes = self.site_sizes
        return f"Groups({self.n} owners, {self.sites} sites, groups of {sizes.min()} to {sizes.max()})"


def _one_of(radius: Any, nearest: int | None) -> None:
    if (radius is None) == (nearest is None):
        raise bad_input("radius, nearest", (radius, nearest), "exactly one of the two")
