"""A schema in which one column has another role, or another hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.proposal.schema_proposal import propose_rule
from sfumato.table.core.rules.hierarchy_rules import HierarchyRule
from sfumato.table.core.schema import Schema
from sfumato.table.core.value_labels import labels_of
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMN_ROLES", "column_values", "with_hierarchy", "with_role"]

COLUMN_ROLES = ("quasi", "sensitive", "identifier", "person", "insensitive")
"""The roles that a column can have; the person column is an identifier whose values k counts."""


def with_role(schema: Schema, table: pa.Table, column: str, role: str) -> Schema:
    """The schema with another role for a column. A quasi-identifier without a hierarchy gets a proposed one.

    >>> import pyarrow as pa
    >>> from sfumato.table import Flat, Schema
    >>> people = pa.table({"age": range(20, 60), "town": ["Linz", "Wels"] * 20})
    >>> schema = Schema(quasi={"town": Flat()}, insensitive=["age"]).bound(people)
    >>> with_role(schema, people, "age", "quasi").rules["age"].settings()
    {'intervals': {'widths': [2, 4, 8, 16, 32]}}
    """
    choice("role", role, COLUMN_ROLES)
    if column not in table.column_names:
        raise bad_input("column", column, "one of " + ", ".join(table.column_names))
    trees = _trees(schema)
    roles = dict(schema.roles)
    if schema.person is not None:
        roles[schema.person] = "person"
    if role == "person" and schema.person not in (None, column):
        roles[str(schema.person)] = "identifier"
    roles[column] = role
    if role == "quasi" and trees.get(column) is None:
        trees[column] = propose_rule(column_values(table, column, schema)[0])
    return _schema(schema, table, roles, trees)


def with_hierarchy(schema: Schema, table: pa.Table, column: str, hierarchy: Hierarchy | HierarchyRule) -> Schema:
    """The schema with another hierarchy for a quasi-identifier or a sensitive column; all its values must be in it."""
    if column not in schema.quasi and column not in schema.secrets:
        raise bad_input("column", column, "a quasi-identifier or a sensitive column", "give it that role first")
    if isinstance(hierarchy, Hierarchy):
        for value in column_values(table, column, schema)[0]:
            hierarchy.code(value)
    roles = dict(schema.roles)
    if schema.person is not None:
        roles[schema.person] = "person"
    return _schema(schema, table, roles, _trees(schema) | {column: hierarchy})


def column_values(table: pa.Table, column: str, schema: Schema) -> tuple[list[str], bool]:
    """The different values of a column as its hierarchy names them, and whether some are missing."""
    codes, labels = labels_of(table[column], schema.missing_values, column)
    used = np.unique(codes).tolist()
    values = list(dict.fromkeys(str(label) for i in used if (label := labels[i]) is not None))
    return values, any(labels[i] is None for i in used)


def _trees(schema: Schema) -> dict[str, Any]:
    """The rule of each column, or its hierarchy where no rule makes it."""
    return {**schema.quasi, **schema.secrets, **schema.rules}


def _schema(schema: Schema, table: pa.Table, roles: dict[str, str], trees: dict[str, Any]) -> Schema:
    """The schema of these roles; columns are in the order of the table."""
    names = [name for name in table.column_names if name in roles]

    def having(*wanted: str) -> list[str]:
        return [name for name in names if roles[name] in wanted]

    gaps = any(column_values(table, name, schema)[1] for name in having("quasi", "sensitive", "person"))
    return Schema(
        quasi={name: trees[name] for name in having("quasi")},
        sensitive={name: trees.get(name) for name in having("sensitive")},
        identifiers=having("identifier", "person"),
        insensitive=having("insensitive"),
        person=next(iter(having("person")), None),
        missing="category" if gaps else schema.missing,
        missing_values=schema.missing_values,
        weights={name: weight for name, weight in schema.weights.items() if roles.get(name) == "quasi"},
    ).bound(table)
