"""Names of a package that are loaded when first asked for, so that importing one thing does not load everything."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose public names live in sub-modules.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        The full name of the module that each name lives in.

    >>> get, names = lazy_names("sfumato.noise", {"grid_step": "sfumato.noise.grid"})
    >>> get("grid_step").__module__
    'sfumato.noise.grid'
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(sys.modules[package].__all__)
