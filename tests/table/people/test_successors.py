"""Newcomers in the places of people who left: who stays, and what every world that fits the releases leaves open."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from sfumato import InfeasibleError, Release
from sfumato.table import (
    Hierarchy,
    IntersectionAttack,
    JoinedViewAttack,
    Pseudonyms,
    Schema,
    SuccessionAttack,
    TCloseness,
    protect,
)
from sfumato.table.attacks.deliveries.joined_view import deliveries_of
from sfumato.table.data import hospital_schema, make_deliveries
from sfumato.table.people import joined, successors
from sfumato.table.people.delivery import Delivery, Digests
from sfumato.table.people.lasting_values import LASTS, Succession

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


def small_table(who: list[int], ages: NDArray[np.int64], illness: NDArray[np.int64]) -> pa.Table:
    return pa.table({"patient": [f"P{i}" for i in who], "age": ages[who], "illness": [str(i) for i in illness[who]]})


def add_release(made: list[tuple[Release, list[int]]], who: list[int], table: pa.Table, recoding: Any) -> int:
    """One more release beside those that are ``made``, where there can be one; how many people in it share a seat."""
    try:
        release = protect(table, SMALL, k=3, l=2, recoding=recoding, previous=[one for one, _ in made])
    except InfeasibleError:
        return 0
    assert release.key.rows is not None
    made.append((release, [who[row] for row in release.key.rows.tolist()]))
    return shared_seats(release)


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_every_victim_keeps_enough_in_all_worlds(recoding: Any) -> None:
    """Eleven people, three illnesses, three releases: 177 147 worlds, for sixteen tables."""
    used = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        ages, illness = rng.integers(0, 100, 11), rng.integers(0, 3, 11)
        made: list[tuple[Release, list[int]]] = []
        for who in (list(range(7)), list(range(1, 10)), list(range(3, 11))):
            used += add_release(made, who, small_table(who, ages, illness), recoding)
        if len(made) > 1:
            fewest, least = open_to(made, 3)
            assert fewest >= 3
            assert least >= 2
    assert used > 3


Group = tuple[tuple[int, Any], ...]
"""The classes of a seat in the releases that it is in."""


@dataclass(frozen=True)
class Shown:
    """A release as an attacker sees it who knows everybody in it, their class, their seat and the group of that."""

    people: list[int]
    classes: list[Any]
    values: list[int]
    groups: list[Group]
    left: list[int | None]
    came: list[int | None]

    def worlds(self, values: int) -> NDArray[np.int64]:
        """Every way of giving the people of the release values that fits those of its classes."""
        found = np.stack(np.meshgrid(*[np.arange(values)] * len(self.people), indexing="ij"), axis=-1)
        found = found.reshape(-1, len(self.people))
        for one in set(self.classes):
            rows = [i for i, label in enumerate(self.classes) if label == one]
            counts = np.bincount([self.values[i] for i in rows], minlength=values)
            for value in range(values):
                found = found[(found[:, rows] == value).sum(axis=1) == counts[value]]
        return found

    def signature(self, world: NDArray[np.int64], moved: list[int | None]) -> tuple[Any, ...]:
        """The values of those whose seat changes hands, by the other release and the group."""
        held: dict[tuple[int, Group], list[int]] = {}
        for value, other, group in zip(world.tolist(), moved, self.groups, strict=True):
            if other is not None:
                held.setdefault((other, group), []).append(value)
        return tuple(sorted((other, group, tuple(sorted(one))) for (other, group), one in held.items()))


def as_shown(made: list[tuple[Release, list[int]]]) -> list[Shown]:
    """The releases with the seats of their keys; ``left`` and ``came`` say to and from which release a seat changes."""
    seats = [Digests.read(release).seats or Digests.read(release).rows for release, _ in made]
    views: dict[str, list[tuple[int, Any]]] = {}
    held: dict[str, list[tuple[int, int]]] = {}
    for at, ((release, who), mine) in enumerate(zip(made, seats, strict=True)):
        for person, seat, label in zip(who, mine, release.arrow["age"].to_pylist(), strict=True):
            views.setdefault(seat, []).append((at, label))
            held.setdefault(seat, []).append((at, person))
    found = []
    for at, ((release, who), mine) in enumerate(zip(made, seats, strict=True)):
        left: list[int | None] = []
        came: list[int | None] = []
        for person, seat in zip(who, mine, strict=True):
            before = [one for one in held[seat] if one[0] < at][-1:]
            after = [one for one in held[seat] if one[0] > at][:1]
            came.append(before[0][0] if before and before[0][1] != person else None)
            left.append(after[0][0] if after and after[0][1] != person else None)
        labels, values = release.arrow["age"].to_pylist(), [int(one) for one in release.arrow["illness"].to_pylist()]
        found.append(Shown(who, labels, values, [tuple(views[seat]) for seat in mine], left, came))
    return found


def open_to_who_knows_the_method(shown: list[Shown], values: int) -> tuple[int, int]:
    """The fewest records and values that may be a person's, if successors are known to have the values of who left.

    Values of other people may change between two releases, so each release has worlds of its own; those of two
    releases fit if, group by group, the people who left one had the values of those who came into the other.
    """
    worlds = [one.worlds(values) for one in shown]
    keys = [
        [(one.signature(world, one.came), one.signature(world, one.left)) for world in inside]
        for one, inside in zip(shown, worlds, strict=True)
    ]
    chains = []
    for chain in itertools.product(*[sorted(set(each), key=repr) for each in keys]):
        into = sorted((at, other, *rest) for at, (came, _) in enumerate(chain) for other, *rest in came)
        out = sorted((other, at, *rest) for at, (_, left) in enumerate(chain) for other, *rest in left)
        if into == out:
            chains.append(chain)
    assert chains
    fewest, least = 99, values
    for at, (one, inside) in enumerate(zip(shown, worlds, strict=True)):
        possible = {chain[at] for chain in chains}
        fitting = inside[[key in possible for key in keys[at]]]
        for place, label in enumerate(one.classes):
            mine = set(fitting[:, place].tolist())
            there = [value for value, other in zip(one.values, one.classes, strict=True) if other == label]
            fewest, least = min(fewest, sum(value in mine for value in there)), min(least, len(mine))
    return fewest, least


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_who_knows_the_method_is_left_with_enough_though_values_change(recoding: Any) -> None:
    """A quarter of the values change between releases: those who left must not be known by theirs, which do not."""
    used = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        ages, illness = rng.integers(0, 100, 11), rng.integers(0, 3, 11)
        made: list[tuple[Release, list[int]]] = []
        for who in (list(range(7)), list(range(1, 9)), list(range(2, 11))):
            used += add_release(made, who, small_table(who, ages, illness), recoding)
            illness = np.where(rng.random(11) < 0.25, rng.integers(0, 3, 11), illness)
        if len(made) > 1:
            fewest, least = open_to_who_knows_the_method(as_shown(made), 3)
            assert fewest >= 3
            assert least >= 2
    assert used > 3


def test_who_left_is_known_if_only_their_values_had_to_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any newcomer of the same values as a successor, whatever became of the others, the attacker wins."""
    monkeypatch.setattr(joined, "successions", no_successions)
    monkeypatch.setattr(successors, "LASTING", 0.0)
    broken = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        ages, illness = rng.integers(0, 100, 8), rng.integers(0, 4, 8)
        later = np.where(rng.random(8) < 0.6, rng.integers(0, 4, 8), illness)
        later[7] = illness[0]  # the newcomer has what the one who left had
        made: list[tuple[Release, list[int]]] = []
        for who, now in (([0, 1, 2, 3, 4, 5, 6], illness), ([1, 2, 3, 4, 5, 6, 7], later)):
            release = protect(
                small_table(who, ages, now), SMALL, k=3, recoding="local", previous=[one for one, _ in made]
            )
            assert release.key.rows is not None
            made.append((release, [who[row] for row in release.key.rows.tolist()]))
        broken += open_to_who_knows_the_method(as_shown(made), 4)[0] < 3
    assert broken > 3


