"""A room that lives outside sfumato, registered as any package would, and a way to call the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import python_path

ROOM = '''
"""A room from another package."""
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
import time

import numpy as np
import typer

from sfumato.mechanism import Mechanism
from sfumato.noise import resolve_rng
from sfumato.promise import PureDP
from sfumato.study import Recipe, Room, Score, Study, sweep
from sfumato.validate import positive


@dataclass(frozen=True, kw_only=True, eq=False)
class Blur(Mechanism):
    epsilon: float
    gate: str = ""

    def __post_init__(self):
        positive("epsilon", self.epsilon, "a smaller promise needs more noise, not none")

    @property
    def guarantee(self):
        return PureDP(self.epsilon)

    def release(self, data, *, rng=None):
        while self.gate and self.epsilon > 1 and not Path(self.gate).exists():
            time.sleep(0.01)
        return data + resolve_rng(rng).laplace(scale=1 / self.epsilon, size=len(data))


@dataclass(frozen=True, kw_only=True)
class Guess:
    name: str = "share guessed"

    def attack(self, data, release, *, mechanism=None, rng=None):
        return Score(float(np.mean((release > 0.5) == (data > 0.5))), reference=0.5)


@dataclass(frozen=True, kw_only=True)
class Error:
    name: str = "error"
    better: str = "lower"

    def measure(self, data, release, *, rng=None):
        return Score(float(np.mean(np.abs(release - data))), reference=0.0)


def bits(*, n: int = 200, epsilon: list[float] = [0.5, 2.0, 8.0], gate: str = "") -> Study:
    mechanisms = {"Blur": sweep(Blur, epsilon=epsilon, gate=gate)}
    return Study(name="bits", title="Bits", data=np.arange(n) % 2.0, mechanisms=mechanisms,
                 attacks=[Guess()], utilities=[Error()], seeds=2)


def protect(
    source: Annotated[str, typer.Argument(help="A table.")],
    out: Annotated[str, typer.Option("--out", "-o")] = "-",
    column: Annotated[str, typer.Option()] = "x",
    epsilon: Annotated[float, typer.Option()] = 1.0,
    seed: Annotated[int | None, typer.Option()] = None,
) -> None:
    """Blur a column.

    Example: sfumato outside protect bits.csv
    """
    from sfumato.io import check_output, numbers, read_table, with_columns, write_table
    from sfumato.study.console import command_rng

    check_output(out)
    table = read_table(source, columns=[column])
    release = Blur(epsilon=epsilon).release(numbers(table, column), rng=command_rng(seed))
    write_table(with_columns(table, {column: release}), out)


def fail() -> None:
    """Has a mistake."""
    raise ZeroDivisionError("oh")


audit_cases = attack_examples = utility_examples = tuple

ROOM = Room(
    name="outside", summary="A room from another package.",
    recipes=[Recipe(name="bits", summary="Bits.", build=bits, demo=True)],
    commands={"protect": "outside_room:protect", "fail": "outside_room:fail"},
    examples="outside_room",
)
'''


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(folder, "outside", ROOM)
    return folder


def install(folder: Path, name: str, code: str) -> None:
    """A package ``NAME_room`` that registers the kind of data ``name``, as pip would install it."""
    (folder / f"{name}_room.py").write_text(code)
    info = folder / f"{name}_room-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-room\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[sfumato.rooms]\n{name} = {name}_room:ROOM\n")


@pytest.fixture(scope="session")
def broken_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kind of data that cannot be imported, one whose examples cannot, beside one that works."""
    folder = tmp_path_factory.mktemp("broken")
    install(folder, "outside", ROOM)
    install(folder, "broken", "import a_package_that_is_not_here\n")
    install(folder, "silent", ROOM.replace('"outside"', '"silent"').replace('"outside_room"', '"nothing_here"'))
    return folder


Sfumato = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def sfumato(site: Path, tmp_path: Path) -> Sfumato:
    """Run ``sfumato ARGUMENTS`` in a folder of its own and return what it said."""
    return caller(site, tmp_path)


@pytest.fixture
def beside_broken(broken_site: Path, tmp_path: Path) -> Sfumato:
    """The same where two of the registered kinds of data are broken."""
    return caller(broken_site, tmp_path)


def caller(site: Path, folder: Path) -> Sfumato:
    """A function that runs ``sfumato ARGUMENTS`` in ``folder`` with the packages of ``site``."""

    def call(*arguments: object, stdin: str | bytes | None = None) -> subprocess.CompletedProcess[str]:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "sfumato", *map(str, arguments)],
            input=content,
            capture_output=True,
            env=os.environ | {"PYTHONPATH": python_path(site), "COLUMNS": "200", "NO_COLOR": "1"},
            cwd=folder,
            timeout=120,
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
