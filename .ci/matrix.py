"""Run the quick part of the suite with other versions: the lowest that are declared, the newest, other Pythons.

    python .ci/matrix.py                   # all of them
    python .ci/matrix.py lowest newest     # some

Environments are made with uv in ``.matrix/`` and kept; delete the folder to resolve versions anew. A Python that is not
on the machine is said and left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".matrix"
EXTRAS = "report,figures,table,activity,direction,trace,sign,office,gpx,party,documents"
TESTS = (
    "tests/promise",
    "tests/noise",
    "tests/mechanism",
    "tests/statistic",
    "tests/direction",
    "tests/survey",
    "tests/table",
    "tests/io",
)
# What the tests themselves need, from the extra `dev`.
TOOLS = ("pandas", "polars", "geopandas", "pytest", "pytest-xdist", "hypothesis", "mpmath")


@dataclass(frozen=True)
class Environment:
    """Which Python, and which versions."""

    python: str = "3.11"
    resolution: str = "highest"
    pins: tuple[str, ...] = ()


ENVIRONMENTS = {
    "lowest": Environment(resolution="lowest-direct"),
    "newest": Environment(),
    "python3.12": Environment("3.12"),
    "python3.13": Environment("3.13"),
    "numpy1": Environment(pins=("numpy<2", "pandas<3")),
    "pandas2": Environment(pins=("pandas<3",)),
    "sklearn-old": Environment(pins=("scikit-learn<1.5", "numpy<2", "scipy<1.14", "pandas<3")),
}


def main(names: list[str]) -> int:
    """Make each environment, run the tests in it, and print one line each at the end."""
    unknown = [name for name in names if name not in ENVIRONMENTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(ENVIRONMENTS)}")
        return 2
    results = {name: _try(name, ENVIRONMENTS[name]) for name in names or ENVIRONMENTS}
    print("\nenvironment    result              seconds")
    for name, (result, seconds) in results.items():
        print(f"{name:<14} {result:<19} {seconds:7.0f}")
    return int(any(result.startswith("failed") for result, _ in results.values()))


def _try(name: str, wanted: Environment) -> tuple[str, float]:
    start = time.monotonic()
    print(f"\n== {name}", flush=True)
    if not _found(wanted.python):
        return f"no Python {wanted.python} here", 0.0
    python = HOME / name / "bin" / "python"
    if not python.exists():
        uv("venv", "--quiet", "--python", wanted.python, str(HOME / name))
    uv(
        *("pip", "install", "--quiet", "--python", str(python), "--resolution", wanted.resolution),
        *("--editable", f"{ROOT}[{EXTRAS}]", *_tools(), *wanted.pins),
    )
    tests = subprocess.run(
        [str(python), "-m", "pytest", "-n", "auto", "--dist", "loadfile", "-p", "no:cacheprovider", *TESTS], cwd=ROOT
    )
    return ("passed" if tests.returncode == 0 else f"failed ({tests.returncode})"), time.monotonic() - start


def _tools() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dev = project["optional-dependencies"]["dev"]
    return [line for line in dev if line.partition(">")[0] in TOOLS]


def _found(python: str) -> bool:
    return (
        subprocess.run([str(_home_uv()), "python", "find", python], capture_output=True, env=_quiet()).returncode == 0
    )


def uv(*arguments: str) -> None:
    """Run uv."""
    subprocess.run([str(_home_uv()), *arguments], check=True, env=_quiet())


def _home_uv() -> Path:
    """The uv of the matrix, installed on first use."""
    uv = HOME / "uv" / "bin" / "uv"
    if not uv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME / "uv")], check=True)
        subprocess.run([str(uv.with_name("python")), "-m", "pip", "install", "--quiet", "uv"], check=True)
    return uv


def _quiet() -> dict[str, str]:
    return {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
