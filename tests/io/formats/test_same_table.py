"""The same table in every format, dialect and encoding, by every way: equal columns, equal values."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.io import read_table, write_table
from sfumato.io.engine import Source

HOSPITAL = pa.table(
    {
        "zip": ["01067", "80331", "00999", "50667"],
        "born": [dt.date(1980, 2, 29), dt.date(1999, 12, 31), None, dt.date(2001, 1, 1)],
        "name": ["Müller, Jürgen", 'Weiß "Uli"', "Åse; Øre", "été | à côté\tça"],
        "stay": pa.array([3, None, 12, 0], pa.int64()),
        "cost": [1234.5, 0.25, None, 99.75],
    }
)
DELIMITERS = [",", ";", "\t", "|"]
ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]


def cell(value: Any) -> str:
    if value is None:
        return ""
    return str(value)


def as_csv(table: pa.Table, delimiter: str = ",", quoting: Any = csv.QUOTE_MINIMAL, **options: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n", **options)
    writer.writerow(table.column_names)
    writer.writerows([cell(value) for value in record.values()] for record in table.to_pylist())
    return text.getvalue()


def by_engine(path: Path, **told: Any) -> dict[str, list[Any]]:
    pytest.importorskip("duckdb", reason="duckdb is not installed: pip install 'sfumato[table]'")
    from sfumato.io.engine.duckdb import DuckDBEngine

    return DuckDBEngine(threads=1).read(Source.of(path, **told)).to_pydict()


def as_texts(table: pa.Table) -> dict[str, list[str | None]]:
    """What an engine makes of CSV: every cell is text, an empty one is missing."""
    return {name: [cell(value) or None for value in table[name].to_pylist()] for name in table.column_names}


@pytest.mark.parametrize(("delimiter", "encoding"), list(itertools.product(DELIMITERS, ENCODINGS)))
def test_any_dialect_and_encoding(tmp_path: Path, delimiter: str, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(as_csv(HOSPITAL, delimiter).encode(encoding))
    assert read_table(path).to_pydict() == HOSPITAL.to_pydict()
    assert read_table(path).schema.types == HOSPITAL.schema.types
    assert by_engine(path) == as_texts(HOSPITAL)
    plain = encoding if encoding != "utf-8-sig" else "utf-8"
    assert read_table(path, delimiter=delimiter, encoding=plain).to_pydict() == HOSPITAL.to_pydict()
    assert by_engine(path, delimiter=delimiter, encoding=plain) == as_texts(HOSPITAL)


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst", "tsv", "tsv.gz", "tab", "txt"])
def test_packed_and_renamed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    write_table(HOSPITAL, path)
    assert read_table(path).to_pydict() == HOSPITAL.to_pydict()
    assert by_engine(path) == as_texts(HOSPITAL)


def test_packed_latin_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(as_csv(HOSPITAL, ";").encode("latin-1")))
    assert read_table(path).to_pydict() == HOSPITAL.to_pydict()
    assert by_engine(path) == as_texts(HOSPITAL)


@pytest.mark.parametrize(
    "options",
    [
        {"quoting": csv.QUOTE_ALL},
        {"quoting": csv.QUOTE_ALL, "quotechar": "'"},
        {"quoting": csv.QUOTE_ALL, "doublequote": False, "escapechar": "\\"},
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_any_quoting(tmp_path: Path, options: dict[str, Any], delimiter: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(HOSPITAL, delimiter, **options), encoding="utf-8")
    assert read_table(path).to_pydict() == HOSPITAL.to_pydict()
    assert by_engine(path) == as_texts(HOSPITAL)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("blank", [0, 2])
def test_any_line_end_and_blank_lines_before_the_header(tmp_path: Path, line_end: str, blank: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(("\n" * blank + as_csv(HOSPITAL)).replace("\n", line_end).encode())
    assert read_table(path).to_pydict() == HOSPITAL.to_pydict()
    assert by_engine(path) == as_texts(HOSPITAL)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "json", "json.zst", "parquet", "feather", "arrow", "xlsx"])
def test_any_format(tmp_path: Path, ending: str) -> None:
    if ending == "xlsx":
        pytest.importorskip("python_calamine", reason="pip install 'sfumato[office]'")
        pytest.importorskip("xlsxwriter", reason="pip install 'sfumato[office]'")
    path = tmp_path / f"t.{ending}"
    write_table(HOSPITAL, path)
    found = read_table(path)
    assert found.to_pydict() == HOSPITAL.to_pydict()
    assert found.schema.types == HOSPITAL.schema.types
    other = tmp_path / f"u.{ending}"
    write_table(HOSPITAL, other)
    assert path.read_bytes() == other.read_bytes(), "the same table is the same file"


LETTERS = st.characters(codec="latin-1", min_codepoint=32, exclude_categories=["Cc"])
WORDS = st.text(LETTERS, max_size=12)
TABLES = st.lists(
    st.tuples(
        WORDS,
        st.integers(-(2**53), 2**53) | st.none(),
        st.integers(-(10**9), 10**9).map(lambda n: n / 64) | st.none(),
        st.dates(dt.date(1900, 3, 1), dt.date(9999, 12, 31)) | st.none(),
        st.integers(0, 99999).map("{:05d}".format),
    ),
    min_size=1,
    max_size=6,
)
FIRST = ("a word", 1, 0.5, dt.date(1994, 5, 17), "01067")
"""Says what the columns are."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    rows=TABLES,
    way=st.tuples(st.sampled_from(DELIMITERS), st.sampled_from(["utf-8", "latin-1", "utf-16"]))
    | st.sampled_from(["jsonl", "json", "parquet", "feather", "xlsx", "csv", "tsv.gz"]),
)
def test_made_up_tables_survive(tmp_path: Path, rows: list[tuple[Any, ...]], way: Any) -> None:
    columns = zip(*[FIRST, *rows], strict=True)
    table = pa.table(dict(zip(["text", "n", "x", "day", "code"], map(list, columns), strict=True)))
    if isinstance(way, tuple):
        delimiter, encoding = way
        path = tmp_path / "t.csv"
        path.write_bytes(as_csv(table, delimiter).encode(encoding))
        told = {} if encoding != "latin-1" else {"encoding": encoding}
        found = read_table(path, **told)
        assert by_engine(path, **told) == as_texts(table)
    else:
        if way == "xlsx":
            pytest.importorskip("python_calamine", reason="pip install 'sfumato[office]'")
            pytest.importorskip("xlsxwriter", reason="pip install 'sfumato[office]'")
        path = tmp_path / f"t.{way}"
        write_table(table, path)
        found = read_table(path)
    expected = table.to_pydict()
    if way == "xlsx":  # a sheet has no empty texts, and no difference between 2 and 2.0
        expected["text"] = [text or None for text in expected["text"]]
    assert found.to_pydict() == expected
    assert found.schema.field("code").type == pa.string()
