"""Real logs: what every release leaves to every attack, and which statements about them hold."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.activity import (
    Activity,
    CooccurrenceError,
    Factorisation,
    GroupedRows,
    LearnedLinkageAttack,
    LikelihoodAttack,
    LinkageAttack,
    PopularityError,
    PrivateFactorisation,
    Pseudonyms,
    RandomizedCells,
    RecommendationRecall,
    ReidentificationAttack,
    cab_cells,
    geolife_places,
    gowalla_halves,
)
from sfumato.activity.room import gowalla_study
from sfumato.noise import seeded_rng
from sfumato.study.run.runner import run

HALVES = ("2008-05-19/2008-05-22", "2008-05-22/2008-05-25")

Row = list[str]


def table(head: Row, rows: list[Row]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


Rows = dict[str, dict[str, float]]


def _real(log: Activity, methods: Sequence[tuple[str, Any]]) -> tuple[str, Rows]:
    """The table of one log, and its numbers by release and column."""
    attacks = [
        LinkageAttack(),
        LinkageAttack(distance="rarity", name="linked by rare items"),
        LearnedLinkageAttack(),
        ReidentificationAttack(),
    ]
    uses = (RecommendationRecall(), CooccurrenceError(), PopularityError())
    head = ["linked", "by rare items", "by learning", "re-identified", "recall@20", "co-occurrence", "popularity"]
    numbers: Rows = {}
    for label, method in methods:
        release = method.release(log, rng=seeded_rng(0))
        found = [one.attack(log, release, mechanism=method, rng=seeded_rng(1)).value for one in attacks]
        if hasattr(method, "cell_scores"):
            law = LikelihoodAttack().attack(log, release, mechanism=method, rng=seeded_rng(1)).value
            found[3] = max(found[3], law)
        left = [use.measure(log, release, rng=seeded_rng(2)).value for use in uses]
        numbers[label] = dict(zip(head, (*found, *left), strict=True))
    rows = [[label, *(f"{value:.3f}" for value in one.values())] for label, one in numbers.items()]
    return table(["release", *head], rows), numbers


def _methods(rank: int, large: bool) -> list[tuple[str, Any]]:
    made: list[tuple[str, Any]] = [
        ("pseudonyms alone", Pseudonyms()),
        ("factorised, r = 30", Factorisation(rank=rank, solver="als", sweeps=20)),
        ("groups of 5, each window", GroupedRows(k=5, grouping="k-member", together=False)),
    ]
    made += [(f"groups of {k}, all windows", GroupedRows(k=k)) for k in (2, 5, 12)]
    made += [(f"randomised cells, ε = {e:g} a cell", RandomizedCells(epsilon=e)) for e in (1.0, 3.0)]
    epsilons = (1.0, 4.0, 16.0) if large else (16.0,)
    return made + [
        (f"private factorisation, ε = {e:g} a user", PrivateFactorisation(epsilon=e, rank=8, windows=2))
        for e in epsilons
    ]


def _busiest(log: Activity, items: int) -> Activity:
    used = np.asarray(sum(window.sum(axis=0) for window in log.windows)).reshape(-1)
    return log.select(np.sort(np.argsort(-used, kind="stable")[:items]))


def _linked(row: dict[str, float]) -> float:
    """The best of those who link the windows."""
    return max(row[name] for name in ("linked", "by rare items", "by learning"))


def recipe(out: Path | None = None) -> str:
    """`sfumato study activity --recipe gowalla` as it stands: the figures of its report."""
    study = gowalla_study()
    rows = run(study, out=out, workers=1, progress=False).rows
    head = {
        "linked": "linked",
        "linked by rare items": "by rare items",
        "linked by learning": "by learning",
        "re-identified": "re-identified",
        "recall of new items at 20": "recall@20",
        "error of co-occurrence": "co-occurrence",
        "error of the popularity of items": "popularity",
    }
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        parameters = json.loads(row["parameters"])
        level = next((f"{name} = {parameters[key]:g}" for key, name in _LEVELS if parameters.get(key)), "")
        cells.setdefault((row["label"], level), {})[row["measure"]] = row["value"]
    lines = [
        [", ".join(filter(None, cell)), *(f"{values[name]:.3f}" for name in head)] for cell, values in cells.items()
    ]
    return f"""`sfumato study activity --recipe gowalla` ({study.title}), the figures of its report:

