"""The schema of the shipped, made-up census."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.census import CENSUS
from sfumato.table.hierarchy import Hierarchy
from sfumato.table.schema import Schema

__all__ = ["census_schema"]


def census_schema(sensitive: Sequence[str] = ("income",)) -> Schema:
    """Roles and hierarchies of :func:`sfumato.data.census.make_census`: all other columns are quasi-identifiers."""
    trees = {name: Hierarchy(rows) for name, rows in CENSUS.items()}
    return Schema(
        quasi={name: tree for name, tree in trees.items() if name not in sensitive},
        sensitive={name: trees[name] for name in sensitive},
    )
