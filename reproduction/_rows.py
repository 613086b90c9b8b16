"""Rows that are kept between runs: an interrupted run goes on where it stopped, and an outdated row is noticed."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import sfumato
from reproduction._recipe_source import recipe_source
from sfumato.io.datasets.catalogue import data_version

ROWS = Path(__file__).resolve().parent / "rows"
"""Where rows are kept."""
FOLDER = "SFUMATO_ROWS"
"""The environment variable that names another folder for the steps of sections. What the book rests on, rows that judge
claims and the keys of sections, stays in :data:`ROWS` beside it."""
FRESH = "SFUMATO_FRESH"
"""With this variable set every row is made anew that the library as it stands has not made. So an interrupted run goes
on."""

State = Literal["kept", "outdated", "of unknown age", "missing"]


def folder() -> Path:
    """Where the steps of sections are kept."""
    return Path(os.environ.get(FOLDER) or ROWS)


def place(name: str) -> Path:
    """The file of a step."""
    return folder() / _file_name(name)


def _file_name(name: str) -> str:
    return f"{name.replace('/', '-').replace(' ', '-')}.json"


def kept(name: str) -> bool:
    """Whether a step was made before."""
    return place(name).exists()


@cache
def library() -> str:
    """The sources of the package as a number: another one may give other rows."""
    folder = Path(sfumato.__file__).parent
    sources = sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix())
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


@dataclass(frozen=True)
class Recipe:
    """How a row is made. Its key is the source, the parameters and the version of the data."""

    name: str
    make: Callable[[], Any]
    data: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    keeps: bool = True
    """False for a section, whose text is in the book: only its key and its seconds are kept."""
    of_book: bool = False
    """Whether the book rests on it: it is kept beside the book, wherever the steps of sections are."""

    @property
    def path(self) -> Path:
        """The file of the row."""
        return ROWS / _file_name(self.name) if self.of_book else place(self.name)

    @property
    def key(self) -> str:
        """What the row rests on, as a number."""
        versions = {name: data_version(name) for name in sorted(self.data)}
        rests = json.dumps([recipe_source(self.make), self.parameters, versions], sort_keys=True, default=repr)
        return hashlib.sha256(rests.encode()).hexdigest()[:16]

    @property
    def kept(self) -> dict[str, Any] | None:
        """The file's content, or None."""
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        return found or None

    @property
    def state(self) -> State:
        """Whether the kept row is what the recipe would make now. Rows of before keys are of unknown age."""
        kept = self.kept
        if kept is None:
            return "missing"
        if "key" not in kept:
            return "of unknown age"
        return "kept" if kept["key"] == self.key else "outdated"

    @property
    def to_make(self) -> bool:
        """Whether a run makes it: it is missing or outdated, or all are made anew and this library has not made it."""
        if os.environ.get(FRESH):
            return (self.kept or {}).get("library") != library() or self.state == "outdated"
        return self.state in ("missing", "outdated")

    @property
    def seconds(self) -> float | None:
        """How many CPU seconds it took when it was made last."""
        kept = self.kept
        return None if kept is None else kept.get("cpu_seconds")

    def row(self) -> Any:
        """The kept row, or a new one if it is to make."""
        kept = self.kept
        if kept is None or self.to_make:
            return self.renew()
        if self.state == "of unknown age":
            print(f"row “{self.name}” was made before keys were kept: taken as it is", file=sys.stderr)
        return kept["row"]

    def renew(self) -> Any:
        """Make the row, keep it, and give it."""
        started = time.process_time()
        made = json.loads(json.dumps(self.make(), default=lambda one: one.item()))  # numbers of numpy
        content = {
            "row": made if self.keeps else None,
            "cpu_seconds": round(time.process_time() - started, 2),
            "key": self.key,
            "library": library(),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".tmp")
        beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        beside.replace(self.path)
        return made


def row(name: str, make: Callable[[], Any], *, data: Iterable[str] = (), **parameters: Any) -> Any:
    """What ``make`` gives (plain JSON), from the folder if it was made before by the same recipe from the same data."""
    return Recipe(name, make, tuple(data), parameters).row()


def recipe(*data: str) -> Callable[[Callable[[], Any]], Recipe]:
    """Declare a function without parameters as the recipe of a row that judges claims.

    The row has the name of the function and rests on these data sets.
    """

    def declare(make: Callable[[], Any]) -> Recipe:
        return Recipe(make.__name__.replace("_", " "), make, data, of_book=True)

    return declare


def time_left(recipes: list[Recipe]) -> str:
    """How long these rows will take, from how long they took."""
    known = [seconds for one in recipes if (seconds := one.seconds) is not None]
    unknown = len(recipes) - len(known)
    words = [f"about {sum(known) / 60:.1f} CPU minutes"] if known or not unknown else []
    words += [f"{unknown} of unknown length"] if unknown else []
    return " and ".join(words)
