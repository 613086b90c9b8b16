"""A roll pays only for people who are on it, in memory and as a file streams past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import sfumato as sf
from helpers.door_contract import run as sfumato
from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.release import Release, Terms

N = 60
WORDS = sf.text.Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
JOBS: dict[str, Callable[..., Release]] = {
    "mean": lambda data, **more: sf.statistic.protect(
        data, "hour", mechanism="mean", low=0, high=24, epsilon=1.0, neighbours="replace-one", **more
    ),
    "numbers": lambda data, **more: sf.statistic.protect(
        data, "hour", mechanism="laplace", low=0, high=24, epsilon=1.0, **more
    ),
    "hours": lambda data, **more: sf.direction.protect(data, "hour", pure=1.0, **more),
    "answers": lambda data, **more: sf.survey.protect(
        data, mechanism="unary-encoding", epsilon=1.0, categories=["x", "y", "z"], **more
    ),
    "words": lambda data, **more: sf.text.protect(
        data, mechanism="word-exponential", epsilon=2.0, vocabulary=WORDS, **more
    ),
}


def people() -> pa.Table:
    """Two records of each of thirty people, whose ids are whole numbers."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "who": np.arange(N) // 2,
            "hour": rng.uniform(0, 24, N),
            "answer": rng.choice(["x", "y", "z"], N).tolist(),
            "text": rng.choice(["cat dog", "stock"], N).tolist(),
        }
    )


def opened(form: str, folder: Path) -> Any:
    if form == "memory":
        return people()
    pytest.importorskip("duckdb")
    file = folder / f"people.{form}"
    (csv.write_csv if form == "csv" else parquet.write_table)(people(), file)
    return Source.of(file)


def roll(folder: Path, job: str, members: int) -> Terms:
    """A ledger with a budget of each of so many people that the job can be paid from."""
    promise = JOBS[job](people(), terms=Terms(person="who")).per_person
    assert promise is not None
    place = folder / f"{members}.db"
    with sf.Ledger(place) as ledger:
        ledger.set("cohort", promise.over(1, unit="person"))
        ledger.enrol("cohort", map(str, range(members)))
    return Terms(ledger=place, subject="cohort", person="who")


@pytest.mark.parametrize("form", ["memory", "csv", "parquet"])
@pytest.mark.parametrize("job", JOBS)
def test_who_is_not_on_the_roll_stops_the_release(tmp_path: Path, job: str, form: str) -> None:
    data = opened(form, tmp_path)
    with pytest.raises(InputError, match=r"cohort.*2 of them are not on it.*enrol"):
        JOBS[job](data, terms=roll(tmp_path, job, N // 2 - 2))
    with sf.Ledger(tmp_path / f"{N // 2 - 2}.db") as ledger:
        assert ledger.releases("cohort") == []
    terms = roll(tmp_path, job, N // 2)
    JOBS[job](data, terms=terms)
    with sf.Ledger(tmp_path / f"{N // 2}.db") as ledger:
        assert [entry.people for entry in ledger.releases("cohort")] == [N // 2]


@pytest.mark.parametrize("job", ["mean", "hours", "words"])
def test_a_roll_is_not_charged_without_a_column_of_people(tmp_path: Path, job: str) -> None:
    terms = roll(tmp_path, job, N // 2)
    with pytest.raises(InputError, match=r"the column of people with a roll.*--person"):
        JOBS[job](people(), terms=Terms(ledger=terms.ledger, subject="cohort"))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    csv.write_csv(people(), "people.csv")
    csv.write_csv(people().slice(0, N - 4), "enrolled.csv")
    assert sfumato("budget", "set", "cohort", "--epsilon", 4, "--unit", "person", "--ledger", "b.db") == 0
    assert sfumato("budget", "enrol", "cohort", "enrolled.csv", "--column", "who", "--ledger", "b.db") == 0
    asked = ("statistic", "protect", "people.csv", "--column", "hour", "--mechanism", "mean", "--low", 0, "--high", 24)
    asked += ("--epsilon", 1, "--person", "who", "--ledger", "b.db", "--subject", "cohort", "-o", "mean.csv")
    assert sfumato(*asked) == 2
    assert "2 of them are not on it" in capsys.readouterr().err.replace("\n", " ")
    assert not Path("mean.csv").exists()
    assert sfumato("budget", "enrol", "cohort", "people.csv", "--column", "who", "--ledger", "b.db") == 0
    assert sfumato(*asked) == 0
