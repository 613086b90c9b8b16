"""DuckDB and Spark: the same output, bit for bit; streaming, quoting, refusals."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from sfumato.data.census import make_census
from sfumato.engine import COUNT, Source, find_engine
from sfumato.engine.duckdb import DuckDBEngine
from sfumato.engine.source import csv_lines, write_batches
from sfumato.errors import InputError
from sfumato.table import Hierarchy, Schema, protect, protect_file
from sfumato.table.census import census_schema
from sfumato.table.protection import recoder

AWKWARD = ["plain", "semi;colon", 'quo"te', "line\nbreak", "comma, too", " space ", "ümläut"]


def _awkward(count: int = 60) -> tuple[pa.Table, Schema]:
    rng = np.random.default_rng(5)
    schema = Schema(
        quasi={"word; 1": Hierarchy.flat(AWKWARD), "n": Hierarchy.intervals(0, 9, [5])},
        sensitive=["s"],
        insensitive=["note"],
        identifiers=["id"],
    )
    return pa.table(
        {
            "id": np.arange(count),
            "word; 1": rng.choice(AWKWARD, count).tolist(),
            "n": rng.integers(0, 10, count),
            "s": rng.choice(["x", "y"], count).tolist(),
            "note": [AWKWARD[i % 7] if i % 5 else None for i in range(count)],
        }
    ), schema


def test_csv_lines_quote_only_what_needs_it() -> None:
    batch = pa.record_batch({"a": ["x", "y,z", 'q"q', None, ""], "b": [1.5, None, 2.0, 3.0, 4.0]})
    assert bytes(csv_lines(batch, ",")).decode() == 'x,1.5\n"y,z",\n"q""q",2\n,3\n,4\n'
    one = pa.record_batch({"a": ["", "x"]})
    assert bytes(csv_lines(one, "\t")).decode() == '""\nx\n'
    assert csv_lines(batch.slice(0, 0), ",") == b""
    assert bytes(csv_lines(batch.slice(2, 2), ",")).decode() == '"q""q",2\n,3\n'


def test_source_sniffs_and_refuses(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('"a;b";c\n1;2\n')
    source = Source.of(file)
    assert (source.delimiter, source.columns) == (";", ("a;b", "c"))
    for text, message in (("", "is empty"), ("a,a\n", "each name once")):
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            Source.of(file)
    with pytest.raises(InputError, match="does not exist"):
        Source.of(tmp_path / "none.csv")
    with pytest.raises(InputError, match="ends in"):
        Source.of(tmp_path / "a.docx")
    (tmp_path / "b.parquet").write_text("no")
    with pytest.raises(InputError, match="not a Parquet file"):
        Source.of(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="duckdb or spark"):
        find_engine("abacus")


def test_summary_counts(tmp_path: Path) -> None:
    csv.write_csv(pa.table({"a": ["x", "x", "y"], "b": [1, 1, 2]}), tmp_path / "t.csv")
    found = DuckDBEngine().summarise(Source.of(tmp_path / "t.csv"), ["a"])
    assert sorted(zip(found["a"].to_pylist(), found[COUNT].to_pylist(), strict=True)) == [("x", 2), ("y", 1)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "options", [{"k": 3}, {"k": 3, "recoding": "local"}, {"k": 3, "l": 2, "suppression": 0.3, "suppressed": "drop"}]
)
def test_file_to_file_equals_memory(tmp_path: Path, kind, options) -> None:
    table, schema = _awkward()
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    if kind == "csv":
        write_batches(table.to_batches(), table.schema, source, ";")
    else:
        parquet.write_table(table, source)
    decision = protect_file(source, target, recoder(schema, **options), engine=DuckDBEngine(batch=7, threads=2))
    expected = protect(table, schema, **options)
    assert decision.loss == pytest.approx(expected.loss)
    if kind == "csv":
        write_batches(expected.data.to_batches(), expected.data.schema, tmp_path / "expected.csv", ";")
        assert target.read_bytes() == (tmp_path / "expected.csv").read_bytes()
    else:
        assert parquet.read_table(target).equals(expected.data)


def test_wrong_files_leave_nothing(tmp_path: Path) -> None:
    table, schema = _awkward()
    file = tmp_path / "in.csv"
    write_batches(table.to_batches(), table.schema, file)
    file.write_text(file.read_text() + "1,2\n")
    with pytest.raises(InputError, match="cannot be read"):
        protect_file(file, tmp_path / "out.csv", recoder(schema, k=2))
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


def _spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'sfumato[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is not on this machine")
    from sfumato.engine.spark import SparkEngine

    return SparkEngine(master="local-cluster[2,1,1024]")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark_equals_duckdb_bit_for_bit(tmp_path: Path) -> None:
    """Two executors in processes of their own; CSV in and out with awkward values, and Parquet."""
    engine = _spark()
    table, schema = _awkward()
    census = make_census(2000)
    write_batches(table.to_batches(), table.schema, tmp_path / "a.csv", ";")
    parquet.write_table(census, tmp_path / "c.parquet", row_group_size=500)
    jobs = [
        ("a.csv", "csv", recoder(schema, k=3, recoding="local")),
        ("a.csv", "csv", recoder(schema, k=3, l=2, suppression=0.3, suppressed="drop")),
        ("c.parquet", "parquet", recoder(census_schema(), k=5, suppression=0.04)),
    ]
    try:
        for i, (name, kind, mechanism) in enumerate(jobs):
            outputs = [tmp_path / f"{i}-{side}.{kind}" for side in ("duckdb", "spark")]
            first = protect_file(tmp_path / name, outputs[0], mechanism)
            second = protect_file(tmp_path / name, outputs[1], mechanism, engine=engine)
            assert first.loss == second.loss
            assert first.levels == second.levels
            if kind == "csv":
                assert outputs[0].read_bytes() == outputs[1].read_bytes()
            else:
                assert parquet.read_table(outputs[0]).equals(parquet.read_table(outputs[1]))
        assert not list(tmp_path.glob(".*parts"))
    finally:
        engine._spark().stop()
