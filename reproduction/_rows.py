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


def row(name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` gives (plain JSON), from the folder if it was made before. The CPU seconds stand beside it."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return json.loads(json.dumps(make()))
    path = Path(folder, f"{name.replace('/', '-').replace(' ', '-')}.json")
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))["row"]
    started = time.process_time()
    made = json.loads(json.dumps(make()))
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps({"row": made, "cpu_seconds": time.process_time() - started}), encoding="utf-8")
    beside.replace(path)
    return made
