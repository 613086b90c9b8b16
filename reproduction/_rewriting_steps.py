"""Rows of the section on rewriting: each is made once, in the order of what matters most, as long as there is time."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reproduction._rows import FOLDER, kept, place, row

MINUTES = float(os.environ.get("SFUMATO_MINUTES", "120"))
"""CPU minutes of this run after which no further row is begun."""
UNFINISHED = "not finished in the time given"
_TYPICAL = 30.0
"""CPU seconds of a row, before any is known."""


@cache
def checkpoints() -> Path | None:
    """Where networks are kept after each epoch: beside the rows, so that a second run goes on from them."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return None
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder)


def steps(makers: Mapping[str, Callable[[], Any]], *, prefix: str) -> dict[str, Any]:
    """Every row that is kept or can be begun in the time given; None for the others."""
    found: dict[str, Any] = {}
    names = {name: f"{prefix}-{plain(name)}" for name in makers}
    left = sum(not kept(key) for key in names.values())
    for name, key in names.items():
        if not kept(key):
            if time.process_time() > 60 * MINUTES:
                found[name] = None
                continue
            _say(f"{prefix}, {name}: {left} rows to go, about {left * _usual(names.values()) / 60:.0f} CPU minutes")
            left -= 1
        found[name] = row(key, makers[name])
    return found


def plain(name: str) -> str:
    """A name as part of the name of a file."""
    return "".join(one if one.isalnum() else "-" for one in name)


def _usual(keys: Any) -> float:
    """The mean CPU seconds of the rows of this kind that are kept."""
    known = [json.loads(path.read_text())["cpu_seconds"] for key in keys if kept(key) and (path := place(key))]
    return sum(known) / len(known) if known else _TYPICAL


def _say(text: str) -> None:
    if sys.stderr.isatty() or FOLDER in os.environ:
        print(text, file=sys.stderr, flush=True)
