"""Newcomers in the places of people who left: who stays, and what every world that fits the releases leaves open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato import InfeasibleError, Release
from sfumato.table import Hierarchy, IntersectionAttack, JoinedViewAttack, Pseudonyms, Schema, protect
from sfumato.table.data import hospital_schema, make_deliveries
from sfumato.table.people.delivery import Digests

AGES = Hierarchy.intervals(0, 99, [10, 50])
SMALL = Schema(quasi={"age": AGES}, sensitive=["illness"], person="patient")
HOSPITAL = replace(hospital_schema(), insensitive=(), identifiers=["cost"]).counting("patient_id")


def shared_seats(release: Release) -> int:
    held = Digests.read(release)
    return sum(mine != seat for mine, seat in zip(held.rows, held.seats or held.rows, strict=True))


def open_to(releases: list[tuple[Release, list[int]]], values: int) -> tuple[int, int]:
    """The fewest records that may be a person's in a release, and the fewest values that a person may have.

    By the definition: every way of giving each person one value that fits the values of every class, of all releases,
    is a world; a record may be a person's if in some world they have its value.
    """
    people = 1 + max(max(who) for _, who in releases)
    worlds = np.stack(np.meshgrid(*[np.arange(values)] * people, indexing="ij"), axis=-1).reshape(-1, people)
    classes = []
    for release, who in releases:
        labels, held = release.arrow["age"].to_pylist(), release.arrow["illness"].to_pylist()
        for label in set(labels):
            rows = [i for i, one in enumerate(labels) if one == label]
            classes.append(([who[i] for i in rows], np.bincount([int(held[i]) for i in rows], minlength=values)))
    for inside, counts in classes:
        for value in range(values):
            worlds = worlds[(worlds[:, inside] == value).sum(axis=1) == counts[value]]
    assert len(worlds)
    fewest, least = people, values
    for inside, counts in classes:
        for person in inside:
            possible = np.unique(worlds[:, person])
            fewest, least = min(fewest, int(counts[possible].sum())), min(least, len(possible))
    return fewest, least


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_every_victim_keeps_enough_in_all_worlds(recoding: Any) -> None:
    """Eleven people, three illnesses, three releases: 177 147 worlds, for sixteen tables."""
    used = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        ages, illness = rng.integers(0, 100, 11), rng.integers(0, 3, 11)

        def table(who: list[int], ages: Any = ages, illness: Any = illness) -> pa.Table:
            held = [str(one) for one in illness[who]]
            return pa.table({"patient": [f"P{i}" for i in who], "age": ages[who], "illness": held})

        made: list[tuple[Release, list[int]]] = []
        for who in (list(range(7)), list(range(1, 10)), list(range(3, 11))):
            try:
                release = protect(table(who), SMALL, k=3, l=2, recoding=recoding, previous=[one for one, _ in made])
            except InfeasibleError:
                continue
            assert release.key.rows is not None
            made.append((release, [who[row] for row in release.key.rows.tolist()]))
            used += shared_seats(release)
        if len(made) > 1:
            fewest, least = open_to(made, 3)
            assert fewest >= 3
            assert least >= 2
    assert used > 3


@pytest.mark.parametrize("seed", range(3))
def test_most_people_stay(seed: int) -> None:
    """A tenth of the people change: hardly anybody is left out, where a quarter was, and nothing is given away."""
    march, april = make_deliveries(1_500, seed=seed)
    first = protect(march, HOSPITAL, k=5, l=2, recoding="local")
    strict = protect(april, HOSPITAL, k=5, l=2, recoding="local", previous=[first], successors=False)
    second = protect(april, HOSPITAL, k=5, l=2, recoding="local", previous=[first])
    assert strict.decision.suppressed > 0.15 * april.num_rows
    assert second.decision.suppressed < 0.08 * april.num_rows
    assert second.decision.information_loss < strict.decision.information_loss
    assert shared_seats(strict) == 0
    assert shared_seats(second) > 50
    assert "unless told" in second.guarantee.meaning
    assert "unless told" not in strict.guarantee.meaning
    attack = IntersectionAttack(schema=HOSPITAL, column="diagnosis", previous=[first])
    assert attack.attack(april, second).value == 0
    assert JoinedViewAttack(schema=HOSPITAL, previous=[first]).attack(april, second).value <= 1 / 5


def test_a_third_delivery_goes_on_from_the_seats_of_the_second(tmp_path: Path) -> None:
    """Releases and keys from files; those who left come back while their successors stay."""
    march, april = make_deliveries(1_200, leaving=0.15, seed=3)
    options: dict[str, Any] = {"k": 4, "l": 2, "recoding": "local"}
    read: list[Release] = []
    for name, table in {"march": march, "april": april, "march again": march}.items():
        release = protect(table, HOSPITAL, previous=read, **options)
        release.write(tmp_path / f"{name}.csv", key=tmp_path / f"{name}.key")
        read.append(Release.read(tmp_path / f"{name}.csv", key=tmp_path / f"{name}.key"))
        assert JoinedViewAttack(schema=HOSPITAL, previous=read[:-1]).attack(table, read[-1]).value <= 1 / 4
    assert shared_seats(read[1]) > 20
    assert read[2].arrow.num_rows > 0.5 * march.num_rows


def test_who_can_have_no_successor() -> None:
    """Values of which each is different, values that change from one delivery to the next, pseudonyms."""
    march, april = make_deliveries(1_000, seed=5)
    costs = hospital_schema().counting("patient_id")
    other = april.set_column(
        april.column_names.index("diagnosis"), "diagnosis", pa.array(np.roll(april["diagnosis"].to_pylist(), 1))
    )
    for schema, next_one, more in (
        (costs, april, {}),
        (HOSPITAL, other, {}),
        (HOSPITAL, april, {"pseudonyms": Pseudonyms()}),
    ):
        first = protect(march, schema, k=4, recoding="local")
        second = protect(next_one, schema, k=4, recoding="local", previous=[first], **more)
        assert shared_seats(second) <= 1
        assert JoinedViewAttack(schema=schema, previous=[first]).attack(next_one, second).value <= 1 / 4
