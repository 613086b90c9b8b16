"""People with several records, several releases of the same people, pseudonyms."""

from __future__ import annotations

import itertools
import os
import stat
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from sfumato import InfeasibleError, InputError, Release, verify
from sfumato.promise import KAnonymity
from sfumato.release import Terms
from sfumato.study.report.certificate import write_certificate
from sfumato.table import (
    GlobalRecoding,
    Hierarchy,
    IntersectionAttack,
    JoinedViewAttack,
    Microaggregation,
    PeopleAnonymity,
    Pseudonyms,
    SampledGeneralisation,
    Schema,
    TCloseness,
    protect,
    protect_with,
)
from sfumato.table.people.delivery import Digests, people_labels
from sfumato.table.protection import recoder, recompute
from sfumato.table.streaming import protect_file

TOWNS = [str(code) for code in range(800, 830)]
SCHEMA = Schema(
    quasi={
        "age": Hierarchy.intervals(0, 99, [10, 20]),
        "sex": Hierarchy.flat(["f", "m"]),
        "zip": Hierarchy.prefixes(TOWNS),
    },
    sensitive=["illness"],
    person="patient",
)
ILLNESSES = ["flu", "gout", "asthma", "cancer"]


def hospital(first: int, last: int, *, seed: int = 0, visits: float = 0.0, moved: float = 0.0) -> pa.Table:
    """Records of the patients first … last − 1; the same number is the same person in every delivery."""
    fixed, rng = np.random.default_rng(99), np.random.default_rng(seed)
    age, sex = fixed.integers(0, 100, 5000), fixed.choice(["f", "m"], 5000)
    town, illness = fixed.choice(TOWNS, 5000), fixed.choice(ILLNESSES, 5000)
    rows = []
    for i in range(first, last):
        for _ in range(1 + int(rng.poisson(visits))):
            where = town[i] if rng.random() >= moved else rng.choice(TOWNS)
            rows.append({"patient": f"P{i}", "age": age[i], "sex": sex[i], "zip": where, "illness": illness[i]})
    rng.shuffle(rows)
    return pa.Table.from_pylist(rows)


def people_of(release: Release, original: pa.Table) -> list[str]:
    assert release.key.rows is not None
    return [original["patient"][row].as_py() for row in release.key.rows.tolist()]


def joined_people(releases: list[tuple[Release, pa.Table]]) -> int:
    """The smallest group of the joined view, by the definition: an independent check with plain dictionaries."""
    views: dict[str, list[Any]] = defaultdict(list)
    inside: dict[str, set[int]] = defaultdict(set)
    tied: set[str] = set()
    rows = []
    for number, (release, original) in enumerate(releases):
        table = release.arrow
        labels = list(zip(*(table[name].to_pylist() for name in SCHEMA.quasi), strict=True))
        who = people_of(release, original)
        names = table["patient"].to_pylist() if "patient" in table.column_names else list(range(len(who)))
        often = Counter(names)
        for person, label, name in zip(who, labels, names, strict=True):
            views[person].append((number, label))
            inside[person].add(number)
            rows.append((number, label, person))
            if often[name] > 1:
                tied.add(person)
    cells: dict[Any, set[str]] = defaultdict(set)
    for number, label, person in rows:
        grouped = len(inside[person]) > 1 or person in tied
        cells[number, label, tuple(sorted(views[person])) if grouped else None].add(person)
    return min(len(people) for people in cells.values())


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_classes_count_people(recoding: Any) -> None:
    table = pa.concat_tables([hospital(0, 300, visits=1.0, moved=0.3), hospital(0, 1).take([0] * 40)])
    options: dict[str, Any] = {"suppression": 0.05} if recoding == "global" else {}
    release = protect(table, SCHEMA, k=5, recoding=recoding, **options)
    labels = zip(*(release.arrow[name].to_pylist() for name in SCHEMA.quasi), strict=True)
    found = defaultdict(set)
    for label, person in zip(labels, people_of(release, table), strict=True):
        found[label].add(person)
    assert min(map(len, found.values())) >= 5
    assert release.card.promised.startswith("k = 5 different values of patient")
    assert "patient" not in release.arrow.column_names
    plain = Schema(quasi=SCHEMA.quasi, sensitive=["illness"], identifiers=["patient"])
    by_records = protect(table, plain, k=5, recoding="local")
    rows = people_of(by_records, table)
    labels = zip(*(by_records.arrow[name].to_pylist() for name in SCHEMA.quasi), strict=True)
    alone = defaultdict(set)
    for label, person in zip(labels, rows, strict=True):
        alone[label].add(person)
    assert min(map(len, alone.values())) < 5  # forty records of one patient were a class of their own


