"""The chosen order: what it keeps over many seeds, that it is public, curves, parts, what would keep half."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato as sf
from sfumato.mechanism import RandomizedResponse
from sfumato.noise import seeded_rng
from sfumato.survey import (
    Collection,
    Groups,
    Prediction,
    Shuffler,
    chosen_order,
    curve_order,
    cuthill_mckee_order,
)
from sfumato.survey.core.chosen import equal_parts, halfway, kept_shares
from sfumato.survey.core.order import group_sensitivities
from sfumato.survey.data.survey import make_colour_map
from sfumato.survey.permutation.mallows import check_permutation

SEEDS = range(8)


def test_it_is_the_best_of_those_compared_and_never_below_the_linked_order() -> None:
    for seed in SEEDS:
        places = make_colour_map(1500, seed=seed).where
        groups = Groups.from_places(places, radius=0.05)
        found = chosen_order(groups, places, alpha=4.0)
        check_permutation("order", found.order)
        assert found.sensitivity == group_sensitivities(groups, found.order).max()
        assert found.score == max(found.others.values()) >= found.others["linked"]
        assert {"linked", "cuthill-mckee", "bfs", "curve", "longest direction"} <= set(found.others)
        assert any(name.startswith("linked within") for name in found.others)


def test_more_is_kept_within_a_smaller_radius() -> None:
    """Monotone in r on every seed, up to the error of three draws."""
    for seed in SEEDS:
        places = make_colour_map(1200, seed=seed).where
        radii = (0.03, 0.05, 0.08, 0.12)
        scores = [chosen_order(Groups.from_places(places, radius=r), places, alpha=4.0).score for r in radii]
        assert (np.diff(scores) < 0.03).all()
        assert scores[0] > scores[-1] + 0.2


def test_more_is_kept_at_a_larger_alpha() -> None:
    places = make_colour_map(1500, seed=3).where
    groups = Groups.from_places(places, radius=0.06)
    scores = [chosen_order(groups, places, alpha=alpha).score for alpha in (0.5, 2.0, 8.0, 32.0)]
    assert (np.diff(scores) > 0).all()


def test_goal_at_the_original_size() -> None:
    """20 000 people, r = .01, α = 1: 8-way accuracy ≥ .82 and 4-way ≥ .98 on two maps; Cuthill–McKee is far below."""
    front = RandomizedResponse(epsilon=2.55, categories=8)
    for seed in (0, 5):
        survey = make_colour_map(20_000, seed=seed)
        groups = Groups.from_places(survey.where, radius=0.01)
        order = chosen_order(groups, survey.where, alpha=1.0).order
        release = Collection(front=front, shuffler=Shuffler(alpha=1.0, groups=groups, order=order)).release(
            survey, rng=seeded_rng(seed)
        )
        right = [Prediction(merge=m, trees=15).measure(survey, release, rng=seeded_rng(1)).value for m in (1, 2)]
        assert right[0] >= 0.82
        assert right[1] >= 0.98
    parts = equal_parts(survey.where, 3)
    plain = cuthill_mckee_order(groups)
    theta = 1.0 / group_sensitivities(groups, plain).max()
    assert kept_shares(plain, theta, parts)[8] < 0.3


def test_nothing_but_what_is_public_enters() -> None:
    """The same places, groups and α give the same order, whatever the answers; and the same through ``protect``."""
    survey = make_colour_map(400, seed=1)
    groups = Groups.from_places(survey.where, radius=0.08)
    first, second = (chosen_order(groups, survey.where, alpha=2.0).order for _ in range(2))
    np.testing.assert_array_equal(first, second)
    import pyarrow as pa

    columns = {"x": survey.where[:, 0], "y": survey.where[:, 1]}
    cards = []
    for answers in (survey.answers, np.zeros(400, int)):
        table = pa.table({**columns, "answer": [survey.categories[code] for code in answers]})
        options = {"group": ["x", "y"], "radius": 0.08, "alpha": 2.0, "categories": survey.categories, "epsilon": 2.0}
        cards.append(sf.survey.protect(table, **options).card.mechanism.parameters)  # type: ignore[arg-type]
    assert cards[0]["groups"] == cards[1]["groups"]
    assert cards[0]["map"] == cards[1]["map"]


@pytest.mark.parametrize("side", [2, 8, 32])
def test_the_curve_takes_single_steps(side: int) -> None:
    grid = np.stack(np.meshgrid(np.arange(float(side)), np.arange(float(side))), axis=-1).reshape(-1, 2)
    steps = np.abs(np.diff(grid[curve_order(grid)], axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_parts_are_equal_and_nested() -> None:
    points = seeded_rng(2).normal(size=(1000, 2))
    parts = equal_parts(points, 4)
    assert np.ptp(np.bincount(parts)) <= 4
    np.testing.assert_array_equal(parts >> 2, equal_parts(points, 2))
    assert equal_parts(np.zeros((7, 2)), 3).max() == 0  # one place cannot be cut


def test_shares_run_from_chance_to_one() -> None:
    places = seeded_rng(1).random((600, 2))
    parts, order = equal_parts(places, 3), curve_order(places)
    assert kept_shares(order, float("inf"), parts) == {2: 1.0, 4: 1.0, 8: 1.0}
    uniform = kept_shares(order, 0.0, parts, repeats=20)
    assert all(uniform[k] == pytest.approx(1 / k, abs=0.03) for k in uniform)


def test_what_would_keep_half() -> None:
    """The suggested α and radius do keep half of eight parts, and half of the step towards what was asked does not."""
    places = make_colour_map(2000, seed=2).where
    groups = Groups.from_places(places, radius=0.1)
    found = chosen_order(groups, places, alpha=1.0)
    assert not found.keeps_half
    half = halfway(found, places, alpha=1.0, radius=0.1)
    assert half["alpha"] > 1
    assert half["radius"] < 0.1
    parts = equal_parts(places, 3)
    assert kept_shares(found.order, half["alpha"] / found.sensitivity, parts)[8] > 0.53
    assert kept_shares(found.order, half["alpha"] / 2 / found.sensitivity, parts)[8] < 0.56
    assert chosen_order(Groups.from_places(places, radius=half["radius"]), places, alpha=1.0).kept[8] > 0.5


def test_special_cases() -> None:
    line = seeded_rng(4).random(50)
    assert chosen_order(Groups.from_places(line, radius=0.1), line, alpha=1.0).name == "sorted"
    places = seeded_rng(4).random((60, 2))
    everyone = Groups.from_places(places, radius=9.0)
    for alpha in (0.0, float("inf")):
        assert chosen_order(everyone, places, alpha=alpha).name == "linked"
    assert chosen_order(everyone, places, alpha=1.0, metric="hamming").name == "linked"
    assert chosen_order(Groups.alone(60), places, alpha=1.0).kept[64] == 1.0
    globe = np.stack([places[:, 0] * 60, places[:, 1] * 90], axis=1)
    near = Groups.from_places(globe, radius=300.0, geometry="globe")
    check_permutation("order", chosen_order(near, globe, alpha=2.0, geometry="globe").order)
