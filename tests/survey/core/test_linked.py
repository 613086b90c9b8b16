"""The linked order: its theorem, on random layouts and many seeds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.survey import Groups, cuthill_mckee_order, linked_order
from sfumato.survey.core.component_tree import component_tree
from sfumato.survey.core.linked import site_places, tour
from sfumato.survey.core.neighbourhood import as_points
from sfumato.survey.core.order import component_labels, group_sensitivities, group_widths
from sfumato.survey.permutation.mallows import check_permutation

SEEDS = range(12)


def ring(rng):
    """Fifty clusters on a ring, each a component of its own."""
    angle = np.repeat(rng.permutation(50) / 50 * 2 * np.pi, 20)
    points = 100 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(0, 0.1, (1000, 2))
    return points, Groups.from_places(points, radius=1.0)


def dense(rng):
    points = np.concatenate([rng.normal(0, 0.01, (100, 2)) + centre for centre in ((0, 0), (9, 0), (0, 9))])
    return points, Groups.from_places(points, radius=0.1)


def scattered(rng):
    points = rng.random((400, 2))
    return points, Groups.from_places(points, radius=0.03)


def lonely(rng):
    points = rng.random((150, 3))
    return points, Groups.alone(150)


def grid(rng):
    """Equal distances everywhere, several owners at a place."""
    points = rng.integers(0, 12, (200, 2)).astype(float)
    return points, Groups.from_places(points, radius=1.0)


def spirals(rng):
    """Two components wound around each other, and others inside."""
    turn = np.linspace(1, 9, 300)
    arms = [np.stack([s * turn * np.cos(turn), s * turn * np.sin(turn)], axis=1) for s in (1, -1)]
    points = np.concatenate([*arms, rng.normal(0, 0.4, (20, 2))])
    return points, Groups.from_places(points, radius=0.35)


def listed(rng):
    """Groups that have nothing to do with the places."""
    members = rng.permutation(120).reshape(30, 4)
    group_of = {int(i): row.tolist() for row in members for i in row}
    return rng.normal(0, 1, (120, 2)), Groups.from_lists([group_of[i] for i in range(120)])


LAYOUTS = [ring, dense, scattered, lonely, grid, spirals, listed]


def components(groups):
    return component_labels(*groups.neighbours)[groups.site_of]


def tree_by_kruskal(points, label):
    """The length of the shortest tree between components: every pair of points, shortest first."""
    away = np.linalg.norm(points[:, None] - points[None], axis=-1)
    root = list(range(label.max() + 1))

    def find(c):
        while root[c] != c:
            c = root[c]
        return c

    total = 0.0
    for i, j in np.stack(np.unravel_index(np.argsort(away, axis=None, kind="stable"), away.shape), axis=1):
        a, b = find(label[i]), find(label[j])
        if a != b:
            root[a] = b
            total += away[i, j]
    return total


def diameters(points, label):
    return np.array(
        [
            np.linalg.norm(points[label == c][:, None] - points[label == c][None], axis=-1).max()
            for c in range(label.max() + 1)
        ]
    )


def longest_path(links, lengths):
    count = len(links) + 1
    away = np.full((count, count), np.inf)
    np.fill_diagonal(away, 0)
    away[links[:, 0], links[:, 1]] = away[links[:, 1], links[:, 0]] = lengths
    for c in range(count):
        away = np.minimum(away, away[:, c : c + 1] + away[c : c + 1])
    return away.max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_linked_order_keeps_components_in_their_neighbourhood(layout, seed):
    """The theorem: pieces as in Cuthill–McKee, and hops of at most 2L − P + Σ (1 + deg)·D, at least L."""
    points, groups = layout(np.random.default_rng(seed))
    order, plain, label = linked_order(groups, points), cuthill_mckee_order(groups), components(groups)
    check_permutation("order", order)
    np.testing.assert_array_equal(order, linked_order(groups, points))
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    assert starts.size == label.max() + 1  # every component in one piece
    np.testing.assert_array_equal(group_widths(groups, order), group_widths(groups, plain))
    np.testing.assert_array_equal(group_sensitivities(groups, order), group_sensitivities(groups, plain))

    sites, site_label = site_places(groups, points), component_labels(*groups.neighbours)
    links = component_tree(sites, site_label)
    lengths = np.linalg.norm(sites[links[:, 0]] - sites[links[:, 1]], axis=1)
    between = site_label[links]
    degree = np.bincount(between.ravel(), minlength=starts.size)
    path = longest_path(between, lengths)
    hops = np.linalg.norm(points[order[starts[1:]]] - points[order[starts[1:] - 1]], axis=1).sum()
    bound = 2 * lengths.sum() - path + ((1 + degree) * diameters(points, label)).sum()
    assert lengths.sum() * (1 - 1e-9) <= hops <= bound * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ring_is_walked_around(seed):
    """Its tree is a path, so that the tour is that path: a fiftieth of the circle at each hop, where Cuthill–McKee
    crosses the ring from anywhere to anywhere."""
    points, groups = ring(np.random.default_rng(seed))

    def jump(order: np.ndarray) -> float:
        return float(np.linalg.norm(np.diff(points[order], axis=0), axis=1).mean())

    linked = linked_order(groups, points)
    assert jump(linked) < jump(cuthill_mckee_order(groups))
    label = components(groups)
    starts = np.flatnonzero(np.diff(label[linked], prepend=-1))
    assert np.linalg.norm(points[linked[starts[1:]]] - points[linked[starts[1:] - 1]], axis=1).max() < 15
    tight = Groups.from_places(points.round(0), radius=0.1)
    check_permutation("order", linked_order(tight, points.round(0)))


@pytest.mark.parametrize("seed", SEEDS)
def test_linked_order_of_dense_components(seed):
    points, groups = dense(np.random.default_rng(seed))
    order = linked_order(groups, points)
    blocks = (order // 100)[np.flatnonzero(np.diff(order // 100, prepend=-1))]
    assert sorted(blocks) == [0, 1, 2]  # each cluster in one piece
    assert blocks[1] == 0  # the two far ones are nearer to the one in the corner than to each other


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_tree_is_the_shortest(layout, seed):
    points, groups = layout(np.random.default_rng(seed))
    points, label = site_places(groups, points)[:300], component_labels(*groups.neighbours)[:300]
    label = np.unique(label, return_inverse=True)[1]
    links = component_tree(points, label)
    assert len(links) == label.max()
    found = np.linalg.norm(points[links[:, 0]] - points[links[:, 1]], axis=1).sum()
    assert found == pytest.approx(tree_by_kruskal(points, label), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tour_is_depth_first_and_ends_at_the_far_end(seed):
    rng = np.random.default_rng(seed)
    links = np.array([[rng.integers(0, c), c] for c in range(1, 40)])
    lengths = rng.random(39)
    visits = tour(links, lengths)
    check_permutation("visits", visits)
    away = {(int(a), int(b)): length for (a, b), length in zip(links, lengths, strict=True)}
    away |= {(b, a): length for (a, b), length in away.items()}

    def walk(start, goal, before=-1):
        """The links of the way from one node to another."""
        if start == goal:
            return []
        for a, b in away:
            if a == start and b != before:
                rest = walk(b, goal, a)
                if rest is not None:
                    return [(a, b), *rest]
        return None

    used = [link for a, b in itertools.pairwise(visits.tolist()) for link in walk(a, b)]
    assert len(used) == len(set(used))  # each link at most once in each direction
    total = sum(away[link] for link in used)
    assert total == pytest.approx(2 * lengths.sum() - longest_path(links, lengths))


def test_the_scale_of_the_places_does_not_matter():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 50, (300, 2)).astype(float)
    groups = Groups.from_places(points, radius=2.0)
    expected = linked_order(groups, points)
    for factor in (2.0**900, 2.0**-400):
        np.testing.assert_array_equal(linked_order(groups, points * factor), expected)


def test_on_the_globe_the_date_line_is_no_border():
    places = np.array([[0.0, 179.9], [0.0, -179.9], [0.0, 0.0], [0.0, 90.0]])
    order = linked_order(Groups.alone(4), places, geometry="globe").tolist()
    assert abs(order.index(0) - order.index(1)) == 1
    chords = as_points(places, "globe")
    assert len(component_tree(chords, np.arange(4))) == 3


def test_one_component_and_coincident_places():
    points = np.zeros((6, 2))
    check_permutation("order", linked_order(Groups.alone(6), points))
    everyone = Groups.everyone(6)
    np.testing.assert_array_equal(linked_order(everyone, points), cuthill_mckee_order(everyone))


def test_rejects_places_of_other_owners():
    points, groups = ring(np.random.default_rng(0))
    with pytest.raises(InputError, match="one place"):
        linked_order(groups, points[:5])
