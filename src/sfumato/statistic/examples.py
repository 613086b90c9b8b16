"""Every mechanism, attack and utility of the room with inputs to try it on, for the auditor and the checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor import AuditCase
from sfumato.mechanism import Exponential, Laplace, RandomizedResponse
from sfumato.noise import seeded_rng
from sfumato.statistic.attacks.differencing import DifferencingAttack
from sfumato.statistic.attacks.empirical_epsilon import EmpiricalEpsilonAttack
from sfumato.statistic.attacks.membership import MembershipAttack
from sfumato.statistic.attacks.record_inference import RecordInferenceAttack
from sfumato.statistic.attacks.record_linkage import RecordLinkageAttack
from sfumato.statistic.core.studies import EachPlannedStudy, EachStudy, PValues, Studies, make_studies
from sfumato.statistic.mechanisms.count import Count
from sfumato.statistic.mechanisms.histogram import Histogram
from sfumato.statistic.mechanisms.local_test import LocalTest
from sfumato.statistic.mechanisms.mean import Mean
from sfumato.statistic.mechanisms.moment_correlation import MomentCorrelation
from sfumato.statistic.mechanisms.private_correlation import PrivateCorrelation
from sfumato.statistic.mechanisms.private_p_value import PrivatePValue
from sfumato.statistic.mechanisms.private_welch import PrivateWelch
from sfumato.statistic.mechanisms.quantile import Quantile
from sfumato.statistic.mechanisms.sum import Sum
from sfumato.statistic.mechanisms.variance import Variance
from sfumato.statistic.mechanisms.welch_test import WelchAnswer, WelchTest
from sfumato.statistic.utilities.answer_rate import AnswerRate
from sfumato.statistic.utilities.coverage import Coverage
from sfumato.statistic.utilities.decision_agreement import DecisionAgreement
from sfumato.statistic.utilities.discrimination import Discrimination
from sfumato.statistic.utilities.error import Error
from sfumato.statistic.utilities.false_alarms import FalseAlarms
from sfumato.statistic.utilities.intervals import TESTS
from sfumato.statistic.utilities.power import Power
from sfumato.statistic.utilities.wrong_share import WrongShare

__all__ = ["attack_examples", "attacks_on", "audit_cases", "utilities_on", "utility_examples"]

Floats = NDArray[np.float64]

AGES = np.array([18.0, 25.0, 31.0, 31.0, 44.0, 52.0, 67.0, 90.0])
BOUNDS = (0.0, 120.0)
BAD_COLUMNS: tuple[Any, ...] = (
    np.array([30.0, np.nan]),
    np.array([30.0, np.inf]),
    np.array([[30.0], [40.0]]),
    np.array(["thirty"]),
)
TRIAL: dict[str, Any] = {"delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}


def _replaced(first: float, data: Floats = AGES) -> Floats:
    return np.concatenate([[first], data[1:]])


REPLACED = [
    (_replaced(0.0), _replaced(120.0)),
    (_replaced(31.0), _replaced(32.0)),
    (np.zeros(2), np.array([0.0, 120.0])),
    (np.full(2, 60.0), np.array([60.0, 0.0])),
]
REMOVED = [
    (np.append(AGES, 120.0), AGES),
    (np.append(AGES, 0.0), AGES),
    (np.array([120.0]), np.zeros(0)),
    (np.array([60.0]), np.zeros(0)),
]


def audit_cases() -> Iterator[AuditCase]:
    """The audit cases of the room."""
    yield from _totals()
    yield from _quantiles()
    yield from _welch()
    yield from _other_tests()
    yield from _correlation()


def _totals() -> Iterator[AuditCase]:
    flags = np.array([True, False, True, True])
    counts = np.arange(-80, 90)
    yield AuditCase(
        name="Count",
        mechanism=Count(epsilon=0.7),
        pairs=[(flags, np.array([False, False, True, True])), (flags[:1], ~flags[:1])],
        outputs=counts,
        bad=[np.array([1.0, 0.0]), np.zeros(0, bool)],
    )
    for neighbours, pairs in (("replace-one", REPLACED), ("add-remove", REMOVED)):
        scope: Any = {"neighbours": neighbours}
        empty = [np.zeros(0)] if neighbours == "replace-one" else []
        outside = [np.append(AGES, 121.0)]
        rows = seeded_rng(1).integers(-40, 50, (400, 3))
        count = Count(epsilon=0.7, within=(18, 65), **scope)
        yield AuditCase(
            name=f"Count within bounds, {neighbours}",
            mechanism=count,
            sampler=count.sample,
            pairs=pairs,
            outputs=counts,
            bad=[*BAD_COLUMNS, *empty],
        )
        histogram = Histogram(epsilon=0.7, edges=(0, 30, 60, 120), **scope)
        yield AuditCase(
            name=f"Histogram, {neighbours}",
            mechanism=histogram,
            sampler=histogram.sample,
            pairs=pairs,
            outputs=rows,
            bad=[*BAD_COLUMNS, *empty, *outside],
            source="Mimoto Thm 2.4, with the sensitivity of the neighbour relation",
        )
        bounded: Any = {"epsilon": 0.7, "bounds": BOUNDS, **scope}
        for make in (Sum, Mean):
            total = make(**bounded)
            yield AuditCase(
                name=f"{make.__name__}, {neighbours}",
                mechanism=total,
                sampler=total.sample,
                pairs=pairs,
                bad=[*BAD_COLUMNS, *empty, *outside],
            )
        variance = Variance(**bounded)
        yield AuditCase(
            name=f"Variance, {neighbours}",
            mechanism=variance,
            pairs=pairs,
            bad=[*BAD_COLUMNS, *empty, *outside, *([np.array([30.0])] if empty else [])],
            samples=4000,
            sampler=variance.sample,
        )
        yield AuditCase(
            name=f"Variance, {neighbours}: noisy totals", mechanism=variance.parts, pairs=pairs, part_of=Variance
        )


def _quantiles() -> Iterator[AuditCase]:
    for neighbours, pairs in (("replace-one", REPLACED), ("add-remove", REMOVED)):
        scope: Any = {"neighbours": neighbours}
        one = Quantile(epsilon=0.7, bounds=BOUNDS, q=0.3, points=60, **scope)
        yield AuditCase(
            name=f"Quantile, {neighbours}",
            mechanism=one,
            pairs=pairs,
            outputs=one.candidates,
            sampler=one.sample,
            bad=[*BAD_COLUMNS, np.append(AGES, 121.0), *([np.zeros(0)] if neighbours == "replace-one" else [])],
            source="Weggenmann M6",
        )
        several = Quantile(epsilon=0.9, bounds=BOUNDS, q=(0.25, 0.5, 0.9), points=8, **scope)
        grid = several.candidates
        rows = np.array([(x, y, z) for x in grid for y in grid for z in grid if x <= y <= z])
        yield AuditCase(name=f"Quantiles, {neighbours}", mechanism=several, pairs=pairs, outputs=rows)


def _normal_quantiles(size: int, deviation: float) -> Floats:
    from scipy.special import ndtri

    return np.asarray(100 + deviation * ndtri((np.arange(size) + 0.5) / size))


def _frame(a: Floats, b: Floats) -> Any:
    import pyarrow as pa

    values = np.concatenate([a, b]).tolist()  # a list: an array would make pyarrow import pandas
    return pa.table({"group": ["A"] * len(a) + ["B"] * len(b), "value": values})


def welch_pairs() -> list[tuple[Any, Any]]:
    """The pair on which Algorithm 8 fails, a record that changes its group, and the smallest data there is."""
    many = _normal_quantiles(3000, 14.0)
    few = _normal_quantiles(20, 30.0)
    same = np.full(300, 100.0)
    none, low, high = np.zeros(0), np.array([0.0]), np.array([200.0])
    return [
        ((_replaced(0.0, many), _replaced(0.0, many)), (_replaced(200.0, many), _replaced(0.0, many))),
        (_frame(_replaced(200.0, few), few), _frame(few[1:], np.append(few, 200.0))),
        ((few, few), (_replaced(few[0] + 1e-3, few), few)),
        (_frame(low, none), _frame(none, high)),
        ((same, same), (_replaced(200.0, same), same)),
    ]


BAD_TRIALS: tuple[Any, ...] = (
    (np.array([-1.0]), np.array([5.0])),
    (np.array([201.0]), np.array([5.0])),
    (np.array([np.nan]), np.array([5.0])),
    (np.zeros(0), np.zeros(0)),
    (np.array([1.0]),),
    5.0,
)


def _different(answers: list[WelchAnswer]) -> list[WelchAnswer]:
    return list({answer.statistic: answer for answer in answers}.values())


def _answer_features(answer: WelchAnswer) -> list[float]:
    return [float(answer.answered), answer.statistic]


def _welch() -> Iterator[AuditCase]:
    source = "Mimoto ch. 7, sensitivity corrected"
    # the public noise of the test is such that the first pair is answered half of the time: both branches are audited
    for epsilon, noise_scale in ((0.5, 68.0), (5.0, 0.65)):
        private = PrivateWelch(epsilon=epsilon, **TRIAL)
        yield AuditCase(
            name=f"PrivateWelch, ε = {epsilon:g}",
            mechanism=private,
            sampler=private.sample,
            pairs=welch_pairs(),
            bad=BAD_TRIALS,
            source=source,
        )
        test = WelchTest(epsilon=epsilon, noise_scale=noise_scale, **TRIAL)
        yield AuditCase(
            name=f"WelchTest, ε = {epsilon:g}",
            mechanism=test,
            pairs=welch_pairs()[:2],
            outputs=_different(test.sample(welch_pairs()[0][0], 200, seeded_rng(0))),
            bad=BAD_TRIALS,
            sampler=test.sample,
            features=_answer_features,
            source=source,
        )
    a, b = _normal_quantiles(30, 30.0), _normal_quantiles(30, 20.0)
    several = Studies(equal=[(a, b)], different=[(a, b)])
    changed = Studies(equal=[(_replaced(200.0, a), b)], different=[(a, b)])
    yield AuditCase(
        name="EachStudy",
        part_of=WelchTest,
        mechanism=EachStudy(test=WelchTest(epsilon=1.0, noise_scale=3000.0, **TRIAL)),
        pairs=[(several, changed)],
        bad=[AGES],
        samples=300,
        features=_p_values,
    )
    yield AuditCase(
        name="EachPlannedStudy",
        part_of=WelchTest,
        mechanism=EachPlannedStudy(epsilon=1.0, size=60, deviation=25.0, **TRIAL),
        pairs=[(several, changed)],
        bad=[AGES],
        samples=300,
        features=_p_values,
    )


def _other_tests() -> Iterator[AuditCase]:
    few, low, high = np.array([1.0, 2.0, 4.0]), np.array([0.0]), np.array([200.0])
    votes = PrivatePValue(epsilon=0.7, parts=2)
    changed = ((np.append(few, 1e9), few), (np.append(few, -1e9), few))
    moved = (_frame(low, few), _frame(np.zeros(0), np.append(few, 1e3)))
    yield AuditCase(
        mechanism=votes,
        sampler=votes.sample,
        pairs=[changed, moved],
        bad=[(np.array([np.nan]), np.array([5.0])), (np.zeros(0), np.zeros(0)), (np.array([1.0]),), 5.0],
        features=_answer_features,
        samples=400,
        source="votes of parts, Nissim, Raskhodnikova and Smith 2007",
    )
    local = LocalTest(epsilon=0.7, upper=200.0)
    yield AuditCase(
        mechanism=local,
        sampler=local.sample,
        pairs=[((np.append(low, low), np.append(low, high)), (np.append(low, high), np.append(low, high)))],
        bad=[*BAD_TRIALS],
        same_kind=False,
        features=_answer_features,
        samples=400,
        source="Ding, Nori, Li and Allen 2018",
    )


def _correlation() -> Iterator[AuditCase]:
    rng = seeded_rng(4)
    x = rng.uniform(0, 1, 300)
    many = np.stack([x, np.clip(x + rng.normal(0, 0.1, 300), 0, 1)], axis=1)
    flat = np.full((40, 2), 0.5)
    bad = [np.zeros(4), np.array([[0.5, 1.5]]), np.array([[0.5, np.nan]]), np.zeros((0, 2)), "text"]
    given: Any = {"epsilon": 1.0, "delta": 1e-5, "bounds_x": (0.0, 1.0), "bounds_y": (0.0, 1.0)}
    for name, private in (
        ("PrivateCorrelation", PrivateCorrelation(**given)),
        ("PrivateCorrelation, one dummy a corner", PrivateCorrelation(**given, corners=1)),
    ):
        yield AuditCase(
            name=name,
            mechanism=private,
            sampler=private.sample,
            pairs=[private.farthest_neighbours(rows) for rows in (many, flat, flat[:1])],
            bad=bad,
            source="Mimoto §3.1.4, with a smooth bound of our own",
        )
    moments = MomentCorrelation(**given)
    pairs = [moments.farthest_neighbours(rows) for rows in (many, flat, flat[:1])]
    yield AuditCase(mechanism=moments, sampler=moments.sample, pairs=pairs, bad=bad, samples=4000)
    # A large δ, which samples can see: with 10⁻⁵ half the noise would go unnoticed.
    parts = replace(moments, delta=0.01).parts
    yield AuditCase(
        name="MomentCorrelation: noisy moments",
        mechanism=parts,
        sampler=parts.sample,
        pairs=pairs,
        samples=20_000,
        part_of=MomentCorrelation,
    )


def _p_values(released: PValues) -> Floats:
    return np.concatenate([released.equal, released.different])


def attacks_on(mechanism: Any, repeats: int = 2000) -> list[Any]:
    """The attacks that fit a mechanism."""
    if not (hasattr(mechanism, "farthest_neighbours") or isinstance(mechanism, Exponential)):
        return [RecordInferenceAttack(), RecordLinkageAttack()]
    attacks: list[Any] = [MembershipAttack(repeats=repeats), EmpiricalEpsilonAttack(repeats=repeats)]
    if isinstance(mechanism, DifferencingAttack.targets):
        attacks += [DifferencingAttack(), DifferencingAttack(repeats=1000)]
    return attacks


def utilities_on(mechanism: Any) -> list[Any]:
    """The utilities that fit one release of a mechanism."""
    if isinstance(mechanism, TESTS):
        return [AnswerRate(), DecisionAgreement(query=mechanism)]
    if isinstance(mechanism, Exponential | RandomizedResponse):
        return [WrongShare(query=mechanism)]
    found: list[Any] = [Error(query=mechanism, relative=True), Error(query=mechanism)]
    return found + ([Coverage(query=mechanism)] if hasattr(mechanism, "margin") else [])


def attack_examples() -> Iterator[Any]:
    """(attack, data, release, mechanism) for the checks."""
    mean = Mean(epsilon=1.0, bounds=BOUNDS)
    votes = Histogram(epsilon=1.0, edges=(0, 30, 60, 120), neighbours="add-remove")
    yield MembershipAttack(repeats=200), AGES, 40.0, mean
    yield EmpiricalEpsilonAttack(repeats=400), AGES, 40.0, mean
    yield DifferencingAttack(people=5), AGES, 40.0, mean
    yield DifferencingAttack(people=5, repeats=3), AGES, np.array([2, 3, 3]), votes
    noise = Laplace(epsilon=1.0, sensitivity=120.0)
    for attack in (RecordInferenceAttack(), RecordLinkageAttack()):
        yield attack, AGES, noise.release(AGES, rng=seeded_rng(0)), noise


def utility_examples() -> Iterator[Any]:
    """(utility, data, release) for the checks."""
    mean = Mean(epsilon=1.0, bounds=BOUNDS)
    for utility in utilities_on(mean):
        yield utility, AGES, 40.0
    coin = RandomizedResponse(epsilon=1.0, categories=("no", "yes"))
    for utility in utilities_on(coin):
        yield utility, np.array(["no", "yes", "no"]), np.array(["no", "no", "no"])
    test = WelchTest(epsilon=5.0, noise_scale=1.0, **TRIAL)
    for utility in utilities_on(test):
        yield utility, (AGES, AGES + 40.0), WelchAnswer(True, -2.0, 0.16, 1.0)
    studies = make_studies(3, 20, effect=5.0, rng=seeded_rng(0))
    values = studies.p_values
    for measure in (FalseAlarms(), Power(), Discrimination()):
        yield measure, studies, values
