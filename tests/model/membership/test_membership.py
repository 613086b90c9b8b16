"""Membership inference: a model that overfits gives its members away, one that does not gives nobody away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import (
    MembershipReport,
    ShadowModels,
    likelihood_ratio_attack,
    logit_confidence,
    loss_attack,
    train_shadow_models,
)


def _smoothed_neighbours(rows: Any, labels: Any) -> Any:
    """A model that remembers: the two nearest training records vote, with Laplace's correction."""
    from sfumato.model.core.nearest import nearest

    def predict(asked: Any) -> Any:
        found = labels[nearest(rows, asked, count=2).which]
        votes = np.stack([(found == kind).sum(1) for kind in (0, 1)], axis=1)
        return (votes + 0.5) / 3

    return predict


def _constant(rows: Any, labels: Any) -> Any:
    return lambda asked: np.full((len(asked), 2), 0.5)


RNG = np.random.default_rng(0)
ROWS, LABELS = RNG.normal(size=(300, 4)), RNG.integers(0, 2, 300)  # nothing can be learned: all is memory


def test_every_record_is_in_half_of_the_models() -> None:
    shadows = train_shadow_models(_constant, ROWS, LABELS, count=8, rng=np.random.default_rng(1))
    assert (shadows.member.sum(axis=0) == 4).all()
    assert (shadows.confidence == 0).all()


@pytest.mark.parametrize("worlds", ["both", "without"])
@pytest.mark.parametrize("variance", ["common", "each"])
def test_a_model_that_remembers_is_found(worlds: str, variance: str) -> None:
    shadows = train_shadow_models(_smoothed_neighbours, ROWS, LABELS, count=10, rng=np.random.default_rng(2))
    found = likelihood_ratio_attack(
        ShadowModels(shadows.confidence[1:], shadows.member[1:]),
        shadows.confidence[0],
        shadows.member[0],
        worlds=worlds,
        variance=variance,
    )
    assert found.area > 0.6
    assert found.advantage > 0.2
    simple = loss_attack(-shadows.confidence[0][shadows.member[0]], -shadows.confidence[0][~shadows.member[0]])
    assert simple.area > 0.6


def test_the_ratio_finds_what_the_loss_does_not() -> None:
    """Records differ in difficulty far more than membership moves them: only a law for each record sees it."""
    rng = np.random.default_rng(3)
    hard = 10 * rng.normal(size=1000)
    member = np.concatenate([rng.random((1, 1000)) < 0.5, rng.random((20, 1000)).argsort(axis=0) < 10])
    said = hard + member + 0.3 * rng.normal(size=member.shape)
    ratio = likelihood_ratio_attack(ShadowModels(said[1:], member[1:]), said[0], member[0])
    plain = loss_attack(-said[0][member[0]], -said[0][~member[0]])
    assert ratio.area > 0.95
    assert ratio.found(0.01) > 0.3
    assert plain.area < 0.65


def test_no_memory_is_chance() -> None:
    """Two samples of one law; the area has a standard deviation of .013, ε is above 0 in 5 % of cases at most."""
    rng = np.random.default_rng(4)
    found = [MembershipReport(members=rng.normal(size=1000), strangers=rng.normal(size=1000)) for _ in range(40)]
    assert np.mean([one.area for one in found]) == pytest.approx(0.5, abs=0.02)
    assert sum(one.epsilon() > 0 for one in found) <= 8  # more has probability < 1e-3


def test_epsilon_is_a_lower_bound() -> None:
    """Randomised response at ε = 1 and its exact rates."""
    rng = np.random.default_rng(5)
    keep = math.e / (1 + math.e)
    members, strangers = (rng.random(20_000) < keep).astype(float), (rng.random(20_000) < 1 - keep).astype(float)
    assert 0.8 < MembershipReport(members=members, strangers=strangers).epsilon() <= 1.05


def test_the_area_by_hand() -> None:
    found = MembershipReport(members=np.array([1.0, 3.0]), strangers=np.array([0.0, 2.0]))
    assert found.area == 0.75
    assert found.advantage == 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: loss_attack([], [1.0]),
        lambda: loss_attack([np.nan], [1.0]),
        lambda: logit_confidence([[0.5, 0.5]], [2]),
        lambda: logit_confidence([[0.5, 0.5]], [0, 1]),
        lambda: train_shadow_models(_constant, ROWS, LABELS, count=3),
        lambda: likelihood_ratio_attack(ShadowModels(np.zeros((2, 2)), np.eye(2, dtype=bool)), [0, 0], [True, False]),
        lambda: MembershipReport(members=np.zeros(3), strangers=np.zeros(3)).found(0.0),
    ],
)
def test_bad_input_is_refused(call: Any) -> None:
    with pytest.raises(InputError):
        call()
