"""Attacks find what is there and no more; utilities measure what they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.statistic import (
    Count,
    Coverage,
    DifferencingAttack,
    Discrimination,
    EachPlannedStudy,
    EachStudy,
    EmpiricalEpsilonAttack,
    Error,
    FalseAlarms,
    Histogram,
    Mean,
    MembershipAttack,
    Power,
    PrivateWelch,
    PValues,
    Quantile,
    Studies,
    Sum,
    Variance,
    WelchTest,
    make_studies,
    power_curve,
)
from sfumato.statistic.attacks.worlds import worst_worlds
from sfumato.study.study import Raw
from specimens.welch import WelchAlgorithm8

DATA = np.linspace(0, 100, 60)
TRIAL: dict[str, Any] = {"epsilon": 5.0, "delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}


def mechanisms() -> list[Any]:
    bounded: dict[str, Any] = {"epsilon": 1.0, "bounds": (0, 100)}
    return [
        Sum(**bounded),
        Mean(**bounded),
        Mean(**bounded, neighbours="add-remove"),
        Variance(**bounded),
        Variance(**bounded, neighbours="add-remove"),
        Count(epsilon=1.0, within=(20, 60)),
        Histogram(epsilon=1.0, edges=(0, 50, 100)),
        Histogram(epsilon=1.0, edges=(0, 50, 100), neighbours="add-remove"),
        Quantile(**bounded, points=50),
    ]


@pytest.mark.parametrize("mechanism", mechanisms(), ids=lambda m: f"{type(m).__name__}, {m.neighbours}")
def test_likelihood_attacks_stay_within_the_promise(mechanism: Any) -> None:
    """The empirical ε exceeds the promised 1 with probability below 5 % a run; the seeds are fixed."""
    rng = np.random.default_rng(0)
    empirical = EmpiricalEpsilonAttack(repeats=2000).attack(DATA, None, mechanism=mechanism, rng=rng)
    area = MembershipAttack(repeats=2000).attack(DATA, None, mechanism=mechanism, rng=rng)
    assert 0 <= empirical.value <= 1.0
    assert 0.45 <= area.value <= 0.75
    assert (area.reference, empirical.reference) == (0.5, 0.0)


def test_more_epsilon_more_risk() -> None:
    areas = [
        MembershipAttack()
        .attack(DATA, None, mechanism=Mean(epsilon=e, bounds=(0, 100)), rng=np.random.default_rng(0))
        .value
        for e in (0.1, 1.0, 10.0)
    ]
    assert areas[0] < areas[1] < areas[2]
    assert areas[2] > 0.99


def test_the_raw_data_tells_everything() -> None:
    for attack in (MembershipAttack(), DifferencingAttack()):
        assert attack.attack(DATA, DATA, mechanism=Raw()).value == 1.0
    assert EmpiricalEpsilonAttack().attack(DATA, DATA, mechanism=Raw()).value > 5


def test_empirical_epsilon_comes_near_the_truth() -> None:
    found = EmpiricalEpsilonAttack(repeats=40_000).attack(
        DATA, None, mechanism=Count(epsilon=1.0, within=(0, 50)), rng=np.random.default_rng(0)
    )
    assert 0.85 < found.value <= 1.0


def test_differencing_is_worn_down_by_repetition() -> None:
    mean = Mean(epsilon=1.0, bounds=(0, 100))
    once = DifferencingAttack(people=60).attack(DATA, None, mechanism=mean, rng=np.random.default_rng(0))
    often = DifferencingAttack(people=60, repeats=20_000).attack(
        DATA, None, mechanism=mean, rng=np.random.default_rng(0)
    )
    assert once.value < 0.35
    assert often.value > 0.85
    assert once.reference == pytest.approx(6 / 60, abs=0.02)


def test_differencing_of_a_histogram() -> None:
    votes = np.array(["a"] * 30 + ["b"] * 10)
    for neighbours in ("replace-one", "add-remove"):
        mechanism = Histogram(epsilon=20.0, categories=("a", "b"), neighbours=neighbours)  # type: ignore[arg-type]
        score = DifferencingAttack().attack(votes, None, mechanism=mechanism, rng=np.random.default_rng(0))
        assert score.value > 0.9
        assert score.reference == 0.75


def test_attacks_reject() -> None:
    with pytest.raises(InputError, match="mechanism"):
        MembershipAttack().attack(DATA, 1.0)
    with pytest.raises(InputError, match="Sum, Mean or Histogram"):
        DifferencingAttack().attack(DATA, 1.0, mechanism=Quantile(epsilon=1.0, bounds=(0, 100)))
    with pytest.raises(InputError):
        DifferencingAttack().attack(DATA[:2], 1.0, mechanism=Mean(epsilon=1.0, bounds=(0, 100)))
    for bad in ({"repeats": 1}, {"repeats": 2.5}):
        with pytest.raises(InputError):
            MembershipAttack(**bad)  # type: ignore[arg-type]
    for wrong in ({"people": 0}, {"repeats": 0}, {"tolerance": 1.0}):
        with pytest.raises(InputError):
            DifferencingAttack(**wrong)  # type: ignore[arg-type]


def test_attack_on_each_kind_of_welch() -> None:
    studies = make_studies(2, 400, effect=5.0, rng=np.random.default_rng(0))
    for test in (PrivateWelch(**TRIAL), WelchTest(noise_scale=30.0, **TRIAL), WelchAlgorithm8(**TRIAL)):
        score = MembershipAttack(repeats=300).attack(
            studies, None, mechanism=EachStudy(test=test), rng=np.random.default_rng(0)
        )
        assert 0.4 < score.value < 0.8


def test_worlds_are_neighbours() -> None:
    x, y = worst_worlds(Mean(epsilon=1.0, bounds=(0, 9)), np.array([1.0, 2.0]))
    assert (x.tolist(), y.tolist()) == ([0.0, 2.0], [9.0, 2.0])
    x, y = worst_worlds(Mean(epsilon=1.0, bounds=(0, 9), neighbours="add-remove"), np.array([1.0, 2.0]))
    assert (x.tolist(), y.tolist()) == ([1.0, 2.0, 9.0], [1.0, 2.0])
    with pytest.raises(InputError):
        worst_worlds(Raw(), DATA)


# ── utilities ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_errors() -> None:
    mean = Mean(epsilon=1.0, bounds=(0, 100))
    assert Error(query=mean).measure(DATA, 53.0).value == pytest.approx(3.0)
    assert Error(query=mean, relative=True).measure(DATA, 55.0).value == pytest.approx(0.1)
    assert Error(query=mean).measure(DATA, DATA).value == 0.0  # the raw data answers exactly
    counts = Histogram(epsilon=1.0, edges=(0, 50, 100))
    assert Error(query=counts).measure(DATA, np.array([32, 30])).value == pytest.approx(1.0)
    with pytest.raises(InputError, match="shape"):
        Error(query=counts).measure(DATA, 3.0)
    with pytest.raises(InputError, match="other than 0"):
        Error(query=mean, relative=True).measure(np.zeros(3), 1.0)
    with pytest.raises(InputError):
        Error(query=3)


def test_coverage() -> None:
    mean = Mean(epsilon=1.0, bounds=(0, 100))
    assert Coverage(query=mean).measure(DATA, 50.0).value == 1.0
    assert Coverage(query=mean).measure(DATA, 80.0).value == 0.0
    with pytest.raises(InputError, match="margin"):
        Coverage(query=Quantile(epsilon=1.0, bounds=(0, 100)))


def test_decisions() -> None:
    values = PValues(np.array([0.01, 0.5, 0.9, 0.2]), np.array([0.01, 0.02, 0.03, 0.6]))
    studies = make_studies(4, 40, effect=50.0, rng=np.random.default_rng(0))
    assert FalseAlarms().measure(studies, values).value == 0.25
    assert Power().measure(studies, values).value == 0.75
    assert Discrimination().measure(studies, values).value == 0.5
    assert Power().measure(studies, studies).value == 1.0
    assert Power().measure(studies, values).reference == 1.0
    with pytest.raises(InputError):
        FalseAlarms(level=0.0)
    with pytest.raises(InputError):
        Power().measure(studies, 0.3)
    with pytest.raises(InputError):
        Studies(equal=[], different=[])
    with pytest.raises(InputError):
        EachStudy(test=3)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        power_curve(PrivateWelch(**TRIAL), [], size=10, repeats=1)


def test_planned_study_is_the_planned_test() -> None:
    planned = EachPlannedStudy(size=400, deviation=14.0, **TRIAL)
    test = WelchTest.planned(size=400, deviation=14.0, **TRIAL)
    assert planned.one_test().get_params() == test.get_params()
    assert planned.guarantee == test.guarantee
    with pytest.raises(InputError):
        planned.replace(deviation=0.0)


def test_each_study_passes_the_promise_on() -> None:
    test = PrivateWelch(**TRIAL)
    assert EachStudy(test=test).guarantee == test.guarantee
    assert EachStudy(test=test).epsilon == 5.0
    assert math.isnan(EachStudy(test=Raw()).epsilon)
