"""Every mechanism on the command line, from a file to a release."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.commands import listed_as
from sfumato.cli import main
from sfumato.io.files import read_table, write_table
from sfumato.mechanism import Mechanism
from sfumato.release import verify
from sfumato.statistic.question import kinds, record_mechanisms
from sfumato.statistic.room import ROOM

KINDS = kinds()
COMMANDS: dict[str, tuple[Any, ...]] = {
    "count": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1),
    "sum": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1),
    "mean": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1, "--set", "count_share=0.3"),
    "variance": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1),
    "histogram": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1, "--bins", 4),
    "quantile": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1, "--set", "points=50"),
    "private-welch": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 5, "--delta", 1e-5),
    "welch-test": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 5, "--delta", 1e-5, "--deviation", 0.3),
    "private-p-value": ("--column", "x", "--epsilon", 1),
    "local-test": ("--column", "x", "--low", 0, "--high", 1, "--epsilon", 1),
    "private-correlation": (
        *("--column", "x", "--column", "y", "--low", 0, "--high", 1, "--epsilon", 1, "--delta", 1e-5, "--clip"),
    ),
    "moment-correlation": (
        *("--column", "x", "--column", "y", "--low", 0, "--high", 1, "--epsilon", 1, "--delta", 1e-5, "--clip"),
    ),
    "laplace": ("--column", "x", "--epsilon", 1, "--low", 0, "--high", 1, "--set", "sensitivity=1"),
    "gaussian": ("--column", "x", "--epsilon", 1, "--delta", 1e-5, "--low", 0, "--high", 1),
    "bounded-number": ("--column", "x", "--epsilon", 1, "--low", 0, "--high", 1),
    "randomized-response": ("--column", "word", "--epsilon", 1, "--category", "yes", "--category", "no"),
    "exponential": ("--column", "word", "--epsilon", 50, "--category", "yes", "--category", "no"),
    "smooth-gaussian": ("--column", "x", "--epsilon", 0.9, "--delta", 1e-5, "--low", 0, "--high", 1),
    "planar-laplace": ("--column", "x", "--column", "y", "--epsilon", 1),
    "multivariate-gaussian": (
        *("--column", "x", "--column", "y", "--low", 0, "--high", 1),
        *("--set", "covariance=[[4.0, 1.0], [1.0, 9.0]]", "--set", "sensitivity=1"),
    ),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path / "data.parquet"
    columns = {"x": rng.random(60), "y": rng.random(60), "word": ["yes"] * 50 + ["no"] * 10, "group": ["A", "B"] * 30}
    write_table(pa.table(columns | {"secret": rng.random(60)}), path)
    return path


def run(*words: Any) -> int:
    try:
        code = main(["statistic", *map(str, words)])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    return int(code or 0)


def words_of(name: str) -> tuple[Any, ...]:
    """What to ask the mechanism for."""
    return COMMANDS[listed_as(KINDS[name], COMMANDS)]


def test_every_mechanism_has_words() -> None:
    assert set(COMMANDS) == {listed_as(kind, COMMANDS) for kind in KINDS.values()}
    assert set(COMMANDS) <= set(KINDS)
    assert {"count", "private-welch", "welch-test"} <= set(ROOM.mechanisms()) <= set(KINDS)
    assert all(issubclass(kind, Mechanism) for kind in KINDS.values())


@pytest.mark.parametrize("name", list(KINDS))
def test_from_file_to_file(name: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protect, verify, attack and measure: the card tells the last two what was done."""
    out, key = tmp_path / "release.parquet", tmp_path / "release.key"
    assert run("protect", file, "--mechanism", name, *words_of(name), "--out", out, "--key", key) == 0
    assert "promise:" in capsys.readouterr().err
    released = pq.read_table(out)
    each_record = name in set(record_mechanisms()) - {"exponential", "smooth-gaussian"}
    if each_record:
        words = words_of(name)
        columns = [word for flag, word in itertools.pairwise(words) if flag == "--column"]
        assert released.column_names == columns
        assert len(released) == 60
        before = read_table(file)
        for column in columns:
            assert released[column].to_pylist() != before[column].to_pylist()
    else:
        assert set(released.column_names) >= {"mechanism", "column", "value"}
        assert set(released["mechanism"].to_pylist()) == {name}
    assert verify(out).holds
    assert run("measure", file, out, "--key", key, "--repeats", 3) == 0
    assert name in capsys.readouterr().out
    assert run("attack", file, out, "--key", key, "--repeats", 20) == 0
    attacked = capsys.readouterr().out
    assert ("record linked" if each_record else "membership") in attacked
    assert ("differencing" in attacked) == (listed_as(KINDS[name], COMMANDS) in ("sum", "mean", "histogram"))
    if each_record:
        assert run("attack", file, out, "--repeats", 20) == 2
        assert "protect --key FILE" in capsys.readouterr().err


def test_a_test_of_groups_with_other_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "trial.csv", tmp_path / "answer.csv"
    file.write_text("\n".join(["treated,days", *(f"{i % 2},{i * 7 % 10}" for i in range(80))]) + "\n")
    ask = ("protect", file, "-o", out, "--column", "days", "--mechanism", "private-p-value", "--epsilon", 1)
    assert run(*ask, "--group", "treated", "--label", 1, "--label", 0) == 0
    assert "the labels are public" in capsys.readouterr().err
    assert read_table(out)["part"].to_pylist() == ["1 − 0"]
    assert verify(out).holds
    assert run("attack", file, out, "--repeats", 20) == 0  # the card has the labels
    assert run("measure", file, out, "--repeats", 3) == 0
    capsys.readouterr()
    assert run(*ask, "--group", "treated") == 2
    assert "'A' and 'B'" in capsys.readouterr().err
    assert run(*ask, "--group", "treated", "--label", 1) == 2
    assert "two labels" in capsys.readouterr().err


