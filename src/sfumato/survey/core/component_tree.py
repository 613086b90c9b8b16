"""The shortest tree that connects groups of points: the Euclidean minimum spanning tree of components.

Borůvka's algorithm: in every round each component but the largest finds its nearest foreign point, and what is linked
merges. Nearest foreign points are found in a tree of bounding boxes; a box whose points all belong to the asking
component is skipped as a whole, so that the inside of a dense component costs next to nothing (March, Ram and Gray
2010). Distances between the same two points are the same number whoever asks, and sums run in one order, so that the
tree does not depend on the processor.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["component_tree", "to_unit_scale"]

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

_LEAF = 8
_KEY_BITS = 62


class _Boxes(NamedTuple):
    """Points in an order that keeps near ones together, under a complete binary tree of bounding boxes.

    Node i has the children 2i + 1 and 2i + 2; the leaves are the last level, and leaf j holds the points
    ``starts[j]`` … ``starts[j + 1] − 1``.
    """

    points: Floats
    starts: Index
    low: Floats
    high: Floats


class _Search(NamedTuple):
    """What one round of Borůvka's algorithm knows; the arrays are changed in place.

    ``nearest[s]`` is a lower bound of the squared distance from point s to a foreign one; ``best[c]`` is the squared
    length of the shortest link of component c that was found, from ``inside[c]`` to ``outside[c]``.
    """

    label: Index
    owner: Index
    nearest: Floats
    best: Floats
    inside: Index
    outside: Index


def component_tree(points: Floats, label: Index) -> Index:
    """The links of a minimum spanning tree of components, under the smallest distance between their points.

    Parameters
    ----------
    points : array of shape (m, d)
    label : array of shape (m,)
        The component of each point, 0 … c − 1, all of them present.

    Returns
    -------
    array of shape (c − 1, 2)
        The two points of each link. No tree that connects all components is shorter, up to the rounding of a distance.

    Examples
    --------
    >>> links = component_tree(np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [3.0, 0.0]]), np.array([0, 0, 1, 2]))
    >>> sorted(sorted(link) for link in links.tolist())
    [[1, 3], [2, 3]]
    """
    points = to_unit_scale(points)
    order = _near_together(points)
    boxes = _bounding_boxes(points[order])
    own = label[order]
    count = int(label.max()) + 1
    nearest = np.zeros(len(points))
    links: list[Index] = []
    while count > 1:
        best = np.full(count, np.inf)
        ends = np.full((2, count), -1, np.int64)
        search = _Search(own, _common_label(boxes.starts, own), nearest, best, *ends)
        _shortest_links(boxes, search, int(np.bincount(own).argmax()))
        own, count, chosen = _merge(own, count, *ends)
        links.append(chosen)
    joined = np.concatenate(links) if links else np.empty((0, 2), np.int64)
    return order[joined]


def to_unit_scale(points: Floats) -> Floats:
    """The points with coordinates below one: squares of distances are then finite. A power of two rounds nothing."""
    return np.ldexp(points, -np.frexp(np.abs(points).max())[1])


def _near_together(points: Floats) -> Index:
    """An order along a Z-shaped curve through the ranks of the coordinates: points in a row are near each other.

    Any order gives the same tree; this one gives small boxes.
    """
    m = len(points)
    axes = points.T[:_KEY_BITS]
    bits = min(20, _KEY_BITS // len(axes))
    key = np.zeros(m, np.int64)
    for axis, values in enumerate(axes):
        rank = (np.searchsorted(np.sort(values), values) * (1 << bits)) // m
        for bit in range(bits):
            key |= ((rank >> bit) & 1) << (bit * len(axes) + axis)
    return np.argsort(key, kind="stable")


def _bounding_boxes(points: Floats) -> _Boxes:
    m, d = points.shape
    leaves = 1 << max(0, math.ceil(math.log2(m / _LEAF)))
    starts = np.arange(leaves + 1) * m // leaves
    low, high = np.empty((2 * leaves - 1, d)), np.empty((2 * leaves - 1, d))
    low[leaves - 1 :] = np.minimum.reduceat(points, starts[:-1])
    high[leaves - 1 :] = np.maximum.reduceat(points, starts[:-1])
    first = leaves - 1
    while first:
        up = (first - 1) // 2
        low[up:first] = np.minimum(low[first : 2 * first + 1 : 2], low[first + 1 : 2 * first + 1 : 2])
        high[up:first] = np.maximum(high[first : 2 * first + 1 : 2], high[first + 1 : 2 * first + 1 : 2])
        first = up
    return _Boxes(np.ascontiguousarray(points), starts, low, high)


@njit(cache=True)
def _common_label(starts: Index, label: Index) -> Index:  # pragma: no cover - compiled
    """For each box the component of all its points, −1 if there are several."""
    leaves = starts.size - 1
    common = np.empty(2 * leaves - 1, np.int64)
    for j in range(leaves):
        found = label[starts[j]]
        for s in range(starts[j] + 1, starts[j + 1]):
            if label[s] != found:
                found = -1
                break
        common[leaves - 1 + j] = found
    for node in range(leaves - 2, -1, -1):
        left, right = common[2 * node + 1], common[2 * node + 2]
        common[node] = left if left == right else -1
    return common


@njit(cache=True)
def _distance_to_box(point: Floats, low: Floats, high: Floats) -> float:  # pragma: no cover - compiled
    """The squared distance from a point to a box; rounding is monotone, so it never exceeds that to a point inside."""
    total = 0.0
    for axis in range(point.size):
        away = max(low[axis] - point[axis], point[axis] - high[axis], 0.0)
        total += away * away
    return total


@njit(cache=True)
def _shortest_links(boxes: _Boxes, search: _Search, largest: int) -> None:  # pragma: no cover - compiled
    """Find the shortest link of every component but the largest.

    Before and after each point: best[c] is the length of a real link of c, and no point of c that was asked has a
    shorter one. A point is not asked if its lower bound says so; what a search below best[c] does not find raises the
    bound, which stays true in later rounds because merging only takes foreign points away.
    """
    leaves = boxes.starts.size - 1
    stack = np.empty(2 * leaves, np.int64)
    for s in range(search.label.size):
        own = search.label[s]
        if own == largest or search.nearest[s] >= search.best[own]:
            continue
        bound, found, point = search.best[own], -1, boxes.points[s]
        stack[0], top = 0, 1
        # On the stack: boxes that may hold a foreign point nearer than bound; all others are done.
        while top > 0:
            top -= 1
            node = stack[top]
            if search.owner[node] == own or _distance_to_box(point, boxes.low[node], boxes.high[node]) >= bound:
                continue
            if node < leaves - 1:
                left, right = 2 * node + 1, 2 * node + 2
                to_left = _distance_to_box(point, boxes.low[left], boxes.high[left])
                to_right = _distance_to_box(point, boxes.low[right], boxes.high[right])
                stack[top], stack[top + 1] = (right, left) if to_left <= to_right else (left, right)
                top += 2
                continue
            leaf = node - (leaves - 1)
            for t in range(boxes.starts[leaf], boxes.starts[leaf + 1]):
                if search.label[t] == own:
                    continue
                length = _distance_to_box(point, boxes.points[t], boxes.points[t])
                if length < bound:
                    bound, found = length, t
        search.nearest[s] = bound
        if found >= 0:
            search.best[own], search.inside[own], search.outside[own] = bound, s, found


@njit(cache=True)
def _merge(
    label: Index, count: int, inside: Index, outside: Index
) -> tuple[Index, int, Index]:  # pragma: no cover - compiled
    """The components after adding one link each, their number, and the links that joined two.

    Links can close a circle only if all of them are equally long; leaving out any one of them keeps the tree minimal.
    """
    root = np.arange(count)
    links = np.empty((count, 2), np.int64)
    used = 0
    for c in range(count):
        if inside[c] < 0:
            continue
        a, b = c, label[outside[c]]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a != b:
            root[max(a, b)] = min(a, b)
            links[used, 0], links[used, 1] = inside[c], outside[c]
            used += 1
    fresh = np.empty(count, np.int64)
    remaining = 0
    for c in range(count):  # the root of a component is its least number, which has its new one already
        at = c
        while root[at] != at:
            at = root[at]
        if at == c:
            fresh[c] = remaining
            remaining += 1
        else:
            fresh[c] = fresh[at]
    return fresh[label], remaining, links[:used]
