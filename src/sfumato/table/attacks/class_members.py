"""What an attacker sees who holds a register of everybody in the table: who is in which class, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of, leaf_codes

__all__ = ["REGISTER", "ClassMembers", "class_members"]

REGISTER = "the quasi-identifiers of everybody in the table and who is in which class, the release and the method"
"""What such an attacker knows."""


@dataclass(frozen=True, eq=False)
class ClassMembers:
    """The released people and classes.

    Parameters
    ----------
    codes : ndarray of shape (people, columns)
        Their quasi-identifiers, as places in the hierarchies.
    member : ndarray
        The released class of each.
    held : ndarray of shape (classes, values)
        How often each sensitive value occurs in each class.
    truth : ndarray
        The value that each person has, to score against.
    people : int
        How many people there are, released or not.
    """

    codes: NDArray[np.int64]
    member: NDArray[np.int64]
    held: NDArray[np.int64]
    truth: NDArray[np.int64]
    people: int


def class_members(data: Any, release: Any, schema: Schema, column: str) -> ClassMembers:
    """The classes of a release by its labels, with the people in them; blanks are values."""
    if column not in schema.secrets:
        raise bad_input("column", column, "a sensitive column of the schema")
    before, (after, rows) = arrow_of(data), lineage_of(data, release)
    member, sizes = as_it_is_rows(after, schema)
    codes = np.stack([leaf_codes(before[name], tree, name, schema) for name, tree in schema.quasi.items()], axis=1)
    order: dict[str | None, int] = {}
    found = []
    for table in (before, after):
        places, labels = labels_of(table[column], schema.missing_values, column)
        found.append(np.array([order.setdefault(label, len(order)) for label in labels], np.int64)[places])
    held = np.zeros((len(sizes), len(order)), np.int64)
    np.add.at(held, (member, found[1]), 1)
    return ClassMembers(codes[rows], member, held, found[0][rows], before.num_rows)
