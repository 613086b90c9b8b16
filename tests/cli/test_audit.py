"""``sfumato audit``: one table, exit code 1 on a surprise, curves and rows on request."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from helpers import SPECIMENS
from sfumato.cli.audit import audit_command, cases_in
from sfumato.errors import InputError
from sfumato.io.files import read_table

OWN = """
import math
import numpy as np
from sfumato.auditor import AuditCase
from sfumato.promise import PureDP

class Coin:
    def __init__(self, promised):
        self.guarantee = PureDP(promised)

    def release(self, data, *, rng=None):
        return int(data if rng.random() < 1 / (1 + math.exp(-1.0)) else 1 - data)

    def log_prob(self, output, data):
        keep = 1 / (1 + math.exp(-1.0))
        return np.log(np.where(np.asarray(output) == data, keep, 1 - keep))

CASES = [AuditCase(mechanism=Coin(PROMISED), pairs=[(0, 1)], outputs=np.arange(2), name="my coin")]
"""


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(audit_command)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


def own_file(folder: Path, promised: float) -> Path:
    file = folder / "mine.py"
    file.write_text(OWN.replace("PROMISED", str(promised)), encoding="utf-8")
    return file


def test_own_file(run, tmp_path):
    result = run(own_file(tmp_path, 1.0))
    assert result.exit_code == 0, result.output
    assert "my coin" in result.output
    assert "holds" in result.output


def test_broken_promise_is_exit_code_one(run, tmp_path):
    result = run(own_file(tmp_path, 0.5))
    assert result.exit_code == 1
    assert "broken (!)" in result.output
    assert "not as expected: my coin" in result.output


def test_specimens_are_broken_as_expected(run, tmp_path):
    result = run(SPECIMENS / "scale.py", SPECIMENS / "subsampling.py", "--plot", tmp_path / "curves")
    assert result.exit_code == 0, result.output
    assert result.output.count("broken") >= 4
    assert len(list((tmp_path / "curves").glob("*.html"))) >= 3


def test_rows_to_a_file(run, tmp_path):
    assert run(SPECIMENS / "subsampling.py", "--out", tmp_path / "rows.csv").exit_code == 0
    table = read_table(tmp_path / "rows.csv").to_pylist()
    assert [row["verdict"] for row in table] == ["broken"]
    assert table[0]["found"] == pytest.approx(1.0)


def test_paths_that_hold_no_cases(tmp_path):
    with pytest.raises(InputError, match="path"):
        cases_in(tmp_path / "missing.py")
    with pytest.raises(InputError, match="CASES"):
        cases_in(tmp_path)
    (tmp_path / "empty.py").write_text("CASES = 3\n", encoding="utf-8")
    with pytest.raises(InputError, match="list of AuditCase"):
        cases_in(tmp_path / "empty.py")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="Python file"):
        cases_in(tmp_path / "notes.txt")


BOOM = """
from sfumato.auditor import AuditCase
from sfumato.promise import PureDP

class Boom:
    guarantee = PureDP(1.0)

    def release(self, data, *, rng=None):
        raise ZeroDivisionError("by me")

CASES = [AuditCase(mechanism=Boom(), pairs=[(0.0, 1.0)], name="boom")]
"""


def test_case_that_raises_is_a_row_and_the_others_go_on(run, tmp_path):
    (tmp_path / "boom.py").write_text(BOOM, encoding="utf-8")
    result = run(tmp_path / "boom.py", own_file(tmp_path, 1.0), "--out", tmp_path / "rows.csv")
    assert result.exit_code == 1
    assert "could not run (!)" in result.output
    rows = read_table(tmp_path / "rows.csv").to_pylist()
    assert [row["verdict"] for row in rows] == ["could not run", "holds"]
    assert rows[0]["evidence"] == "ZeroDivisionError: by me"


def test_file_that_raises_is_named(tmp_path):
    (tmp_path / "boom.py").write_text("x = 1\nraise RuntimeError('by me')\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"boom\.py could not be loaded: RuntimeError: by me \(line 2\)"):
        cases_in(tmp_path / "boom.py")
    (tmp_path / "boom.py").write_text("x = = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"could not be loaded: SyntaxError: .*line 1"):
        cases_in(tmp_path / "boom.py")


def test_words(run, tmp_path):
    result = run(own_file(tmp_path, 0.5))
    assert "The claimed law gives 1 between" in result.output
    assert "The formula itself promises too much" in result.output
    assert "releases follow the claimed law" in run(own_file(tmp_path, 1.0), "--words").output


def test_mutants(run, tmp_path):
    result = run(own_file(tmp_path, 1.0), "--mutants", "--out", tmp_path / "kills.csv")
    assert result.exit_code == 0, result.output
    rows = {row["mistake"]: row for row in read_table(tmp_path / "kills.csv").to_pylist()}
    assert rows["seeded generator"]["share"] == 1.0
    assert rows["all"]["mutants"] >= 3
