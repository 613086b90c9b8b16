"""Starting is quick because heavy libraries wait until they are needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "sklearn", "plotly", "pandas", "dp_accounting", "matplotlib", "polars", "torch", "duckdb")


@pytest.mark.parametrize(
    "code",
    [
        "import sfumato",
        "import sfumato.study",
        "from sfumato.cli import _run; _run(['--version'], False)",
        "from sfumato.cli import _run; _run(['--help'], False)",
        "from sfumato.cli import _run; _run(['study', '--help'], False)",
    ],
)
def test_heavy_modules_wait(code: str) -> None:
    tail = f"\nimport sys; print('loaded:', *(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_help_needs_no_arrays() -> None:
    code = "from sfumato.cli import _run; _run(['--help'], False); import sys; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_import_of_sfumato_alone_brings_no_arrays() -> None:
    code = "import sfumato, sys; print('numpy' in sys.modules, 'typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
