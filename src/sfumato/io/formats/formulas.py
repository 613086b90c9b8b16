"""Texts that a spreadsheet would run as formulas, disarmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMULA_NOTE", "disarmed", "disarmed_cells", "disarmed_name"]

_RUNS = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_DISARMED = r"^'[=+\-@\t\r]"

FORMULA_NOTE = (
    "texts that begin with = + - @ and are no numbers have an apostrophe before them, so that no spreadsheet runs them"
)


def disarmed(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before every text that a spreadsheet would take for a formula.

    Numbers stay as they are, and so does a text that is one. Different texts stay different, unless one of them already
    begins with the apostrophe.

    >>> import pyarrow as pa
    >>> disarmed(pa.table({"note": ["=1+1", "-5", "@SUM(A1)", "plain"]}))["note"].to_pylist()
    ["'=1+1", '-5', "'@SUM(A1)", 'plain']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in table.columns:
        if _is_text(column.type):
            runs = pc.and_not(pc.match_substring_regex(column, _RUNS), pc.match_substring_regex(column, _NUMBER))
            armed = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            column = pc.if_else(pc.fill_null(runs, False), armed, column)
        columns.append(column)
    return pa.table(columns, names=[disarmed_name(name) for name in table.column_names])


def disarmed_name(name: str) -> str:
    """The name of a column, disarmed.

    >>> disarmed_name("=cmd"), disarmed_name("age")
    ("'=cmd", 'age')
    """
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name


def disarmed_cells(table: pa.Table) -> int:
    """How many texts of a table begin with an apostrophe and what would make a formula of them."""
    import pyarrow.compute as pc

    texts = [column for column in table.columns if _is_text(column.type)]
    return sum(int(pc.sum(pc.match_substring_regex(column, _DISARMED)).as_py() or 0) for column in texts)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
