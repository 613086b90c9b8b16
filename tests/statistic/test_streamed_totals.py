"""Statistics of files that stream past: the same totals as in memory, whatever the pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from helpers.door_contract import run as sfumato
from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.io.engine.duckdb import DuckDBEngine
from sfumato.noise import seeded_rng

pytest.importorskip("duckdb")
ROWS = 5_000
QUESTIONS: dict[str, dict[str, Any]] = {
    "mean": {"low": 0, "high": 100},
    "sum": {"low": -5, "high": 100, "neighbours": "add-remove"},
    "count": {"low": 20, "high": 30},
    "histogram": {"low": 0, "high": 100, "bins": 7},
    "variance": {"low": 0, "high": 100, "neighbours": "add-remove"},
    "quantile": {"low": 0, "high": 100, "quantiles": (0.1, 0.5, 0.9)},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("streamed")
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "age": np.round(rng.uniform(0, 100, ROWS), 3),
            "town": rng.choice(["Rome", "Pisa"], ROWS),
            "ill": rng.random(ROWS) < 0.3,
        }
    )
    pq.write_table(table, folder / "people.parquet", row_group_size=700)
    rows = (row.values() for row in table.to_pylist())
    lines = "\n".join(f"{age};{town};{str(ill).lower()}" for age, town, ill in rows)
    (folder / "people.csv").write_text("age;town;ill\n" + lines + "\n", encoding="utf-8")
    return {"csv": folder / "people.csv", "parquet": folder / "people.parquet"}


def answers(frame: Any, column: str, mechanism: str, **options: Any) -> list[float]:
    release = sf.statistic.protect(frame, column, mechanism=mechanism, epsilon=1.0, rng=seeded_rng(5), **options)
    return release.data["value"].to_pylist()


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("mechanism", QUESTIONS)
def test_a_file_gives_what_memory_gives(files: dict[str, Path], format: str, mechanism: str) -> None:
    """With the same noise, to the bit: the totals are whole numbers."""
    inside = answers(pq.read_table(files["parquet"]), "age", mechanism, **QUESTIONS[mechanism])
    source = Source.of(files[format])
    engine = DuckDBEngine(batch=100)
    assert answers(source, "age", mechanism, engine=engine, **QUESTIONS[mechanism]) == inside


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_categories_and_flags(files: dict[str, Path], format: str) -> None:
    whole, source = pq.read_table(files["parquet"]), Source.of(files[format])
    towns: dict[str, Any] = {"categories": ("Rome", "Pisa")}
    assert answers(source, "town", "histogram", **towns) == answers(whole, "town", "histogram", **towns)
    assert answers(source, "ill", "count") == answers(whole, "ill", "count")


@pytest.mark.parametrize(
    ("mechanism", "options", "said"),
    [
        ("variance", {"low": 0, "high": 100}, r"variances \(add-remove\)"),
        ("exponential", {"categories": ("Rome", "Pisa")}, "stream past"),
        ("mean", {"low": 0, "high": 50}, "outside|bounds"),
    ],
)
def test_what_cannot_stream_is_refused(
    files: dict[str, Path], mechanism: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        answers(Source.of(files["parquet"]), "age", mechanism, **options)


def test_bad_cells_are_refused_without_showing_them(tmp_path: Path) -> None:
    for cell, said in (("secret", "expected a number"), ("9007199254740993000", "2\\^53"), ("", "missing|NaN|null")):
        (tmp_path / "bad.csv").write_text(f"age,sex\n1,f\n{cell},m\n")
        with pytest.raises(InputError, match=said) as caught:
            answers(Source.of(tmp_path / "bad.csv"), "age", "mean", low=0, high=100)
        assert not cell or cell not in str(caught.value)
    (tmp_path / "none.csv").write_text("age,sex\n")
    with pytest.raises(InputError, match="at least one record"):
        answers(Source.of(tmp_path / "none.csv"), "age", "mean", low=0, high=100)
    with pytest.raises(InputError, match="one of age, sex"):
        answers(Source.of(tmp_path / "none.csv"), "ages", "mean", low=0, high=100)


def test_the_command(files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("--column", "age", "--mechanism", "mean", "--low", "0", "--high", "100", "--epsilon", "1")
    for format, path in files.items():
        out = f"{format}.csv"
        assert sfumato("statistic", "protect", str(path), *asked, "--engine", "duckdb", "-o", out) == 0
        assert sfumato("verify", out) == 0
    assert sfumato("statistic", "protect", str(path), *asked, "--master", "local[1]", "-o", "x.csv") == 2
    assert sfumato("statistic", "protect", str(path), *asked, "--engine", "duckdb", "--attack", "-o", "x.csv") == 2
    assert not (tmp_path / "x.csv").exists()