def test_the_file_streams_with_people_counted(tmp_path: Path) -> None:
    from sfumato.io.files import write_table
    from sfumato.table import protect_file

    table = hospital(0, 300, visits=1.0, moved=0.3)
    write_table(table, tmp_path / "in.csv")
    mechanism = GlobalRecoding(schema=SCHEMA, target=[KAnonymity(5)], suppression=0.1)
    assert mechanism.target == (PeopleAnonymity(5, "patient"),)
    streamed = protect_file(tmp_path / "in.csv", tmp_path / "out.csv", mechanism)
    assert streamed.decision is not None
    assert protect_with(table, mechanism).decision.levels == streamed.decision.levels  # type: ignore[union-attr]


@pytest.mark.parametrize("recoding", ["global", "local"])
@pytest.mark.parametrize(("visits", "seed"), [(0.0, 1), (0.6, 2), (0.6, 3)])
def test_the_joined_view_is_safe(recoding: Any, visits: float, seed: int) -> None:
    """Leavers, newcomers, people with several records and people who moved; checked by the definition, for an attacker
    who is told which records belong to one person."""
    march, april = hospital(0, 500, visits=visits, seed=seed), hospital(60, 600, visits=visits, seed=seed, moved=0.1)
    first = protect(march, SCHEMA, k=4, l=2, recoding=recoding)
    naive = protect(april, SCHEMA, k=4, l=2, recoding=recoding)
    assert joined_people([(first, march), (naive, april)]) < 4
    strict: dict[str, Any] = {"recoding": recoding, "successors": False}
    second = protect(april, SCHEMA, k=4, l=2, previous=[first], **strict)
    assert joined_people([(first, march), (second, april)]) >= 4
    assert second.arrow.num_rows > 0.1 * april.num_rows
    assert second.card.earlier_releases == (first.card.id,)
    may = hospital(100, 650, visits=visits, seed=seed + 1)
    third = protect(may, SCHEMA, k=4, l=2, previous=[first, second], **strict)
    assert joined_people([(first, march), (second, april), (third, may)]) >= 4
    worst = JoinedViewAttack(schema=SCHEMA, previous=[first]).attack(april, naive).value
    assert worst == 1 / joined_people([(first, march), (naive, april)])
    assert JoinedViewAttack(schema=SCHEMA, previous=[first]).attack(april, second).value <= 1 / 4


def test_two_deliveries_give_values_away_and_then_do_not() -> None:
    march, april = hospital(0, 1000), hospital(80, 1080)
    first = protect(march, SCHEMA, k=4, l=2, recoding="local")
    naive = protect(april, SCHEMA, k=4, l=2, recoding="local")
    safe = protect(april, SCHEMA, k=4, l=2, recoding="local", previous=[first])
    attack = IntersectionAttack(schema=SCHEMA, column="illness", previous=[first])
    assert attack.attack(april, naive).value > 0.03
    assert attack.attack(april, safe).value == 0.0
    both = naive.attack(april, previous=[first])
    assert {"worst risk of a person, 2 releases together", attack.name} <= {one.name for one in both}


