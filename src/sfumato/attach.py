"""Public names of a package: written once in its stub file, loaded when first used."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["attach", "public_names"]


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the ``__init__.pyi`` beside its ``__init__.py``.

    The stub holds lines such as ``from sfumato.noise.grid import grid_step as grid_step``. Type checkers read it as it
    is; here each line says which module to import when the name is first asked for.

    >>> get, names, public = attach("sfumato.noise")
    >>> get("grid_step").__module__
    'sfumato.noise.grid'
    """
    homes = public_names(package)
    public = sorted(homes)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = importlib.import_module(homes[name])
        value = home if homes[name] == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: public, public


def public_names(package: str) -> dict[str, str]:
    """The module that each public name of a package is loaded from; a sub-module stands for itself."""
    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    homes = {}
    for line in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom):
            for name in line.names:
                homes[name.name] = f"{package}.{name.name}" if line.module == package else str(line.module)
    return homes
