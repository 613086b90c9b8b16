"""DuckDB and Spark: the same output, bit for bit; streaming, quoting, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from helpers.engine_tables import STRANGE, awkward, strange, typed
from sfumato.errors import InputError
from sfumato.io.engine import COUNT, Source, find_engine
from sfumato.io.engine.duckdb import DuckDBEngine
from sfumato.io.engine.source import csv_lines, write_batches
from sfumato.release import Terms
from sfumato.table import DeltaPresence, Hierarchy, Schema, protect, protect_file, protect_with
from sfumato.table.data import census_schema, make_census
from sfumato.table.protection import recoder

IN_ORDER = Terms(keep_order=True)


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
    table, schema = awkward()
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


@pytest.mark.parametrize("options", [{}, {"recoding": "local"}, {"suppression": 0.3, "suppressed": "drop"}])
def test_a_population_beside_a_file(tmp_path: Path, options: dict[str, Any]) -> None:
    everyone = make_census(2000)
    schema, part = census_schema(), everyone.slice(0, 400)
    parquet.write_table(part, tmp_path / "in.parquet")
    mechanism = recoder(schema, target=[DeltaPresence(0.0, 0.6)], population=everyone, **options)
    streamed = protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", mechanism, terms=IN_ORDER)
    expected = protect_with(part, mechanism, terms=IN_ORDER)
    assert streamed.decision.levels == expected.decision.levels
    assert parquet.read_table(tmp_path / "out.parquet").equals(expected.data)
    assert streamed.card.class_risk == expected.card.class_risk


def test_a_file_that_loses_records_meanwhile_is_not_released(tmp_path: Path) -> None:
    """What was decided on more records need not hold for fewer."""
    table, schema = make_census(1000), census_schema()
    parquet.write_table(table, tmp_path / "in.parquet")

    class Slow(DuckDBEngine):
        def recode(self, source: Source, *more: Any, **options: Any) -> int:
            parquet.write_table(table.slice(0, 900), source.path)
            return super().recode(source, *more, **options)

    with pytest.raises(InputError, match="changed meanwhile"):
        protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", recoder(schema, k=5), engine=Slow())
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_wrong_files_leave_nothing(tmp_path: Path) -> None:
    table, schema = awkward()
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


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_strange_texts_stay_what_they_are(tmp_path: Path, line_end) -> None:
    roles = strange(tmp_path / "in.csv", line_end)
    protect_file(tmp_path / "in.csv", tmp_path / "out.csv", recoder(roles, k=1), terms=IN_ORDER)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as stream:
        import csv as plain

        rows = list(plain.reader(stream))
    assert [row[0] for row in rows[1:31]] == (STRANGE * 2)[:30]
    assert [row[2] for row in rows[1:31]] == [STRANGE[-1 - i % 20] for i in range(30)]
    assert rows[31:] == [["missing", "1", ""], ["x", "missing", ""], ["x", "2", "z"]]


def test_parquet_types_stay_what_they_are(tmp_path: Path) -> None:
    table, roles = typed()
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
