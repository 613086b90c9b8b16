"""Run parts of the suite with other versions: the lowest that are declared, the newest, other Pythons.

    python .ci/matrix.py                         # all of them
    python .ci/matrix.py lowest newest           # some
    python .ci/matrix.py --core lowest newest    # the core's tests alone, with little to install

Environments are made with uv in ``.matrix/`` and kept; delete the folder to resolve versions anew. An environment that
cannot be made has failed. A Python that is not on the machine is said, and left out unless its environment was named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".matrix"
TOOLS = ("pandas", "polars", "pytest", "pytest-xdist", "hypothesis", "mpmath")
"""What the tests themselves need, from the extra `dev`."""


@dataclass(frozen=True)
class Part:
    """Which tests, with the extras and the tools that they need; ``mark`` is added to the names of environments."""

    tests: tuple[str, ...]
    extras: str
    tools: tuple[str, ...] = TOOLS
    mark: str = ""


_CORE = ("tests/promise", "tests/noise", "tests/mechanism", "tests/statistic")
CORE = Part(_CORE, "report,table", mark="-core")
_BY_DEVELOPERS = "tests/cli/test_new.py"  # checks style and types, whose tools are not here
QUICK = Part(
    (*_CORE, "tests/direction", "tests/survey", "tests/table", "tests/io", "tests/cli", f"--ignore={_BY_DEVELOPERS}"),
    "report,figures,table,activity,direction,trace,sign,office,gpx,party,documents",
    (*TOOLS, "geopandas"),
)


@dataclass(frozen=True)
class Environment:
    """Which Python, and which versions."""

    python: str = "3.11"
    resolution: str = "highest"
    pins: tuple[str, ...] = ()


NUMPY_1 = ("numpy<2", "pyarrow<26")
"""Later pyarrows refuse numpy 1 when they are imported, and do not declare it."""
ENVIRONMENTS = {
    "lowest": Environment(resolution="lowest-direct"),
    "newest": Environment(),
    "python3.12": Environment("3.12"),
    "python3.13": Environment("3.13"),
    "numpy1": Environment(pins=(*NUMPY_1, "pandas<3")),
    "pandas2": Environment(pins=("pandas<3",)),
    "sklearn-old": Environment(pins=("scikit-learn<1.5", *NUMPY_1, "scipy<1.14", "pandas<3")),
}


class Failed(Exception):
    """An environment that cannot be made."""


def main(words: list[str]) -> int:
    """Make each environment, run the tests in it, and print one line each at the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ENVIRONMENTS))
    parser.add_argument("--core", action="store_true", help="the core's tests alone")
    given = parser.parse_args(words)
    unknown = [name for name in given.names if name not in ENVIRONMENTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(ENVIRONMENTS)}")
        return 2
    part, results = CORE if given.core else QUICK, {}
    for name in given.names or ENVIRONMENTS:
        start = time.monotonic()
        print(f"\n== {name}", flush=True)
        try:
            result = _try(name, part, needed=bool(given.names))
        except Failed as error:
            result = f"failed: {error}"
        results[name] = result, time.monotonic() - start
    print("\nenvironment    result              seconds")
    for name, (result, seconds) in results.items():
        print(f"{name:<14} {result:<19} {seconds:7.0f}")
    return int(any(result.startswith("failed") for result, _ in results.values()))


def _try(name: str, part: Part, *, needed: bool) -> str:
    wanted, home = ENVIRONMENTS[name], HOME / f"{name}{part.mark}"
    if not _found(wanted.python):
        if needed:
            raise Failed(f"no Python {wanted.python} here")
        return f"no Python {wanted.python} here"
    python = home / "bin" / "python"
    if not python.exists():
        uv("venv", "--quiet", "--python", wanted.python, str(home))
    # Compiled as pip does: else a newer Python warns of what it reads in others' sources in the middle of a test.
    uv(
        *("pip", "install", "--quiet", "--compile-bytecode", "--python", str(python)),
        *("--resolution", wanted.resolution),
        *("--editable", f"{ROOT}[{part.extras}]", *_tools(part), *wanted.pins),
    )
    # What numba compiled is kept with the environment: one of another version would throw it away.
    shell = {**os.environ, "NUMBA_CACHE_DIR": str(home / "numba")}
    command = [str(python), "-m", "pytest", "-n", "auto", "--dist", "loadfile", "-p", "no:cacheprovider", *part.tests]
    code = subprocess.run(command, cwd=ROOT, env=shell).returncode
    return "passed" if code == 0 else f"failed ({code})"


def _tools(part: Part) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dev = project["optional-dependencies"]["dev"]
    return [line for line in dev if line.partition(">")[0] in part.tools]


def _found(python: str) -> bool:
    return (
        subprocess.run([str(_home_uv()), "python", "find", python], capture_output=True, env=_quiet()).returncode == 0
    )


def uv(*arguments: str) -> None:
    """Run uv, which says itself what went wrong."""
    done = subprocess.run([str(_home_uv()), *arguments], env=_quiet())
    if done.returncode:
        raise Failed(f"uv {' '.join(arguments[:2])} ended with {done.returncode}")


def _home_uv() -> Path:
    """The uv of the matrix, installed on first use."""
    uv = HOME / "uv" / "bin" / "uv"
    if not uv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME / "uv")], check=True)
        subprocess.run([str(uv.with_name("python")), "-m", "pip", "install", "--quiet", "uv"], check=True)
    return uv


def _quiet() -> dict[str, str]:
    """The variables of the shell for uv, which does not read those of pip."""
    same = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL": "UV_INDEX", "PIP_FIND_LINKS": "UV_FIND_LINKS"}
    told = {name: os.environ[of_pip] for of_pip, name in same.items() if of_pip in os.environ}
    # pyenv's own names for its Pythons fail for all versions but the chosen one, so its folders come before them.
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    path = os.pathsep.join([*map(str, pyenv.glob("*/bin")), os.environ.get("PATH", "")])
    # The machine's certificates, as pip was told: a network may have its own.
    fixed = {"PATH": path, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}
    return {"UV_SYSTEM_CERTS": "1", **told, **os.environ, **fixed}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
