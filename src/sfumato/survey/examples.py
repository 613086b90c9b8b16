"""Every mechanism of the room, with inputs and outputs that would break its promise if anything could; and one of every
attack and utility for the checks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism.randomized_response import RandomizedResponse
from sfumato.noise import seeded_rng
from sfumato.survey.attacks.bayesian import BayesianAttack
from sfumato.survey.attacks.encoded_report import EncodedReportAttack
from sfumato.survey.attacks.gaussian_process import GaussianProcessAttack
from sfumato.survey.attacks.learned import LearnedAttack
from sfumato.survey.attacks.majority_vote import MajorityVoteAttack
from sfumato.survey.core.groups import Groups
from sfumato.survey.data.survey import make_hospital_stays
from sfumato.survey.mechanisms.collection import Collection
from sfumato.survey.mechanisms.hadamard_response import HadamardResponse
from sfumato.survey.mechanisms.shuffler import Shuffler
from sfumato.survey.mechanisms.unary_encoding import UnaryEncoding
from sfumato.survey.permutation.mallows import PermutationMetric
from sfumato.survey.utilities.group_estimates import GroupEstimates
from sfumato.survey.utilities.learnability import Learnability
from sfumato.survey.utilities.map_error import MapError
from sfumato.survey.utilities.prediction import Prediction
from sfumato.survey.utilities.share_error import ShareError

__all__ = ["attack_examples", "audit_cases", "group_pairs", "permutations_of", "utility_examples"]


def audit_cases() -> list[AuditCase]:
    """All audit cases of the room."""
    return [*_front_ends(), *_shufflers(), _collection()]


def permutations_of(reports: Any) -> np.ndarray:
    """Every distinct rearrangement of the reports, one a row."""
    return np.unique(np.array(list(itertools.permutations(reports))), axis=0)


def group_pairs(reports: np.ndarray, groups: Groups) -> list[tuple[np.ndarray, np.ndarray]]:
    """The reports and every rearrangement of them inside one group: all neighbours of d_σ privacy."""
    pairs = {}
    for owner in range(groups.n):
        members = groups.members(owner)
        for moved in itertools.permutations(members):
            other = reports.copy()
            other[members] = reports[list(moved)]
            if not np.array_equal(other, reports):
                pairs[other.tobytes()] = (reports, other)
    return list(pairs.values())


def _front_ends() -> Iterable[AuditCase]:
    bits = np.array(list(itertools.product((0, 1), repeat=3)), np.uint8)[:, None, :]
    bad = [np.array([3]), np.array([-1]), np.array([0.5]), np.array(["a"]), np.array([], int)]
    ones = [(np.array([a]), np.array([b])) for a, b in itertools.permutations(range(3), 2)]
    for optimised in (True, False):
        unary = UnaryEncoding(epsilon=1.5, categories=3, optimised=optimised)
        yield AuditCase(
            mechanism=unary,
            pairs=ones,
            outputs=bits,
            sampler=partial(_answer_each, unary),
            bad=bad,
            name="UnaryEncoding" + ("" if optimised else " (symmetric)"),
            source="Wang et al. 2017",
            same_kind=False,
        )
    hadamard = HadamardResponse(epsilon=1.5, categories=3)
    yield AuditCase(
        mechanism=hadamard,
        pairs=ones,
        outputs=np.arange(4)[:, None],
        sampler=partial(_answer_each, hadamard),
        bad=bad,
        source="Acharya, Sun and Zhang 2019",
        same_kind=False,
    )


def _answer_each(mechanism: Any, answer: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Many reports of one answer: owners report independently of each other."""
    return np.asarray(mechanism.release(np.repeat(answer, count), rng=rng))[:, None]


