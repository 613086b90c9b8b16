"""Schemas that live: rules, dates, reasons, updates."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.cli import main
from sfumato.errors import InputError
from sfumato.io.files import read_table, write_table
from sfumato.table import (
    Cuts,
    Dates,
    Flat,
    Groups,
    Hierarchy,
    Initials,
    Intervals,
    Prefixes,
    Schema,
    check,
    protect,
    protect_file,
)
from sfumato.table.core.proposal.column_words import meaning_of
from sfumato.table.core.proposal.schema_proposal import near_unique, propose_reasons, propose_schema
from sfumato.table.core.proposal.schema_update import update_schema
from sfumato.table.core.rules.date_order import date_orders
from sfumato.table.protection import recoder

RULES = """insensitive = ["visit"]
[quasi.born]
dates = "day-first"
codes = ["unknown"]
[quasi.zip]
prefixes = 5
[quasi.age]
intervals = {widths = [5, 10], top = 90}
weight = 3
[quasi.height]
cuts = [[150, 170, 190], [170]]
[quasi.town]
groups = {north = ["Linz", "Wels"], south = ["Graz"]}
other = "abroad"
[quasi.sex]
flat = true
[quasi.job]
initials = true
[sensitive.illness]
groups = {lung = ["flu", "cold"]}
other = "other"
"""


def people(count: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    days = [dt.date(1930, 1, 1) + dt.timedelta(days=int(n)) for n in rng.integers(0, 25_000, count)]
    return pa.table(
        {
            "born": [day.strftime("%d.%m.%Y") if i % 50 else "unknown" for i, day in enumerate(days)],
            "zip": [f"{n:05d}" for n in rng.integers(1000, 1400, count)],
            "age": rng.integers(0, 105, count),
            "height": rng.normal(170, 12, count).round(1),
            "town": rng.choice(["Linz", "Wels", "Graz", f"Rome {seed}"], count),
            "sex": rng.choice(["f", "m", f"x{seed}"], count),
            "job": rng.choice(["baker", "butcher", "clerk", f"nurse {seed}"], count),
            "illness": rng.choice(["flu", "cold", f"gout {seed}"], count),
            "visit": rng.integers(0, 10**9, count),
        }
    )


def test_a_schema_of_rules_fits_next_months_file(tmp_path: Path) -> None:
    """New dates, codes, towns and words need no change, in memory and from file to file, and mean the same labels."""
    (tmp_path / "table.toml").write_text(RULES, encoding="utf-8")
    schema = Schema.read(tmp_path / "table.toml")
    labels: dict[str, set[str]] = {}
    for seed in (1, 2):
        table = people(600, seed)
        for recoding in ("global", "local"):
            release = protect(table, schema, k=4, l=2, recoding=recoding)
            assert check(release, schema).k >= 4
            assert next(one.score.value for one in release.attack(table)) <= 0.25
            assert release.measure(table)
        write_table(table, tmp_path / f"{seed}.csv")
        streamed = protect_file(
            tmp_path / f"{seed}.csv", tmp_path / f"{seed}-out.csv", recoder(schema, k=4, suppression=0.1)
        )
        assert streamed.decision is not None
        labels[str(seed)] = set(protect(table, schema, k=4, suppression=0.1).arrow["age"].to_pylist())
    assert labels["1"] & labels["2"]
    assert "visit" in " ".join(protect(table, schema, k=4).card.not_covered)
    assert near_unique(table, schema) == ["visit"]
    schema.write(tmp_path / "again.toml")
    assert Schema.read(tmp_path / "again.toml") == schema
    assert not (tmp_path / "hierarchies").exists()


def test_the_labels_of_a_rule_do_not_depend_on_the_other_values() -> None:
    rules: dict[Any, list[str]] = {
        Prefixes(5): ["81675", "8", "12345"],
        Dates("month-first"): ["05/17/1994", "12/31/2020", "1999-01-02"],
        Intervals([5, 20], bottom=0, top=90): ["-3", "0", "4.5", "89", "90", "1000"],
        Cuts([[1, 5, 9], [5]]): ["0", "1", "4.9", "100"],
        Initials(codes=["?"]): ["Abc", "b", "?"],
    }
    for rule, values in rules.items():
        whole = rule.of(values)
        for value in values:
            assert rule.of([value]).rows[0] in whole.rows
    groups = Groups({"a": ["x"]}, other="b")
    assert groups.of(["x", "y"]).rows == (("x", "a", "*"), ("y", "b", "*"))
    assert Flat().of([]).size == 1
    assert Intervals([5, 20], bottom=0, top=90).of(["85"]).rows[0] == ("85", "85-89", "80-89", "*")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda: Prefixes(3).of(["12345"]), "at most 3 characters; prefixes = 5"),
        (lambda: Dates("day-first").of(["12/31/2020"]), 'dates = "month-first" reads it'),
        (lambda: Dates("iso").of(["soon"]), "under codes"),
        (lambda: Dates("iso").of(["01.02.05"]), "four digits"),
        (lambda: Intervals([5]).of(["N"]), "codes = "),
        (lambda: Intervals([5, 7]), "each a multiple"),
        (lambda: Intervals([10], bottom=3), "a multiple of the largest width"),
        (lambda: Intervals([10], bottom=50, top=20), "more than bottom"),
        (lambda: Cuts([[1, 2], [3]]), "cut points of the finer"),
        (lambda: Groups({"a": ["x"]}).of(["y"]), 'say other = "other"'),
        (lambda: Groups({"a": ["x"], "b": ["x"]}), "each value in one group"),
        (lambda: Dates("backwards"), "'iso', 'day-first', 'month-first'"),  # type: ignore[arg-type]
    ],
)
def test_what_a_rule_refuses(rule: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rule()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("prefixes = 0", "prefixes = 0"),
        ("flat = 3", "flat = 3: expected true"),
        ("intervals = {width = 5}", "widths = "),
        ('dates = "iso"\nother = "x"', "nothing beside dates but codes"),
        ("prefixes = 5\nflat = true", "exactly one of"),
        ("prefixes = 5\nweight = -1", "weight of x"),
        ('flat = true\ncodes = "N"', "a list of texts"),
    ],
)
def test_wrong_rules_in_a_file(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "table.toml").write_text(f"[quasi.x]\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Schema.read(tmp_path / "table.toml")


def test_dates_that_nobody_can_tell_are_asked_for() -> None:
    table = pa.table({"born": ["03/04/1950", "05/06/1960"], "sex": ["f", "m"]})
    with pytest.raises(InputError, match="--dates day-first or --dates month-first"):
        propose_schema(table)
    assert propose_schema(table, dates="month-first").rules["born"] == Dates("month-first")
    clear = pa.table({"born": ["25.04.1950", "05.06.1960"]})
    assert propose_schema(clear).rules["born"] == Dates("day-first")
    assert date_orders(["2024-01-02"]) == ["iso"]
    assert date_orders(["word"]) == []
    assert date_orders([]) == []


def test_roles_and_their_reasons() -> None:
    rows = 60
    table = pa.table(
        {
            "patient_id": [f"P{i // 2}" for i in range(rows)],
            "Nachname": [f"N{i}" for i in range(rows)],
            "lab": np.arange(rows) * 17,  # different in every row, and a number
            "comment": [f"text number {i}" for i in range(rows)],
            "Verweildauer": np.arange(rows) % 9,
            "costo": np.arange(rows) * 1.5,
            "choroba": ["a", "b"] * (rows // 2),
            "plec": ["k", "m"] * (rows // 2),
            "clinic": ["x"] * rows,
        }
    )
    schema, why = propose_schema(table), propose_reasons(table)
    assert schema.person == "patient_id"
    assert schema.roles == {
        "lab": "quasi", "plec": "quasi", "Verweildauer": "sensitive", "costo": "sensitive", "choroba": "sensitive",
        "patient_id": "identifier", "Nachname": "identifier", "comment": "identifier", "clinic": "insensitive",
    }  # fmt: skip
    assert "amount" in why["Verweildauer"]
    assert "several records" in why["patient_id"]
    assert set(why) == set(table.column_names)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("first_name", "identifier"), ("Vorname", "identifier"), ("prénom", "identifier"), ("apellidos", "identifier"),
        ("codice fiscale", "identifier"), ("achternaam", "identifier"), ("telemóvel", "identifier"),
        ("PESEL", "identifier"),
        ("Diagnose", "sensitive"), ("maladie", "sensitive"), ("enfermedad", "sensitive"), ("reddito", "sensitive"),
        ("ziekte", "sensitive"), ("doença", "sensitive"), ("dochód", "sensitive"), ("salary", "sensitive"),
        ("total_charges", "amount"), ("Kosten", "amount"), ("durée_séjour", "amount"), ("estancia", "amount"),
        ("degenza", "amount"), ("ligduur", "amount"), ("custo", "amount"), ("koszt", "amount"), ("los", "amount"),
        ("PLZ", "quasi"), ("date_naissance", "quasi"), ("edad", "quasi"), ("sesso", "quasi"), ("geslacht", "quasi"),
        ("idade", "quasi"), ("płeć", "quasi"), ("birthDate", "quasi"), ("patientId", "person"),
        ("id_paciente", "person"), ("pid", "person"), ("hhid", "person"),
        ("colour", None),
    ],
)  # fmt: skip
def test_names_of_columns_in_eight_languages(name: str, meaning: str | None) -> None:
    found = meaning_of(name)
    assert (None if found is None else found[0]) == meaning


def test_update_keeps_what_its_owner_wrote(tmp_path: Path) -> None:
    towns = Hierarchy([["Linz", "north", "*"], ["Graz", "south", "*"]])
    schema = Schema(quasi={"town": towns, "zip": Prefixes(5)}, insensitive=["ward"])
    file = tmp_path / "clinic.toml"
    schema.write(file)
    text = file.read_text(encoding="utf-8").replace("insensitive = ", "# mine\ninsensitive = ")
    file.write_text(text, encoding="utf-8")
    listed = tmp_path / "hierarchies" / "clinic" / "town.csv"
    assert listed.exists()
    april = pa.table(
        {
            "town": ["Linz", "Rome"],
            "zip": ["12345", "99999"],
            "email": ["a@x", "b@x"],
            "age": [3, 4],
            "diagnosis": ["a", "b"],
            "clinic": ["c", "c"],
        }
    )
    done = update_schema(file, april)
    assert any("email: new, identifier" in one for one in done)
    assert any("1 new values at the end of town.csv" in one for one in done)
    assert any("ward: not in this file" in one for one in done)
    found = Schema.read(file)
    assert found.roles == {
        "town": "quasi", "zip": "quasi", "age": "quasi", "diagnosis": "sensitive", "email": "identifier",
        "ward": "insensitive", "clinic": "insensitive",
    }  # fmt: skip
    assert "# mine" in file.read_text(encoding="utf-8")
    assert found.quasi["town"].rows == (*towns.rows, ("Rome", "Rome", "*"))
    assert update_schema(file, april) == ["ward: not in this file"]


def test_hierarchies_are_not_overwritten(tmp_path: Path) -> None:
    one = Schema(quasi={"town": Hierarchy([["Linz", "north", "*"]])})
    other = Schema(quasi={"town": Hierarchy([["Linz", "south", "*"]])})
    one.write(tmp_path / "a.toml")
    one.write(tmp_path / "a.toml")
    other.write(tmp_path / "b.toml")  # another schema has a folder of its own
    with pytest.raises(InputError, match="--force"):
        other.write(tmp_path / "a.toml")
    assert Schema.read(tmp_path / "a.toml") == one
    other.write(tmp_path / "a.toml", force=True)
    assert Schema.read(tmp_path / "a.toml") == other


def test_columns_with_nearly_the_same_name_keep_their_hierarchies(tmp_path: Path) -> None:
    schema = Schema(quasi={name: Hierarchy([[name, "*"]]) for name in ("a b", "a_b", "A_b")})
    schema.write(tmp_path / "table.toml")
    assert Schema.read(tmp_path / "table.toml") == schema


def test_weights_matter() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.integers(0, 40, 300), "b": rng.integers(0, 40, 300)})
    trees = {name: Intervals([2, 4, 8, 16]) for name in "ab"}
    for options in ({"recoding": "local"}, {"suppression": 0.05}):
        kept = {}
        for weights in ({"a": 20.0}, {"b": 20.0}):
            release = protect(table, Schema(quasi=trees, weights=weights), k=4, **options)
            kept[next(iter(weights))] = {name: len(release.arrow[name].unique()) for name in "ab"}
        assert kept["a"]["a"] > kept["b"]["a"]
        assert kept["b"]["b"] > kept["a"]["b"]
    with pytest.raises(InputError, match="a quasi-identifier"):
        Schema(quasi=trees, weights={"c": 1.0})


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["table", *words])
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out + said.err

    ambiguous = pa.table({"born": ["03/04/1950", "05/06/1960"] * 20, "sex": ["f", "m"] * 20, "age": list(range(40))})
    write_table(ambiguous, "march.csv")
    assert "--dates day-first" in run("init", "march.csv", code=2)
    said = run("init", "march.csv", "--dates", "day-first")
    assert "others may know it" in said
    assert 'dates = "day-first"' in Path("table.toml").read_text(encoding="utf-8")
    write_table(ambiguous.append_column("email", pa.array([f"{i}@x" for i in range(40)])), "april.csv")
    assert "email: new, identifier" in run("init", "april.csv", "--update")
    assert "nothing to do" in run("init", "april.csv", "--update")
    assert "--update" in run("init", "april.csv", code=2)
    said = run("protect", "april.csv", "-o", "out.csv", "--k", "4", "--weight", "age=5")
    assert "information loss by global-recoding" in said
    assert "local-recoding" in said
    assert "is released" in said
    assert "information loss by" not in run("protect", "april.csv", "-o", "two.csv", "--mechanism", "global-recoding")
    assert "a quasi-identifier" in run("protect", "april.csv", "-o", "x.csv", "--weight", "shoe=5", code=2)


@pytest.mark.parametrize("clock", ["", " 10:30"])
@pytest.mark.parametrize(
    ("order", "days"),
    [("day-first", ["25.04.1950", "03.04.1950"]), ("month-first", ["04/25/1950", "04/03/1950"])],
)
def test_a_proposal_reads_dates_as_the_file_has_them(
    order: Any, days: list[str], clock: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory such dates become ISO; an engine that streams the file past sees them as they are written."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> None:
        with pytest.raises(SystemExit) as ended:
            main(["table", *words])
        assert ended.value.code == 0

    first, later = (day + clock for day in days)
    lines = [f"{day},{sex}" for day in (first, later, "", "") for sex in "fm"] * 10
    Path("march.csv").write_text("\n".join(["admitted,sex", *lines]))
    run("init", "march.csv")
    assert Schema.read("table.toml").rules["admitted"] == Dates(order)
    run("protect", "march.csv", "-o", "memory.csv", "--mechanism", "global-recoding", "--k", "15")
    run("protect", "march.csv", "-o", "streamed.csv", "--engine", "duckdb", "--k", "15")
    kept = [sorted(map(str, read_table(name).to_pylist())) for name in ("memory.csv", "streamed.csv")]
    assert kept[0] == kept[1]  # above the finest level a label is the same, however the day is written
    assert set(read_table("streamed.csv")["admitted"].to_pylist()) == {"1950-04", "missing"}
    new = [f"{line},{first if i else later}" for i, line in enumerate(lines)]
    Path("april.csv").write_text("\n".join(["admitted,sex,seen", *new]))
    run("init", "april.csv", "--update")
    assert Schema.read("table.toml").rules["seen"] == Dates(order)
    run("protect", "april.csv", "-o", "next.csv", "--engine", "duckdb", "--k", "5", "--suppression", "0.5")


def test_one_column_is_counted_and_the_file_says_which(tmp_path: Path) -> None:
    table = pa.table({"patient": list("aabb"), "household": list("xxxy"), "age": [31, None, 40, 40]})
    schema, why = propose_schema(table), propose_reasons(table)
    assert (schema.person, schema.roles["household"]) == ("patient", "identifier")
    assert "k counts people" in why["patient"]
    assert "patient is counted already; person = 'household' counts these instead" in why["household"]
    schema.write(tmp_path / "table.toml", reasons=why)
    assert 'missing = "category"  # a value of its own; "reject" refuses it' in (tmp_path / "table.toml").read_text()
    propose_schema(table.drop_null()).write(tmp_path / "other.toml")
    assert 'missing = "reject"  # or "category"' in (tmp_path / "other.toml").read_text()


def test_what_stands_for_nothing_in_memory_does_so_in_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gaps = ["N/A", "NULL", "n/a", "#N/A", "nan", "", "NA"]
    lines = [f"{day},{size}" for day in ("25.04.1950", "03.04.1950", *gaps) for size in (170, 180, *gaps)]
    Path("in.csv").write_text("\n".join(["admitted,size", *lines]))
    table = read_table("in.csv")
    propose_schema(table, orders={"admitted": "day-first"}).write("table.toml")
    for end in ("csv", "parquet"):
        protect_file("in.csv", f"out.{end}", recoder(Schema.read("table.toml"), k=5))
        shown = {value for name in ("admitted", "size") for value in read_table(f"out.{end}")[name].to_pylist()}
        assert "missing" in shown
        assert not shown & set(gaps)
    with pytest.raises(InputError, match="decimal comma is read in memory"):
        Cuts([[1.75]]).of(["1,73"])