def test_exponential_names_the_commonest(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("protect", file, "-o", "-", "--mechanism", "exponential", *COMMANDS["exponential"]) == 0
    assert '"exponential","word","","yes"' in capsys.readouterr().out


def test_an_unknown_name_is_answered_with_all_names(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("protect", file, "-o", "-", "--mechanism", "median", *COMMANDS["mean"]) == 2
    written = " ".join(capsys.readouterr().err.split())
    assert all(name in written for name in KINDS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1), "sensitivity"),
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--set", "sensitivity=0.1"), "public bounds"),
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--set", "sensitivity=100"), "public bounds"),
        (
            (
                "--mechanism",
                "laplace",
                "--column",
                "x",
                "--epsilon",
                1,
                "--low",
                0,
                "--high",
                9,
                "--set",
                "sensitivity=1",
            ),
            "largest distance",
        ),
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--low", 0, "--high", 0.1), "outside"),
        (("--mechanism", "laplace", "--column", "x", "--column", "y", "--epsilon", 1), "one column"),
        (("--mechanism", "laplace", "--column", "x", "--set", "sensitivity=1"), "epsilon"),
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--set", "epsilon=2"), "--epsilon"),
        (("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--set", "speed=2"), "speed"),
        (("--mechanism", "randomized-response", "--column", "word", "--epsilon", 1), "--category"),
        (
            (
                "--mechanism",
                "exponential",
                "--column",
                "word",
                "--epsilon",
                1,
                "--category",
                "yes",
                "--category",
                "no",
                "--set",
                "sensitivity=0.1",
            ),
            "sensitivity",
        ),
        (
            ("--mechanism", "exponential", "--column", "word", "--epsilon", 1, "--category", "yes"),
            "1 other categories",
        ),
        (
            (
                "--mechanism",
                "bounded-number",
                "--column",
                "x",
                "--epsilon",
                1,
                "--low",
                0,
                "--high",
                1,
                "--neighbours",
                "add-remove",
            ),
            "--neighbours",
        ),
        (
            (
                "--mechanism",
                "multivariate-gaussian",
                "--column",
                "x",
                "--column",
                "y",
                "--low",
                0,
                "--high",
                1,
                "--set",
                "covariance=[[4.0, 1.0], [1.0, 9.0]]",
                "--set",
                "sensitivity=0.01",
            ),
            "largest distance",
        ),
    ],
)
def test_nothing_is_released_without_a_true_promise(
    words: tuple[Any, ...], expected: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.csv"
    assert run("protect", file, *words, "--out", out) == 2
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not out.exists()


def test_one_record_never_decides_whether_there_is_a_release(tmp_path: Path) -> None:
    """Replace-one neighbours, one with an outlier: both are refused without public bounds, both released with them."""
    words = ("--mechanism", "laplace", "--column", "x", "--epsilon", 1, "--set", "sensitivity=1")
    for value in (0.9, 7.0):
        path = tmp_path / "records.csv"
        path.write_text(f"x\n0.1\n0.5\n{value}\n", encoding="utf-8")
        assert run("protect", path, *words, "--out", tmp_path / "unbounded.csv") == 2
        assert run("protect", path, *words, "--low", 0, "--high", 1, "--clip", "--out", tmp_path / "release.csv") == 0


def test_clipping_keeps_laplace_honest(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.jsonl"
    words = ("--column", "x", "--epsilon", 1e6, "--low", 0.4, "--high", 0.5, "--clip")
    assert run("protect", file, "--mechanism", "laplace", *words, "--out", out) == 0
    values = [json.loads(line)["x"] for line in out.read_text().splitlines()]
    assert 0.39 < min(values) < max(values) < 0.51


def test_records_leave_in_random_order(tmp_path: Path) -> None:
    path, out = tmp_path / "sorted.csv", tmp_path / "release.parquet"
    path.write_text("x\n" + "\n".join(str(k / 100) for k in range(100)), encoding="utf-8")
    assert run("protect", path, "--mechanism", "bounded-number", "--column", "x", "--epsilon", 1e9, "--low", 0,
               "--high", 1, "--out", out) == 0  # fmt: skip
    values = pq.read_table(out)["x"].to_numpy()
    assert np.allclose(np.sort(values), np.arange(100) / 100, atol=1e-6)
    assert (np.diff(values) < 0).any()


@pytest.mark.parametrize("name", ["mean", "sum", "count", "quantile", "laplace"])
def test_a_delta_that_nothing_uses_is_refused(name: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was ignored, and the release looked as if it had been given one."""
    assert run("protect", file, "--out", "-", "--mechanism", name, *words_of(name), "--delta", 1e-6) != 0
    assert f"no δ for {name}" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["-1", "1.5", "x"])
def test_a_seed_that_is_none_is_refused(
    seed: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    assert run("protect", file, "--mechanism", "mean", *words_of("mean"), "--seed", seed, "--out", out) != 0
    said = capsys.readouterr().err
    assert "seed" in said
    assert "Traceback" not in said
    assert not out.exists()
