"""The room through its doors: names, recipes, commands, generators."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import sfumato.statistic
from sfumato.cli import main
from sfumato.errors import InputError
from sfumato.io.files import write_table
from sfumato.noise import seeded_rng
from sfumato.statistic.data import REGIONS, make_people, make_trial
from sfumato.statistic.room import ROOM
from sfumato.study.run.cell import Work, cells_of, evaluate


def test_public_names() -> None:
    assert sfumato.statistic.__all__ == sorted(sfumato.statistic.__all__)
    for name in sfumato.statistic.__all__:
        assert getattr(sfumato.statistic, name).__doc__
    with pytest.raises(AttributeError):
        sfumato.statistic.nothing


def test_recipe_loads_without_the_heavy_parts() -> None:
    code = "import sys, sfumato.statistic.room; print('numba' in sys.modules, 'scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("name", ["mean", "histogram", "quantile"])
def test_recipes_run(name: str) -> None:
    """One cell of each line, on few people."""
    recipe = next(recipe for recipe in ROOM.recipes if recipe.name == name)
    study = recipe.build(people=60, epsilons=(1.0,))
    work = Work(
        study=study.name, varied=study.varied, data=study.data, attacks=study.attacks, utilities=study.utilities
    )
    for cell in cells_of(study):
        if cell.seed == 0:
            rows = evaluate(work, cell)
            assert all(np.isfinite(row["value"]) for row in rows)


def test_trial_recipe_builds() -> None:
    recipe = next(recipe for recipe in ROOM.recipes if recipe.name == "t-test")
    study = recipe.build(epsilons=(5.0,))
    assert set(study.mechanisms) >= {"calibrated test", "noisy t read as if without noise"}
    assert all(len(line) == 1 for line in study.mechanisms.values())


def test_people_are_repeatable_and_within_bounds() -> None:
    people = make_people(500, seed=3)
    assert people.equals(make_people(500, seed=3))
    assert not people.equals(make_people(500, seed=4))
    assert 18 <= min(people["age"].to_pylist()) <= max(people["age"].to_pylist()) <= 100
    assert 0 <= min(people["income"].to_pylist()) <= max(people["income"].to_pylist()) <= 250_000
    assert set(people["region"].to_pylist()) == set(REGIONS)
    a, b = make_trial(2000, effect=20.0, rng=seeded_rng(0))
    assert b.mean() - a.mean() == pytest.approx(20.0, abs=2.0)
    with pytest.raises(InputError):
        make_people(0)
    with pytest.raises(InputError):
        make_trial(10, deviation=0.0, rng=seeded_rng(0))


# ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    write_table(make_people(300), path)
    return path


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    import pyarrow as pa

    a, b = make_trial(400, effect=10.0, rng=seeded_rng(0))
    path = tmp_path / "trial.parquet"
    write_table(pa.table({"group": ["A"] * 200 + ["B"] * 200, "value": np.concatenate([a, b])}), path)
    return path


def run(*words: Any) -> int:
    """The exit code of ``sfumato statistic …``."""
    try:
        code = main(["statistic", *map(str, words)])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    return int(code or 0)


AGE = ("--column", "age", "--low", 0, "--high", 120, "--epsilon", 1)


@pytest.mark.parametrize("query", ["mean", "sum", "count", "variance", "histogram", "quantile"])
def test_protect_every_statistic(query: str, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.jsonl"
    assert run("protect", people, "--mechanism", query, *AGE, "--out", out) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == (10 if query == "histogram" else 1)
    assert {"mechanism", "column", "part", "value"} == set(rows[0])


def test_protect_several_quantiles_and_categories(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    assert run("protect", people, "--mechanism", "quantile", *AGE, "--q", 0.25, "--q", 0.75, "--out", out) == 0
    assert pq.read_table(out)["part"].to_pylist() == ["0.25", "0.75"]
    words = [word for region in REGIONS for word in ("--category", region)]
    code = run(
        "protect", people, "--mechanism", "histogram", "--column", "region", "--epsilon", 1, *words, "--out", out
    )
    assert code == 0
    assert pq.read_table(out)["part"].to_pylist() == list(REGIONS)


def test_protect_welch(trial: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.jsonl"
    common = ("--column", "value", "--low", 0, "--high", 200, "--epsilon", 5, "--delta", 1e-5, "--out", out)
    assert run("protect", trial, "--mechanism", "private-welch", *common) == 0
    assert run("protect", trial, "--mechanism", "welch-test", "--deviation", 14, *common) == 0
    assert set(json.loads(out.read_text())) == {
        "mechanism",
        "column",
        "part",
        "answered",
        "value",
        "p_value",
        "noise_scale",
    }


def test_attack_and_measure(people: Path, trial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "answer.csv"
    assert run("protect", people, "--out", out, "--mechanism", "mean", *AGE) == 0
    assert run("attack", people, out, "--repeats", 100) == 0
    assert "membership" in capsys.readouterr().out
    assert run("protect", people, "--out", out, "--mechanism", "quantile", *AGE) == 0
    assert run("measure", people, out, "--repeats", 5) == 0
    assert "absolute error" in capsys.readouterr().out
    welch = ("--column", "value", "--low", 0, "--high", 200, "--epsilon", 5, "--delta", 1e-5)
    assert run("protect", trial, "--out", out, "--mechanism", "private-welch", *welch) == 0
    assert run("measure", trial, out, "--repeats", 5) == 0
    assert run("protect", trial, "--out", out, "--mechanism", "welch-test", "--deviation", 14, *welch) == 0
    assert run("measure", trial, out, "--repeats", 5) == 0
    assert "answered" in capsys.readouterr().out


def test_ledger_is_paid_first(people: Path, tmp_path: Path) -> None:
    from sfumato.ledger import Ledger
    from sfumato.promise import PureDP

    path = tmp_path / "budget.db"
    with Ledger(path) as book:
        book.set("people.csv", PureDP(1.5))
    out = tmp_path / "answer.jsonl"
    assert run("protect", people, "--mechanism", "mean", *AGE, "--ledger", path, "--out", out) == 0
    out.unlink()
    assert run("protect", people, "--mechanism", "mean", *AGE, "--ledger", path, "--out", out) == 2
    assert not out.exists()
    with Ledger(path) as book:
        assert book.left("people.csv") == PureDP(0.5)


def test_nothing_is_paid_for_what_cannot_be_released(people: Path, tmp_path: Path) -> None:
    from sfumato.ledger import Ledger
    from sfumato.promise import PureDP

    path = tmp_path / "budget.db"
    with Ledger(path) as book:
        book.set("people.csv", PureDP(1.5))
    paid = ("protect", people, "--mechanism", "mean", "--ledger", path)
    for wrong in (
        (*AGE, "--out", tmp_path / "no folder" / "answer.csv"),
        (*AGE, "--out", tmp_path / "answer.nonsense"),
        ("--column", "age", "--low", 0, "--high", 30, "--epsilon", 1, "--out", tmp_path / "answer.csv"),
    ):
        assert run(*paid, *wrong) == 2
    with Ledger(path) as book:
        assert book.left("people.csv") == PureDP(1.5)


def test_a_count_without_bounds_counts_what_is_true(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flags.csv"
    path.write_text("sick,age\n" + "true,1\nfalse,2\n" * 50)
    assert run("protect", path, "--out", "-", "--mechanism", "count", "--column", "sick", "--epsilon", 100) == 0
    assert '"count","sick","",50' in capsys.readouterr().out
    assert run("protect", path, "--out", "-", "--mechanism", "count", "--column", "age", "--epsilon", 100) == 2
    assert "give the bounds" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--mechanism", "median", *AGE),
        ("--mechanism", "mean", "--column", "agee", "--low", 0, "--high", 120, "--epsilon", 1),
        ("--mechanism", "mean", "--column", "age", "--epsilon", 1),
        ("--mechanism", "mean", "--column", "age", "--low", 0, "--high", 30, "--epsilon", 1),
        ("--mechanism", "mean", "--column", "age", "--low", 0, "--high", 120, "--epsilon", 0),
        ("--mechanism", "mean", "--column", "region", "--low", 0, "--high", 120, "--epsilon", 1),
        ("--mechanism", "private-welch", *AGE),
        ("--mechanism", "private-welch", *AGE, "--delta", 1e-5),
        ("--mechanism", "welch-test", "--column", "age", "--low", 5, "--high", 120, "--epsilon", 1, "--delta", 1e-5),
        ("--mechanism", "mean", *AGE, "--neighbours", "any-pair"),
    ],
)
def test_bad_words_exit_with_2(words: tuple[Any, ...], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.csv"
    assert run("protect", people, *words, "--out", out) == 2
    assert not out.exists()
