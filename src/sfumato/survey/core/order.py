"""The reference permutation σ₀, how wide the groups lie in it, and how far two neighbouring permutations can be.

All of it is computed from the public groups and never from the answers. ``order[k]`` is the owner in place k.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.survey.core.groups import Groups
from sfumato.survey.permutation.mallows import PermutationMetric, check_permutation
from sfumato.validate import choice, finite_array

__all__ = [
    "OrderName",
    "bfs_order",
    "component_labels",
    "cuthill_mckee_order",
    "cuthill_mckee_sites",
    "group_sensitivities",
    "group_widths",
    "printed_sensitivity",
    "reference_order",
    "sorted_order",
    "spread_over_owners",
]

OrderName = Literal["cuthill-mckee", "bfs"]
Index = NDArray[np.int64]


def bfs_order(groups: Groups) -> Index:
    """Breadth-first order from the owner with the largest group: the reference of Algorithm 1 (Meehan 2023).

    The text leaves two choices open. Here neighbours are visited in ascending order of site, and when a component is
    exhausted the search goes on at the largest group not yet visited.

    >>> bfs_order(Groups.from_lists([[0, 2], [1], [0, 2, 3], [2, 3]]))
    array([2, 0, 3, 1])
    """
    starts = np.argsort(-groups.site_sizes, kind="stable")
    indptr, indices = groups.neighbours
    return spread_over_owners(groups, _breadth_first(indptr, indices, starts))


def cuthill_mckee_order(groups: Groups) -> Index:
    """Reverse Cuthill–McKee order of the same graph: narrower than breadth-first search, at the same cost."""
    return spread_over_owners(groups, cuthill_mckee_sites(groups))


def cuthill_mckee_sites(groups: Groups) -> Index:
    """Reverse Cuthill–McKee order of the sites; every connected component is in one piece."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    indptr, indices = groups.neighbours
    entries = np.ones(indices.size, np.int8)
    graph = sparse.csr_array((entries, indices, indptr.astype(np.int32)), shape=(groups.sites, groups.sites))
    return reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)


def sorted_order(values: ArrayLike) -> Index:
    """Owners by a number: the best reference when the groups are radii on a line.

    >>> sorted_order([3.0, 1.0, 2.0])
    array([1, 2, 0])
    """
    return np.argsort(finite_array("values", values, ndim=1), kind="stable")


def reference_order(groups: Groups, order: OrderName | ArrayLike) -> Index:
    """The named reference for these groups, or the given one, checked."""
    if isinstance(order, str):
        choice("order", order, get_args(OrderName), "or give a permutation, e.g. sorted_order(values)")
        return bfs_order(groups) if order == "bfs" else cuthill_mckee_order(groups)
    given = check_permutation("order", np.asarray(order))
    if given.shape != (groups.n,):
        raise bad_input("order", given.shape, f"a permutation of the {groups.n} owners")
    return given


def group_widths(groups: Groups, order: ArrayLike) -> Index:
    """ω of the group of each site: the largest distance in places between two of its members.

    >>> groups = Groups.from_lists([[0, 2], [1], [0, 2, 3], [2, 3]])
    >>> group_widths(groups, [2, 0, 3, 1])
    array([1, 0, 2, 2])
    """
    place = _places(groups, order)
    indptr, owners = groups.owners
    return _row_widths(groups.indptr, groups.indices, _spans(place, indptr, owners))


def group_sensitivities(groups: Groups, order: ArrayLike, metric: PermutationMetric = "kendall") -> Index:
    """Δ of the group of each site: the largest distance between two permutations that differ only inside it.

    Kendall, for a group at places p₁ < … < p_g of σ₀: Δ = g(g−1)/2 + Σ_c 2·min(ℓ_c, g − ℓ_c) over the places c between
    p₁ and p_g that hold no member, ℓ_c = #{p_i < c}; reversing the group attains it. The dissertation prints
    ω(ω+1)/2 (:func:`printed_sensitivity`), which is an upper bound. Hamming: Δ = |G|, or 0 for a single owner, whatever
    the width.
    """
    choice("metric", metric, get_args(PermutationMetric))
    place = _places(groups, order)
    if metric == "hamming":
        return np.where(groups.site_sizes > 1, groups.site_sizes, 0)
    indptr, owners = groups.owners
    return _kendall_sensitivities(groups.indptr, groups.indices, indptr, owners, place, int(groups.site_sizes.max()))


