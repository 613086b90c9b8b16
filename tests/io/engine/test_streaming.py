"""Releases that stream from file to file: the same promise and law as in memory, paid once, drawn once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from scipy.stats import ks_2samp

import sfumato as sf
from helpers.door_contract import run as sfumato
from helpers.engine_tables import JOBS, PEOPLE, ROWS, paths, people
from sfumato.activity import make_log
from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.io.engine.duckdb import DuckDBEngine, whole_groups
from sfumato.noise import seeded_rng
from sfumato.release import Terms
from sfumato.trace.people.cohort_release import protect_people

pytest.importorskip("duckdb")
IN_PIECES = DuckDBEngine(batch=257, threads=2)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("streams")
    for name, table in {"people": people(), "paths": paths(), "log": pa.table(make_log())}.items():
        parquet.write_table(table, folder / f"{name}.parquet", row_group_size=700)
        csv.write_csv(table, folder / f"{name}.csv")
    return {file.name: file for file in folder.iterdir()}


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("job", JOBS)
def test_a_file_gets_the_promise_that_memory_gets(
    files: dict[str, Path], tmp_path: Path, job: str, format: str
) -> None:
    terms = Terms(person="who")
    inside = JOBS[job](people(), terms=terms)
    release = JOBS[job](Source.of(files[f"people.{format}"]), engine=IN_PIECES, terms=terms)
    card = release.write(tmp_path / f"out.{format}")
    assert card.promise == inside.card.promise
    assert card.mechanism.parameters == inside.card.mechanism.parameters
    assert (card.release.rows, card.release.order_shuffled) == (ROWS, True)
    assert [c.name for c in card.release.columns] == [c.name for c in inside.card.release.columns]
    assert sf.verify(tmp_path / f"out.{format}").holds
    if "number" in release.data.column_names:
        numbers = release.data["number"].to_pylist()
        assert sorted(map(int, numbers)) == list(range(ROWS))
        assert list(map(int, numbers)) != list(range(ROWS))


def test_a_response_that_streams_verifies(files: dict[str, Path], tmp_path: Path) -> None:
    pool = sf.text.PublicPool(texts=("a cat sat here", "stocks fell", "banks"), topics=("pets", "money", "money"))
    release = sf.text.protect(
        Source.of(files["people.parquet"]), mechanism="topic-response", epsilon=2.0, pool=pool, engine=IN_PIECES
    )
    release.write(tmp_path / "out.parquet")
    assert set(release.data["text"].to_pylist()) <= set(pool.texts)
    assert sf.verify(tmp_path / "out.parquet").holds


@pytest.mark.parametrize("job", ["hours", "laplace"])
def test_the_law_is_that_of_memory(files: dict[str, Path], tmp_path: Path, job: str) -> None:
    """Two-sample Kolmogorov–Smirnov tests of the noise, fixed seeds; a false alarm has probability 1e-4 each."""
    terms, true = Terms(keep_order=True), people()["hour"].to_numpy()
    inside = JOBS[job](people(), terms=terms, rng=seeded_rng(4)).data["hour"].to_numpy()
    stream = JOBS[job](Source.of(files["people.parquet"]), engine=IN_PIECES, terms=terms, rng=seeded_rng(5))
    stream.write(tmp_path / "out.parquet")
    errors = [(values - true + 12) % 24 - 12 if job == "hours" else values - true for values in
              (inside, stream.data["hour"].to_numpy())]  # fmt: skip
    assert ks_2samp(*errors).pvalue > 1e-4


@pytest.mark.parametrize("seed", [None, 7])
def test_no_two_batches_share_their_noise(tmp_path: Path, seed: int | None) -> None:
    parquet.write_table(pa.table({"hour": np.full(2000, 6.0)}), tmp_path / "same.parquet")
    seeded = {} if seed is None else {"rng": seeded_rng(seed)}
    drawn = []
    for turn in range(2):
        more = {} if seed is None else {"rng": seeded_rng(seed)}
        release = sf.statistic.protect(
            Source.of(tmp_path / "same.parquet"), "hour", mechanism="laplace", low=0, high=24, epsilon=1.0,
            engine=DuckDBEngine(batch=500), terms=Terms(keep_order=True), **(more or seeded),
        )  # fmt: skip
        release.write(tmp_path / f"{turn}.parquet")
        drawn.append(release.data["hour"].to_numpy())
    assert not any(np.array_equal(drawn[0][:500], drawn[0][k : k + 500]) for k in (500, 1000, 1500))
    assert np.array_equal(*drawn) == (seed is not None)


def test_people_stay_together_under_random_numbers(files: dict[str, Path], tmp_path: Path) -> None:
    inside = protect_people(paths(), user="who", secrets=["01:20-01:40"], workers=1)
    for format in ("csv", "parquet"):
        source = Source.of(files[f"paths.{format}"])
        release = protect_people(source, user="who", secrets=["01:20-01:40"], engine=IN_PIECES)
        card = release.write(tmp_path / f"out.{format}")
        assert card.promise == inside.card.promise
        assert card.mechanism.parameters == inside.card.mechanism.parameters
        assert sf.verify(tmp_path / f"out.{format}").holds
        seen = release.data
        assert seen["who"].to_pylist() == sorted(seen["who"].to_pylist())
        assert sorted(_points(seen)) == sorted(_points(inside.data))
        by_person = {who: [row[1:] for row in _rows(seen) if row[0] == who] for who in range(1, PEOPLE + 1)}
        assert all(rows == sorted(rows) and len({row[1] for row in rows}) == 1 for rows in by_person.values())
        first = [rows[0][1] for rows in by_person.values()]
        assert first != sorted(first)  # 1 in 30! by chance
    with pytest.raises(InputError, match="30 of 30 people cannot be released"):
        protect_people(source, user="who", secrets=["00:00-03:00"], engine=IN_PIECES)
    with pytest.raises(InputError, match="kept for one person"):
        protect_people(source, user="who", home=(52.5, 13.4), engine=IN_PIECES)


def _rows(table: pa.Table) -> list[tuple[int, float, float]]:
    columns = (table[name].to_pylist() for name in ("who", "time", "latitude"))
    return [(who, float(when), float(where)) for who, when, where in zip(*columns, strict=True)]


def _points(table: pa.Table) -> list[tuple[float, float]]:
    return [row[1:] for row in _rows(table)]


def test_events_of_a_log_are_counted_as_in_memory(files: dict[str, Path]) -> None:
    """The matrices are the same, so that the same seed gives the same release, to the bit."""
    inside = sf.activity.protect(make_log(), k=5, counts=True, rng=seeded_rng(2))
    for format in ("csv", "parquet"):
        source = Source.of(files[f"log.{format}"])
        release = sf.activity.protect(source, k=5, counts=True, rng=seeded_rng(2), engine=IN_PIECES)
        assert release.arrow.equals(pa.table(inside.arrow))


def test_a_job_is_paid_before_it_runs_and_runs_once(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "budget.db"
    with sf.Ledger(place) as ledger:
        ledger.set("people", sf.PureDP(2.0, neighbours="any-pair", model="local"))
    source, terms = Source.of(files["people.parquet"]), Terms(ledger=place, subject="people")
    release = sf.direction.protect(source, "hour", pure=1.0, terms=terms)
    recode, entries = DuckDBEngine.recode, []

    def watched(self: Any, *given: Any) -> int:
        with sf.Ledger(place) as ledger:
            entries.append(len(ledger.releases("people")))
        return recode(self, *given)

    monkeypatch.setattr(DuckDBEngine, "recode", watched)
    with pytest.raises(InputError, match="write"):
        _ = release.data
    with pytest.raises(InputError, match="ends in"):
        release.write(tmp_path / "out.xlsx")  # refused before anything is drawn
    release.write(tmp_path / "out.csv")
    assert entries == [1]
    with pytest.raises(InputError, match="drawn already"):
        release.write(tmp_path / "again.csv")
    assert sf.verify(tmp_path / "out.csv", ledger=place).holds
    csv.write_csv(pa.table({"hour": [*["1.5"] * 500, "secret"]}), tmp_path / "bad.csv")
    broken = sf.direction.protect(Source.of(tmp_path / "bad.csv"), "hour", pure=1.0, terms=terms)
    with pytest.raises(InputError, match="expected a number") as caught:
        broken.write(tmp_path / "broken.csv")
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="drawn already"):
        broken.write(tmp_path / "broken.csv")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.csv", "budget.db", "out.csv", "out.csv.card.json"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_job_leaves_no_half_output(tmp_path: Path) -> None:
    """Killed while it writes: paid for once, and nothing under the name of the output."""
    parquet.write_table(pa.table({"hour": np.full(3_000_000, 6.0)}), tmp_path / "hours.parquet")
    place = tmp_path / "budget.db"
    with sf.Ledger(place) as ledger:
        ledger.set("hours", sf.PureDP(1.0, neighbours="any-pair", model="local"))
    command = [
        "direction",
        "protect",
        "hours.parquet",
        "-c",
        "hour",
        "--pure",
        "1",
        "--engine",
        "duckdb",
        "-o",
        "out.csv",
    ]
    command += ["--ledger", "budget.db", "--subject", "hours"]
    child = subprocess.Popen([sys.executable, "-m", "sfumato", *command], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while child.poll() is None and not any(tmp_path.glob(".sfumato-*/*")):
        time.sleep(0.01)  # until rows are dealt to the files that shuffle them
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "out.csv.card.json").exists()
    with sf.Ledger(place) as ledger:
        assert len(ledger.releases("hours")) == 1


def test_the_commands(files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source, engine = files["people.csv"], ("--engine", "duckdb")
    hours = ("direction", "protect", source, "-c", "hour", "--pure", 1)
    encode = ("survey", "protect", source, "--mechanism", "unary-encoding", "--epsilon", 1)
    encode += ("--category", "x", "--category", "y", "--category", "z")
    for number, command in enumerate(
        (
            hours,
            encode,
            ("statistic", "protect", source, "--column", "hour", "--mechanism", "laplace", "--low", 0, "--high", 24,
             "--epsilon", 1),
            ("statistic", "protect", source, "--column", "hour", "--mechanism", "quantile", "--low", 0, "--high", 24,
             "--epsilon", 1),
            ("trace", "protect", files["paths.csv"], "--user", "who", "--secret", "01:20-01:40"),
            ("activity", "protect", files["log.csv"], "--k", 5),
        )
    ):  # fmt: skip
        assert sfumato(*command, *engine, "-o", f"{number}.csv") == 0
        assert sfumato("verify", f"{number}.csv") == 0
    assert sfumato(*hours, *engine, "--key", "k", "-o", "no.csv") == 2
    assert sfumato(*hours, *engine, "-o", "-") == 2
    assert sfumato(*hours, *engine, "--attack", "-o", "no.csv") == 2
    assert sfumato(*hours, "--master", "local[1]", "-o", "no.csv") == 2
    assert (
        sfumato("survey", "protect", source, "--alpha", 1, "--group", "lat", "--radius", 1, *engine, "-o", "no.csv")
        == 2
    )
    assert sfumato("trace", "protect", files["paths.csv"], "--secret", "01:20-01:40", *engine, "-o", "no.csv") == 2
    assert not (tmp_path / "no.csv").exists()


def test_groups_are_whole_whatever_the_batches() -> None:
    names = sorted("abbbccdddde")
    for size in (1, 2, 3, 11):
        batches = [pa.record_batch({"n": names[k : k + size]}) for k in range(0, len(names), size)]
        found = [batch["n"].to_pylist() for batch in whole_groups(batches, "n")]
        assert found == [[name] * names.count(name) for name in "abcde"]
