"""``sfumato budget``: show, set, spend, export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sfumato.cli.budget import app
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import ApproxDP, MetricDP, PureDP, ZeroConcentratedDP


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
    run("spend", "clinic [A]", "--epsilon", "0.25", "--note", "ages [mean]")
    shown = run("show").stdout
    for text in ("clinic [A]", "ε = 0.25", "25%", "replace-one"):
        assert text in shown
    history = run("show", "clinic [A]").stdout
    for text in ("agreed", "ages [mean]", "spend"):
        assert text in history
    with Ledger(path) as ledger:
        assert ledger.left("clinic [A]") == ApproxDP(0.75, 1e-6)


def test_kinds_and_scopes(path: Path) -> None:
    run("set", "a", "--rho", "0.5", "--unit", "user", "--neighbours", "add-remove")
    run("set", "b", "--epsilon", "2", "--metric", "angle")
    run("set", "c", "--epsilon", "2")
    with Ledger(path) as ledger:
        assert ledger.budget("a") == ZeroConcentratedDP(0.5, unit="user", neighbours="add-remove")
        assert ledger.budget("b") == MetricDP(2.0, "angle")
        assert ledger.budget("c") == PureDP(2.0)


def test_export(path: Path, tmp_path: Path) -> None:
    run("set", "clinic", "--epsilon", "1")
    run("spend", "clinic", "--epsilon", "0.1")
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        run("export", "-o", str(tmp_path / name))
    assert (tmp_path / "out.csv").read_text().splitlines()[0].startswith('"id","at","subject"')
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["action"] for line in lines] == ["set", "spend"]
    assert (tmp_path / "out.parquet").read_bytes()[:4] == b"PAR1"


def test_refusals(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="existing ledger"):
        run("show")
    assert not path.exists()
    run("set", "clinic", "--epsilon", "1")
    with pytest.raises(BudgetError, match="nothing was spent"):
        run("spend", "clinic", "--epsilon", "1.5")
    for wrong in (
        ("set", "x"),
        ("set", "x", "--epsilon", "1", "--rho", "1"),
        ("set", "x", "--rho", "1", "--delta", "1e-6"),
        ("set", "x", "--epsilon", "1", "--delta", "1e-6", "--metric", "angle"),
        ("set", "x", "--epsilon", "-1"),
        ("set", "x", "--epsilon", "0"),
        ("set", "x", "--rho", "0"),
        ("set", "x", "--epsilon", "1", "--neighbours", "near"),
        ("show", "nobody"),
        ("export", "-o", str(tmp_path / "out.xls")),
        ("export", "-o", str(tmp_path / "no" / "out.csv")),
    ):
        with pytest.raises(InputError):
            run(*wrong)


def test_help_shows_an_example() -> None:
    for command in ("show", "set", "spend", "export"):
        assert "Example: sfumato budget" in run(command, "--help").stdout
