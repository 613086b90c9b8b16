"""Rows of the section on models that were computed before are kept: an interrupted run goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.errors import DataMissingError

KEPT = Path(__file__).resolve().parent.parent / "out" / "reproduction" / "model.json"

BUDGET = 60 * float(os.environ.get("SFUMATO_REPRODUCTION_MINUTES", "15"))
"""CPU seconds for all rows together."""

Row = list[str]


def table(head: Row, rows: list[Row]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def kept(name: str, make: Callable[[], Any]) -> Any:
    """What was computed before, or now; None if the CPU minutes are spent or the data are missing."""
    known = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if name not in known:
        if spent() > BUDGET:
            return None
        started = time.process_time()
        try:
            made = make()
        except DataMissingError:
            return None
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        with KEPT.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # several processes may work on rows of their own
            known = json.loads(KEPT.read_text()) if KEPT.exists() else {}
            known[name] = {"found": made, "cpu": round(time.process_time() - started, 1)}
            beside = KEPT.with_suffix(".tmp")
            beside.write_text(json.dumps(known, indent=1, default=lambda one: one.item()))
            beside.replace(KEPT)
    return known[name]["found"]


def spent() -> float:
    """CPU seconds of all rows."""
    return sum(row["cpu"] for row in json.loads(KEPT.read_text()).values()) if KEPT.exists() else 0.0


def verdict(holds: bool, words: str) -> str:
    """The last column of a claim, decided by the numbers in ``words``."""
    return f"{'reproduced' if holds else 'not reproduced'}: {words}"