{table(["release", *head.values()], lines)}"""


_LEVELS = (("k", "k"), ("epsilon", "ε"))


def real_logs() -> str:
    if "SFUMATO_DATA" not in os.environ:
        return "The public sets are not here: real logs were not run."
    gowalla, cabs, geolife = gowalla_halves(venues=1_000, users=2_000), cab_cells(intervals=HALVES), geolife_places()
    full = gowalla_halves()
    whole = LinkageAttack().attack(full, full, rng=seeded_rng(1)).value
    tables, numbers = {}, {}
    for name, log, large in (
        ("Gowalla", gowalla, True),
        ("cabs", _busiest(cabs, 2_000), False),
        ("GeoLife", _busiest(geolife, 2_000), False),
    ):
        tables[name], numbers[name] = _real(log, _methods(30, large))
    return f"""All {full.shape[0]} Gowalla users at all {full.shape[1]} venues, visits split in two by a fair coin:
{whole:.3f} are linked (auction). {gowalla.shape[0]} of them at the {gowalla.shape[1]} busiest venues:

{tables["Gowalla"]}

{recipe()}

{cabs.shape[0]} cabs, cells of 500 m by hour of the day, Monday to Wednesday against Thursday to Saturday, the 2 000
busiest cells:

{tables["cabs"]}

{geolife.shape[0]} GeoLife users, places of 500 m, even against odd days, the 2 000 busiest places:

{tables["GeoLife"]}

What the tables say, decided by their numbers:

{_verdicts(numbers)}"""


def _verdicts(logs: dict[str, Rows]) -> str:
    """Statements about all logs, each with the logs it holds on."""
    alone, mixed = "pseudonyms alone", "factorised, r = 30"
    groups = [f"groups of {k}, all windows" for k in (2, 5, 12)]
    private = "private factorisation, ε = 16 a user"
    size = dict(zip(groups, (2, 5, 12), strict=True))

    def falls(rows: Rows) -> bool:
        found = [_linked(rows[name]) for name in (alone, *groups, private)]
        return all(after <= before + 1e-9 for before, after in pairwise(found))

    statements: list[tuple[str, Callable[[Rows], bool]]] = [
        ("linkage falls from pseudonyms through groups of 2, 5 and 12 to a promise of ε = 16 for each user", falls),
        (
            "groups for all windows: nobody is found with more than 1/k, by any attack of the table",
            lambda rows: all(
                max(_linked(rows[one]), rows[one]["re-identified"]) <= 1 / size[one] + 1e-9 for one in groups
            ),
        ),
        (
            "groups of 2 for all windows are linked more often than the raw rows",
            lambda rows: _linked(rows[groups[0]]) > _linked(rows[alone]),
        ),
        ("a factorisation for each window cuts linkage", lambda rows: _linked(rows[mixed]) < _linked(rows[alone])),
        (
            "it leaves more than nine in ten of those who could be found to an attacker who has the original",
            lambda rows: rows[mixed]["re-identified"] > 0.9 * rows[alone]["re-identified"],
        ),
        (
            "randomised cells at ε = 1 a cell still leave more than half to that attacker",
            lambda rows: rows["randomised cells, ε = 1 a cell"]["re-identified"] > 0.5,
        ),
        (
            "ε = 16 for each user leaves less than 5 % to any attack of the table",
            lambda rows: max(_linked(rows[private]), rows[private]["re-identified"]) < 0.05,
        ),
        (
            "and keeps at least half of the raw recall@20",
            lambda rows: rows[private]["recall@20"] >= 0.5 * rows[alone]["recall@20"],
        ),
    ]
    shown = []
    for words, holds in statements:
        yes = [name for name, rows in logs.items() if holds(rows)]
        no = [name for name in logs if name not in yes]
        shown.append([words, ", ".join(yes) or "–", ", ".join(no) or "–"])
    return table(["statement", "holds", "does not hold"], shown)
