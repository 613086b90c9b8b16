"""Groups: who hides among whom (SH2)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from sfumato.errors import InputError
from sfumato.survey import Groups
from sfumato.survey.core import neighbourhood


def as_lists(groups: Groups) -> list[list[int]]:
    return [groups.members(i).tolist() for i in range(groups.n)]


def within(points: np.ndarray, radius: float) -> list[list[int]]:
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    return [np.flatnonzero(row <= radius).tolist() for row in distance]


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_radius_groups_are_the_closed_balls(dimension, rng):
    points = rng.random((150, dimension)).round(2)  # rounded: many owners share a site in one dimension
    groups = Groups.from_places(points, radius=0.1)
    assert as_lists(groups) == within(points, 0.1)
    assert groups.sizes.tolist() == [len(row) for row in within(points, 0.1)]
    assert all(i in groups.members(i) for i in range(groups.n))


def test_coincident_owners_share_a_site(rng):
    ages = rng.integers(17, 90, 5000)
    groups = Groups.from_places(ages, radius=3)
    assert groups.sites == np.unique(ages).size
    assert groups.members(7).tolist() == np.flatnonzero(abs(ages - ages[7]) <= 3).tolist()


def test_radius_zero_leaves_only_the_same_place():
    groups = Groups.from_places([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]], radius=0)
    assert as_lists(groups) == [[0, 2], [1], [0, 2]]


def test_nearest_groups_have_that_many_members_and_oneself(rng):
    points = np.concatenate([rng.random((40, 2)), np.zeros((30, 2))])  # thirty at one place: the tree may miss oneself
    groups = Groups.from_places(points, nearest=5)
    assert set(groups.sizes) == {5}
    assert all(i in groups.members(i) for i in range(70))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    for i in range(70):
        assert distance[i, groups.members(i)].max() <= np.sort(distance[i])[4] + 1e-12


@pytest.mark.parametrize("count", [0, 1])
def test_nearest_zero_and_one_leave_everybody_alone(count):
    assert as_lists(Groups.from_places([1.0, 2.0, 3.0], nearest=count)) == [[0], [1], [2]]


def test_nearest_beyond_everybody_is_everybody():
    assert Groups.from_places([1.0, 2.0, 3.0], nearest=9).sizes.tolist() == [3, 3, 3]


def test_kilometres_on_the_globe():
    # Berlin, Potsdam (26 km away) and Hamburg (255 km).
    places = [[52.52, 13.405], [52.39, 13.06], [53.55, 9.99]]
    assert as_lists(Groups.from_places(places, radius=30, geometry="globe")) == [[0, 1], [0, 1], [2]]
    assert Groups.from_places(places, radius=300, geometry="globe").sizes.tolist() == [3, 3, 3]
    assert as_lists(Groups.from_places([[0.0, 179.99], [0.0, -179.99]], radius=3, geometry="globe")) == [[0, 1], [0, 1]]
    assert Groups.from_places([[90.0, 0.0], [-90.0, 0.0]], radius=30_000, geometry="globe").sizes.tolist() == [2, 2]


def test_from_distances_agrees_with_places(rng):
    points = rng.random((30, 2))
    matrix = np.linalg.norm(points[:, None] - points[None], axis=2)
    matrix = (matrix + matrix.T) / 2
    assert as_lists(Groups.from_distances(matrix, radius=0.3)) == as_lists(Groups.from_places(points, radius=0.3))
    assert as_lists(Groups.from_distances(matrix, nearest=4)) == as_lists(Groups.from_places(points, nearest=4))


def test_from_graph_counts_steps():
    path = sparse.diags_array([np.ones(4), np.ones(4)], offsets=[1, -1])
    assert as_lists(Groups.from_graph(path, hops=1))[2] == [1, 2, 3]
    assert as_lists(Groups.from_graph(path.toarray(), hops=2))[0] == [0, 1, 2]
    assert as_lists(Groups.from_graph(path, hops=0)) == [[i] for i in range(5)]


def test_lists_are_kept_as_written_and_need_not_be_symmetric():
    groups = Groups.from_lists([[2, 0], [1], [2]])
    assert as_lists(groups) == [[0, 2], [1], [2]]
    indptr, indices = groups.neighbours
    assert indices[indptr[2] : indptr[3]].tolist() == [0, 2]  # the edge of Algorithm 1 goes both ways


def test_ends_of_the_dial_and_bands():
    assert Groups.everyone(4).sizes.tolist() == [4] * 4
    assert Groups.alone(3).sizes.tolist() == [1] * 3
    band = Groups.banded([3, 1, 0, 2], reach=1)
    assert as_lists(band) == [[0, 1, 2], [0, 1, 3], [0, 2], [1, 3]]


def test_equal_groups_are_equal_and_pickle_small():
    one, two = (Groups.from_lists([[0, 1], [0, 1], [2]]) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Groups.alone(3)
    assert one != "groups"
    before = pickle.dumps(two)
    _ = one.owners, one.neighbours, one.site_sizes
    assert pickle.dumps(one) == before
    assert pickle.loads(before) == one
    assert "3 owners" in repr(one)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Groups.from_places([1.0, 2.0], radius=-1), "radius"),
        (lambda: Groups.from_places([1.0, 2.0], radius=np.nan), "radius"),
        (lambda: Groups.from_places([1.0, 2.0], nearest=-1), "nearest"),
        (lambda: Groups.from_places([1.0, 2.0]), "exactly one"),
        (lambda: Groups.from_places([1.0, 2.0], radius=1, nearest=1), "exactly one"),
        (lambda: Groups.from_places([1.0, np.nan], radius=1), "places"),
        (lambda: Groups.from_places([], radius=1), "places"),
        (lambda: Groups.from_places([[91.0, 0.0]], radius=1, geometry="globe"), "latitude"),
        (lambda: Groups.from_places([1.0], radius=1, geometry="cylinder"), "geometry"),
        (lambda: Groups.from_distances([[0, 1], [2, 0]], radius=1), "symmetric"),
        (lambda: Groups.from_distances([[1, 1], [1, 0]], radius=1), "diagonal"),
        (lambda: Groups.from_distances([[0, -1], [-1, 0]], radius=1), "≥ 0"),
        (lambda: Groups.from_distances([[0, 1, 2], [1, 0, 1]], radius=1), "square"),
        (lambda: Groups.from_distances([[0, 1], [1, 0]], radius=-0.5), "radius"),
        (lambda: Groups.from_graph([[0, 1], [0, 0]]), "symmetric"),
        (lambda: Groups.from_graph([[0, 1], [1, 0]], hops=-1), "hops"),
        (lambda: Groups.from_graph([0, 1]), "square"),
        (lambda: Groups.from_graph([[0, np.nan], [np.nan, 0]]), "finite"),
        (lambda: Groups.from_lists(3), "flat list"),
        (lambda: Groups.from_lists([[0, [1]], [1]]), "flat list"),
        (lambda: Groups.from_lists([[0, 2], [1]]), "from 0 to 1"),
        (lambda: Groups.from_lists([[0, -1], [1]]), "from 0 to 1"),
        (lambda: Groups.from_lists([[1], [1]]), "owner 0"),
        (lambda: Groups.from_lists([[0.5], [1]]), "whole numbers"),
        (lambda: Groups.from_lists([]), "one group"),
        (lambda: Groups.everyone(0), "n"),
        (lambda: Groups.alone(2).members(2), "owner"),
    ],
)
def test_rejects(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_refuses_what_would_not_fit_in_memory(monkeypatch, rng):
    monkeypatch.setattr(neighbourhood, "LARGEST", 1000)
    points = rng.random((200, 2))
    with pytest.raises(InputError, match="neighbourhoods"):
        Groups.from_places(points, radius=1.0)
    with pytest.raises(InputError, match="nearest"):
        Groups.from_places(points, nearest=20)
    with pytest.raises(InputError, match="hops"):
        Groups.from_graph(np.ones((60, 60)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"site_of": [0, 2]},
        {"site_of": [-1, 0]},
        {"site_of": []},
        {"site_of": [0.5, 1.0]},
        {"indptr": [0, 1]},
        {"indptr": [1, 2, 3]},
        {"indptr": [0, 3, 2, 3]},
        {"indices": [0, 1, 2]},
        {"indices": [0, -1, 1]},
        {"indices": [1, 0, 1]},
        {"indices": [0, 0, 1]},
        {"indices": [0, 1, 0]},
    ],
)
def test_rows_that_are_no_groups_are_refused(wrong):
    """Made by hand: indices out of range, a row without its own site, twice the same site."""
    Groups(site_of=np.array([0, 1]), indptr=np.array([0, 2, 3]), indices=np.array([0, 1, 1]))
    with pytest.raises(InputError):
        Groups(**{"site_of": [0, 1], "indptr": [0, 2, 3], "indices": [0, 1, 1], **wrong})


def test_every_owner_has_a_radius_of_their_own():
    """Meehan §4.4.2: i hides among all within r_i, whatever the radius of the others; brute force on random places."""
    rng = np.random.default_rng(3)
    places, radii = rng.random((60, 2)), rng.choice([0.0, 0.1, 0.4], 60)
    places[:5] = places[5]  # one place, several radii
    groups = Groups.from_places(places, radius=radii)
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    for owner in range(60):
        np.testing.assert_array_equal(groups.members(owner), np.flatnonzero(far[owner] <= radii[owner]))
    same = Groups.from_places(places, radius=np.full(60, 0.2))
    assert [same.members(i).tolist() for i in range(60)] == [
        Groups.from_places(places, radius=0.2).members(i).tolist() for i in range(60)
    ]
    globe = Groups.from_places([[0.0, 0.0], [0.0, 1.0]], radius=[200.0, 10.0], geometry="globe")
    assert [globe.members(i).tolist() for i in (0, 1)] == [[0, 1], [1]]
    for wrong in ([0.1], [-1.0] * 60, [np.nan] * 60):
        with pytest.raises(InputError):
            Groups.from_places(places, radius=wrong)


def test_groups_of_friends_by_path_length():
    """Brute force over powers of the adjacency matrix, names in any order."""
    rng = np.random.default_rng(5)
    names = rng.permutation([f"p{i:02d}" for i in range(30)])
    pairs = np.array([names[rng.choice(30, 2, replace=False)] for _ in range(35)])
    matrix = np.eye(30, dtype=int)
    place = {name: i for i, name in enumerate(names)}
    for one, other in pairs:
        matrix[place[one], place[other]] = matrix[place[other], place[one]] = 1
    for hops in (0, 1, 2, 3):
        groups = Groups.from_friends(names, pairs, hops=hops)
        near = np.linalg.matrix_power(matrix, hops) > 0
        for owner in range(30):
            np.testing.assert_array_equal(groups.members(owner), np.flatnonzero(near[owner]))
    for owners, links in ((["a", "a"], [["a", "a"]]), (["a", "b"], [["a", "z"]]), (["a", "b"], ["a", "b"])):
        with pytest.raises(InputError):
            Groups.from_friends(owners, links)
