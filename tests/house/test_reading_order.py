"""Signatures and reprs of mechanisms name the privacy loss first, and whose it is last."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from sfumato.auditor.examples import audit_cases
from sfumato.mechanism import Mechanism
from sfumato.study import find_rooms

LOSSES = ("epsilon", "pure", "level", "alpha", "rho")
SCOPE = {"unit", "neighbours", "model"}
KINDS = sorted(
    {type(case.mechanism) for case in audit_cases()}
    | {kind for room in find_rooms().values() for kind in room.mechanisms().values()},
    key=lambda kind: kind.__name__,
)
MECHANISMS = {type(case.mechanism): case.mechanism for room in find_rooms().values() for case in room.audits()}
MECHANISMS |= {type(case.mechanism): case.mechanism for case in audit_cases()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_loss_comes_first_in_a_signature(kind: type[Mechanism]) -> None:
    names = list(inspect.signature(kind).parameters)
    assert sorted(names) == sorted(field.name for field in dataclasses.fields(kind) if field.init)
    losses = [name for name in LOSSES if name in names]
    assert names[: len(losses)] == losses
    scope = [name for name in names if name in SCOPE]
    assert names[len(names) - len(scope) :] == scope


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda mechanism: type(mechanism).__name__)
def test_the_loss_comes_first_in_a_repr(mechanism: Mechanism) -> None:
    names = list(inspect.signature(type(mechanism)).parameters)
    losses = [name for name in LOSSES if name in names]
    if losses:
        assert repr(mechanism).startswith(f"{type(mechanism).__qualname__}({losses[0]}=")
    else:
        assert repr(mechanism).startswith(type(mechanism).__qualname__)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda mechanism: type(mechanism).__name__)
def test_params_can_be_set(mechanism: Mechanism) -> None:
    same = mechanism.set_params(**mechanism.get_params())
    assert type(same) is type(mechanism)
    assert same is not mechanism
    assert same.get_params().keys() == mechanism.get_params().keys()
    assert str(same.guarantee) == str(mechanism.guarantee)
