"""A ledger in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from sfumato.ledger.entry import Anchor, Balance

__all__ = ["balances_html", "trouble_html"]

_HEADINGS = ("subject", "budget", "spent", "left", "paid", "unpaid")


def balances_html(path: Path, balances: Sequence[Balance], others: int, head: Anchor) -> str:
    """The balances as a small table; everything in it is escaped."""
    heads = "".join(f'<th scope="col">{text}</th>' for text in _HEADINGS)
    rows = "".join(
        f'<tr><th scope="row">{escape(one.subject)}</th>'
        + "".join(f"<td>{escape(part.statement)}</td>" for part in (one.budget, one.spent, one.left))
        + f"<td>{one.spends}</td><td>{one.unpaid}</td></tr>"
        for one in balances
    )
    more = f"; {others} released without a budget" if others else ""
    return (
        f"<table><caption>Ledger <code>{escape(str(path))}</code>: {head.count} entries{more}; head "
        f"<code>{head.hash[:16]}…</code></caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def trouble_html(path: Path, error: Exception) -> str:
    """What is wrong with a ledger that cannot be shown."""
    return f"<p>Ledger <code>{escape(str(path))}</code>: {escape(str(error))}</p>"