@pytest.mark.parametrize("seed", range(8))
def test_what_the_intersection_attack_says_is_true(seed: int) -> None:
    """Every way of giving people values that fits both releases agrees with what it calls certain."""
    rng = np.random.default_rng(seed)
    people, values = 7, 3
    secret = rng.integers(0, values, people)
    ages = rng.integers(0, 100, people)
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [50])}, sensitive=["illness"], person="patient")

    def table(who: list[int]) -> pa.Table:
        return pa.table(
            {"patient": [f"P{i}" for i in who], "age": ages[who], "illness": [ILLNESSES[secret[i]] for i in who]}
        )

    here, there = list(range(6)), sorted(rng.choice(people, 5, replace=False).tolist())
    deliveries = []
    for who in (here, there):
        data = table(who)
        mechanism = GlobalRecoding(schema=schema, target=[PeopleAnonymity(2, "patient")], suppression=1.0)
        deliveries.append((protect_with(data, mechanism), data, who))
    (first, _, _), (second, data, _) = deliveries
    facts = []
    for release, original, _ in deliveries:
        names = people_of(release, original)
        for label in set(release.arrow["age"].to_pylist()):
            rows = [i for i, one in enumerate(release.arrow["age"].to_pylist()) if one == label]
            facts.append(
                ([int(names[i][1:]) for i in rows], Counter(release.arrow["illness"][i].as_py() for i in rows))
            )
    possible = [
        one
        for one in itertools.product(range(values), repeat=people)
        if all(Counter(ILLNESSES[one[i]] for i in who) == held for who, held in facts)
    ]
    assert possible
    certain = {i for i in set(here) | set(there) if len({one[i] for one in possible}) == 1}
    said = IntersectionAttack(schema=schema, column="illness", previous=[first]).attack(data, second).value
    assert said * len(set(here) | set(there)) <= len(certain) + 1e-9


def test_pseudonyms_are_stable_and_linked_records_do_not_stand_out(tmp_path: Path) -> None:
    names = Pseudonyms()
    march, april = hospital(0, 600, visits=0.5, moved=0.3), hospital(100, 700, visits=0.5, seed=4)
    first = protect(march, SCHEMA, k=3, suppression=0.02, pseudonyms=names)
    assert joined_people([(first, march)]) >= 3
    shown = dict(zip(first.arrow["patient"].to_pylist(), people_of(first, march), strict=True))
    linked = [name for name, often in Counter(first.arrow["patient"].to_pylist()).items() if often > 1]
    assert linked
    assert all(names.of([shown[name]]) == [name] for name in linked)
    assert [c.role for c in first.card.release.columns if c.name == "patient"] == ["pseudonym"]
    first.write(tmp_path / "march.csv", key=tmp_path / "march.key")
    again = Release.read(tmp_path / "march.csv", key=tmp_path / "march.key")
    second = protect(april, SCHEMA, k=3, pseudonyms=names, previous=[again])
    assert joined_people([(first, march), (second, april)]) >= 3
    assert not [check for check in verify(tmp_path / "march.csv").checks if check.result == "fails"]
    raw = (tmp_path / "march.key").read_bytes()
    assert b"P17" not in raw


def test_people_with_unlinked_records_hide_among_enough() -> None:
    """Two people with the same two rare records each cannot be linked at k = 3; nothing else is lost."""
    pairs = [("P1", 10), ("P1", 90), ("P2", 10), ("P2", 90)]
    many = [(f"Q{i}", 10) for i in range(5)] + [(f"R{i}", 90) for i in range(5)]
    who, ages = zip(*pairs, *many, strict=True)
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, person="patient")
    release = protect(pa.table({"patient": who, "age": ages}), schema, k=3, pseudonyms=Pseudonyms())
    assert release.arrow.num_rows == 14
    assert max(Counter(release.arrow["patient"].to_pylist()).values()) == 1
    assert release.decision is not None
    assert release.decision.unlinked == 4  # type: ignore[union-attr]


def test_the_next_delivery_goes_below_the_last(tmp_path: Path) -> None:
    march, april = hospital(0, 2000), hospital(2000, 2600)
    first = protect(march, SCHEMA, k=5, suppression=0.02)
    added = protect(april, SCHEMA, k=5, previous=[first], append=True)
    assert added.decision is not None
    levels = first.card.mechanism.parameters["levels"]
    assert all(added.decision.levels[name] >= level for name, level in levels.items())
    for name, tree in SCHEMA.quasi.items():
        known = {label for level in tree.labels[levels[name] :] for label in level}
        assert set(added.arrow[name].to_pylist()) <= known
    assert joined_people([(first, march), (added, april)]) >= 5
    assert added.decision.suppressed < 0.02 * april.num_rows


