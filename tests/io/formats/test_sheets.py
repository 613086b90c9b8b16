"""Spreadsheets: what is read, what is kept as it is, and what is refused."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.zip_files import make_zip
from sfumato.errors import InputError, MissingExtraError
from sfumato.io import check_table_output, read_table, write_table
from sfumato.io.formats import archives

pytest.importorskip("python_calamine", reason="pip install 'sfumato[office]'")
xlsxwriter = pytest.importorskip("xlsxwriter", reason="pip install 'sfumato[office]'")


def workbook(path: Path, rows: list[list[Any]], sheets: int = 1) -> Path:
    """A workbook as people make it by hand."""
    with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as book:
        for number in range(sheets):
            sheet = book.add_worksheet()
            for place, row in enumerate(rows if number == 0 else [["other"], [1]]):
                for column, value in enumerate(row):
                    if value is not None:
                        sheet.write(place, column, value)
    return path


def test_types_follow_the_cells(tmp_path: Path) -> None:
    rows = [
        ["zip", "n", "x", "day", "moment", "yes", "mixed", "none", None],
        ["01067", 1, 1.5, dt.date(1999, 12, 31), dt.datetime(2020, 1, 1, 12, 30), True, "a", None, None],
        ["80331", None, 2, dt.date(2000, 1, 1), dt.datetime(2020, 1, 2), False, 2, None, None],
        [None] * 9,
        [None, 3, None, None, None, None, 2.5, None, None],
    ]
    table = read_table(workbook(tmp_path / "t.xlsx", rows))
    assert table.to_pydict() == {
        "zip": ["01067", "80331", None],
        "n": [1, None, 3],
        "x": [1.5, 2.0, None],
        "day": [dt.date(1999, 12, 31), dt.date(2000, 1, 1), None],
        "moment": [dt.datetime(2020, 1, 1, 12, 30), dt.datetime(2020, 1, 2), None],
        "yes": [True, False, None],
        "mixed": ["a", "2", "2.5"],
        "none": [None, None, None],
    }
    kinds = [pa.string(), pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us"), pa.bool_(), pa.string()]
    assert table.schema.types[:7] == kinds


def test_dates_that_are_texts(tmp_path: Path) -> None:
    """A sheet has no dates before 1900; people write them as texts, and others, too."""
    rows = [["old", "new", "either"], ["1815-12-10", "31.12.1999", "x"], ["1852-11-27", "01.02.2000", "1815-12-10"]]
    said: list[str] = []
    path = workbook(tmp_path / "t.xlsx", rows)
    assert read_table(path, notes=said.append).to_pydict() == {
        "old": [dt.date(1815, 12, 10), dt.date(1852, 11, 27)],
        "new": [dt.date(1999, 12, 31), dt.date(2000, 2, 1)],
        "either": ["x", "1815-12-10"],
    }
    assert said == [f"{path}, column 'new': dates with the day first, read as such"]


def test_remarks(tmp_path: Path) -> None:
    said: list[str] = []
    path = workbook(tmp_path / "t.xlsx", [["zip"], [1067], [80331]], sheets=2)
    read_table(path, notes=said.append)
    assert said == [
        f"{path} has 2 sheets: only the first is read",
        f"{path}, column 'zip': whole numbers of 4 to 5 digits; leading zeros are lost if these are codes",
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    words=st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=5)
)
def test_any_text_survives(tmp_path: Path, words: list[str]) -> None:
    """Formulas, links, numbers and control characters stay texts."""
    texts = ["=1+1", "https://example.org", "007", "_x000D_", *words]
    write_table(pa.table({"t": texts}), tmp_path / "t.xlsx")
    found = read_table(tmp_path / "t.xlsx")["t"].to_pylist()
    # XML turns every line end into \n
    assert found == [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts] or found == texts


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([2**53 + 1], "numbers that a sheet holds exactly"),
        ([float("nan")], "numbers that a sheet holds exactly"),
        ([float("inf")], "numbers that a sheet holds exactly"),
        (["x" * 32_768], "at most 32767 in a cell"),
        ([[1, 2]], "plain values"),
        ([b"x"], "plain values"),
        ([dt.date(1815, 12, 10)], "dates from 1900 on"),
    ],
)
def test_what_a_sheet_cannot_hold(tmp_path: Path, values: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_table(pa.table({"a": values}), tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_too_many_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most 1048575 rows"):
        write_table(pa.table({"a": pa.nulls(1_048_576)}), tmp_path / "t.xlsx")


def test_old_sheets_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a name that ends in .*\.xlsx"):
        check_table_output(tmp_path / "t.xls")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"secret", "is not a spreadsheet that can be read"),
        (b"PK\x03\x04secret", "is not a whole spreadsheet"),
        (make_zip(part=b"secret"), "is not a spreadsheet that can be read"),
        (make_zip(**{"part.xml": b'<!DOCTYPE x [<!ENTITY a "secret">]><x>&a;</x>'}), "declares a document type"),
        (make_zip(part=b"secret" * 1000)[:-30], "is not a whole"),
    ],
)
def test_what_is_no_spreadsheet(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / "t.xlsx")
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rows", [[], [[None, None]]])
def test_an_empty_sheet(tmp_path: Path, rows: list[list[Any]]) -> None:
    with pytest.raises(InputError, match="is empty"):
        read_table(workbook(tmp_path / "t.xlsx", rows))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "b"]], "has no records"),
        ([["a", None, "b"], [1, 2, 3]], "column 2, has values and no name"),
        ([["a", "a"], [1, 2]], "more than one column named 'a'"),
    ],
)
def test_bad_headers(tmp_path: Path, rows: list[list[Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_table(workbook(tmp_path / "t.xlsx", rows))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    (tmp_path / "t.xlsx").write_bytes(make_zip(part=bytes(2 << 20)))
    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        read_table(tmp_path / "t.xlsx")


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """The directory of the archive says ten bytes where there are two million."""
    content = make_zip(part=bytes(2 << 20))
    assert (2 << 20).to_bytes(4, "little") in content
    (tmp_path / "t.xlsx").write_bytes(content.replace((2 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(InputError, match="is not a whole"):
        read_table(tmp_path / "t.xlsx")


@pytest.mark.parametrize(("module", "work"), [("python_calamine", read_table), ("xlsxwriter", check_table_output)])
def test_the_missing_extra_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, work: Any
) -> None:
    """Not even the file is looked for."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{module} is not installed; pip install 'sfumato\[office\]'"):
        work(tmp_path / "nowhere.xlsx")
