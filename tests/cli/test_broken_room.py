"""A kind of data that cannot be loaded is one line of warning, and the others go on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from helpers import python_path

Sfumato = Callable[..., subprocess.CompletedProcess[str]]

WARNING = (
    "warning: broken could not be loaded and is left out: "
    "ModuleNotFoundError: No module named 'a_package_that_is_not_here'"
)


def test_it_is_listed_and_the_others_too(beside_broken: Sfumato) -> None:
    done = beside_broken()
    assert "outside" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    listed = beside_broken("rooms")
    assert listed.returncode == 0
    assert listed.stderr.splitlines() == [WARNING]
    assert "outside" in listed.stdout
    assert "broken" not in listed.stdout


def test_its_own_commands_say_why(beside_broken: Sfumato) -> None:
    done = beside_broken("broken", "protect")
    assert done.returncode == 2
    assert done.stderr == (
        "error: broken could not be loaded: ModuleNotFoundError: No module named 'a_package_that_is_not_here'\n"
    )
    assert beside_broken("outside", "protect", "-", stdin="x\n1\n").returncode == 0


def test_audit_and_demo_go_on(broken_site: Path) -> None:
    """What the two commands would work on, without working on it."""
    code = (
        "import warnings, sfumato.cli as cli, sfumato.cli.audit as audit, sfumato.cli.demo as demo\n"
        "warnings.showwarning = cli._warn\n"
        "print(*(case.label for case in audit._registered(None)))\n"
        "print(*(room.name for room, recipe in demo._recipes([])))"
    )
    environment = os.environ | {"PYTHONPATH": python_path(broken_site)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    audited, shown = done.stdout.splitlines()
    assert "Laplace" in audited.split()
    assert {"outside", "silent", "statistic", "table"} <= set(shown.split())
    assert WARNING in done.stderr.splitlines()
    assert "warning: silent is not audited: ModuleNotFoundError: No module named 'nothing_here'" in done.stderr
    assert "Traceback" not in done.stderr