def test_another_table_of_the_same_people() -> None:
    """Linked tables: who is in both, with what both show, is not alone."""
    patients = hospital(0, 800)
    rng = np.random.default_rng(3)
    who = rng.choice(800, 500, replace=False)
    stays = pa.table({"patient": [f"P{i}" for i in who], "ward": rng.choice(["A", "B", "C", "D"], 500)})
    wards = Schema(quasi={"ward": Hierarchy.flat(["A", "B", "C", "D"])}, person="patient")
    first = protect(patients, SCHEMA, k=5, suppression=0.02)
    naive = protect(stays, wards, k=5)
    attack = JoinedViewAttack(schema=wards, previous=[first])
    assert attack.attack(stays, naive).value > 1 / 5
    second = protect(stays, wards, k=5, previous=[first])
    assert attack.attack(stays, second).value <= 1 / 5


def test_closeness_holds_beside_an_earlier_release() -> None:
    march, april = hospital(0, 900), hospital(50, 950)
    close = [TCloseness(0.35, "illness")]
    first = protect(march, SCHEMA, k=4, target=close, suppression=0.05)
    second = protect(april, SCHEMA, k=4, target=close, previous=[first], successors=False)
    assert joined_people([(first, march), (second, april)]) >= 4
    assert not [one for one in verify_all(second) if one.result == "fails"]


def verify_all(release: Release) -> list[Any]:
    from sfumato.table.protection import recompute

    return recompute(release)


def test_an_index_and_the_order_never_leave() -> None:
    table = hospital(0, 400, visits=0.5)
    frame = table.to_pandas()
    index = pd.MultiIndex.from_arrays([frame["patient"], range(len(frame))], names=["name", "place"])
    frame.index = index
    first = protect(frame, SCHEMA, k=4)
    second = protect(frame, SCHEMA, k=4, previous=[first], pseudonyms=Pseudonyms())
    for release, columns in ((first, []), (second, ["patient"])):
        assert list(release.data.columns) == ["age", "sex", "zip", "illness", *columns]
        assert isinstance(release.data.index, pd.RangeIndex)
        assert release.data.index.names == [None]
        assert b"place" not in release.arrow.schema.serialize().to_pybytes()
        assert release.key.rows is not None
        assert (np.diff(release.key.rows) < 0).sum() > 50


