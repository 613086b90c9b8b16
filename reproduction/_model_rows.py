"""Rows of the section on models that were computed before are kept: an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from reproduction._rows import Recipe, folder
from sfumato.errors import DataMissingError

BUDGET = 60 * float(os.environ.get("SFUMATO_REPRODUCTION_MINUTES", "15"))
"""CPU seconds for all rows together."""

Row = list[str]


def table(head: Row, rows: list[Row]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def kept(name: str, make: Callable[[], Any]) -> Any:
    """What was computed before, or now; None if the CPU minutes are spent or the data are missing."""
    one = Recipe(f"model, {name}", make, ("mnist", "motionsense"))
    if one.state in ("missing", "outdated") and spent() > BUDGET:
        return None
    try:
        return one.row()
    except DataMissingError:
        return None


def spent() -> float:
    """CPU seconds of all rows."""
    return sum(json.loads(path.read_text(encoding="utf-8"))["cpu_seconds"] for path in folder().glob("model,-*.json"))


def verdict(holds: bool, words: str) -> str:
    """The last column of a claim, decided by the numbers in ``words``."""
    return f"{'reproduced' if holds else 'not reproduced'}: {words}"
