"""The promise of traces: what it says and what it refuses."""

from __future__ import annotations

import pytest

from sfumato.errors import InputError
from sfumato.promise import compose
from sfumato.trace import InferentialPrivacy

GOOD = {"epsilon": 0.5, "order": 2.0, "radius": 200.0, "prior": "a smooth path"}


def test_inferential_privacy_does_not_add_up():
    promise = InferentialPrivacy(**GOOD)
    assert compose(promise, promise).statement.startswith("no guarantee")
    assert "repeated_noise" in promise.budget_obstacle
    assert "a smooth path" in promise.words


@pytest.mark.parametrize("wrong", [{"epsilon": -1.0}, {"order": 1.0}, {"radius": 0.0}, {"prior": ""}, {"unit": ""}])
def test_parameters_are_checked(wrong):
    with pytest.raises(InputError):
        InferentialPrivacy(**{**GOOD, **wrong})
