"""Which ledger is meant."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["VARIABLE", "ledger_path"]

VARIABLE = "SFUMATO_LEDGER"
"""The environment variable that names the ledger where none is given."""


def ledger_path(given: str | os.PathLike[str] | None = None) -> Path | None:
    """The ledger that was given, or the one that ``SFUMATO_LEDGER`` names, or None.

    >>> ledger_path("budget.db").name
    'budget.db'
    """
    if given is not None:
        return Path(given)
    named = os.environ.get(VARIABLE, "")
    return Path(named) if named else None
