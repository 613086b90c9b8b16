"""The error that is said before a release is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.door_contract import run
from sfumato.io.files import write_table
from sfumato.statistic import Mean, preview

BOUNDS: dict[str, Any] = {"low": 0.0, "high": 1.0, "epsilon": 1.0}


def table(size: int = 400) -> pa.Table:
    rng = np.random.default_rng(2)
    return pa.table({"x": rng.random(size), "y": rng.random(size), "group": ["A", "B"] * (size // 2)})


def test_what_is_said_holds_for_the_mean() -> None:
    margin = preview(table(), "x", mechanism="mean", **BOUNDS).figure("margin").value
    mean, x = Mean(epsilon=1.0, bounds=(0, 1)), table()["x"].to_numpy()
    off = np.abs(mean.sample(x, 2000, np.random.default_rng(1)) - x.mean())
    assert 0.93 < (off <= margin * 1.01).mean() < 0.975


@pytest.mark.parametrize(
    ("mechanism", "more", "words"),
    [
        ("quantile", {}, "of the quantile, in ranks: "),
        ("histogram", {}, "By the noise alone"),
        ("moment-correlation", {"delta": 1e-5}, "a sixth of their bounds"),
        ("private-correlation", {"delta": 1e-5}, "a sixth of their bounds"),
        ("welch-test", {"delta": 1e-5, "deviation": 0.3, "epsilon": 5.0}, "noise on the statistic"),
        ("laplace", {}, "each released value"),
        ("gaussian", {"delta": 1e-5}, "each released value"),
        ("private-p-value", {"low": None, "high": None}, "noise on the statistic"),
    ],
)
def test_words(mechanism: str, more: dict[str, Any], words: str) -> None:
    columns = ["x", "y"] if "correlation" in mechanism else ["x"]
    assert words in str(preview(table(), columns, mechanism=mechanism, **BOUNDS | more).figures[1])


@pytest.mark.parametrize("mechanism", ["mean", "quantile", "variance"])
def test_a_private_number_of_records_is_not_used(mechanism: str) -> None:
    given = {**BOUNDS, "mechanism": mechanism, "neighbours": "add-remove"}
    assert preview(table(400), "x", **given).figures == preview(table(800), "x", **given).figures


def test_values_are_not_looked_at() -> None:
    other = pa.table({"x": np.zeros(400), "y": np.ones(400)})
    for mechanism in ("moment-correlation", "private-correlation"):
        given = {**BOUNDS, "mechanism": mechanism, "delta": 1e-5}
        assert preview(table(), ["x", "y"], **given) == preview(other, ["x", "y"], **given)


def test_the_command_says_it_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns with bounds of their own; the error that names the remedy comes after what would have been released."""
    file, out = tmp_path / "people.csv", tmp_path / "r.csv"
    rows = table()
    write_table(rows.append_column("pay", pa.array(rows["y"].to_numpy() * 90_000)), file)
    asked = ("--column", "x", "--column", "pay", "--mechanism", "moment-correlation", "--low", "0", "--high", "1")
    words = ("statistic", "protect", file, "-o", out, *asked, "--epsilon", "1", "--delta", "1e-5")
    assert run(*words) == 2
    assert "--set bounds_y=[low, high]" in capsys.readouterr().err
    assert run(*words, "--set", "bounds_y=[0, 90000]") == 0
    said = capsys.readouterr().err
    assert said.index("expected: error of r") < said.index("promise:")
    assert "x, pay" in out.read_text()


def test_a_file_that_streams_past_has_no_number_of_records_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "people.csv"
    write_table(table(), file)
    words = ("statistic", "protect", file, "--column", "x", "--low", "0", "--high", "1", "--epsilon", "1")
    for number, (more, said) in enumerate(
        {("--mechanism", "mean"): False, ("--mechanism", "count", "--neighbours", "add-remove"): True}.items()
    ):
        assert run(*words, *more, "--engine", "duckdb", "-o", tmp_path / f"{number}.csv") == 0
        assert ("expected: " in capsys.readouterr().err) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mechanism", "moment-correlation", "--low", "0", "--high", "1", "--delta", "1e-5"), "two columns"),
        (("--mechanism", "private-p-value", "--low", "0", "--high", "1"), "needs no bounds"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "people.csv"
    write_table(table(), file)
    assert run("statistic", "protect", file, "--column", "x", "--epsilon", "1", *words, "-o", tmp_path / "r.csv") == 2
    assert said in capsys.readouterr().err
