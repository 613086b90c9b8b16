"""The advisor: each mechanism wins somewhere, and every candidate keeps the promise asked for."""

from __future__ import annotations

import math

import pytest

from sfumato.direction import choose
from sfumato.errors import InputError
from sfumato.promise import MetricDP, PureDP


@pytest.mark.parametrize(
    ("n", "asked", "winner"),
    [
        (2, {"pure": 1.0}, "SphericalCap"),
        (100, {"pure": 5.0}, "SphericalCap"),
        (2, {"pure": 1.0, "graceful": True}, "VonMisesFisher"),
        (2, {"pure": 5.0, "graceful": True}, "WrappedLaplace"),
        (3, {"pure": 20.0, "graceful": True}, "Purkayastha"),
        (2, {"epsilon": 1.0}, "Purkayastha"),
        (300, {"epsilon": 50.0}, "Purkayastha"),
        (3, {"level": 1.0, "radius": 1e-3}, "Purkayastha"),
        (3, {"epsilon": 1.0, "metric": "chord"}, "VonMisesFisher"),
        (3, {"epsilon": 30.0, "metric": "chord"}, "Purkayastha"),
        (2, {"pure": 1.0, "sensitivity": 0.3}, "Purkayastha"),
    ],
)
def test_each_mechanism_wins_somewhere(n, asked, winner):
    advice = choose(n, **asked)
    assert advice.candidates[0].name == winner
    assert type(advice.mechanism).__name__ == winner
    assert winner in advice.reason
    errors = [candidate.error for candidate in advice.candidates]
    assert errors == sorted(errors)
    assert winner in str(advice)


def test_every_candidate_keeps_the_promise():
    for candidate in choose(2, pure=1.0).candidates:
        promise = PureDP(1.0, neighbours="any-pair", model="local")
        assert candidate.mechanism.guarantee == promise
    for candidate in choose(2, pure=1.0, sensitivity=1.0).candidates:
        assert candidate.mechanism.guarantee.epsilon == 1.0
        assert candidate.mechanism.guarantee.neighbours == "replace-one"
    for candidate in choose(2, epsilon=2.0, metric="chord").candidates:
        promise = candidate.mechanism.guarantee
        assert isinstance(promise, MetricDP)
        per_chord = promise.epsilon if promise.metric == "euclidean" else promise.epsilon * math.pi / 2
        assert per_chord <= 2.0 * (1 + 1e-12)


@pytest.mark.parametrize(("n", "radius"), [(2, 0.1), (2, 3.0), (3, 2.0)])
def test_a_level_is_spent_by_every_candidate_in_its_own_distance(n, radius):
    chord = 2 * math.sin(radius / 2)
    for metric, asked in (("angle", radius), ("chord", chord)):
        for candidate in choose(n, level=1.0, radius=asked, metric=metric).candidates:
            reach = chord if candidate.name == "VonMisesFisher" else radius
            assert candidate.mechanism.guarantee.epsilon * reach == pytest.approx(1.0, rel=1e-12)
            assert candidate.mechanism.guarantee.epsilon * reach <= 1.0 + 1e-15


@pytest.mark.parametrize("criterion", ["angle", "chord", "cosine"])
def test_criteria(criterion):
    assert choose(5, pure=2.0, criterion=criterion).mechanism.criterion == criterion


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epsilon": 1.0, "pure": 1.0},
        {"level": 1.0},
        {"epsilon": 1.0, "sensitivity": 1.0},
        {"pure": 1.0, "sensitivity": 4.0},
        {"pure": -1.0},
        {"level": 1.0, "radius": 2.5, "metric": "chord"},
        {"epsilon": 1.0, "metric": "taxi"},
        {"epsilon": 1.0, "criterion": "taste"},
    ],
    ids=str,
)
def test_bad_questions_are_refused(wrong):
    with pytest.raises(InputError):
        choose(3, **wrong)
    with pytest.raises(InputError):
        choose(1, epsilon=1.0)
