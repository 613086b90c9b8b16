"""Every mechanism, attack and utility with inputs to try it on, for the auditor, the checks and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.activity.attacks.assignment_attack import LinkageAttack, ReidentificationAttack
from sfumato.activity.attacks.learned_matching import LearnedLinkageAttack, LearnedReidentificationAttack
from sfumato.activity.attacks.likelihood import LikelihoodAttack
from sfumato.activity.attacks.window_chain import ChainAttack
from sfumato.activity.core.activity import Activity, unpack_windows
from sfumato.activity.core.row_classes import joint_classes, smallest_class
from sfumato.activity.data.stand_in import make_browsing
from sfumato.activity.mechanisms.cell_noise import CellNoise
from sfumato.activity.mechanisms.factorisation import Factorisation
from sfumato.activity.mechanisms.grouped_rows import GroupedRows
from sfumato.activity.mechanisms.noised_statistics import NoisedRow, NoisedStatistics
from sfumato.activity.mechanisms.private_factorisation import PrivateFactorisation
from sfumato.activity.mechanisms.pseudonyms import Pseudonyms
from sfumato.activity.mechanisms.randomized_cells import RandomizedCells
from sfumato.activity.utilities.item_pairs import CooccurrenceError
from sfumato.activity.utilities.popularity import PopularityError
from sfumato.activity.utilities.recommendation import RecommendationRecall
from sfumato.activity.utilities.target_prediction import TargetPrediction
from sfumato.auditor import AuditCase

__all__ = ["attack_examples", "audit_cases", "utility_examples"]

CHAPTER = "Mimoto 2022, ch. 5"
_NOT_A_MATRIX = [np.array([1.0, 0.0]), np.array([[1.0, np.nan]]), "rows"]


def audit_cases() -> Iterator[AuditCase]:
    """One case, or more, for each mechanism."""
    some = (np.random.default_rng(3).random((9, 6)) < 0.4) * 1.0
    other = some.copy()
    other[0] = 1 - other[0]
    yield AuditCase(mechanism=Pseudonyms(), pairs=[(some, other)], bad=_NOT_A_MATRIX, source=CHAPTER, samples=100)
    for grouping in ("mdav", "k-member"):
        yield AuditCase(
            mechanism=GroupedRows(k=3, grouping=grouping),
            pairs=[(some, other)],
            reached=reached_k,
            bad=[*_NOT_A_MATRIX, some[:2]],
            name=f"GroupedRows, {grouping}",
            source=f"{CHAPTER}, Experiment 1",
        )
    yield AuditCase(
        mechanism=Factorisation(rank=2, k=3, sweeps=10),
        pairs=[(some, other)],
        reached=reached_k,
        bad=[*_NOT_A_MATRIX, some[:2], some[:, :1]],
        name="Factorisation, k",
        source=f"{CHAPTER}, Theorem 5.1",
    )
    yield AuditCase(
        mechanism=Factorisation(rank=2, scale=0.2, sweeps=10, solver="nmf", update_items=True),
        pairs=[(some, other)],
        bad=[*_NOT_A_MATRIX, -some],
        name="Factorisation, noise",
        source=f"{CHAPTER}, Experiment 4",
        samples=100,
    )
    yield from _cells()
    yield from _private_factorisation()


def _cells() -> Iterator[AuditCase]:
    low, high = np.zeros((2, 2)), np.array([[1.0, 0.0], [0.0, 0.0]])
    busy, idle = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])
    bad = [*_NOT_A_MATRIX, np.full((2, 2), 2.0), np.full((2, 2), -1.0)]
    yield AuditCase(
        mechanism=CellNoise(scale=0.7),
        pairs=[(low, high), (busy, idle)],
        bad=bad,
        source=f"{CHAPTER}, Experiment 2; Dwork et al. 2006",
    )
    every = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T.reshape(-1, 2, 2)
    yield AuditCase(
        mechanism=RandomizedCells(epsilon=1.0),
        pairs=[(low, high), (busy, idle)],
        outputs=every,
        bad=[*bad, np.full((2, 2), 0.5)],
        source="Warner 1965",
    )
    rows = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T.reshape(-1, 1, 4)
    yield AuditCase(
        mechanism=RandomizedCells(epsilon=0.5, most=2),
        pairs=[(rows[3], rows[12]), (rows[15], rows[0]), (rows[5], rows[13])],
        outputs=rows,
        bad=bad,
        name="RandomizedCells, at most 2 items",
        source="Warner 1965",
    )


def _private_factorisation() -> Iterator[AuditCase]:
    """Neighbours at the largest distance: a user alone on one item, against one alone on another.

    The whole is sampled twice: where its items' side and where its rows say most. Its parts are compared exactly.
    """
    crowd = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    moved, mixed = crowd.copy(), crowd.copy()
    moved[0], mixed[0] = [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]
    bad = [*_NOT_A_MATRIX, crowd[:1], Activity(windows=(crowd, crowd))]
    source = "Dwork, Talwar, Thakurta, Zhang 2014; Bun and Steinke 2016"
    items = PrivateFactorisation(epsilon=2.0, delta=1e-3, rank=2, reach=1.0, share=0.9)
    yield AuditCase(
        mechanism=items,
        pairs=[(crowd, moved), (crowd, mixed)],
        features=lambda release: np.asarray(release).ravel(),
        bad=bad,
        samples=20_000,
        sampler=items.sample,
        source=source,
    )
    many = np.repeat(np.eye(2), 30, axis=0)  # so many that the directions are known, and a row is seen for itself
    other = many.copy()
    other[0] = [0.0, 1.0]
    rows = PrivateFactorisation(epsilon=2.0, delta=1e-3, rank=2, reach=1.0, share=0.1)
    yield AuditCase(
        mechanism=rows,
        pairs=[(many, other)],
        features=lambda release: np.asarray(release)[0],
        bad=bad,
        samples=20_000,
        sampler=rows.sample,
        name="PrivateFactorisation, rows",
        source=source,
    )
    statistics = NoisedStatistics(epsilon=2.0, delta=1e-3, rank=2)
    yield AuditCase(
        mechanism=statistics,
        pairs=[(np.eye(2), np.eye(2)[[1, 1]])],
        bad=bad,
        samples=10_000,
        sampler=statistics.sample,
        name="PrivateFactorisation, statistics of the items",
        source=source,
        part_of=PrivateFactorisation,
    )
    row = NoisedRow(epsilon=2.0, delta=1e-3, rank=1)
    yield AuditCase(
        mechanism=row,
        pairs=[(np.eye(2), np.eye(2)[[1, 1]])],
        bad=[*_NOT_A_MATRIX, crowd[:, :1], Activity(windows=(crowd, crowd))],
        sampler=row.sample,
        name="PrivateFactorisation, one row",
        source=source,
        part_of=PrivateFactorisation,
        same_kind=False,
    )


def reached_k(data: Any, release: Any) -> float:
    """The size of the smallest class of equal rows, in all windows together."""
    return float(smallest_class(joint_classes(unpack_windows(release)[0])))


def attack_examples() -> Iterator[tuple[Any, ...]]:
    """Each attack with data, a release of it and the mechanism."""
    log = make_browsing(24, 30, hours=(8.0, 8.0, 8.0))
    method = GroupedRows(k=2, grouping="k-member", together=False)
    release = method.release(log, rng=np.random.default_rng(0))
    yield ReidentificationAttack(), log, release, method
    yield LinkageAttack(), log, release, method
    yield LinkageAttack(distance="rarity", name="linked by rare items"), log, release, method
    yield LearnedReidentificationAttack(), log, release, method
    yield LearnedLinkageAttack(), log, release, method
    yield ChainAttack(), log, release, method
    noise = RandomizedCells(epsilon=2.0)
    yield LikelihoodAttack(), log, noise.release(log, rng=np.random.default_rng(0)), noise


def utility_examples() -> Iterator[tuple[Any, ...]]:
    """Each utility with data and a release of it."""
    log = make_browsing(40, 30)
    release = GroupedRows(k=2).release(log, rng=np.random.default_rng(0))
    yield PopularityError(), log, release
    yield CooccurrenceError(), log, release
    yield RecommendationRecall(), log, release
    yield TargetPrediction(targets=10), log, release
