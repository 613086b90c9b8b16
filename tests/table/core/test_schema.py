"""A table.toml that is wrong is refused with the column, the value and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import InputError
from sfumato.table import Schema

GOOD = """identifiers = ["name"]
[quasi.age]
intervals = {low = 0, high = 99, widths = [10, 50]}
[quasi.town]
values = ["x", "y"]
[sensitive.illness]
"""
TOWN = 'values = ["x", "y"]'


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (TOWN, 'values = "xy"', r"\[quasi.town\] values = 'xy': expected a list"),
        (TOWN, "rows = 3", r"\[quasi.town\] rows = 3"),
        (TOWN, 'rows = [["x", "n", "*"], ["y", "n"]]', "3 levels as in the first row"),
        (TOWN, 'rows = [["x", "n", "p", "*"], ["y", "n", "q", "*"]]', r"\[quasi.town\] .*one parent"),
        (TOWN, 'rows = [["x", "*"], ["y", "+"]]', "one root"),
        (TOWN, 'hierarchy = "none.csv"', "a file that can be read"),
        (TOWN, 'hierarchy = "folder.csv"', "a file that can be read"),
        (TOWN, 'hierarchy = "latin.csv"', "not UTF-8"),
        (TOWN, "hierarchy = 3", "the name of a file"),
        (TOWN, "colour = 3", "exactly one of hierarchy, intervals, rows, values"),
        (TOWN, f'{TOWN}\nhierarchy = "none.csv"', "exactly one of"),
        (TOWN, f'{TOWN}\nbby = "flat"', "nothing beside values but by"),
        (TOWN, f'{TOWN}\nby = "colour"', "one of 'flat', 'prefixes', 'dates'"),
        ("widths = [10, 50]", "widths = [10, 25]", "each a multiple"),
        ("widths = [10, 50]", "width = [10]", r"\{low = 0, high = 99"),
        ("low = 0", 'low = "a"', r"\[quasi.age\] low = 'a': expected a whole number"),
        ('["name"]', '"name"', "identifiers = 'name': expected a list of texts"),
        ('["name"]', '["name", "age"]', "one role for each column"),
        ('identifiers = ["name"]', "missing_values = 3", "a list of texts"),
        ('identifiers = ["name"]', 'missing = "maybe"', "'reject', 'category'"),
        ('identifiers = ["name"]', 'identifier = ["name"]', "key = 'identifier'"),
        ("[sensitive.illness]", "", None),
    ],
)
def test_wrong_files(tmp_path: Path, before: str, after: str, message: str | None) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes("ä;*\n".encode("latin-1"))
    file = tmp_path / "table.toml"
    assert before in GOOD
    file.write_text(GOOD.replace(before, after), encoding="utf-8")
    if message is None:
        assert not Schema.read(file).sensitive
        return
    with pytest.raises(InputError, match=message):
        Schema.read(file)


def test_tables_where_lists_stand(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    for text, message in (
        ("quasi = 3", r"write \[quasi.COLUMN\]"),
        ('sensitive = ["s"]', r"write \[sensitive.COLUMN\]"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            Schema.read(file)
    with pytest.raises(InputError, match="a file that can be read"):
        Schema.read(tmp_path)
