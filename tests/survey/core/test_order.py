"""Reference orders, width and sensitivity (SH5, SH6)."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.slow_shuffling import random_groups, sensitivity
from sfumato.errors import InputError
from sfumato.survey import Groups, bfs_order, cuthill_mckee_order, linked_order, sorted_order
from sfumato.survey.core.order import group_sensitivities, group_widths, printed_sensitivity, reference_order
from sfumato.survey.permutation.mallows import check_permutation


def test_worked_example_of_the_width():
    # σ = (1 3 7 8 6 4 5 2 9 10), G = {1, 7, 8, 2, 5, 6} → 7 (§5.4, 1-based)
    order = np.array([1, 3, 7, 8, 6, 4, 5, 2, 9, 10]) - 1
    members = sorted(i - 1 for i in (1, 7, 8, 2, 5, 6))
    groups = Groups.from_lists([members if i == 0 else [i] for i in range(10)])
    assert group_widths(groups, order).max() == 7
    assert printed_sensitivity(7) == 28
    assert (
        group_sensitivities(groups, order).max() == 6 * 5 // 2 + 2 * 1 + 2 * 2 * 1
    )  # two strangers inside: 15 + 2 + 4


@pytest.mark.parametrize("metric", ["kendall", "hamming"])
def test_exact_sensitivity_against_brute_force(metric, rng):
    for n in (3, 4, 5, 6):
        for _ in range(8):
            groups, order = random_groups(n, rng), rng.permutation(n)
            found = int(group_sensitivities(groups, order, metric).max())
            assert found == sensitivity(groups, order, metric)
            if metric == "kendall":
                assert found <= printed_sensitivity(int(group_widths(groups, order).max()))


def test_sensitivity_of_sites_with_many_owners(rng):
    ages = rng.integers(0, 6, 40).astype(float)
    shared = Groups.from_places(ages, radius=1)
    alone = Groups.from_lists([shared.members(i) for i in range(40)])
    order = rng.permutation(40)
    for metric in ("kendall", "hamming"):
        np.testing.assert_array_equal(
            group_sensitivities(shared, order, metric)[shared.site_of], group_sensitivities(alone, order, metric)
        )
    np.testing.assert_array_equal(group_widths(shared, order)[shared.site_of], group_widths(alone, order))


def test_large_groups_are_sorted_too(rng):
    groups = Groups.everyone(500)
    assert group_sensitivities(groups, rng.permutation(500)).max() == 500 * 499 // 2
    far = Groups.from_lists([[0, *range(1, 400, 3)] if i == 0 else [i] for i in range(500)])
    order = rng.permutation(500)
    places = np.sort(np.argsort(order)[far.members(0)])
    g = places.size
    strangers = [c for c in range(places[0], places[-1]) if c not in set(places)]
    expected = g * (g - 1) // 2 + sum(2 * min((places < c).sum(), (places > c).sum()) for c in strangers)
    assert group_sensitivities(far, order).max() == expected


@pytest.mark.parametrize("make", [bfs_order, cuthill_mckee_order])
def test_orders_are_permutations_and_deterministic(make, rng):
    groups = Groups.from_places(rng.random((300, 2)), radius=0.06)  # several components
    check_permutation("order", make(groups))
    np.testing.assert_array_equal(make(groups), make(groups))


def test_bfs_starts_at_the_largest_group_and_restarts_at_the_next():
    groups = Groups.from_lists([[0, 1], [0, 1], [2, 3, 4], [2, 3, 4], [2, 3, 4], [5]])
    assert bfs_order(groups).tolist() == [2, 3, 4, 0, 1, 5]


def test_banded_groups_keep_bfs_near_two_and_a_half_times_the_optimum(rng):
    # D.1.16 (a): n = 1000, groups of 101; optimum 100 (the dissertation counts elements and says w = 101).
    hidden = rng.permutation(1000)
    groups = Groups.banded(hidden, reach=50)
    assert group_widths(groups, hidden).max() == 100
    assert group_widths(groups, bfs_order(groups)).max() <= 2.7 * 100
    assert group_widths(groups, cuthill_mckee_order(groups)).max() <= 1.3 * 100
    assert group_widths(groups, rng.permutation(1000)).max() > 900


def test_on_a_line_sorting_is_best(rng):
    # D.1.16 (b): n = 1000 points on [0, 1], r = 0.02
    places = rng.random(1000)
    groups = Groups.from_places(places, radius=0.02)
    widths = [group_widths(groups, o).max() for o in (sorted_order(places), bfs_order(groups), rng.permutation(1000))]
    assert 40 <= widths[0] <= 65
    assert widths[0] <= widths[1] <= 2.8 * widths[0]
    assert widths[2] > 950
    np.testing.assert_array_equal(linked_order(groups, places), sorted_order(places))


def test_radius_zero_has_width_zero(rng):
    # E14: "width 1 at r = 0" counts elements
    places = rng.random(20)
    assert group_widths(Groups.from_places(places, radius=0), sorted_order(places)).max() == 0


def test_rejects_orders_that_do_not_fit():
    groups = Groups.alone(3)
    for order in ([0, 1], [0, 1, 1], "sorted", [0.0, 1.0, 2.0]):
        with pytest.raises(InputError):
            reference_order(groups, order)
    with pytest.raises(InputError, match="metric"):
        group_sensitivities(groups, [0, 1, 2], "cayley")
