"""DuckDB and Spark: the same output, bit for bit; streaming, quoting, refusals."""

from __future__ import annotations

import datetime as dt
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from sfumato import statistic
from sfumato.errors import InputError
from sfumato.io.engine import COUNT, Source, find_engine
from sfumato.io.engine.duckdb import DuckDBEngine
from sfumato.io.engine.source import csv_lines, write_batches
from sfumato.noise import seeded_rng
from sfumato.release import Terms
from sfumato.table import Hierarchy, Schema, protect, protect_file
from sfumato.table.data import census_schema, make_census
from sfumato.table.protection import recoder

IN_ORDER = Terms(keep_order=True)
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
    given = {"engine": DuckDBEngine(batch=7, threads=2), "terms": IN_ORDER}
    streamed = protect_file(source, target, recoder(schema, **options), **given)
    expected = protect(table, schema, **options, terms=IN_ORDER)
    assert streamed.decision.information_loss == pytest.approx(expected.decision.information_loss)
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
    with pytest.raises(InputError, match=r"cannot be read: .*Line: \d+; Expected Number of Columns: 5 Found: 2$"):
        protect_file(file, tmp_path / "out.csv", recoder(schema, k=2))
    with pytest.raises(InputError, match="ends in"):
        protect_file(file, tmp_path / "out.docx", recoder(schema, k=2))
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]
    for broken, reason in ((b'a,b\nx,"open\n', "quote"), (b"a,b\n" + "x,é\n".encode() * 20 + b"x,\xe9\n", "")):
        file.write_bytes(broken)
        with pytest.raises(InputError, match=f"cannot be read: .*{reason}" if reason else "line 22, is not UTF-8"):
            protect_file(file, tmp_path / "out.csv", recoder(Schema(quasi={"a": Hierarchy.flat("x")},
                                                                    insensitive=["b"]), k=1))  # fmt: skip


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, b"\xff\xfe"])
def test_what_csv_cannot_hold(tmp_path: Path, value) -> None:
    parquet.write_table(pa.table({"q": ["x", "x"], "odd": [value, None]}), tmp_path / "in.parquet")
    roles = Schema(quasi={"q": Hierarchy.flat("x")}, insensitive=["odd"])
    with pytest.raises(InputError, match=r"column .odd.: type.*write Parquet"):
        protect_file(tmp_path / "in.parquet", tmp_path / "out.csv", recoder(roles, k=2))
    assert not (tmp_path / "out.csv").exists()
    protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", recoder(roles, k=2), terms=IN_ORDER)
    assert parquet.read_table(tmp_path / "out.parquet")["odd"].to_pylist() == [value, None]
    if isinstance(value, list):
        with pytest.raises(InputError, match="column 'odd': type"):
            protect_file(tmp_path / "in.parquet", tmp_path / "out.csv",
                         recoder(Schema(quasi={"odd": Hierarchy.flat("x")}, insensitive=["q"]), k=2))  # fmt: skip


STRANGE = ["x", "漢字 😀", 'a"b', "a\nb", "a\r\nb", "a,b", " lead", "007", "7", "1e3", "9223372036854775807", "NULL",
           "NaN", "\\N", "a\\b", "'q'", "#c", "TRUE", "1994-05-17", "-0", "\t"]  # fmt: skip


def _strange(file: Path, line_end: str) -> Schema:
    """Texts that readers like to take for something else, quoted and bare gaps, any line end; a blank line."""
    import csv as plain

    with file.open("w", newline="", encoding="utf-8-sig" if line_end == "\r\n" else "utf-8") as stream:
        out = plain.writer(stream, lineterminator=line_end)
        out.writerow(["q", "n", "note"])
        out.writerows([word, str(1 + i % 2), STRANGE[-1 - i % 20]] for i, word in enumerate(STRANGE * 2) if i < 30)
        stream.write(f'"",1,""{line_end}x,,{line_end}{line_end}x,2,z')
    return Schema(
        quasi={"q": Hierarchy.flat(STRANGE), "n": Hierarchy.flat("12")}, insensitive=["note"], missing="category"
    )


def _typed() -> tuple[pa.Table, Schema]:
    """Parquet types with gaps, and numbers at their ends."""
    day, moment = dt.date(1582, 10, 10), dt.datetime(2020, 6, 1, 12, 30, 1, 5, tzinfo=dt.UTC)
    table = pa.table(
        {
            "i": pa.array([1, 2**53 + 1, 2**63 - 1, None] * 3, pa.int64()),
            "f": pa.array([1.0, float("nan"), 2.5, None] * 3),
            "d": pa.array([dt.date(1994, 5, 17), day, dt.date(9999, 12, 31), None] * 3),
            "b": pa.array([True, False, True, None] * 3),
            "t": pa.array([moment, None] * 6, pa.timestamp("us", tz="Europe/Berlin")),
            "u": pa.array([2**32 - 1, None] * 6, pa.uint32()),
            "u64": pa.array([2**64 - 1, None] * 6, pa.uint64()),
            "f32": pa.array([0.1, None] * 6, pa.float32()),
            "dec": pa.array([Decimal("1.50"), None] * 6, pa.decimal128(10, 2)),
            "word": pa.array(["é", None] * 6).dictionary_encode(),
            "list": pa.array([[1, 2], None] * 6),
        }
    )
    quasi = {
        "i": Hierarchy.flat(["1", str(2**53 + 1), str(2**63 - 1)]),
        "f": Hierarchy.flat(["1", "2.5"]),
        "d": Hierarchy.dates(["1994-05-17", "1582-10-10", "9999-12-31"]),
        "b": Hierarchy.flat(["true", "false"]),
        "t": Hierarchy.flat([moment.isoformat()]),
    }
    rest = [name for name in table.column_names if name not in quasi]
    return table, Schema(quasi=quasi, insensitive=rest, missing="category")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_strange_texts_stay_what_they_are(tmp_path: Path, line_end) -> None:
    roles = _strange(tmp_path / "in.csv", line_end)
    protect_file(tmp_path / "in.csv", tmp_path / "out.csv", recoder(roles, k=1), terms=IN_ORDER)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as stream:
        import csv as plain

        rows = list(plain.reader(stream))
    assert [row[0] for row in rows[1:31]] == (STRANGE * 2)[:30]
    assert [row[2] for row in rows[1:31]] == [STRANGE[-1 - i % 20] for i in range(30)]
    assert rows[31:] == [["missing", "1", ""], ["x", "missing", ""], ["x", "2", "z"]]


