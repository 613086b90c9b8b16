"""The kinds of data by name, found without importing any."""

from __future__ import annotations

import ast
import importlib.metadata
import pkgutil
from pathlib import Path

import sfumato

__all__ = ["room_names"]


def room_names() -> dict[str, str]:
    """The name of every kind of data and one line about it, without importing any."""
    names = {}
    for module in pkgutil.iter_modules(sfumato.__path__):
        folder = Path(str(module.module_finder.path)) / module.name  # type: ignore[union-attr]
        if module.ispkg and (folder / "room.py").is_file():
            text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
            names[module.name] = text.partition("\n")[0]
    for entry in importlib.metadata.entry_points(group="sfumato.rooms"):
        names[entry.name] = f"from {entry.value.partition(':')[0]}"
    return dict(sorted(names.items()))
