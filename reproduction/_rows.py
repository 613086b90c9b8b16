"""Rows of a long section that are kept between runs, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = "SFUMATO_ROWS"
"""The environment variable that names the folder; without it every row is made anew."""


def place(name: str) -> Path | None:
    """The file of a row, in the folder; None without a folder."""
    folder = os.environ.get(FOLDER)
    return None if folder is None else Path(folder, f"{name.replace('/', '-').replace(' ', '-')}.json")


def kept(name: str) -> bool:
    """Whether a row was made before."""
    path = place(name)
    return path is not None and path.exists()


def row(name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` gives (plain JSON), from the folder if it was made before. The CPU seconds stand beside it."""
    path = place(name)
    if path is None:
        return json.loads(json.dumps(make()))
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))["row"]
    started = time.process_time()
    made = json.loads(json.dumps(make()))
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps({"row": made, "cpu_seconds": time.process_time() - started}), encoding="utf-8")
    beside.replace(path)
    return made