def printed_sensitivity(width: int) -> int:
    """ω(ω+1)/2, the Kendall sensitivity as the dissertation prints it (Property 4): an upper bound.

    >>> printed_sensitivity(7)
    28
    """
    return width * (width + 1) // 2


def _places(groups: Groups, order: ArrayLike) -> Index:
    given = reference_order(groups, order)
    place = np.empty(groups.n, np.int64)
    place[given] = np.arange(groups.n)
    return place


def spread_over_owners(groups: Groups, sites: Index) -> Index:
    """The owners in the order of their sites."""
    rank = np.empty(groups.sites, np.int64)
    rank[sites] = np.arange(groups.sites)
    return np.argsort(rank[groups.site_of], kind="stable")


@njit(cache=True)
def _breadth_first(indptr: Index, indices: NDArray[np.int32], starts: Index) -> Index:  # pragma: no cover - compiled
    m = indptr.size - 1
    order = np.empty(m, np.int64)
    seen = np.zeros(m, np.bool_)
    head = tail = 0
    for start in starts:
        if seen[start]:
            continue
        seen[start] = True
        order[tail] = start
        tail += 1
        while head < tail:
            at = order[head]
            head += 1
            for k in range(indptr[at], indptr[at + 1]):
                other = indices[k]
                if not seen[other]:
                    seen[other] = True
                    order[tail] = other
                    tail += 1
    return order


@njit(cache=True)
def component_labels(indptr: Index, indices: NDArray[np.int32]) -> Index:  # pragma: no cover - compiled
    """The number of the connected component of each node of a symmetric graph."""
    m = indptr.size - 1
    label = np.full(m, -1, np.int64)
    stack = np.empty(m, np.int64)
    count = 0
    for start in range(m):
        if label[start] >= 0:
            continue
        label[start], stack[0], top = count, start, 1
        while top > 0:
            top -= 1
            at = stack[top]
            for k in range(indptr[at], indptr[at + 1]):
                if label[indices[k]] < 0:
                    label[indices[k]] = count
                    stack[top] = indices[k]
                    top += 1
        count += 1
    return label


@njit(cache=True)
def _spans(place: Index, indptr: Index, owners: Index) -> Index:  # pragma: no cover - compiled
    """The first and the last place that the owners of each site take."""
    m = indptr.size - 1
    spans = np.empty((m, 2), np.int64)
    for s in range(m):
        low, high = place.size, -1
        for k in range(indptr[s], indptr[s + 1]):
            low, high = min(low, place[owners[k]]), max(high, place[owners[k]])
        spans[s, 0], spans[s, 1] = low, high
    return spans


@njit(cache=True)
def _row_widths(indptr: Index, indices: NDArray[np.int32], spans: Index) -> Index:  # pragma: no cover - compiled
    m = indptr.size - 1
    widths = np.zeros(m, np.int64)
    for s in range(m):
        first, last = spans[s, 0], spans[s, 1]
        for k in range(indptr[s], indptr[s + 1]):
            first = min(first, spans[indices[k], 0])
            last = max(last, spans[indices[k], 1])
        widths[s] = last - first
    return widths


@njit(cache=True)
def _sort(values: Index) -> None:  # pragma: no cover - compiled
    if values.size > 64:
        values.sort()
        return
    for k in range(1, values.size):  # by insertion: several times faster on the small groups that are most
        value = values[k]
        j = k - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@njit(cache=True)
def _kendall_sensitivities(
    indptr: Index, indices: NDArray[np.int32], owner_ptr: Index, owners: Index, place: Index, largest: int
) -> Index:  # pragma: no cover - compiled
    m = indptr.size - 1
    spans = _spans(place, owner_ptr, owners)
    result = np.zeros(m, np.int64)
    buffer = np.empty(largest, np.int64)
    for s in range(m):
        g = 0
        for k in range(indptr[s], indptr[s + 1]):
            site = indices[k]
            if spans[site, 0] == spans[site, 1]:
                buffer[g] = spans[site, 0]
                g += 1
                continue
            for j in range(owner_ptr[site], owner_ptr[site + 1]):
                buffer[g] = place[owners[j]]
                g += 1
        taken = buffer[:g]
        _sort(taken)
        total = g * (g - 1) // 2
        for before in range(1, g):
            total += (taken[before] - taken[before - 1] - 1) * 2 * min(before, g - before)
        result[s] = total
    return result
