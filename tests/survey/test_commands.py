"""Every mechanism on the command line, from a file to a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.commands import listed_as
from helpers.door_contract import Contract, rewritten, run
from sfumato.io.files import read_table, write_table
from sfumato.promise import PureDP
from sfumato.release import Card, verify
from sfumato.release.card import card_path
from sfumato.survey import HadamardResponse, ShufflePrivacy, UnaryEncoding
from sfumato.survey.question import kinds
from sfumato.survey.room import ROOM

KINDS = kinds()
CATEGORIES = ("--category", "yes", "--category", "no", "--category", "never")
PLACES = ("--group", "x", "--group", "y", "--radius", "0.3", "--alpha", "4")
COMMANDS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "collection": ((*PLACES, *CATEGORIES, "--epsilon", "1"), ["x", "y", "answer"]),
    "shuffler": ((*PLACES, "--set", "sensitivity_form=printed"), ["x", "y", "answer"]),
    "unary-encoding": (
        (*CATEGORIES, "--epsilon", "2", "--set", "optimised=false"),
        ["answer=yes", "answer=no", "answer=never"],
    ),
    "hadamard-response": ((*CATEGORIES, "--epsilon", "2", "--keep", "x"), ["x", "answer"]),
}
"""The options of every mechanism, and the columns that it releases."""

ATTACKS = {
    "collection": ("majority vote", "Bayesian", "learned model"),
    "shuffler": ("majority vote", "Bayesian", "learned model"),
    "unary-encoding": ("answer from its report",),
    "hadamard-response": ("answer from its report",),
}
LOCAL: dict[str, Any] = {"unit": "answer", "neighbours": "any-pair", "model": "local"}
CROWD = "within 0.3 by x, y"


def asked(name: str) -> tuple[tuple[str, ...], list[str]]:
    return COMMANDS[listed_as(KINDS[name], COMMANDS)]


def people() -> pa.Table:
    rng = np.random.default_rng(0)
    columns = {"x": np.sort(rng.random(80)), "y": rng.random(80)}
    answers = np.array(["yes", "no"])[rng.integers(0, 2, 80)]
    return pa.table(columns | {"answer": answers, "secret": rng.random(80)})


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.parquet"
    write_table(people(), path)
    return path


def test_every_mechanism_has_words() -> None:
    assert set(KINDS) == set(ROOM.mechanisms())
    assert set(COMMANDS) == {listed_as(kind, COMMANDS) for kind in KINDS.values()}
    assert set(COMMANDS) <= set(KINDS)


@pytest.mark.parametrize("name", list(KINDS))
def test_from_file_to_file(name: str, answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protect, verify, attack and measure: the card tells the last two what was done."""
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    options, columns = asked(name)
    assert run("survey", "protect", answers, "--mechanism", name, *options, "-o", out, "--key", key) == 0
    assert "promise:" in capsys.readouterr().err
    released = read_table(out)
    assert len(released) == 80
    assert released.column_names == columns
    assert verify(out).holds
    assert run("survey", "attack", answers, out, "--key", key) == 0
    written = capsys.readouterr().out
    assert all(attack in written for attack in ATTACKS[listed_as(KINDS[name], COMMANDS)])
    assert run("survey", "measure", answers, out, "--key", key) == 0
    assert "error of the shares" in capsys.readouterr().out
    for verb in ("attack", "measure"):
        assert run("survey", verb, answers, out) == 2
        assert "protect --key FILE" in capsys.readouterr().err


