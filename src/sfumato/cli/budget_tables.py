"""Budgets, people and histories of a ledger as tables on the screen."""

from __future__ import annotations

from typing import Any

from sfumato.ledger import Balance, Crowd, Entry

__all__ = ["balance_table", "crowd_table", "history_table"]

_HOW = {False: ("", "", ""), True: ("each ", "at most ", "at least ")}
_SHARES = ((1.0, "nothing left"), (0.8, "80 % or more used"), (0.5, "50 % or more used"), (0.0, "less used"))


def balance_table(balances: list[Balance]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("subject", "budget", "spent", "left"):
        table.add_column(heading, overflow="fold")
    for heading in ("used", "paid", "unpaid"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("for", overflow="fold")
    for balance in balances:
        used = balance.used
        parts = (balance.budget, balance.spent, balance.left)
        colour = "red" if used >= 0.999 else "yellow" if used >= 0.8 else "green"
        scope = balance.budget.scope
        table.add_row(
            Text(balance.subject if balance.people is None else f"{balance.subject}: {balance.people:,} people"),
            *(
                Text(f"{how}{part.statement}")
                for how, part in zip(_HOW[balance.people is not None], parts, strict=True)
            ),
            Text(f"{used:.0%}", style=colour),
            str(balance.spends),
            str(balance.unpaid),
            Text(f"{scope['unit']}, {scope['neighbours']}, {scope['model']}"),
        )
    return table


def crowd_table(crowd: Crowd) -> Any:
    """How many people of a roll are near their limit."""
    from rich import box
    from rich.table import Table

    levels = crowd.levels
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"on the roll {crowd.whole.subject}")
    for heading in ("people", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    total, above = crowd.whole.people or 0, 2.0
    for least, name in _SHARES:
        found = sum(level.people or 0 for level in levels if least <= level.used < above)
        table.add_row(name, f"{found:,}", f"{found / total:.1%}")
        above = least
    return table


def history_table(entries: list[Entry]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("entry", justify="right", no_wrap=True)
    for heading in ("at (UTC)", "action", "promise", "release", "note"):
        table.add_column(heading, overflow="fold")
    for entry in entries:
        texts = (Text(entry.promise), Text(entry.release), Text(entry.note))
        table.add_row(str(entry.id), f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.action, *texts)
    return table
