"""The promise of traces: what it says and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from sfumato.errors import InputError
from sfumato.promise import compose
from sfumato.trace import InferentialPrivacy, ZonePrivacy
from sfumato.trace.promise import most_right

GOOD = {"epsilon": 0.5, "order": 2.0, "radius": 200.0, "prior": "a smooth path"}


def test_inferential_privacy_does_not_add_up():
    promise = InferentialPrivacy(**GOOD)
    assert compose(promise, promise).statement.startswith("no guarantee")
    assert "repeated_noise" in promise.budget_obstacle
    assert "a smooth path" in promise.words


def test_distances_have_their_unit():
    assert "places up to 200 m apart" in InferentialPrivacy(**GOOD).statement
    assert "up to 200 m from each other" in InferentialPrivacy(**GOOD).words
    warm = InferentialPrivacy(**{**GOOD, "radius": 1.0, "measured_in": "°C"})
    assert "up to 1 °C apart" in warm.statement
    assert "up to 1 apart" in InferentialPrivacy(**{**GOOD, "radius": 1.0, "measured_in": ""}).statement
    zone = ZonePrivacy(1.0, order=2.0, delta=4e-5, radius=200.0, around=200.0)
    assert "up to 200 m apart, whatever is done within 200 m" in zone.statement


@pytest.mark.parametrize(
    "wrong", [{"epsilon": -1.0}, {"order": 1.0}, {"radius": 0.0}, {"prior": ""}, {"unit": ""}, {"measured_in": 1}]
)
def test_parameters_are_checked(wrong):
    with pytest.raises(InputError):
        InferentialPrivacy(**{**GOOD, **wrong})


@pytest.mark.parametrize("order", [1.5, 2.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.1, 0.73, 1.0, 3.0])
def test_nobody_is_right_more_often_than_said(epsilon, order):
    """Of all pairs of coins within ε both ways the best reaches the bound; normal laws stay below it."""
    grid = np.linspace(0.001, 0.999, 999)
    first, second = grid[:, None], grid[None, :]

    def divergence(p, q):
        return np.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (order - 1)

    near = np.maximum(divergence(first, second), divergence(second, first)) <= epsilon
    right = np.where(near, (first + 1 - second) / 2, 0.5)
    bound = most_right(epsilon, order)
    assert bound - 0.002 < right.max() <= bound
    shift = np.sqrt(2 * epsilon / order)
    assert norm.cdf(shift / 2) <= bound


def test_a_large_loss_is_not_called_a_promise():
    assert "in at most 78 of 100 cases" in InferentialPrivacy(1.0).meaning
    assert "promises next to nothing" in InferentialPrivacy(18.0).meaning
    assert "in at most 78 of 100" in ZonePrivacy(1.0, order=2.0, delta=4e-5, radius=200.0, around=200.0).meaning
