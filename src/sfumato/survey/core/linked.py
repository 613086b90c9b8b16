"""A reference order that also keeps groups near each other that do not overlap.

The graph of Algorithm 1 says nothing about where one component lies relative to another, so an order of it jumps across
the map between components, and a report that leaves its component lands anywhere. Places are public: linking each
component to its nearest neighbour before ordering costs no privacy and keeps far more of the map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.neighbourhood import Geometry, as_points
from sfumato.survey.core.order import component_labels, cuthill_mckee, sorted_order, spread_over_owners

__all__ = ["linked_order"]

Edges = NDArray[np.int64]
_NEAREST = 16
_SAMPLE = 500


def linked_order(groups: Groups, places: ArrayLike, *, geometry: Geometry = "plane") -> NDArray[np.int64]:
    """Reverse Cuthill–McKee order of the groups' graph, with components linked along short distances.

    On a line this is the sorted order, which is optimal there.

    Parameters
    ----------
    groups : Groups
    places : array of shape (n,) or (n, d)
        Public places of the owners.
    geometry : {"plane", "globe"}

    Examples
    --------
    >>> places = np.array([0.0, 5.0, 0.1, 2.0])
    >>> linked_order(Groups.from_places(places, radius=0.2), places)
    array([0, 2, 3, 1])
    """
    points = as_points(places, geometry)
    if len(points) != groups.n:
        raise bad_input("places", points.shape, f"one place for each of the {groups.n} owners")
    if points.shape[1] == 1:
        return sorted_order(points[:, 0])
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    indptr, owners = groups.owners
    sites = points[owners[indptr[:-1]]]
    m = groups.sites
    near_ptr, near = groups.neighbours
    graph = sparse.csr_array((np.ones(near.size, np.int8), near, near_ptr.astype(np.int32)), shape=(m, m))
    label = component_labels(near_ptr, near)
    count = int(label.max()) + 1
    links = [np.empty((0, 2), np.int64)]
    while count > 1:
        links.append(_short_links(sites, label))
        joined = label[links[-1]]
        merged = sparse.csr_array((np.ones(len(joined), np.int8), joined.T), shape=(count, count))
        count, new = connected_components(merged, directed=False)
        label = new[label]
    added = np.concatenate(links)
    if len(added):
        both = np.concatenate([added, added[:, ::-1]]).T
        graph = graph + sparse.csr_array((np.ones(both.shape[1], np.int8), both), shape=(m, m))
    return spread_over_owners(groups, cuthill_mckee(graph))


def _short_links(sites: NDArray[np.float64], label: NDArray[np.int64]) -> Edges:
    """For every component but the largest, its shortest link among near sites; at least one link in all."""
    from scipy.spatial import cKDTree

    asking = np.flatnonzero(label != np.bincount(label).argmax())
    distance, found = cKDTree(sites, balanced_tree=False, compact_nodes=False).query(
        sites[asking], k=min(_NEAREST, len(sites))
    )
    distance = np.where(label[found] == label[asking][:, None], np.inf, distance)
    best = distance.argmin(axis=1)
    length = distance[np.arange(asking.size), best]
    order = np.lexsort([length, label[asking]])
    first = np.concatenate([[True], np.diff(label[asking][order]) != 0])
    chosen = order[first & np.isfinite(length[order])]
    if chosen.size:
        return np.stack([asking[chosen], found[chosen, best[chosen]]], axis=1)
    return _links_of_centres(sites, label)


def _links_of_centres(sites: NDArray[np.float64], label: NDArray[np.int64]) -> Edges:
    """Links between components with near centres, for components so dense that no near site is foreign."""
    from scipy.spatial import cKDTree

    size = np.bincount(label)
    centre = np.stack([np.bincount(label, column) for column in sites.T], axis=1) / size[:, None]
    partner = cKDTree(centre).query(centre, k=2)[1]
    partner = np.where(partner[:, 0] == np.arange(size.size), partner[:, 1], partner[:, 0])
    order = np.argsort(label, kind="stable")
    start = np.concatenate([[0], np.cumsum(size)])
    links = []
    for own, other in enumerate(partner):
        ends = []
        for component, towards in ((own, other), (other, own)):
            members = order[start[component] : start[component + 1]]
            some = members[:: max(1, members.size // _SAMPLE)]
            ends.append(some[np.argmin(((sites[some] - centre[towards]) ** 2).sum(axis=1))])
        links.append(ends)
    return np.array(links)
