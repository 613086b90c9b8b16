"""The room and its ready studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep

__all__ = ["ROOM", "log_study"]


def browsing_study(
    users: int = 200,
    items: int = 1_000,
    hours: float = 8.0,
    ks: Iterable[int] = (2, 10),
    scales: Iterable[float] = (0.3, 1.5),
    ranks: Sequence[int] = (30,),
    factor_ks: Iterable[int] = (2, 10),
    factor_scales: Iterable[float] = (0.05, 0.15),
    epsilons: Iterable[float] = (1.0, 16.0),
    counts: bool = False,
    seeds: int = 1,
) -> Study:
    """Made-up browsing in two windows of the same hours: Experiments 1 to 4 of Mimoto's chapter 5, and beyond.

    ``ks=(2, 4, 6, 8, 10), scales=(.3, .6, .9, 1.2, 1.5), ranks=(10, 20, 30, 40)`` are the dissertation's grids.
    """
    from sfumato.activity import CellNoise, Factorisation, GroupedRows, make_browsing

    lines: dict[str, Sequence[Any]] = {
        "k-member, each window": sweep(GroupedRows, k=list(ks), grouping="k-member", together=False),
        "noise on cells": sweep(CellNoise, scale=list(scales), high=50.0 if counts else 1.0),
    }
    for rank in ranks:
        lines[f"factorised, r = {rank}"] = [Factorisation(rank=rank)]
        lines[f"factorised, r = {rank}, grouped"] = sweep(Factorisation, rank=rank, k=list(factor_ks))
        lines[f"factorised, r = {rank}, noise"] = sweep(Factorisation, rank=rank, scale=list(factor_scales))
    log = make_browsing(users, items, hours=(hours, hours), counts=counts)
    return log_study(
        "browsing",
        f"Who visits which of {items} domains, twice {hours:g} hours",
        log,
        ks=ks,
        epsilons=epsilons,
        lines=lines,
        seeds=seeds,
    )


def gowalla_study(
    venues: int = 500,
    users: int = 800,
    ks: Iterable[int] = (2, 5, 12),
    epsilons: Iterable[float] = (1.0, 4.0, 16.0),
    seeds: int = 1,
) -> Study:
    """Visits of Gowalla users to venues, split in two windows (needs the public set)."""
    from sfumato.activity import Factorisation, gowalla_halves

    log = gowalla_halves(venues=venues, users=users)
    lines = {"factorised, r = 30, grouped": sweep(Factorisation, rank=30, k=list(ks), solver="als", sweeps=20)}
    return log_study(
        "gowalla",
        f"{log.shape[0]} Gowalla users at {venues} venues",
        log,
        ks=ks,
        epsilons=epsilons,
        lines=lines,
        seeds=seeds,
    )


def cabs_study(
    metres: float = 500.0,
    items: int = 2_000,
    ks: Iterable[int] = (2, 5, 12),
    epsilons: Iterable[float] = (1.0, 4.0, 16.0),
    seeds: int = 1,
) -> Study:
    """Which cells of San Francisco a cab was in, hour by hour, in two halves of a week (needs the public set)."""
    import numpy as np

    from sfumato.activity import Factorisation, cab_cells

    log = cab_cells(intervals=("2008-05-19/2008-05-22", "2008-05-22/2008-05-25"), metres=metres)
    busy = np.argsort(-np.asarray(log.windows[0].sum(axis=0)).reshape(-1), kind="stable")
    log = log.select(np.sort(busy[:items]))
    lines = {"factorised, r = 20, grouped": sweep(Factorisation, rank=20, k=list(ks), solver="als", sweeps=20)}
    return log_study(
        "cabs",
        f"{log.shape[0]} cabs in {log.shape[1]} cells and hours",
        log,
        ks=ks,
        epsilons=epsilons,
        lines=lines,
        seeds=seeds,
    )


def log_study(
    name: str,
    title: str,
    log: Any,
    *,
    ks: Iterable[int] = (2, 5, 12),
    epsilons: Iterable[float] = (1.0, 4.0, 16.0),
    cell_epsilons: Iterable[float] = (1.0, 3.0),
    lines: Mapping[str, Sequence[Any]] | None = None,
    seeds: int = 1,
) -> Study:
    """The study of any log: pseudonyms alone, groups, randomised cells, and a promise for each user."""
    from sfumato.activity import (
        CooccurrenceError,
        GroupedRows,
        LearnedLinkageAttack,
        LinkageAttack,
        PopularityError,
        PrivateFactorisation,
        RandomizedCells,
        RecommendationRecall,
        ReidentificationAttack,
        TargetPrediction,
    )
    from sfumato.activity.pictures import linkage_picture

    users, items = log.shape
    rank = min(8, users, items)
    mechanisms: dict[str, Sequence[Any]] = dict(lines or {})
    mechanisms["groups for all windows"] = sweep(GroupedRows, k=[k for k in ks if k <= users])
    if all(float(window.max()) <= 1 for window in log.windows):
        mechanisms["randomised cells"] = sweep(RandomizedCells, epsilon=list(cell_epsilons))
    mechanisms["private factorisation"] = sweep(
        PrivateFactorisation, epsilon=list(epsilons), rank=rank, windows=log.count
    )
    return Study(
        name=name,
        title=title,
        summary="Logs are released under fresh pseudonyms in every window, and people believe that is safe. The "
        "attacker matches the rows of two windows, or of the original, as a whole. The raw data are pseudonyms alone.",
        data=log,
        mechanisms=mechanisms,
        attacks=[
            LinkageAttack(),
            LinkageAttack(distance="rarity", name="linked by rare items"),
            LearnedLinkageAttack(),
            ReidentificationAttack(),
        ],
        utilities=[
            RecommendationRecall(),
            CooccurrenceError(),
            PopularityError(),
            TargetPrediction(targets=20, most_users=300),
        ],
        seeds=seeds,
        varied="k",
        contains={"cell": {"user": items * log.count}, "row of one window": {"user": log.count}},
        pictures=[linkage_picture],
        records=users,
    )


ROOM = Room(
    name="activity",
    summary="Who did what, window by window, and who can be linked across windows",
    recipes=[
        Recipe(
            name="browsing",
            summary="made-up browsing, factorised, grouped and noised",
            build=browsing_study,
            demo=True,
        ),
        Recipe(name="gowalla", summary="Gowalla visits split in two (needs the set)", build=gowalla_study),
        Recipe(name="cabs", summary="cab cells by hour in two halves of a week (needs the set)", build=cabs_study),
    ],
    commands={
        "protect": "sfumato.activity.commands:protect",
        "attack": "sfumato.activity.commands:attack",
        "measure": "sfumato.activity.commands:measure",
    },
    examples="sfumato.activity.examples",
    own="sfumato.activity.own_file:own_study",
)
