"""A reference order that keeps every component in one piece and visits near components one after the other.

The graph of Algorithm 1 says nothing about where one component lies relative to another, so an order of it jumps across
the map between components, and a report that leaves its component lands anywhere. Places are public: they say how near
two components are, at no cost in privacy.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.survey.core.component_tree import component_tree, to_unit_scale
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.neighbourhood import Geometry, as_points
from sfumato.survey.core.order import component_labels, cuthill_mckee_sites, sorted_order, spread_over_owners

__all__ = ["linked_order", "site_places", "tour"]

Floats = NDArray[np.float64]
Index = NDArray[np.int64]


def linked_order(groups: Groups, places: ArrayLike, *, geometry: Geometry = "plane") -> Index:
    """Cuthill–McKee inside each component of the groups' graph, and a short tour through the components.

    On a line this is the sorted order, which is best there. Otherwise:

    1. Each component is ordered by reverse Cuthill–McKee and stays in one piece, so that every group is exactly as wide
       as in :func:`~sfumato.survey.cuthill_mckee_order`.
    2. The components are connected by a minimum spanning tree of their distances, the shortest between two places.
    3. They are visited in a depth-first tour of that tree, which starts at one end of its longest path and ends at the
       other. Each is run through from the end that is nearer to where the previous one was left.

    **Theorem.** Let L be the length of the tree, P of its longest path, D_c the diameter of component c and deg_c its
    number of links in the tree. The hops between components add up to at most 2L − P + Σ_c (1 + deg_c)·D_c. No order
    that keeps components in one piece hops less than L.

    *Proof.* Walk around the tree, from the first component to the last. The walk uses each link twice, those between
    the first and the last once. A hop from the end of one component to the start of the next is at most as long as the
    walk between them: its links, and a way of at most D_c inside each component on it. The walk spends D_c when it
    first reaches c, D_c when it leaves c for the first time, and D_c for each of the at most deg_c − 1 times that it
    comes back from a child; for the first component, which it need not reach, it is one less and there is one child
    more. Conversely the hops of any such order connect all components, at no less than their distances, and no
    tree that does is shorter than L. ∎

    So with single owners as components the tour is at most twice as long as the shortest one.

    Parameters
    ----------
    groups : Groups
    places : array of shape (n,) or (n, d)
        Public places of the owners. Owners who share a site have one place.
    geometry : {"plane", "globe"}
        On the globe, distance is the chord between two places.

    Examples
    --------
    >>> places = np.array([0.0, 5.0, 0.1, 2.0])
    >>> linked_order(Groups.from_places(places, radius=0.2), places)
    array([0, 2, 3, 1])
    >>> corners = np.array([[0.0, 0.0], [9.0, 9.0], [0.1, 0.0], [9.0, 0.0], [9.0, 8.9]])
    >>> linked_order(Groups.from_places(corners, radius=0.2), corners).tolist() in ([0, 2, 3, 4, 1], [1, 4, 3, 2, 0])
    True
    """
    points = as_points(places, geometry)
    if len(points) != groups.n:
        raise bad_input("places", points.shape, f"one place for each of the {groups.n} owners")
    if points.shape[1] == 1:
        return sorted_order(points[:, 0])
    sites = to_unit_scale(site_places(groups, points))
    label = component_labels(*groups.neighbours)
    pieces = cuthill_mckee_sites(groups)
    if label.max() == 0:
        return spread_over_owners(groups, pieces)
    links = component_tree(sites, label)
    visits = tour(label[links], np.linalg.norm(sites[links[:, 0]] - sites[links[:, 1]], axis=1))
    joined = (label[links] == visits[0]).any(axis=1) & (label[links] == visits[1]).any(axis=1)
    exit_ = links[joined][0]
    return spread_over_owners(groups, _lay_out(sites, label, pieces, visits, exit_))


def site_places(groups: Groups, points: Floats) -> Floats:
    """The place of each site: that of its first owner."""
    indptr, owners = groups.owners
    return points[owners[indptr[:-1]]]


def tour(links: Index, lengths: Floats) -> Index:
    """The nodes of a tree in depth-first order, from one end of its longest path to the other.

    Parameters
    ----------
    links : array of shape (c − 1, 2)
        The two nodes of each link; nodes are 0 … c − 1.
    lengths : array of shape (c − 1,)

    Examples
    --------
    >>> tour(np.array([[0, 1], [0, 2], [0, 3]]), np.array([1.0, 5.0, 4.0]))
    array([2, 0, 1, 3])
    """
    count = len(links) + 1
    both = np.concatenate([links, links[:, ::-1]])
    by_node = np.lexsort([both[:, 1], both[:, 0]])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=count))])
    tree = (indptr, both[by_node, 1], np.concatenate([lengths, lengths])[by_node])
    end = int(_walk(*tree, 0)[2].argmax())
    walk, parent, distance = _walk(*tree, end)
    size, height = _subtrees(walk, parent, distance)
    # Siblings by height, so that the tour ends in the deepest and need not come back from there.
    siblings = np.lexsort([np.arange(count), height, parent])
    return np.argsort(_ranks(walk, parent, size, siblings))


@njit(cache=True)
def _walk(
    indptr: Index, neighbours: Index, lengths: Floats, root: int
) -> tuple[Index, Index, Floats]:  # pragma: no cover - compiled
    """The nodes of a tree from the root outwards, the parent of each (−1 for the root) and its distance to the root."""
    count = indptr.size - 1
    walk = np.empty(count, np.int64)
    parent = np.full(count, -1, np.int64)
    distance = np.zeros(count)
    walk[0], tail = root, 1
    for head in range(count):
        at = walk[head]
        for k in range(indptr[at], indptr[at + 1]):
            other = neighbours[k]
            if other != parent[at]:
                parent[other], distance[other] = at, distance[at] + lengths[k]
                walk[tail] = other
                tail += 1
    return walk, parent, distance


@njit(cache=True)
def _subtrees(walk: Index, parent: Index, distance: Floats) -> tuple[Index, Floats]:  # pragma: no cover - compiled
    """The number of nodes below each node, itself included, and the distance from the root to the farthest of them."""
    size, far = np.ones(walk.size, np.int64), distance.copy()
    for k in range(walk.size - 1, 0, -1):
        at = walk[k]
        size[parent[at]] += size[at]
        far[parent[at]] = max(far[parent[at]], far[at])
    return size, far


@njit(cache=True)
def _ranks(walk: Index, parent: Index, size: Index, siblings: Index) -> Index:  # pragma: no cover - compiled
    """The place of each node in depth-first order, children in the order in which ``siblings`` lists them."""
    before = np.zeros(walk.size, np.int64)  # nodes in the subtrees of earlier siblings
    taken = np.zeros(walk.size, np.int64)
    for at in siblings:
        if parent[at] >= 0:
            before[at] = taken[parent[at]]
            taken[parent[at]] += size[at]
    rank = np.zeros(walk.size, np.int64)
    for k in range(1, walk.size):
        at = walk[k]
        rank[at] = rank[parent[at]] + 1 + before[at]
    return rank


@njit(cache=True)
def _lay_out(
    sites: Floats, label: Index, pieces: Index, visits: Index, exit_: Index
) -> Index:  # pragma: no cover - compiled
    """The sites component after component, each from the end nearer to the last site before it.

    ``pieces`` holds every component in one piece; ``exit_`` is the link between the first two, of which the first
    component must end near one.
    """
    start = np.zeros(visits.size, np.int64)
    stop = np.zeros(visits.size, np.int64)
    for k in range(pieces.size):
        component = label[pieces[k]]
        if stop[component] == 0:
            start[component] = k
        stop[component] = k + 1
    order = np.empty(pieces.size, np.int64)
    at, filled = exit_[0], 0
    if label[at] == visits[0]:
        at = exit_[1]
    for turn in range(visits.size):
        first, last = pieces[start[visits[turn]]], pieces[stop[visits[turn]] - 1]
        to_first = ((sites[first] - sites[at]) ** 2).sum()
        to_last = ((sites[last] - sites[at]) ** 2).sum()
        # The first component is left, the others are entered, at the end that is nearer.
        forward = to_last <= to_first if turn == 0 else to_first <= to_last
        length = stop[visits[turn]] - start[visits[turn]]
        for k in range(length):
            order[filled + k] = pieces[start[visits[turn]] + k if forward else stop[visits[turn]] - 1 - k]
        filled += length
        at = order[filled - 1]
    return order