def no_successions(deliveries: Sequence[Delivery], groups: NDArray[np.int64]) -> list[Succession]:
    return [Succession(np.zeros(len(one.person), np.int64), np.full(len(one.person), -1)) for one in deliveries]


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


def coded(seed: int) -> tuple[pa.Table, pa.Table, Schema]:
    """Two deliveries in which half of the codes last (97 %) and the others rarely do (5 %)."""
    rng = np.random.default_rng(seed)
    age, code = rng.integers(0, 100, 3_300), rng.integers(0, 40, 3_300)
    keeps = rng.random(3_300) < np.where(code % 2 == 0, 0.97, 0.05)
    later = np.where(keeps | (np.arange(3_300) >= 3_000), code, rng.integers(0, 40, 3_300))

    def table(who: NDArray[np.int64], codes: NDArray[np.int64]) -> pa.Table:
        held = [f"c{one}" for one in codes[who]]
        return pa.table({"patient": [f"P{i}" for i in who], "age": age[who], "code": held})

    schema = Schema(quasi={"age": AGES}, sensitive=["code"], person="patient")
    return table(np.arange(3_000), code), table(np.arange(300, 3_300), later), schema


def test_values_that_rarely_last_give_successors_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who learns how long values last guesses better than chance, unless classes with fleeting values are left alone.

    Four seeds together: about 150 guesses each, .15 right where chance is .11.
    """
    without, chance, guarded = 0.0, 0.0, 0
    for seed in range(1, 5):
        march, april, schema = coded(seed)
        first = protect(march, schema, k=5, l=2, recoding="local")
        guarded += shared_seats(protect(april, schema, k=5, l=2, recoding="local", previous=[first]))
        with monkeypatch.context() as patch:
            patch.setattr(successors, "LASTING", 0.0)
            second = protect(april, schema, k=5, l=2, recoding="local", previous=[first])
        found = SuccessionAttack(schema=schema, column="code", previous=[first]).attack(april, second)
        without, chance = without + found.value / 4, chance + found.reference / 4
    assert without > chance + 0.01
    assert guarded < 20


def test_what_is_left_to_who_is_told_whose_records_belong_together() -> None:
    """Successors do not protect from this; without them it adds nothing. It is no row of a certificate's three."""
    march, april = make_deliveries(1_000, seed=2)
    first = protect(march, HOSPITAL, k=4, l=2, recoding="local")
    for given, worst in (({}, 1.0), ({"successors": False}, 1 / 4)):
        second = protect(april, HOSPITAL, k=4, l=2, recoding="local", previous=[first], **given)
        told = JoinedViewAttack(schema=HOSPITAL, previous=[first], told=True)
        assert told.criterion is None
        assert told.attack(april, second).value == pytest.approx(worst)
        names = [one.name for one in second.attack(april, previous=[first])]
        assert (told.name in names) == (not given)
        assert any("told" in one for one in second.card.not_covered) == (not given)