def test_the_key_of_pseudonyms(tmp_path: Path) -> None:
    file = tmp_path / "pseudonyms.key"
    made = Pseudonyms.read_or_make(file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert Pseudonyms.read_or_make(file).of(["P1"]) == made.of(["P1"])
    assert Pseudonyms().of(["P1"]) != made.of(["P1"])
    with pytest.raises(InputError, match="cannot be made again"):
        Pseudonyms().write(file)
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        Pseudonyms.read(file)
    (tmp_path / "other").write_text("hello")
    (tmp_path / "other").chmod(0o600)
    with pytest.raises(InputError, match="not a pseudonym key"):
        Pseudonyms.read(tmp_path / "other")
    with pytest.raises(InputError, match="32 random bytes"):
        Pseudonyms(b"short")
    assert "key" not in repr(made).lower().replace("pseudonyms", "")


def test_what_is_refused(tmp_path: Path) -> None:
    march = hospital(0, 200)
    by_record = Schema(quasi=SCHEMA.quasi, sensitive=["illness"], identifiers=["patient"])
    old = protect(march, by_record, k=4)
    with pytest.raises(InputError, match="without its people"):
        protect(march, SCHEMA, k=4, previous=[old])
    with pytest.raises(InputError, match="person"):
        protect(march, by_record, k=4, pseudonyms=Pseudonyms())
    with pytest.raises(InputError, match="append"):
        protect(march, SCHEMA, k=4, append=True)
    first, stranger = protect(march, SCHEMA, k=4), protect(march, SCHEMA, k=4)
    with pytest.raises(InputError, match="do not know each other"):
        protect(march, SCHEMA, k=4, previous=[first, stranger])
    with pytest.raises(InfeasibleError, match="by itself"):
        protect(march, SCHEMA, k=60, previous=[protect(march, SCHEMA, k=3, recoding="local")])
    with pytest.raises(InputError, match="it counts records only"):
        protect_with(march, Microaggregation(schema=SCHEMA, k=3))
    with pytest.raises(InputError, match="whose record it is"):
        protect(march.drop_columns(["patient"]), SCHEMA, k=4)
    with pytest.raises(InputError, match="no missing values"):
        protect(march.set_column(0, "patient", pa.array([None, *march["patient"].to_pylist()[1:]])), SCHEMA, k=4)
    with pytest.raises(InputError, match="at most the 200 different values"):
        protect(march, SCHEMA, k=201)
    with pytest.raises(InputError, match="promise for groups"):
        protect(pa.concat_tables([march, march]), by_record, k=4, terms=Terms(person="patient"))


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from sfumato.cli import main
    from sfumato.io.files import write_table

    monkeypatch.chdir(tmp_path)
    for name, table in (("march", hospital(0, 500)), ("april", hospital(60, 560))):
        write_table(table, f"{name}.csv")

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["table", *words])
        said = capsys.readouterr()
        assert ended.value.code == 0, said.err
        return said.out + said.err

    SCHEMA.write("table.toml")
    assert Schema.read("table.toml").person == "patient"
    run("protect", "march.csv", "-o", "one.csv", "--k", "4", "--key", "one.key")
    earlier = ("--previous", "one.csv", "--previous-key", "one.key")
    run("protect", "april.csv", "-o", "naive.csv", "--person", "patient", "--k", "4", "--key", "naive.key")
    said = run("attack", "april.csv", "naive.csv", "--key", "naive.key", *earlier)
    assert "2 releases" in said
    names = ("--pseudonyms", "names.key")
    said = run("protect", "april.csv", "-o", "two.csv", "--k", "4", "--key", "two.key", *earlier, *names, "--append")
    assert "left out" in said
    assert "also together with an earlier release" in said
    assert stat.S_IMODE(os.stat("names.key").st_mode) == 0o600
    two = Release.read("two.csv", key="two.key")
    one = Release.read("one.csv", key="one.key")
    assert joined_people([(one, hospital(0, 500)), (two, hospital(60, 560))]) >= 4
    for words in (
        ["protect", "april.csv", "-o", "x.csv", "--previous", "one.csv"],
        ["protect", "april.csv", "-o", "x.csv", "--append"],
        ["protect", "april.csv", "-o", "x.csv", *names, "--engine", "duckdb"],
        ["protect", "april.csv", "-o", "x.csv", *names, "--mechanism", "swapping", "--set", "rate=0.5"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(["table", *words])
        assert ended.value.code == 2, words
        assert not Path("x.csv").exists()


def test_digests_hide_names_and_match_with_the_same_salt() -> None:
    one = Digests.of(["P1", "P2", "P1"])
    assert one.rows[0] == one.rows[2] != one.rows[1]
    assert Digests.of(["P2"], one.salt).rows[0] == one.rows[1]
    assert Digests.of(["P2"]).rows[0] != one.rows[1]
    assert people_labels(pa.table({"patient": [7, 8]}), SCHEMA) == ["7", "8"]


def risk_by_definition(labels: list[Any], who: list[str]) -> dict[str, float]:
    """1 over the people of the smallest class that a person is in, with plain dictionaries."""
    people: dict[Any, set[str]] = defaultdict(set)
    for label, person in zip(labels, who, strict=True):
        people[label].add(person)
    worst: dict[str, float] = defaultdict(float)
    for label, person in zip(labels, who, strict=True):
        worst[person] = max(worst[person], 1 / len(people[label]))
    return worst


@pytest.mark.parametrize(
    "options", [{}, {"suppression": 0.1}, {"suppression": 0.1, "suppressed": "drop"}, {"recoding": "local"}]
)
def test_the_risk_on_the_card_is_that_of_people(options: dict[str, Any], tmp_path: Path) -> None:
    """Records of one patient are no company: a class of six records of two people has the risk 1/2, not 1/6."""
    table = hospital(0, 300, visits=2.0, moved=0.3)
    release = protect(table, SCHEMA, k=3, **options)
    names = list(SCHEMA.quasi)
    labels, who = (
        list(zip(*(release.arrow[name].to_pylist() for name in names), strict=True)),
        people_of(release, table),
    )
    risk = list(risk_by_definition(labels, who).values())
    card = release.card.class_risk
    assert card is not None
    assert card.counted == "people"
    above = sum(one > 0.09 for one in risk) / len(risk)
    for said, true in ((card.highest, max(risk)), (card.average, sum(risk) / len(risk)), (card.share_above, above)):
        assert true <= said <= true * 1.01 + 1e-12  # rounded up to three digits
    for one in card.columns:
        j = names.index(one.column)
        without = risk_by_definition([label[:j] + label[j + 1 :] for label in labels], who).values()
        assert sum(without) / len(without) <= one.average_without <= 1.01 * sum(without) / len(without)
    assert card.average == pytest.approx(
        JoinedViewAttack(schema=SCHEMA, statistic="mean").attack(table, release).value, rel=0.01
    )
    assert not any("counts records" in words for words in release.card.not_covered)
    release.write(tmp_path / "out.csv")
    found = verify(tmp_path / "out.csv")
    assert found.holds
    assert any("does not tell whose record" in one.words for one in found.checks)
    write_certificate(release.card, tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert "people in each class" in page
    assert "of the people have more than 0.09" in page
    assert "to the letter, 0.09 needs 12" in page  # the limit has its source and both its readings
    forged = replace(release.card, class_risk=replace(card, highest=0.001))
    assert any(one.result == "fails" for one in recompute(replace(release, card=forged)))
    parquet.write_table(table, tmp_path / "in.parquet")
    mechanism = recoder(SCHEMA, k=3, **options)
    streamed = protect_file(tmp_path / "in.parquet", tmp_path / "streamed.parquet", mechanism)
    assert streamed.card.class_risk == card


def test_the_risk_of_people_beside_an_earlier_release_and_with_pseudonyms() -> None:
    march, april = hospital(0, 300, visits=1.0), hospital(150, 450, visits=1.0, seed=1)
    first = protect(march, SCHEMA, k=3, suppression=0.1)
    second = protect(april, SCHEMA, k=3, previous=[first], pseudonyms=Pseudonyms())
    labels = list(zip(*(second.arrow[name].to_pylist() for name in SCHEMA.quasi), strict=True))
    risk = list(risk_by_definition(labels, people_of(second, april)).values())
    card = second.card.class_risk
    assert card is not None
    assert card.counted == "people"
    assert max(risk) <= card.highest <= 1.01 * max(risk)
    assert sum(risk) / len(risk) <= card.average <= 1.01 * sum(risk) / len(risk)


def test_a_differentially_private_card_tells_nothing_of_people() -> None:
    """Who has which records is not in the release, and the promise covers the card as well."""
    table = hospital(0, 300, visits=1.0)
    release = protect_with(table, SampledGeneralisation(schema=SCHEMA, epsilon=2.0, delta=1e-2))
    assert release.card.class_risk is None or release.card.class_risk.counted == "records"


def test_a_table_without_the_column_does_not_stop_the_attack_on_another() -> None:
    """Patients without diagnoses first, then their stays: the diagnoses are attacked in the table that has them."""
    stays = hospital(0, 400, visits=0.5)
    patients = stays.group_by(["patient", "age", "sex", "zip"]).aggregate([])
    first = protect(patients, replace(SCHEMA, sensitive=()), k=5, suppression=0.1)
    naive = protect(stays, SCHEMA, k=5, suppression=0.1)
    attack = IntersectionAttack(schema=SCHEMA, column="illness", previous=[first])
    alone = IntersectionAttack(schema=SCHEMA, column="illness")
    assert attack.attack(stays, naive).value == alone.attack(stays, naive).value
    safe = protect(stays, SCHEMA, k=5, l=2, previous=[first])
    assert attack.attack(stays, safe).value == 0


def test_the_command_says_what_helps_when_many_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sfumato.cli import main
    from sfumato.io.files import write_table
    from sfumato.table.people import release_options

    monkeypatch.chdir(tmp_path)
    SCHEMA.write("table.toml")
    write_table(hospital(0, 200), "march.csv")

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["table", "protect", "march.csv", *words])
        assert ended.value.code == 0
        return capsys.readouterr().err

    run("-o", "one.csv", "--mechanism", "global-recoding", "--k", "4", "--key", "one.key")
    again = ("-o", "two.csv", "--k", "4", "--key", "two.key", "--previous", "one.csv", "--previous-key", "one.key")
    monkeypatch.setattr(release_options, "MANY", 1.0)
    assert "larger k" not in run(*again)
    monkeypatch.setattr(release_options, "MANY", -1.0)
    assert "larger k" in run(*again)
