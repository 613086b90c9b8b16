"""The three risks, closest records and membership: a generator that memorises is told from a fresh one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.model import (
    AttributeInferenceAttack,
    ClosestMembershipAttack,
    ClosestRecordAttack,
    Cohort,
    HalfLinkageAttack,
    KernelDensity,
    NoisyMarginals,
    RiskEstimate,
    SampleCopyingAttack,
    SinglingOutAttack,
    inference_risk,
    linkability_risk,
    make_census,
    measure_closeness,
    singling_out_risk,
)
from sfumato.model.data.census import CENSUS_DOMAINS

TRAIN, TEST, FRESH = (make_census(600, seed=seed) for seed in (1, 2, 3))
GROUP = Cohort(train=TRAIN, test=TEST)
ATTACKS = [
    SampleCopyingAttack(),
    ClosestRecordAttack(),
    SinglingOutAttack(),
    HalfLinkageAttack(),
    AttributeInferenceAttack(),
    ClosestMembershipAttack(),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: type(attack).__name__)
def test_copies_are_found(attack: object) -> None:
    found = attack.attack(GROUP, TRAIN, rng=np.random.default_rng(0))  # type: ignore[attr-defined]
    assert found.low > found.reference + 0.05


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: type(attack).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_fresh_records_are_not(attack: object, seed: int) -> None:
    """Not more than 0.12 above chance: three standard deviations of the smallest of these samples and more."""
    found = attack.attack(GROUP, make_census(600, seed=10 + seed), rng=np.random.default_rng(seed))  # type: ignore[attr-defined]
    assert found.value - found.reference < 0.12


def test_noisy_marginals_leak_nothing_and_smoothed_records_do() -> None:
    rng = np.random.default_rng(0)
    private = NoisyMarginals(epsilon=1.0, domains=CENSUS_DOMAINS).release(TRAIN, rng=rng)
    smoothed = KernelDensity(bandwidth=0.01, swap=0.02).release(TRAIN, rng=rng)
    for attack in (ClosestRecordAttack(), ClosestMembershipAttack()):
        assert attack.attack(GROUP, private, rng=rng).value == pytest.approx(0.5, abs=0.1)
        assert attack.attack(GROUP, smoothed, rng=rng).value > 0.7


def test_risk_is_the_excess_over_the_control() -> None:
    found = RiskEstimate(hits=60, attacks=100, control_hits=20, control_attacks=100, guess=0.1)
    assert found.rate.value == 0.6
    assert found.risk.value == pytest.approx(0.5)
    assert found.risk.low < 0.5 < found.risk.high
    assert found.strong
    assert RiskEstimate(hits=1, attacks=9, control_hits=9, control_attacks=9, guess=0.1).risk.value == 0
    assert RiskEstimate(hits=2, attacks=9, control_hits=5, control_attacks=9, guess=0.1).risk.value == 0


def test_closeness_of_a_table_to_itself() -> None:
    found = measure_closeness(TRAIN, TEST, TRAIN)
    assert found.copies == 600
    assert found.share > 0.95
    assert (found.ratio[found.to_train < 0] == 0).all()
    fresh = measure_closeness(TRAIN, TEST, FRESH)
    assert fresh.share == pytest.approx(0.5, abs=0.1)


def test_linkability_by_hand() -> None:
    """Two synthetic records; the halves of the first person meet in record 0, those of the second do not."""
    made = pa.table({"a": ["x", "y"], "b": ["p", "q"]})
    people = pa.table({"a": ["x", "y"], "b": ["p", "p"]})
    found = linkability_risk(people, people, made, halves=(["a"], ["b"]), attacks=2)
    assert found.hits == found.control_hits == 1
    assert found.guess == pytest.approx(0.5)


def test_inference_by_hand() -> None:
    made = pa.table({"age": [10, 20, 30], "ill": ["no", "no", "yes"]})
    people = pa.table({"age": [11, 29, 21], "ill": ["no", "yes", "yes"]})
    assert inference_risk(people, people, made, secret="ill").hits == 2
    assert inference_risk(people, people, made, secret="age", tolerance=0.05).hits == 1


def test_singling_out_by_hand() -> None:
    """Descriptions of one column: beyond the extremes, or a value that occurs once."""
    made = pa.table({"age": [1.0, 2.0, 3.0], "town": ["a", "a", "b"]})
    found = singling_out_risk(made, made, made, columns=1)
    assert found.attacks == found.hits == 6  # ages 1, 2, 3, at least 3, at most 1, town b


@pytest.mark.parametrize(
    "call",
    [
        lambda: linkability_risk(TRAIN.select(["age"]), TEST.select(["age"]), FRESH.select(["age"])),
        lambda: linkability_risk(TRAIN, TEST, FRESH, halves=(["age"], ["age"])),
        lambda: linkability_risk(TRAIN, TEST, FRESH, halves=(["age"], ["nobody"])),
        lambda: inference_risk(TRAIN, TEST, FRESH, secret="nobody"),
        lambda: inference_risk(TRAIN, TEST, FRESH, secret="age", known_columns=["age"]),
        lambda: inference_risk(TRAIN, TEST, FRESH, secret="age", tolerance=-1.0),
        lambda: singling_out_risk(TRAIN, TEST, FRESH, columns=7),
        lambda: singling_out_risk(TRAIN, TEST, FRESH, attacks=0),
        lambda: measure_closeness(TRAIN.slice(0, 1), TEST, FRESH),
        lambda: measure_closeness(TRAIN, TEST.drop_columns(["age"]), FRESH),
        lambda: ClosestRecordAttack().attack(TRAIN, FRESH),
        lambda: Cohort(train=TRAIN, test=TEST.slice(0, 0)),
    ],
)
def test_bad_input_is_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]
