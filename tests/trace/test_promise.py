"""The promise of traces: what it says and what it refuses."""

from __future__ import annotations

import pytest

from sfumato.errors import InputError
from sfumato.promise import compose
from sfumato.trace import InferentialPrivacy, ZonePrivacy

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
