"""``sfumato budget``: show, set, spend, record, anchor, verify, export."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sfumato.cli import main
from sfumato.cli.budget import app
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import ApproxDP, Guarantee, MetricDP, PureDP, RenyiDP, ZeroConcentratedDP


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "budget.db"))
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path / "budget.db"


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_set_spend_show(path: Path) -> None:
    run("set", "clinic [A]", "--epsilon", "1", "--delta", "1e-6", "--note", "agreed")
    said = run("spend", "clinic [A]", "--epsilon", "0.25", "--note", "ages [mean]", "--release", "r [1]").stderr
    assert "left ε = 0.75, δ = 1e-06 (entry 2)" in said
    shown = run("show").stdout
    for text in ("clinic [A]", "ε = 0.25", "25%", "replace-one"):
        assert text in shown
    history = run("show", "clinic [A]").stdout
    for text in ("agreed", "ages [mean]", "spend", "r [1]"):
        assert text in history
    with Ledger(path) as ledger:
        assert ledger.left("clinic [A]") == ApproxDP(0.75, 1e-6)
        assert ledger.entry(2).release == "r [1]"


def test_kinds_and_scopes(path: Path) -> None:
    run("set", "a", "--rho", "0.5", "--unit", "user", "--neighbours", "add-remove")
    run("set", "b", "--epsilon", "2", "--metric", "angle")
    run("set", "c", "--epsilon", "2")
    with Ledger(path) as ledger:
        assert ledger.budget("a") == ZeroConcentratedDP(0.5, unit="user", neighbours="add-remove")
        assert ledger.budget("b") == MetricDP(2.0, "angle")
        assert ledger.budget("c") == PureDP(2.0)


# Each kind of budget: its options, a release that fits, one that no longer does, and what is left in between.
KINDS: dict[str, tuple[list[str], list[str], list[str], Guarantee]] = {
    "pure": (["--epsilon", "1"], ["--epsilon", "0.7"], ["--epsilon", "0.4"], PureDP(0.3)),
    "approximate": (
        ["--epsilon", "1", "--delta", "1e-6"],
        ["--epsilon", "0.7", "--delta", "1e-7"],
        ["--epsilon", "0.1", "--delta", "1e-6"],
        ApproxDP(0.3, 9e-7),
    ),
    "zCDP": (["--rho", "0.5"], ["--rho", "0.2"], ["--rho", "0.4"], ZeroConcentratedDP(0.3)),
    "zCDP pays pure": (["--rho", "0.5"], ["--epsilon", "0.2"], ["--epsilon", "1"], ZeroConcentratedDP(0.48)),
    "Rényi": (
        ["--renyi", "2:1", "--renyi", "8:3"],
        ["--renyi", "2:0.5", "--renyi", "8:0.5"],
        ["--renyi", "2:0.6", "--renyi", "8:0.1"],
        RenyiDP([2, 8], [0.5, 2.5]),
    ),
    "metric": (
        ["--epsilon", "2", "--metric", "angle"],
        ["--epsilon", "0.5", "--metric", "angle"],
        ["--epsilon", "1.6", "--metric", "angle"],
        MetricDP(1.5, "angle"),
    ),
    "metric within a radius": (
        ["--epsilon", "2", "--metric", "euclidean", "--radius", "0.3"],
        ["--epsilon", "1", "--metric", "euclidean", "--radius", "0.3"],
        ["--epsilon", "1.5", "--metric", "euclidean", "--radius", "0.3"],
        MetricDP(1.0, "euclidean").within(0.3),
    ),
    "as JSON": (
        ["--promise", '{"kind": "PureDP", "epsilon": 1.0, "unit": "user"}'],
        ["--promise", '{"kind": "PureDP", "epsilon": 0.25, "unit": "user"}'],
        ["--epsilon", "0.8", "--unit", "user"],
        PureDP(0.75, unit="user"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_budget_from_end_to_end(path: Path, tmp_path: Path, kind: str) -> None:
    budget, fits, too_much, left = KINDS[kind]
    run("set", "s", *budget)
    run("spend", "s", *fits)
    before = path.read_bytes()
    with pytest.raises(BudgetError, match="nothing was spent"):
        run("spend", "s", *too_much)
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        assert ledger.left("s") == left
        assert ledger.entry(2).left == left
    assert " ".join(left.statement.split()[:3]) in run("show").stdout  # long ones are folded in the table
    run("export", "-o", str(tmp_path / "out.csv"))
    assert run("verify").stdout.startswith("intact: 2 entries")


def test_a_radius_is_kept_to_the_last_digit(path: Path) -> None:
    within = ("--epsilon", "1", "--metric", "euclidean", "--radius")
    run("set", "s", *within, "0.3")
    for near in ("0.30000000000000004", "0.30000001", "0.29999999999999999999"):
        if float(near) == 0.3:
            run("spend", "s", "--epsilon", "0.1", "--metric", "euclidean", "--radius", near)
        else:
            with pytest.raises(InputError, match="as in the budget"):
                run("spend", "s", *within, near)
    with Ledger(path) as ledger:
        assert ledger.balance("s").spends == 1


def test_a_promise_from_a_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "promise.json").write_text(json.dumps(RenyiDP([2, 4], [1.0, 2.0]).to_dict()))
    run("set", "s", "--promise", str(tmp_path / "promise.json"))
    with Ledger(path) as ledger:
        assert ledger.budget("s") == RenyiDP([2, 4], [1.0, 2.0])


def test_records(path: Path) -> None:
    assert "entry 1" in run("record", "patients", "--k", "5", "--release", "open data").stderr
    said = run("record", "patients", "--reason", "a name list [x]").stderr
    assert "no guarantee: a name list [x]" in said
    assert "'patients' was released once before this" in said
    run("record", "others", "--promise", '{"kind": "KAnonymity", "k": 3}')
    assert "released without a budget: others, patients" in run("show").stdout
    assert "open data" in run("show", "patients").stdout
    run("set", "patients", "--epsilon", "1")
    assert "2 times before this" in run("spend", "patients", "--epsilon", "0.5").stderr


def test_anchor_and_verify(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("set", "clinic", "--epsilon", "1")
    shutil.copy(path, tmp_path / "old.db")
    run("spend", "clinic", "--epsilon", "0.5")
    head = run("anchor", str(path)).stdout
    assert run("anchor").stdout == head == run("anchor", "--ledger", str(path)).stdout
    assert head.startswith("2:")
    assert len(head) == 2 + 64 + 1
    result = run("verify", str(path), "--anchor", head)
    assert result.stdout == f"intact: 2 entries, head {head}"
    assert result.stderr == ""
    assert "--anchor" in run("verify").stderr  # it says what it cannot know
    shutil.copy(tmp_path / "old.db", path)
    run("verify")
    with pytest.raises(InputError, match="an older copy was put back"):
        run("verify", "--anchor", head)
    run("spend", "clinic", "--epsilon", "0.25")
    with pytest.raises(InputError, match="entry 2 is not the one that was anchored"):
        run("verify", "--anchor", head)
    monkeypatch.delenv("SFUMATO_LEDGER")
    assert run("verify", str(tmp_path / "old.db")).stdout.startswith("intact: 1 entries")


def test_export(path: Path, tmp_path: Path) -> None:
    run("set", "clinic", "--epsilon", "1")
    run("spend", "clinic", "--epsilon", "0.1")
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        run("export", "-o", str(tmp_path / name))
    assert (tmp_path / "out.csv").read_text().splitlines()[0].startswith('"id","at","subject"')
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["action"] for line in lines] == ["set", "spend"]
    assert (tmp_path / "out.parquet").read_bytes()[:4] == b"PAR1"


WRONG = [
    ("set", "x"),
    ("set", "", "--epsilon", "1"),
    ("set", "x", "--epsilon", "1", "--rho", "1"),
    ("set", "x", "--rho", "1", "--delta", "1e-6"),
    ("set", "x", "--rho", "1", "--radius", "1"),
    ("set", "x", "--epsilon", "1", "--delta", "1e-6", "--metric", "angle"),
    ("set", "x", "--epsilon", "1", "--radius", "0.5"),
    ("set", "x", "--epsilon", "1", "--metric", "angle", "--radius", "0"),
    ("set", "x", "--epsilon", "-1"),
    ("set", "x", "--epsilon", "0"),
    ("set", "x", "--epsilon", "nan"),
    ("set", "x", "--epsilon", "1e400"),
    ("set", "x", "--rho", "0"),
    ("set", "x", "--renyi", "2"),
    ("set", "x", "--renyi", "1:1"),
    ("set", "x", "--renyi", "2:-1"),
    ("set", "x", "--renyi", "two:1"),
    ("set", "x", "--epsilon", "1", "--neighbours", "near"),
    ("set", "x", "--promise", "{"),
    ("set", "x", "--promise", "[]"),
    ("set", "x", "--promise", '{"kind": "WishfulDP"}'),
    ("set", "x", "--promise", '{"kind": []}'),
    ("set", "x", "--promise", '{"kind": "PureDP", "epsilon": -1.0}'),
    ("set", "x", "--promise", '{"kind": "PureDP", "epsilon": "1"}'),
    ("set", "x", "--promise", '{"kind": "KAnonymity", "k": 5}'),
    ("set", "x", "--promise", '{"kind": "PureDP", "epsilon": 1.0}', "--unit", "user"),
    ("set", "x", "--promise", "no-such-file.json"),
    ("record", "x"),
    ("record", "x", "--k", "0"),
    ("record", "", "--k", "5"),
    ("record", "x", "--k", "5", "--reason", "both"),
    ("record", "x", "--promise", '{"kind": "PureDP", "epsilon": 1.0}'),
    ("verify", "--anchor", "5"),
    ("show",),
    ("spend", "x", "--epsilon", "1"),
    ("anchor",),
    ("export", "-o", "out.csv"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=" ".join)
def test_bad_input_is_one_line_and_writes_nothing(
    path: Path, wrong: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["budget", *wrong])
    assert ended.value.code == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_refusals(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="existing ledger"):
        run("show")
    assert not path.exists()
    run("set", "clinic", "--epsilon", "1")
    with pytest.raises(BudgetError, match="nothing was spent"):
        run("spend", "clinic", "--epsilon", "1.5")
    for wrong in (
        ("show", "nobody"),
        ("export", "-o", str(tmp_path / "out.xls")),
        ("export", "-o", str(tmp_path / "no" / "out.csv")),
        *[case for case in WRONG if case[0] in ("set", "record")],
    ):
        with pytest.raises(InputError):
            run(*wrong)
    with Ledger(path) as ledger:
        assert ledger.anchor().count == 1


@pytest.mark.parametrize("content", [b"", b"x,y\n1,2\n", b"\0" * 4096])
def test_a_damaged_ledger_is_one_line(path: Path, content: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(content)
    for arguments in (["show"], ["verify"], ["anchor"], ["set", "x", "--epsilon", "1"], ["record", "x", "--k", "2"]):
        with pytest.raises(SystemExit) as ended:
            main(["budget", *arguments])
        assert ended.value.code == 2
        assert capfd.readouterr().err.count("\n") == 1
    assert path.read_bytes() == content


def test_help_shows_an_example() -> None:
    for command in ("show", "set", "spend", "record", "anchor", "verify", "export"):
        assert re.search(r"Examples?:\s+sfumato budget", run(command, "--help").stdout)
