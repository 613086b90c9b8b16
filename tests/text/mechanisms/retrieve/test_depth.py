"""Depths: the exact one in the plane, the one by projections, Table 3.1, and the printed maximum."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import depth_mass, tukey_depth
from sfumato.text.mechanisms.retrieve.depth import projection_depths
from sfumato.text.mechanisms.retrieve.recoder_network import linear_recoder


def seen(places: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places on each direction in ascending order, and which they are."""
    along = (places @ directions).T
    order = np.argsort(along, axis=1).astype(np.int32)
    return np.take_along_axis(along, order, axis=1), order


def unit_directions(rng: np.random.Generator, dimension: int, count: int) -> np.ndarray:
    drawn = rng.normal(size=(dimension, count))
    return drawn / np.linalg.norm(drawn, axis=0)


def counts(points: np.ndarray, places: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """h of every place and direction, straight from its definition: shape (places, directions)."""
    return ((points @ directions)[None] >= (places @ directions)[:, None]).sum(axis=1)


@pytest.mark.parametrize(
    ("epsilon", "deep", "depth", "mass"), [(3, 55, 5, 0.953), (6, 25, 3, 0.976), (10, 5, 2, 0.957), (23, 1, 1, 0.952)]
)
def test_table_3_1(epsilon, deep, depth, mass):
    found = depth_mass({0: 5000 - deep, depth: deep}, float(epsilon))
    assert found[depth] == pytest.approx(mass, abs=5e-4)
    assert found.sum() == pytest.approx(1)


def test_depths_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    for size in (2, 3, 10, 31):
        points, places = rng.normal(size=(size, 4)), rng.normal(size=(60, 4)) * 0.7
        places[0] = points[0]  # a tie
        directions = unit_directions(rng, 4, 25)
        h = counts(points, places, directions)
        found = projection_depths((points @ directions).T, *seen(places, directions))
        assert (found == np.minimum(h, size - h).min(axis=1)).all()


def test_projections_never_see_less_than_the_exact_depth_in_general_position():
    rng, equal, total = np.random.default_rng(2), 0, 0
    for _ in range(40):
        points, places = rng.normal(size=(15, 2)), rng.normal(size=(12, 2))
        directions = unit_directions(rng, 2, 50)
        found = projection_depths((points @ directions).T, *seen(places, directions))
        exact = np.array([tukey_depth(points, place) for place in places])
        assert (found >= exact).all()
        equal, total = equal + (found == exact).sum(), total + len(places)
    assert equal / total > 0.85  # the source has 94 %


def test_a_candidate_that_is_a_sentence_may_be_seen_too_shallow():
    """Closed half-planes count the point itself, projections only on one side (the tie of erratum E8)."""
    points = np.array([[0.0, 0.0], [1.0, 0.1], [2.0, -0.3]])
    directions = np.array([[1.0], [0.0]])
    found = projection_depths((points @ directions).T, *seen(points[:1], directions))
    assert tukey_depth(points, points[0]) == 1
    assert found[0] == 0


def test_exact_depth_by_all_directions():
    rng, angles = np.random.default_rng(3), np.linspace(0, 2 * np.pi, 20_001)
    turned = np.stack([np.cos(angles), np.sin(angles)])
    for _ in range(20):
        points, place = rng.normal(size=(9, 2)), rng.normal(size=2) * 0.6
        assert tukey_depth(points, place) == ((points - place) @ turned >= 0).sum(axis=0).min()
    assert tukey_depth([[1.0], [2.0], [2.0], [5.0]], [2.0]) == 3


def test_one_sentence_moves_every_depth_by_at_most_one_and_none_more_by_none_less():
    rng = np.random.default_rng(4)
    directions, places = unit_directions(rng, 3, 30), rng.normal(size=(80, 3))
    ranked, order = seen(places, directions)
    for size in (2, 5, 12):
        points = rng.normal(size=(size, 3))
        other = points.copy()
        other[0] = rng.normal(size=3) * 50
        first, second, more = (
            projection_depths((cloud @ directions).T, ranked, order)
            for cloud in (points, other, np.vstack([points, rng.normal(size=3) * 50]))
        )
        assert np.abs(first - second).max() <= 1
        assert set((more - first).tolist()) <= {0, 1}  # so depth − k/2 moves by ½


def label_right(size: int, *, printed: bool, seed: int) -> float:
    """How often the released candidate has the label of the document: four classes, d = 16, 400 candidates, ε = 10."""
    rng = np.random.default_rng(seed)
    centres, labels = rng.normal(size=(4, 16)), np.arange(400) % 4
    places = centres[labels] + 0.3 * rng.normal(size=(400, 16))
    directions = unit_directions(rng, 16, 100)
    ranked, order = seen(places, directions)
    right = []
    for number in range(40):
        label = number % 4
        points = centres[label] + 0.3 * rng.normal(size=16) + rng.normal(size=(size, 16))
        if printed:
            h = counts(points, places, directions)
            depths = np.minimum(h, size - h).max(axis=1)
        else:
            depths = projection_depths((points @ directions).T, ranked, order)
        weights = np.exp(5.0 * (depths - depths.max()))
        right.append(weights[labels == label].sum() / weights.sum())
    return float(np.mean(right))


def test_the_printed_maximum_over_projections_is_useless():
    """Utility specimen: Algorithm 3 as printed against its prose. Medians over seeds."""
    found = {
        (size, printed): float(np.median([label_right(size, printed=printed, seed=seed) for seed in range(5)]))
        for size in (10, 20)
        for printed in (False, True)
    }
    assert found[10, False] > 0.7  # the source has .85
    assert found[20, False] > 0.95  # .99
    assert found[10, True] < 0.35  # .30
    assert found[20, True] < 0.35  # .32; chance is .25


@pytest.mark.parametrize(
    ("points", "at"), [([[0.0, 0.0, 0.0]], [0.0, 0.0, 0.0]), ([[0.0, 0.0]], [0.0]), ([[np.nan, 0.0]], [0.0, 0.0])]
)
def test_exact_depth_refuses(points, at):
    with pytest.raises(InputError):
        tukey_depth(points, at)


@pytest.mark.parametrize(("sizes", "epsilon"), [([0, 0], 1.0), ([-1, 2], 1.0), ([1, 2], 0.0), ([[1]], 1.0)])
def test_depth_mass_refuses(sizes, epsilon):
    with pytest.raises(InputError):
        depth_mass(sizes, epsilon)


def test_directions_beyond_the_groups_do_not_rest_on_rounding() -> None:
    """Two groups differ in one direction; the others are chosen by how sentences scatter, not by the last bits."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sentences, owners = rng.normal(size=(40, 6)) * [3.0, 2.0, 1.5, 1.0, 0.7, 0.5], np.repeat(np.arange(10), 4)
        groups = np.arange(10) % 2
        (found, _), *_ = linear_recoder(sentences, owners, groups, 3).layers
        (again, _), *_ = linear_recoder(sentences + rng.normal(scale=1e-13, size=(40, 6)), owners, groups, 3).layers
        np.testing.assert_allclose(again, found, atol=1e-8)
