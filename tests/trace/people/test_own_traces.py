"""People in tables and folders."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.io import write_table
from sfumato.trace.people.own_traces import parse_columns, people_of, read_people, renamed

POINT = {"t": [0.0, 60.0], "lat": [52.5, 52.6], "lon": [13.4, 13.5]}


def test_a_folder_of_days(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    write_table(pa.table(POINT), tmp_path / "ann" / "monday.csv")
    write_table(pa.table(POINT), tmp_path / "ann" / "tuesday.parquet")
    write_table(pa.table(POINT), tmp_path / "bob.csv")
    (tmp_path / ".hidden").write_text("no table")
    table = read_people(tmp_path)
    assert [(who, rows.num_rows) for who, rows in people_of(table, "file")] == [("ann", 4), ("bob", 2)]
    (tmp_path / "readme.md").write_text("no table")
    with pytest.raises(InputError, match="path = "):
        read_people(tmp_path)
    (tmp_path / "readme.md").unlink()
    write_table(pa.table({"t": [1.0]}), tmp_path / "bad.csv")
    with pytest.raises(InputError, match=r"bad\.csv: the table has no column 'lat'"):
        read_people(tmp_path, columns={"latitude": "lat"})


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no files"):
        read_people(tmp_path)


def test_names_of_columns() -> None:
    table = renamed(pa.table({"stamp": [0.0], "y": [52.5], "x": [13.4]}), parse_columns("t=stamp, lat=y, lng=x"))
    assert table.column_names == ["time", "latitude", "longitude"]
    for text in ("time", "time=", "place=y"):
        with pytest.raises(InputError, match="--columns"):
            parse_columns(text)
    with pytest.raises(InputError, match="no other column named 'time'"):
        renamed(pa.table({"stamp": [0.0], "time": [1.0]}), {"time": "stamp"})
    with pytest.raises(InputError, match="did you mean"):
        renamed(pa.table({"stamp": [0.0]}), {"time": "stampp"})
