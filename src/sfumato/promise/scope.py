"""Which two inputs a promise compares, and who holds the raw data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Model", "Neighbours", "unequal"]

Neighbours = Literal["replace-one", "add-remove", "any-pair", "within-radius"]
"""Which two inputs the promise compares: one record changed, one record more or less, any two inputs at all, or any two
that are no farther apart than its ``reach`` (see :meth:`sfumato.promise.MetricDP.within`)."""

Model = Literal["central", "local"]
"""Who holds the raw data: a trusted curator, or nobody but its owner."""


def unequal(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """What differs between two scopes: name, the value there, the value here. Where one has no reach, neighbours do."""
    return [(name, there[name], here[name]) for name in here if name in there and there[name] != here[name]]
