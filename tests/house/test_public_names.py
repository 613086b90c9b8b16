"""The public names of every package are pinned, load, and are documented.

``python tests/house/test_public_names.py`` writes the lists anew; read the difference before you commit it.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.attach import public_names

SOURCE = Path(__file__).resolve().parents[2] / "src"
PINNED = Path(__file__).parent / "names"
PACKAGES = sorted(".".join(stub.parent.relative_to(SOURCE).parts) for stub in SOURCE.rglob("__init__.pyi"))
HEAVY = ("scipy", "numba", "pandas", "polars", "sklearn", "pyarrow", "matplotlib", "plotly", "torch", "dp_accounting")


def test_every_package_with_public_names_is_pinned() -> None:
    assert sorted(path.stem for path in PINNED.glob("*.txt")) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_names_are_the_pinned_ones(package: str) -> None:
    """A name that comes or goes is a decision: change ``names/PACKAGE.txt`` with it."""
    module = importlib.import_module(package)
    assert module.__all__ == (PINNED / f"{package}.txt").read_text().split()
    assert module.__all__ == sorted(public_names(package))
    assert dir(module) == module.__all__


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_loads(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_hides_a_module(package: str) -> None:
    """``sfumato.table.protect`` is a function only as long as no module is called so."""
    folder = SOURCE.joinpath(*package.split("."))
    modules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    importlib.import_module(package)  # whichever tests ran before
    homes = public_names(package)
    assert [name for name in homes if name in modules and homes[name] != f"{package}.{name}"] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_thing_says_what_it_is(package: str) -> None:
    """A docstring whose first line ends with a full stop."""
    module = importlib.import_module(package)
    wrong = []
    for name in module.__all__:
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing)):
            continue  # an alias or a constant carries no docstring of its own
        if inspect.isclass(thing) and thing.__doc__ and thing.__doc__.startswith(f"{thing.__name__}("):
            wrong.append(f"{name}: only the signature that dataclass writes")
            continue
        first = (inspect.getdoc(thing) or "").split("\n\n")[0].strip()
        if not first.endswith((".", ".)", ":")):
            wrong.append(f"{name}: {first!r}")
    assert wrong == []


@pytest.mark.parametrize("code", ["import sfumato", "import sfumato as sf; sf.PureDP(1.0)"])
def test_the_front_door_is_light(code: str) -> None:
    tail = f"\nimport sys; print('loaded:', *(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "loaded:"


def test_the_front_door_shows_the_whole_idea(capsys: pytest.CaptureFixture[str]) -> None:
    import sfumato as sf

    seeded = np.random.default_rng(0)  # one audit of a sound mechanism in a hundred may call it broken
    print(sf.audit(sf.Laplace(epsilon=0.5, sensitivity=1.0), pairs=[(0.0, 1.0)], rng=seeded))  # noqa: T201
    assert "promised 0.5, found 0.5 (law): holds" in capsys.readouterr().out


def write_names() -> None:
    """Pin the names as they are."""
    for path in PINNED.glob("*.txt"):
        path.unlink()
    for package in PACKAGES:
        names = importlib.import_module(package).__all__
        (PINNED / f"{package}.txt").write_text("".join(f"{name}\n" for name in names))


if __name__ == "__main__":
    write_names()