CONTRACTS = {
    "collection": ShufflePrivacy(4.0, CROWD, PureDP(1.0, **LOCAL)),
    "shuffler": ShufflePrivacy(4.0, CROWD),
    "hadamard-response": PureDP(2.0, **LOCAL),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_door(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--mechanism", name, *COMMANDS[name][0])
    contract = Contract(room="survey", table=people(), words=words, sorted_by="x", price=CONTRACTS[name])
    contract.check_everything(tmp_path, capsys)


def test_a_budget_in_the_kind_of_the_promise(answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The promise of a shuffle is payable from a budget that ``sfumato budget`` sets; other groups are another one."""
    ledger, out = tmp_path / "budget.ledger", tmp_path / "out.csv"
    budget = (
        f'{{"kind": "ShufflePrivacy", "alpha": 10, "groups": "{CROWD}", "local": {{"kind": "PureDP", "epsilon": 9, '
        '"unit": "answer", "neighbours": "any-pair", "model": "local"}}'
    )
    assert run("budget", "set", "poll", "--promise", budget, "--ledger", ledger) == 0
    paid = ("--ledger", ledger, "--subject", "poll")
    words, _ = COMMANDS["collection"]
    assert run("survey", "protect", answers, *words, "-o", out, *paid) == 0
    assert "left: α = 6 on who sent which report" in capsys.readouterr().err
    for more in (("--radius", "0.4"), ("--nearest", "9")):
        other = ("--group", "x", "--group", "y", "--alpha", "4", *CATEGORIES, "--epsilon", "1", *more)
        assert run("survey", "protect", answers, *other, "-o", tmp_path / "other.csv", *paid) == 2
        assert "groups" in capsys.readouterr().err
    assert run("survey", "protect", answers, *COMMANDS["shuffler"][0], "-o", tmp_path / "other.csv", *paid) == 2
    assert "an ε for each answer" in capsys.readouterr().err
    assert not (tmp_path / "other.csv").exists()


def test_a_person_with_several_records_pays_for_all_of_them(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = people().append_column("who", pa.array([k // 2 for k in range(80)]))
    write_table(table, answers)
    out = tmp_path / "out.csv"
    words, _ = COMMANDS["unary-encoding"]
    assert run("survey", "protect", answers, "--mechanism", "unary-encoding", *words, "-o", out, "--person", "who") == 0
    assert Card.read(card_path(out)).promise["per_person"]["parameters"]["epsilon"] == 4.0
    assert run("survey", "protect", answers, *COMMANDS["collection"][0], "-o", out, "--person", "who") == 0
    total = Card.read(card_path(out)).promise["per_person"]["parameters"]
    assert (total["alpha"], total["local"]["epsilon"], total["unit"]) == (8.0, 2.0, "person")
    assert "α = 8" in capsys.readouterr().err
    ledger = tmp_path / "budget.db"
    kind = f'{{"kind": "ShufflePrivacy", "alpha": 10, "groups": "{CROWD}", "unit": "person"}}'
    assert run("budget", "set", "poll", "--promise", kind, "--ledger", ledger) == 0
    paid = ("--person", "who", "--ledger", ledger, "--subject", "poll", "-o", tmp_path / "paid.csv")
    assert run("survey", "protect", answers, *COMMANDS["collection"][0], *paid) == 0
    assert run("survey", "protect", answers, *COMMANDS["collection"][0], *paid[:-1], tmp_path / "more.csv") == 2
    assert not (tmp_path / "more.csv").exists()


def test_encoded_reports_can_be_counted(answers: Path, tmp_path: Path) -> None:
    """At ε = 20: unary bits show the shares of the file; a Hadamard report of 80 owners adds 1/√80 of its own."""
    out = tmp_path / "release.parquet"
    truth = pq.read_table(answers)["answer"].to_pylist()
    shares = [truth.count(word) / 80 for word in ("yes", "no", "never")]
    for name, front in (("unary-encoding", UnaryEncoding), ("hadamard-response", HadamardResponse)):
        words = ("--mechanism", name, *CATEGORIES, "--epsilon", "20", "--seed", "3", "--out", out)
        more = ("--set", "optimised=false") if name == "unary-encoding" else ()
        assert run("survey", "protect", answers, *words, *more) == 0
        made = front(epsilon=20.0, categories=3, **({"optimised": False} if more else {}))
        released = pq.read_table(out).to_pandas().to_numpy()
        estimate = made.estimate(released if name == "unary-encoding" else released[:, 0])
        assert np.abs(estimate - shares).max() < (0.01 if name == "unary-encoding" else 0.25)


@pytest.mark.parametrize(
    ("name", "column", "value", "check"),
    [
        ("collection", "answer", "perhaps", "categories"),
        ("collection", "x", 9.0, "groups"),
        ("shuffler", "y", 9.0, "groups"),
        ("unary-encoding", "answer=no", 2, "reports"),
        ("hadamard-response", "answer", 4, "reports"),
        ("hadamard-response", "extra", 1, "columns"),
    ],
)
def test_an_edited_release_with_a_new_hash_fails(
    name: str, column: str, value: Any, check: str, answers: Path, tmp_path: Path
) -> None:
    out = tmp_path / "release.csv"
    assert run("survey", "protect", answers, "--mechanism", name, *COMMANDS[name][0], "-o", out) == 0
    table = read_table(out)
    values = [value, *(table[column].to_pylist()[1:] if column in table.column_names else [value] * 79)]
    table = table.drop_columns([column]) if column in table.column_names else table
    order = [one for one in COMMANDS[name][1] if one in {*table.column_names, column}]
    table = table.append_column(column, pa.array(values)).select([*order, *({column} - set(order))])
    assert verify(out).holds
    rewritten(out, table)
    verdict = verify(out)
    assert [one.name for one in verdict.checks if one.result == "fails"] == [check]


def test_the_input_of_another_release_is_not_attacked(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    assert run("survey", "protect", answers, *PLACES, "-o", out, "--key", key) == 0
    table = people()
    write_table(table.set_column(0, "x", pa.array(np.arange(80.0))), answers)
    capsys.readouterr()
    assert run("survey", "attack", answers, out, "--key", key) == 2
    assert "the data that were protected" in capsys.readouterr().err
    write_table(table.slice(0, 70), answers)
    assert run("survey", "measure", answers, out, "--key", key) == 2
    assert "80 owners" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--mechanism", "mallows", *PLACES), "collection"),
        (("--mechanism", "shuffler", *PLACES, "--epsilon", "1"), "--epsilon"),
        (("--mechanism", "unary-encoding", "--epsilon", "1"), "--category"),
        (("--mechanism", "unary-encoding", *CATEGORIES), "epsilon"),
        (("--mechanism", "unary-encoding", *CATEGORIES, "--epsilon", "1", "--set", "categories=9"), "categories"),
        (("--group", "x", "--group", "y", "--radius", "0.3"), "--alpha"),
        (("--alpha", "4", "--radius", "0.3"), "--group"),
        ((*PLACES, "--set", "speed=3"), "speed"),
        ((*PLACES, "--column", "vote"), "vote"),
        ((*PLACES, "--keep", "nothing"), "nothing"),
        ((*PLACES, "--public", "weather=sun"), "public"),
    ],
)
def test_bad_words_are_refused(
    options: tuple[str, ...], expected: str, answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.parquet"
    assert run("survey", "protect", answers, *options, "--out", out) == 2
    said = capsys.readouterr().err.strip()
    assert expected in said
    assert len(said.splitlines()) == 1
    assert not out.exists()
    assert not card_path(out).exists()


def test_an_unknown_name_is_answered_with_all_names(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("survey", "protect", answers, "-o", "-", "--mechanism", "mallows", *PLACES) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in KINDS)


def test_measure_prints_every_utility_of_a_survey(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, key = tmp_path / "release.parquet", tmp_path / "release.key"
    assert run("survey", "protect", answers, *PLACES, "-o", out, "--key", key) == 0
    assert run("survey", "measure", answers, out, "--key", key) == 0
    written = capsys.readouterr().out
    for utility, *_ in ROOM.utilities():
        assert utility.name in written


@pytest.mark.parametrize("alpha", ["-4", "nan"])
def test_a_wrong_alpha_is_named(alpha: str, answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--group", "x", "--group", "y", "--radius", "0.3", "--alpha", alpha)
    assert run("survey", "protect", answers, *words, "-o", tmp_path / "out.csv") == 2
    assert "--alpha" in capsys.readouterr().err