def _shufflers() -> Iterable[AuditCase]:
    overlapping = Groups.from_lists([[0, 2], [1, 3], [0, 2, 4], [1, 3], [2, 4]])
    chain = Groups.from_places([0.0, 1.0, 2.0, 3.0, 4.0], radius=1)
    metrics: tuple[PermutationMetric, ...] = ("kendall", "hamming")
    for (name, groups), metric in itertools.product((("overlapping", overlapping), ("chain", chain)), metrics):
        order = "bfs" if name == "overlapping" else "cuthill-mckee"
        mechanism = Shuffler(alpha=1.3, groups=groups, metric=metric, order=order)
        distinct, equal = np.arange(5), np.array([0, 0, 1, 1, 2])
        for label, reports in (("distinct", distinct), ("equal", equal)):
            yield AuditCase(
                mechanism=mechanism,
                pairs=group_pairs(reports, groups),
                outputs=permutations_of(reports),
                sampler=mechanism.sample,
                bad=[np.arange(4), np.arange(6), np.array(0)],
                name=f"Shuffler ({metric}, {name} groups, {label} reports)",
                source="Meehan 2023, Alg. 1, Thm 6",
            )


def _collection() -> AuditCase:
    groups = Groups.from_lists([[0, 1], [0, 1, 3], [2], [1, 3]])
    mechanism = Collection(
        front=RandomizedResponse(epsilon=1.0, categories=2), shuffler=Shuffler(alpha=0.7, groups=groups)
    )
    inside = group_pairs(np.array([0, 1, 1, 0]), groups)
    replaced = [(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])), (np.zeros(4, int), np.ones(4, int))]
    return AuditCase(
        mechanism=mechanism,
        pairs=[*inside, *replaced],
        outputs=np.array(list(itertools.product((0, 1), repeat=4))),
        bad=[np.array([0, 1, 2, 0]), np.array([0, 1, 1])],
        name="Collection (both promises)",
        source="Meehan 2023, §4.4",
    )


def _example() -> tuple[Any, Any, Any]:
    """A survey, its release and the collection that made it."""
    survey = make_hospital_stays(400, sites=40, towns=5)
    groups = Groups.from_places(survey.where, radius=5.0)
    mechanism = Collection(
        front=RandomizedResponse(epsilon=2.0, categories=survey.k), shuffler=Shuffler(alpha=4.0, groups=groups)
    )
    return survey, mechanism.release(survey, rng=seeded_rng(0)), mechanism


def _encoded_examples() -> list[tuple[Any, Any, Any]]:
    """A survey, its encoded reports and the encoding that made them, for each encoding."""
    survey = make_hospital_stays(400, sites=40, towns=5)
    fronts = [UnaryEncoding(epsilon=2.0, categories=survey.k), HadamardResponse(epsilon=2.0, categories=survey.k)]
    return [(survey, front.release(survey.answers, rng=seeded_rng(0)), front) for front in fronts]


def attack_examples() -> Iterable[tuple[Any, ...]]:
    """One of every attack for each kind of mechanism that it is made for, with data, release and mechanism."""
    survey, release, mechanism = _example()
    attacks: list[Any] = [
        MajorityVoteAttack(radius=10.0),
        MajorityVoteAttack(radius=10.0, simulated=False),
        BayesianAttack(radius=10.0),
        LearnedAttack(trees=5),
        GaussianProcessAttack(learned=100),
    ]
    return [
        *((attack, survey, release, mechanism) for attack in attacks),
        *((EncodedReportAttack(), *example) for example in _encoded_examples()),
    ]


def utility_examples() -> Iterable[tuple[Any, ...]]:
    """One of every utility for each kind of release that it is made for, with data and release."""
    survey, release, _ = _example()
    utilities: list[Any] = [
        Learnability(radius=10.0, trees=5),
        Prediction(trees=5),
        GroupEstimates(radius=10.0),
        MapError(),
        ShareError(),
    ]
    return [
        *((utility, survey, release) for utility in utilities),
        *((ShareError(front=front), survey, reports) for survey, reports, front in _encoded_examples()),
    ]
