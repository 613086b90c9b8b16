"""Which ledger is meant."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["VARIABLE", "is_server", "ledger_place"]

VARIABLE = "SFUMATO_LEDGER"
"""The environment variable that names the ledger where none is given."""


def ledger_place(given: str | os.PathLike[str] | None = None) -> Path | str | None:
    """The ledger that was given, or the one that ``SFUMATO_LEDGER`` names, or None; a server's address stays a text.

    >>> ledger_place("budget.db").name
    'budget.db'
    >>> ledger_place("postgresql://db.example/budgets")
    'postgresql://db.example/budgets'
    """
    named = os.environ.get(VARIABLE, "") if given is None else given
    if not str(named):
        return None
    return str(named) if is_server(named) else Path(named)


def is_server(place: str | os.PathLike[str]) -> bool:
    """Whether a ledger is on a PostgreSQL server.

    >>> is_server("postgresql://db.example/budgets"), is_server("budget.db")
    (True, False)
    """
    return str(place).startswith(("postgresql://", "postgres://"))
