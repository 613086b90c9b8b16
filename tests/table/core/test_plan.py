"""Promises and methods in words, in table.toml and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from helpers.table_commands import Done, run_table
from sfumato.errors import InputError
from sfumato.promise import KAnonymity
from sfumato.table import (
    AdditiveNoise,
    Anatomy,
    ColumnMethods,
    CorrelatedNoise,
    GreedyKMember,
    Hierarchy,
    LDiversity,
    LinkageAttack,
    Microaggregation,
    PopulationUniqueness,
    RecordSuppression,
    RecursiveDiversity,
    ReidentificationRisk,
    Sampling,
    Schema,
    Swapping,
    TCloseness,
    check,
)
from sfumato.table.core.phrases import method_of, promise_of
from sfumato.table.core.plan import Plan

SCHEMA = Schema(
    quasi={"age": Hierarchy.intervals(0, 99, [10, 50]), "town": Hierarchy.flat("abcd")},
    sensitive=["illness"],
    identifiers=["name"],
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    return run_table(capsys)


def _people(count: int = 120) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(count)],
            "age": rng.integers(20, 80, count),
            "town": rng.choice(list("abcd"), count).tolist(),
            "illness": rng.choice(["flu", "cold", "gout"], count).tolist(),
        }
    )


def test_promises_in_words() -> None:
    expected = {
        "k-anonymity k=4": KAnonymity(4),
        "l-diversity l=3 column=illness": LDiversity(3, "illness"),
        "l-diversity l=2.5 column='the illness' kind=entropy": LDiversity(2.5, "the illness", "entropy"),
        "recursive-diversity c=2 l=3 column=illness allowed=flu,cold": RecursiveDiversity(
            2, 3, "illness", allowed=["flu", "cold"]
        ),
        "t-closeness t=0.2 column=illness distance=ordered": TCloseness(0.2, "illness", "ordered"),
        "risk limit=0.05 attacker=marketer": ReidentificationRisk(0.05, "marketer"),
        "uniqueness limit=0.01 population=5000 estimator=zayatz": PopulationUniqueness(
            0.01, population=5000, estimator="zayatz"
        ),
    }
    for phrase, promise in expected.items():
        assert promise_of(phrase) == promise
    for message, phrase in {
        "one of k-anonymity, l-diversity": "m-diversity m=2",
        "expected limit; say risk limit=": "risk attacker=marketer",
        r"parameter = 'unit'": "k-anonymity k=2 unit=word",
        "each parameter once": "k-anonymity k=2 k=3",
        "as name=value": "k-anonymity 5",
        "a name and parameters": "",
        r"promise 'risk': attacker = 'bob'": "risk limit=0.1 attacker=bob",
        r"'k-anonymity': k = 'two'": "k-anonymity k=two",
    }.items():
        with pytest.raises(InputError, match=message):
            promise_of(phrase)


def test_methods_in_words() -> None:
    numbers = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    for phrase, kind in {
        "micro-aggregation k=4 grouping=k-member": Microaggregation,
        "k-member k=3": GreedyKMember,
        "swapping columns=illness,age rate=0.2": Swapping,
        "anatomy column=illness l=2": Anatomy,
        "sampling rate=0.5": Sampling,
        "record-suppression k=3": RecordSuppression,
        "additive-noise columns=age share=0.1": AdditiveNoise,
        "correlated-noise columns=age c=0.1": CorrelatedNoise,
    }.items():
        made = method_of(phrase, numbers)
        assert type(made) is kind
        assert made.get_params()["schema"] == numbers
    steps = {
        "age": ["noise scale=2", "generalise level=1"],
        "town": ["category-noise epsilon=1"],
    }
    method = method_of("columns rate=0.9", SCHEMA, steps)
    assert isinstance(method, ColumnMethods)
    assert (method.rate, len(method.columns["age"])) == (0.9, 2)
    assert method_of("recoding", SCHEMA) is None
    for message, call in {
        "one of columns, micro-aggregation.*recoding": lambda: method_of("blur", SCHEMA),
        "steps for some columns": lambda: method_of("columns", SCHEMA),
        "step = 'blur'": lambda: method_of("columns", SCHEMA, {"age": ["blur"]}),
        "quasi-identifiers: age, town": lambda: method_of("columns", SCHEMA, {"shoe": ["generalise level=1"]}),
        "from 0 to 3": lambda: method_of("columns", SCHEMA, {"age": ["generalise level=9"]}),
        "'recoding' alone": lambda: method_of("recoding k=5", SCHEMA),
        "a text such as": lambda: method_of("columns", SCHEMA, {"age": [1]}),  # type: ignore[list-item]
    }.items():
        with pytest.raises(InputError, match=message):
            call()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """People, schema and where the release goes."""
    people = tmp_path / "people.csv"
    csv.write_csv(_people(), people)
    SCHEMA.write(tmp_path / "table.toml")
    return people, tmp_path / "table.toml", tmp_path / "out.csv"


def _ask(toml: Path, *lines: str) -> None:
    """Put lines before the roles, and tables after them."""
    head = [line for line in lines if not line.startswith("[")]
    tail = [line for line in lines if line.startswith("[")]
    toml.write_text("\n".join([*head, toml.read_text(), *tail]), encoding="utf-8")


def test_the_file_asks_for_promises(files, run) -> None:
    people, toml, out = files
    _ask(toml, 'promises = ["risk limit=0.1 attacker=marketer", "t-closeness t=0.3 column=illness"]')
    done = run("protect", people, "-o", out, "--schema", toml, "--promise", "l-diversity l=2 column=illness")
    assert done.exit_code == 0, done.stderr
    assert "marketer risk ≤ 0.1 and t = 0.3 for illness (equal distance) and distinct l = 2" in done.stderr
    assert "optimal: " in done.stderr
    found = check(csv.read_csv(out), SCHEMA)
    assert found.risk.marketer <= 0.1
    assert found.sensitive["illness"].t <= 0.3
    assert found.sensitive["illness"].distinct_l >= 2
    assert "k = 5" not in done.stderr  # 5 is asked for only where nothing else is
    assert "none with another method" in run("protect", people, "-o", out, "-s", toml, "--method", "k-member k=2",
                                             "--promise", "k-anonymity k=2").stderr  # fmt: skip
    assert run("protect", people, "-o", out, "--schema", toml, "--method", "k-member k=2").exit_code == 0


def test_the_file_asks_for_a_method_for_each_column(files, run) -> None:
    people, toml, out = files
    rows = out.with_name("rows.csv")
    _ask(toml, 'method = "columns rate=0.8"', '[columns]\nage = ["noise scale=1", "generalise level=1"]')
    done = run("protect", people, "-o", out, "--schema", toml, "--lineage", rows, "--seed", "3")
    assert done.exit_code == 0, done.stderr
    assert "no guarantee" in done.stderr
    assert "experiments only" in done.stderr
    released = csv.read_csv(out)
    assert released.column_names == ["age", "town", "illness"]
    assert 60 < released.num_rows < 115
    attacked = run("attack", people, out, "--schema", toml, "--lineage", rows)
    assert attacked.exit_code == 0, attacked.stderr
    assert "re-identification" in attacked.stdout
    assert isinstance(Plan.read(toml).method, ColumnMethods)
    assert Plan.read(toml, method="recoding").method is None


@pytest.mark.parametrize(
    ("method", "promise"),
    [
        ("k-member k=3", "k = 3"),
        ("swapping columns=illness rate=0.2", "no guarantee"),
        ("sampling rate=0.5", "no guarantee"),
        ("record-suppression k=1", "k = 1"),
        ("additive-noise columns=age share=0.1", "no guarantee"),
        ("correlated-noise columns=age c=0.1", "no guarantee"),
    ],
)
def test_methods_by_command(files, run, method, promise) -> None:
    people, toml, out = files
    done = run("protect", people, "-o", out, "--schema", toml, "--method", method)
    assert done.exit_code == 0, done.stderr
    assert promise in done.stderr
    assert "name" not in csv.read_csv(out).column_names


def test_micro_aggregation_reads_numbers_from_text_and_is_attacked_by_distance(tmp_path: Path, run) -> None:
    people, toml, out = tmp_path / "people.csv", tmp_path / "table.toml", tmp_path / "out.csv"
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, insensitive=["town"])
    csv.write_csv(_people().select(["age", "town"]), people)
    schema.write(toml)
    done = run("protect", people, "-o", out, "--schema", toml, "--method", "micro-aggregation k=4")
    assert (done.exit_code, "k = 4" in done.stderr) == (0, True)
    assert check(csv.read_csv(out), schema).k >= 4
    attacked = run("attack", people, out, "--schema", toml, "--method", "micro-aggregation k=4")
    assert "nearest record" in attacked.stdout
    assert "name the method" in run("attack", people, out, "--schema", toml).stderr  # means are no ages
    refused = run("protect", people, "-o", out, "--schema", toml, "--method", "additive-noise columns=town share=1")
    assert "column 'town': value = " in refused.stderr
    assert "this method takes no words" in refused.stderr


def test_anatomy_by_command(files, run) -> None:
    people, toml, out = files
    done = run("protect", people, "-o", out, "--schema", toml, "--method", "anatomy column=illness l=2")
    assert done.exit_code == 0, done.stderr
    assert csv.read_csv(out).column_names == ["age", "town", "group"]
    values = csv.read_csv(out.with_name("values-out.csv"))
    assert values.column_names == ["group", "illness", "count"]
    assert (
        "two tables" in run("protect", people, "-o", "-", "-s", toml, "--method", "anatomy column=illness l=2").stderr
    )


def test_anatomy_hides_one_column_only() -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness", "income"])
    with pytest.raises(InputError, match="none but illness"):
        Anatomy(schema=schema, column="illness", l=2)


def test_refusals(files, run) -> None:
    people, toml, out = files
    for message, more in {
        "no options of recoding": ["--method", "k-member k=3", "--k", "5"],
        "no seed with recoding": ["--seed", "1"],
        "works in memory": ["--method", "k-member k=3", "--engine", "spark"],
        "expected one of k-anonymity": ["--promise", "beauty"],
    }.items():
        done = run("protect", people, "-o", out, "--schema", toml, *more)
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    assert not out.exists()
    text = toml.read_text()
    for message, line in {
        "promises = 'k-anonymity k=2': expected a list": 'promises = "k-anonymity k=2"',
        "table.toml: promise = 'beauty'": 'promises = ["beauty"]',
        "table.toml: columns = 3": "columns = 3",
        "table.toml: key = 'metod'": 'metod = "sampling rate=0.5"',
        "steps for some columns": 'method = "columns"',
    }.items():
        toml.write_text(f"{line}\n{text}", encoding="utf-8")
        done = run("protect", people, "-o", out, "--schema", toml)
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr


def test_linkage_counts_by_hand() -> None:
    schema = Schema(quasi={"x": Hierarchy.intervals(0, 99, [10])})
    people = pa.table({"x": [10, 20, 30, 40]})
    assert LinkageAttack(schema=schema).attack(people, people).value == 1
    release = pa.table({"x": [12.0, 12.0, 40.0, 38.0]})
    # 10 → {12, 12}: ½; 20 → {12, 12}: ½; 30 → 38, not 40: 0; 40 → 40, not 38: 0
    assert LinkageAttack(schema=schema).attack(people, release).value == pytest.approx(0.25)
    with pytest.raises(InputError, match="at least one column of numbers"):
        LinkageAttack(schema=Schema(quasi={"t": Hierarchy.flat("ab")})).attack(
            pa.table({"t": ["a"]}), pa.table({"t": ["a"]})
        )
