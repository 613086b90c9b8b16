"""The kinds of data by name, found without importing any."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import warnings
from pathlib import Path
from types import ModuleType

import sfumato
from sfumato.errors import bad_input

__all__ = ["load_promises", "room_module", "rooms"]

_GROUP = "sfumato.rooms"
_HOME = Path(str(sfumato.__file__)).parent


def rooms() -> dict[str, str]:
    """The kinds of data by name, with one line about each; none is imported.

    >>> sorted(rooms())[:2]
    ['activity', 'direction']
    """
    names = {}
    for module in pkgutil.iter_modules(sfumato.__path__):
        folder = Path(str(module.module_finder.path)) / module.name  # type: ignore[union-attr]
        if module.ispkg and (folder / "room.py").is_file():
            text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
            names[module.name] = text.partition("\n")[0]
    for entry in importlib.metadata.entry_points(group=_GROUP):
        names[entry.name] = f"from {entry.value.partition(':')[0]}"
    return dict(sorted(names.items()))


def load_promises() -> None:
    """Import the promises that only one kind of data has, so that they are known by name."""
    packages = [f"{sfumato.__name__}.{name}" for name in rooms() if (_HOME / name).is_dir()]
    packages += [e.value.partition(":")[0].rpartition(".")[0] for e in importlib.metadata.entry_points(group=_GROUP)]
    for package in filter(None, packages):
        try:
            if importlib.util.find_spec(f"{package}.promise") is not None:
                found = importlib.import_module(f"{package}.promise")
                for module in pkgutil.iter_modules(getattr(found, "__path__", ())):  # one file a promise
                    importlib.import_module(f"{found.__name__}.{module.name}")
        except ImportError as error:  # the others are known all the same
            warnings.warn(f"the promises of {package} could not be loaded: {error}", stacklevel=2)


def room_module(name: str, module: str) -> ModuleType:
    """A module of one kind of data, such as ``protection``; no other kind is imported."""
    for entry in importlib.metadata.entry_points(group=_GROUP, name=name):
        home = entry.value.partition(":")[0]
        package = home.rpartition(".")[0]
        return importlib.import_module(f"{package}.{module}" if package else home)  # or all in one module
    if name not in rooms():
        raise bad_input("kind of data", name, "one of " + ", ".join(rooms()))
    return importlib.import_module(f"{sfumato.__name__}.{name}.{module}")
