"""The reference order that keeps most of the map: several public orders compared under the same promise.

An order fixes Δ, Δ and α fix how far reports travel along it, and the places say how far that is on the map. All of it
is public: which order keeps most can be computed before anybody has answered, and choosing it tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import seeded_rng
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.linked import linked_order
from sfumato.survey.core.neighbourhood import Geometry, as_points, radius_of_points
from sfumato.survey.core.order import bfs_order, cuthill_mckee_order, group_sensitivities, sorted_order
from sfumato.survey.permutation.mallows import PermutationMetric, sample_mallows
from sfumato.validate import integer

__all__ = ["PARTS", "ChosenOrder", "chosen_order", "curve_order", "equal_parts", "halfway", "kept_shares"]

PARTS = 8
"""Of so many equal parts of the map it is said how many reports stay in theirs."""

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

_DEPTH = 6  # parts of the map: 2, 4, …, 64
_DRAWS = 3
_COARSER = 6  # steps of √2: up to eight times the radius
_MOST = 20_000_000  # neighbourhoods of a coarser graph
_CURVE_BITS = 16
_LARGEST_ALPHA = 64.0


@dataclass(frozen=True, eq=False)
class ChosenOrder:
    """An order and what it keeps.

    Parameters
    ----------
    order : array of shape (n,)
    name : str
        How it was made.
    sensitivity : int
        Δ of the groups in it.
    kept : mapping of int to float
        For each number of equal parts of the map, the share of the reports that stay in their part.
    others : mapping of str to float
        The scores of all orders compared: what is kept beyond a uniform shuffle, averaged over the numbers of parts.
    """

    order: Index = field(repr=False)
    name: str
    sensitivity: int
    kept: Mapping[int, float]
    others: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """What is kept beyond a uniform shuffle, from 0 to 1, averaged over the numbers of parts."""
        return _score(self.kept)

    @property
    def keeps_half(self) -> bool:
        """Whether half of what a uniform shuffle loses of eight parts is kept, or there are fewer places than parts."""
        return _keeps_half(self.kept)


def chosen_order(
    groups: Groups,
    places: ArrayLike,
    *,
    alpha: float,
    geometry: Geometry = "plane",
    metric: PermutationMetric = "kendall",
) -> ChosenOrder:
    """Of several public orders the one that keeps most of the map at this α.

    Compared are the linked order of the groups and of coarser graphs (up to eight times their reach: a coarser graph
    has fewer pieces to jump between, at a larger Δ), Cuthill–McKee, breadth-first search, a space-filling curve, and
    the order along the longest direction of the map. What an order keeps is measured by drawing permutations at
    θ = α/Δ and counting the reports that stay in their part when the map is cut into 2, 4, …, 64 equal parts.

    Nothing of this looks at the answers: the result is a function of groups, places and α, which are public, and of
    draws from a fixed seed. The same arguments give the same order.

    Parameters
    ----------
    groups : Groups
    places : array of shape (n,) or (n, d)
        Public places of the owners.
    alpha : float
        The promise on who sent which report.
    geometry : {"plane", "globe"}
    metric : {"kendall", "hamming"}
        With Hamming's distance reports go anywhere whatever the order: the linked one is taken.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> corners = rng.normal(size=(400, 2)) / 20 + rng.integers(0, 2, (400, 2))
    >>> found = chosen_order(Groups.from_places(corners, radius=0.01), corners, alpha=4.0)
    >>> found.score == max(found.others.values())
    True
    """
    points = as_points(places, geometry)
    if len(points) != groups.n:
        raise bad_input("places", points.shape, f"one place for each of the {groups.n} owners")
    best: ChosenOrder | None = None
    others: dict[str, float] = {}
    parts = equal_parts(points, _DEPTH)
    for name, order in _candidates(groups, places, geometry, metric, alpha):
        widest = int(group_sensitivities(groups, order, metric).max())
        kept = kept_shares(order, _theta(alpha, widest), parts, metric=metric)
        found = ChosenOrder(order, name, widest, kept, others)
        others[name] = found.score
        if best is None or found.score > best.score:
            best = found
    assert best is not None
    return best


def _theta(alpha: float, sensitivity: int) -> float:
    return math.inf if sensitivity == 0 else alpha / sensitivity


def _candidates(
    groups: Groups, places: ArrayLike, geometry: Geometry, metric: PermutationMetric, alpha: float
) -> Iterator[tuple[str, Index]]:
    points = as_points(places, geometry)
    if points.shape[1] == 1:
        yield "sorted", sorted_order(points[:, 0])
        return
    yield "linked", linked_order(groups, places, geometry=geometry)
    if metric == "hamming" or not 0 < alpha < math.inf:
        return
    yield "cuthill-mckee", cuthill_mckee_order(groups)
    yield "bfs", bfs_order(groups)
    yield "curve", curve_order(points)
    centred = points - points.mean(axis=0)
    yield "longest direction", sorted_order(centred @ np.linalg.svd(centred, full_matrices=False)[2][0])
    reach = radius_of_points(_reach(groups, points), geometry)
    density = groups.indices.size / groups.sites
    # Radii from one ladder for all, so that a larger radius is not offered an order that a smaller one is not.
    first = math.floor(2 * math.log2(reach)) + 1 if reach > 0 else 0
    for step in range(first, first + _COARSER) if reach > 0 else ():
        radius = 2.0 ** (step / 2)
        if density * (radius / reach) ** 2 * groups.sites > _MOST:
            return
        coarser = Groups.from_places(places, radius=radius, geometry=geometry)
        yield f"linked within {radius:.3g}", linked_order(coarser, places, geometry=geometry)


def _reach(groups: Groups, points: Floats) -> float:
    """How far nine tenths of the groups reach."""
    some = np.unique(np.linspace(0, groups.n - 1, min(groups.n, 500)).astype(int)).tolist()
    far = [np.linalg.norm(points[groups.members(owner)] - points[owner], axis=1).max() for owner in some]
    return float(np.quantile(far, 0.9))


def equal_parts(points: Floats, depth: int) -> Index:
    """The part of each point when the map is halved ``depth`` times at the median of its longer side.

    The first k binary digits of a part are its part after k halvings. Points at one place stay together.

    >>> equal_parts(np.array([[0.0], [1.0], [2.0], [3.0]]), 2)
    array([0, 1, 2, 3])
    """
    label = np.zeros(len(points), np.int64)
    for _ in range(integer("depth", depth)):
        halves = np.zeros(len(points), np.int64)
        order = np.argsort(label, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
            side = points[rows][:, np.ptp(points[rows], axis=0).argmax()]
            halves[rows] = side > np.sort(side)[(len(rows) - 1) // 2]
        label = 2 * label + halves
    return label


def kept_shares(
    order: ArrayLike,
    theta: float,
    parts: Index,
    *,
    metric: PermutationMetric = "kendall",
    repeats: int = _DRAWS,
    seed: int = 0,
) -> dict[int, float]:
    """The share of the reports that stay in their part, for 2, 4, 8, … parts, under Mallows' law around an order.

    Parameters
    ----------
    order : array of shape (n,)
    theta : float
        α/Δ.
    parts : array of int
        As :func:`equal_parts` gives them.

    >>> kept_shares([0, 1, 2, 3], float("inf"), np.array([0, 0, 1, 1]))
    {2: 1.0}
    """
    given = np.asarray(order, np.int64)
    depth = max(1, int(parts.max()).bit_length())
    kept = np.zeros(depth)
    rng = seeded_rng(seed)
    for _ in range(repeats):
        drawn = np.arange(given.size)
        if not math.isinf(theta):
            drawn = sample_mallows(drawn, theta, metric=metric, rng=rng)
        differ = parts[given] ^ parts[given[drawn]]
        kept += [np.count_nonzero(differ >> (depth - 1 - level) == 0) / given.size for level in range(depth)]
    return {2 ** (level + 1): float(share / repeats) for level, share in enumerate(kept)}


def _keeps_half(kept: Mapping[int, float]) -> bool:
    return kept.get(PARTS, 1.0) >= 0.5 * (1 + 1 / PARTS)


def halfway(
    found: ChosenOrder, places: ArrayLike, *, alpha: float, radius: float | None, geometry: Geometry = "plane"
) -> dict[str, float]:
    """Which α at the same groups, and which radius at the same α, would keep half of eight parts of the map.

    Steps of √2 are tried, up to an α of 64 and down to a 64th of the radius; like the order, the answer
    depends on what is public only.

    Returns
    -------
    dict
        With ``"alpha"`` and ``"radius"``, as far as there is one.
    """
    points = as_points(places, geometry)
    parts = equal_parts(points, PARTS.bit_length() - 1)
    half: dict[str, float] = {}
    for step in range(1, 21):
        more = alpha * 2.0 ** (step / 2)
        if more > _LARGEST_ALPHA:  # which hides nobody
            break
        if _keeps_half(kept_shares(found.order, _theta(more, found.sensitivity), parts, repeats=1)):
            half["alpha"] = more
            break
    for step in range(1, 13) if radius else ():
        less = float(radius or 0) / 2.0 ** (step / 2)
        groups = Groups.from_places(places, radius=less, geometry=geometry)
        order = linked_order(groups, places, geometry=geometry)
        widest = int(group_sensitivities(groups, order).max())
        if _keeps_half(kept_shares(order, _theta(alpha, widest), parts, repeats=1)):
            half["radius"] = less
            break
    return half


def _score(kept: Mapping[int, float]) -> float:
    return sum((share - 1 / parts) / (1 - 1 / parts) for parts, share in kept.items()) / len(kept)


def curve_order(points: Floats) -> Index:
    """Owners along Hilbert's space-filling curve: near on the curve is near on the map, not the other way round.

    With more than two coordinates, of the plane in which the points spread most.

    >>> curve_order(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    array([0, 2, 3, 1])
    """
    if points.shape[1] > 2:
        centred = points - points.mean(axis=0)
        points = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    spread = np.ptp(points, axis=0).max()
    cells = ((points - points.min(axis=0)) / (spread or 1.0) * (2**_CURVE_BITS - 1)).astype(np.int64)
    x, y, along = cells[:, 0], cells[:, 1], np.zeros(len(points), np.int64)
    for bit in range(_CURVE_BITS - 1, -1, -1):
        side = 1 << bit
        right, up = (x & side) > 0, (y & side) > 0
        along += side * side * ((3 * right) ^ up)
        x, y = x & (side - 1), y & (side - 1)
        turned = right & ~up  # the lower right quarter is run through backwards, both lower ones are turned over
        x, y = np.where(turned, side - 1 - x, x), np.where(turned, side - 1 - y, y)
        x, y = np.where(~up, y, x), np.where(~up, x, y)
    return np.argsort(along, kind="stable")
