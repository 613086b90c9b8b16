"""The schema of the shipped, made-up census."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.schema import Schema
from sfumato.table.data import CENSUS

__all__ = ["census_schema"]


def census_schema(sensitive: Sequence[str] = ("income",)) -> Schema:
    """Roles and hierarchies of :func:`sfumato.table.data.make_census`: all other columns are quasi-identifiers."""
    trees = {name: Hierarchy(rows) for name, rows in CENSUS.items()}
    return Schema(
        quasi={name: tree for name, tree in trees.items() if name not in sensitive},
        sensitive={name: trees[name] for name in sensitive},
    )
