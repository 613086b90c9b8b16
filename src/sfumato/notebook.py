"""What objects look like in a notebook: small HTML tables without scripts or styles of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

__all__ = ["definitions", "html_table"]


def html_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows; every text is escaped.

    >>> html_table("risk", ["setting", "value"], [["a & b", "0.1"]])
    '<table><caption>risk</caption><thead><tr><th scope="col">setting</th><th scope="col">value</th></tr></thead>...'
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def definitions(title: str, parts: Mapping[str, str]) -> str:
    """A title and a table of two columns: what, and what it is; what is empty is left out."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in parts.items() if text
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"