def test_parquet_types_stay_what_they_are(tmp_path: Path) -> None:
    table, roles = _typed()
    parquet.write_table(table, tmp_path / "in.parquet")
    protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", recoder(roles, k=1), terms=IN_ORDER)
    found = parquet.read_table(tmp_path / "out.parquet")
    for name in ("u", "u64", "f32", "dec", "word", "list"):
        assert found[name].to_pylist() == table[name].to_pylist()
    assert found["u"].type == pa.uint32()
    assert found["i"].to_pylist()[:4] == ["1", str(2**53 + 1), str(2**63 - 1), "missing"]
    assert found["f"].to_pylist()[:4] == ["1", "missing", "2.5", "missing"]
    assert found["d"].to_pylist()[1] == "1582-10-10"
    assert found["t"].to_pylist()[0] == "2020-06-01T12:30:01.000005+00:00"


def _spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'sfumato[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is not on this machine")
    from sfumato.io.engine.spark import SparkEngine

    return SparkEngine(master="local-cluster[2,1,1024]")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark_equals_duckdb_bit_for_bit(tmp_path: Path) -> None:
    """Two executors in processes of their own; CSV in and out with awkward values, Parquet with awkward types, and a
    file in many splits."""
    engine = _spark()
    table, schema = _awkward()
    unix, windows = (_strange(tmp_path / f"{name}.csv", end) for name, end in (("unix", "\n"), ("windows", "\r\n")))
    typed, roles = _typed()
    parquet.write_table(typed, tmp_path / "t.parquet", row_group_size=5)
    census = make_census(2000)
    write_batches(table.to_batches(), table.schema, tmp_path / "a.csv", ";")
    parquet.write_table(census, tmp_path / "c.parquet", row_group_size=500)
    jobs = [
        ("a.csv", "csv", recoder(schema, k=3, recoding="local")),
        ("a.csv", "csv", recoder(schema, k=3, l=2, suppression=0.3, suppressed="drop")),
        ("c.parquet", "parquet", recoder(census_schema(), k=5, suppression=0.04)),
        ("unix.csv", "csv", recoder(unix, k=2, recoding="local")),
        ("windows.csv", "csv", recoder(windows, k=2, recoding="local")),
        ("t.parquet", "parquet", recoder(roles, k=2, suppression=1.0)),
    ]
    try:
        for name, value in {"spark.sql.files.maxPartitionBytes": "20000", "spark.sql.shuffle.partitions": "2"}.items():
            engine._spark().conf.set(name, value)
        for i, (name, kind, mechanism) in enumerate(jobs):
            outputs = [tmp_path / f"{i}-{side}.{kind}" for side in ("duckdb", "spark")]
            first = protect_file(tmp_path / name, outputs[0], mechanism, terms=IN_ORDER)
            second = protect_file(tmp_path / name, outputs[1], mechanism, engine=engine, terms=IN_ORDER)
            assert first.decision.information_loss == second.decision.information_loss
            assert first.decision.levels == second.decision.levels
            if kind == "csv":
                assert outputs[0].read_bytes() == outputs[1].read_bytes()
            else:
                here, there = map(parquet.read_table, outputs)
                assert here.schema == there.schema
                assert here.equals(there)
        with pytest.raises(InputError, match=r"Spark failed: .*"):
            engine.summarise(Source.of(tmp_path / "c.parquet"), ["no such column"])
        with pytest.raises(InputError, match="a Parquet file"):
            engine.summarise(Source.of(tmp_path / "a.csv"), ["n"])
        left = {path.name for path in tmp_path.iterdir()} - {name for name, _, _ in jobs}
        assert all(name[0].isdigit() for name in left)
        values = pa.table({"x": np.linspace(0, 9, 2000)})
        parquet.write_table(values, tmp_path / "x.parquet", row_group_size=100)
        write_batches(values.to_batches(), values.schema, tmp_path / "x.csv", ";")
        asked = {"mechanism": "mean", "epsilon": 1.0, "low": 0, "high": 10}
        for file in ("x.parquet", "x.csv"):
            source = Source.of(tmp_path / file)
            said = [statistic.protect(source, "x", engine=on, rng=seeded_rng(1), **asked) for on in (engine, "duckdb")]
            assert said[0].data.equals(said[1].data)
    finally:
        engine._spark().stop()
