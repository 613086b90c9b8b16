"""Spark with two executors in processes of their own: what DuckDB gives, and local steps that keep their promise."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import sfumato as sf
from helpers.door_contract import run as sfumato
from helpers.engine_tables import JOBS, PEOPLE, ROWS, WORDS, awkward, paths, people, strange, typed
from sfumato.activity import make_log
from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.io.engine.duckdb import DuckDBEngine
from sfumato.io.engine.source import write_batches
from sfumato.noise import seeded_rng
from sfumato.release import Release, Terms
from sfumato.table import Dates, Prefixes, Schema, protect_file
from sfumato.table.data import census_schema, make_census
from sfumato.table.protection import recoder
from sfumato.trace.people.cohort_release import protect_people

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
pytest.importorskip("duckdb")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'sfumato[spark]'")
if shutil.which("java") is None:
    pytest.skip("Java is not on this machine", allow_module_level=True)

from sfumato.io.engine.spark import SparkEngine  # noqa: E402

MASTER = "local-cluster[2,1,1024]"
IN_ORDER = Terms(keep_order=True)
IN_PIECES = DuckDBEngine(batch=257, threads=2)
POOL = sf.text.PublicPool(
    texts=(
        "The cat sat on the mat. It slept.",
        "A dog barked at the cat. The cat ran.",
        "Stocks fell on Monday. Nobody knew why.",
        "The stock rose again. Banks were glad.",
    ),
    topics=("pets", "pets", "money", "money"),
)
TEXTS: dict[str, Callable[..., Release]] = {
    "syntf": lambda data, **more: sf.text.protect(data, epsilon=5.0, length=4, vocabulary=WORDS, **more),
    "topic-response": lambda data, **more: sf.text.protect(
        data, mechanism="topic-response", epsilon=2.0, pool=POOL, **more
    ),
    "retrieve": lambda data, **more: sf.text.protect(
        data,
        mechanism="retrieve",
        epsilon=2.0,
        pool=POOL,
        settings={"encoder": "tfidf", "most": 2, "short": "uniform"},
        **more,
    ),
}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkEngine]:
    """One cluster for all: to start it takes longer than most jobs."""
    engine = SparkEngine(master=MASTER)
    session = engine._spark()
    for name, value in {"spark.sql.files.maxPartitionBytes": "20000", "spark.sql.shuffle.partitions": "2"}.items():
        session.conf.set(name, value)
    yield engine
    session.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("streams")
    for name, table in {"people": people(), "paths": paths(), "log": pa.table(make_log())}.items():
        parquet.write_table(table, folder / f"{name}.parquet", row_group_size=700)
    csv.write_csv(people(), folder / "people.csv")
    return {file.name: file for file in folder.iterdir()}


def day_first(path: Path) -> Schema:
    """A hospital with the day first in one column and the month first in another, codes with zeros, and blanks."""
    rng, days = np.random.default_rng(3), np.arange("1940-01-01", "2005-01-01", dtype="datetime64[D]").astype(str)
    born, came = (rng.choice(days, 400).tolist() for _ in range(2))
    columns = {
        "zip": [f"{code:05d}" for code in rng.integers(1, 40, 400)],
        "born": [f"{one[8:]}.{one[5:7]}.{one[:4]}" for one in born],
        "came": [f"{one[5:7]}/{one[8:]}/{one[:4]}" for one in came],
        "illness": rng.choice(["flu", "", "gout"], 400).tolist(),
    }
    csv.write_csv(pa.table(columns), path)
    quasi = {"zip": Prefixes(5), "born": Dates("day-first"), "came": Dates("month-first")}
    return Schema(quasi=quasi, sensitive=["illness"], missing="category")


def test_tables_are_equal_bit_for_bit(spark: SparkEngine, tmp_path: Path) -> None:
    """CSV in and out with awkward values and dates, Parquet with awkward types, and a file in many splits."""
    table, schema = awkward()
    unix, windows = (strange(tmp_path / f"{name}.csv", end) for name, end in (("unix", "\n"), ("windows", "\r\n")))
    types, roles = typed()
    parquet.write_table(types, tmp_path / "t.parquet", row_group_size=5)
    write_batches(table.to_batches(), table.schema, tmp_path / "a.csv", ";")
    parquet.write_table(make_census(2000), tmp_path / "c.parquet", row_group_size=500)
    dates = day_first(tmp_path / "d.csv")
    jobs = [
        ("d.csv", "csv", recoder(dates, k=3, l=2, recoding="local")),
        ("a.csv", "csv", recoder(schema, k=3, recoding="local")),
        ("a.csv", "csv", recoder(schema, k=3, l=2, suppression=0.3, suppressed="drop")),
        ("c.parquet", "parquet", recoder(census_schema(), k=5, suppression=0.04)),
        ("unix.csv", "csv", recoder(unix, k=2, recoding="local")),
        ("windows.csv", "csv", recoder(windows, k=2, recoding="local")),
        ("t.parquet", "parquet", recoder(roles, k=2, suppression=1.0)),
    ]
    for i, (name, kind, mechanism) in enumerate(jobs):
        outputs = [tmp_path / f"{i}-{side}.{kind}" for side in ("duckdb", "spark")]
        first = protect_file(tmp_path / name, outputs[0], mechanism, terms=IN_ORDER)
        second = protect_file(tmp_path / name, outputs[1], mechanism, engine=spark, terms=IN_ORDER)
        assert first.decision.information_loss == second.decision.information_loss
        assert first.decision.levels == second.decision.levels
        if kind == "csv":
            assert outputs[0].read_bytes() == outputs[1].read_bytes()
        else:
            here, there = map(parquet.read_table, outputs)
            assert here.schema == there.schema
            assert here.equals(there)
    with pytest.raises(InputError, match=r"Spark failed: .*"):
        spark.summarise(Source.of(tmp_path / "c.parquet"), ["no such column"])
    with pytest.raises(InputError, match="a Parquet file"):
        spark.summarise(Source.of(tmp_path / "a.csv"), ["n"])
    left = {path.name for path in tmp_path.iterdir()} - {name for name, _, _ in jobs}
    assert all(name[0].isdigit() for name in left)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_totals_are_equal(spark: SparkEngine, files: dict[str, Path], form: str) -> None:
    source = Source.of(files[f"people.{form}"])
    for mechanism in ("mean", "quantile"):
        asked: dict[str, Any] = {"mechanism": mechanism, "low": 0, "high": 24, "epsilon": 1.0}
        said = [
            sf.statistic.protect(source, "hour", engine=on, rng=seeded_rng(1), terms=Terms(person="who"), **asked)
            for on in (spark, IN_PIECES)
        ]
        assert said[0].data.equals(said[1].data)
        assert said[0].per_person == said[1].per_person


def test_logs_and_traces_are_equal(spark: SparkEngine, files: dict[str, Path], tmp_path: Path) -> None:
    logs = [
        sf.activity.protect(Source.of(files["log.parquet"]), k=5, rng=seeded_rng(2), engine=engine).arrow
        for engine in (spark, IN_PIECES)
    ]
    assert logs[0].equals(logs[1])
    traced = []
    for engine in (spark, IN_PIECES):
        release = protect_people(Source.of(files["paths.parquet"]), user="who", secrets=["01:20-01:40"], engine=engine)
        release.write(tmp_path / f"{engine.name}.csv")
        assert set(release.data["who"].to_pylist()) == set(range(1, PEOPLE + 1))
        columns = (map(float, release.data[name].to_pylist()) for name in ("time", "latitude"))
        traced.append(sorted(zip(*columns, strict=True)))
    assert traced[0] == traced[1]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("job", ["hours", "unary", "hadamard", "words"])
def test_local_steps_keep_their_promise(spark: SparkEngine, files: dict[str, Path], tmp_path: Path, job: str) -> None:
    source, terms = Source.of(files["people.parquet"]), Terms(person="who")
    release = JOBS[job](source, engine=spark, terms=terms)
    card = release.write(tmp_path / "out.parquet")
    assert card.promise == JOBS[job](source, terms=terms).card.promise
    assert card.release.rows == ROWS
    if "number" in release.data.column_names:
        assert sorted(release.data["number"].to_pylist()) == list(range(ROWS))
    assert sf.verify(tmp_path / "out.parquet").holds


@pytest.mark.parametrize("job", ["hours", "words"])
def test_a_roll_pays_only_for_people_who_are_on_it(
    spark: SparkEngine, files: dict[str, Path], tmp_path: Path, job: str
) -> None:
    source = Source.of(files["people.parquet"])
    promise = JOBS[job](source, terms=Terms(person="who")).per_person
    assert promise is not None
    for members in (398, 400):
        with sf.Ledger(tmp_path / f"{members}.db") as ledger:
            ledger.set("cohort", promise.over(1, unit="person"))
            ledger.enrol("cohort", [f"user {i}" for i in range(members)])
    few, all_of_them = (Terms(ledger=tmp_path / f"{n}.db", subject="cohort", person="who") for n in (398, 400))
    with pytest.raises(InputError, match=r"cohort.*2 of them are not on it"):
        JOBS[job](source, engine=spark, terms=few)
    JOBS[job](source, engine=spark, terms=all_of_them).write(tmp_path / "out.parquet")
    entries = []
    for members in (398, 400):
        with sf.Ledger(tmp_path / f"{members}.db") as ledger:
            entries.append([entry.people for entry in ledger.releases("cohort")])
    assert entries == [[], [400]]
    with pytest.raises(sf.BudgetError):  # everybody has paid with all they had
        JOBS[job](source, engine=spark, terms=all_of_them)


def test_a_hadamard_response_estimates_what_was_answered(
    spark: SparkEngine, files: dict[str, Path], tmp_path: Path
) -> None:
    """ε = 6: the largest share is off by more than 0.1 with probability below 1e-9 (Hoeffding, 3000 answers)."""
    release = sf.survey.protect(
        Source.of(files["people.parquet"]), mechanism="hadamard-response", epsilon=6.0,
        categories=["x", "y", "z"], engine=spark,
    )  # fmt: skip
    release.write(tmp_path / "out.parquet")
    made = sf.survey.HadamardResponse(epsilon=6.0, categories=3)
    shares = made.estimate(np.asarray(release.data.column(0)))
    truth = [people()["answer"].to_pylist().count(one) / ROWS for one in "xyz"]
    assert np.abs(np.asarray(list(shares)) - truth).max() < 0.1


@pytest.mark.parametrize("job", TEXTS)
def test_texts_are_replaced_one_by_one(spark: SparkEngine, files: dict[str, Path], tmp_path: Path, job: str) -> None:
    source = Source.of(files["people.parquet"])
    release = TEXTS[job](source, engine=spark, keep=["number"])
    card = release.write(tmp_path / "out.parquet")
    alone = TEXTS[job](source, engine=IN_PIECES, keep=["number"])
    assert card.promise == alone.card.promise
    inside = TEXTS[job](people(), keep=["number"])  # it also states how long the released texts are
    assert (release.guarantee, release.per_person) == (inside.guarantee, inside.per_person)
    assert card.mechanism.parameters == alone.card.mechanism.parameters
    assert sorted(release.data["number"].to_pylist()) == list(range(ROWS))
    allowed = set(POOL.texts) if job != "syntf" else None
    texts = release.data["text"].to_pylist()
    assert set(texts) <= allowed if allowed else {w for text in texts for w in text.split()} == set(WORDS.words)
    assert sf.verify(tmp_path / "out.parquet").holds


def test_a_seed_repeats_a_job(spark: SparkEngine, files: dict[str, Path], tmp_path: Path) -> None:
    for number, job in enumerate((JOBS["laplace"], TEXTS["syntf"])):
        again = [
            job(Source.of(files["people.parquet"]), engine=spark, rng=seeded_rng(3), terms=IN_ORDER) for _ in range(2)
        ]
        for turn, release in enumerate(again):
            release.write(tmp_path / f"{number}-{turn}.parquet")
        assert again[0].data.equals(again[1].data)


def test_the_text_command(
    spark: SparkEngine, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    public = [{"text": text, "topic": topic} for text, topic in zip(POOL.texts, POOL.topics or (), strict=True)]
    Path("pool.jsonl").write_text("".join(json.dumps(one) + "\n" for one in public))
    asks = TEXTS["topic-response"](people())
    promise = json.dumps((asks.per_person or asks.guarantee).to_dict())
    assert sfumato("budget", "set", "people", "--promise", promise, "--ledger", "b.db") == 0
    asked = ("text", "protect", files["people.csv"], "-m", "topic-response", "--epsilon", 2, "--pool", "pool.jsonl")
    asked += ("--engine", "spark", "--master", MASTER, "--ledger", "b.db", "--subject", "people", "-o", "out.csv")
    assert sfumato(*asked) == 0
    assert sfumato("verify", "out.csv", "--ledger", "b.db") == 0
    with sf.Ledger("b.db") as ledger:
        assert len(ledger.releases("people")) == 1
    assert sfumato(*asked[:3], "--scrub", *asked[3:-1], "no.csv") == 2  # scrubbing works in memory
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.db", "out.csv", "out.csv.card.json", "pool.jsonl"]
