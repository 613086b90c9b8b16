"""A ledger as tables: its history for Arrow, its balances for a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sfumato.ledger.entry import Anchor, Balance, Entry
from sfumato.notebook import html_table

if TYPE_CHECKING:
    import pyarrow

__all__ = ["history_table", "ledger_html"]


def history_table(entries: Iterable[Entry]) -> pyarrow.Table:
    """Entries as an Arrow table."""
    import pyarrow as pa

    kinds = {"id": pa.int64(), "at": pa.timestamp("us", tz="UTC")}
    kinds |= dict.fromkeys(("subject", "action", "promise", "note"), pa.string())
    kinds |= dict.fromkeys(("epsilon", "delta", "rho"), pa.float64())
    kinds |= {"people": pa.int64()} | dict.fromkeys(("release", "hash"), pa.string())
    rows = list(entries)
    return pa.table({name: pa.array([getattr(e, name) for e in rows], kind) for name, kind in kinds.items()})


def ledger_html(name: str, head: Anchor, balances: Iterable[Balance], others: int) -> str:
    """Balances as an HTML table with the head of the chain."""
    more = f"; {others} released without a budget" if others else ""
    return html_table(
        f"Ledger {name}: {head.count} entries{more}; head {head.hash[:16]}…",
        ["subject", "budget", "spent", "left", "paid", "unpaid"],
        (
            [
                one.subject if one.people is None else f"{one.subject} ({one.people:,} people, each)",
                one.budget.statement,
                one.spent.statement if one.people is None else f"at most {one.spent.statement}",
                one.left.statement if one.people is None else f"at least {one.left.statement}",
                f"{one.spends}",
                f"{one.unpaid}",
            ]
            for one in balances
        ),
    )