def test_what_follows_and_is_wrong_does_not_count() -> None:
    """All values changed: what the intersection calls certain is chance."""
    march, april = make_deliveries(1_000, seed=4)
    first = protect(march, HOSPITAL, k=4, recoding="local")
    place = april.column_names.index("diagnosis")
    rolled = pa.array(np.roll(april["diagnosis"].to_pylist(), 1))
    attack = IntersectionAttack(schema=HOSPITAL, column="diagnosis", previous=[first])
    same = attack.attack(april, protect(april, HOSPITAL, k=4, recoding="local")).value
    other = april.set_column(place, "diagnosis", rolled)
    assert attack.attack(other, protect(other, HOSPITAL, k=4, recoding="local")).value < same


def test_closeness_is_asked_against_the_whole_release() -> None:
    """The records that may be of people who left are t-close to all of the release, not to themselves."""
    march, april = make_deliveries(1_500, seed=6)
    close = [TCloseness(0.5, "diagnosis")]
    first = protect(march, HOSPITAL, k=4, target=close, recoding="local")
    second = protect(april, HOSPITAL, k=4, target=close, recoding="local", previous=[first])
    assert shared_seats(second) > 10
    found = [one.by_seat() for one in deliveries_of(april, second, [first], HOSPITAL)]
    groups = joined.joined_groups(found)
    for one, after in zip(found, joined.successions(found, groups), strict=True):
        held = next(each for each in one.columns if each.name == "diagnosis")
        codes = np.empty(len(one.person), np.int64)
        codes[held.tuples] = held.codes
        whole = np.bincount(codes, minlength=len(held.values)) / len(codes)
        rows = after.part == LASTS
        assert rows.any()
        for pair in set(zip(one.classes[rows].tolist(), groups[one.person[rows]].tolist(), strict=True)):
            inside = rows & (one.classes == pair[0]) & (groups[one.person] == pair[1])
            part = np.bincount(codes[inside], minlength=len(whole)) / inside.sum()
            assert np.abs(part - whole).sum() / 2 <= 0.5 + 1e-9
