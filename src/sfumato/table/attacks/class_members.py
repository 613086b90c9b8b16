"""What an attacker sees who holds a register of everybody in the table: who is in which class, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of, leaf_codes

__all__ = ["CELLS", "REGISTER", "ClassMembers", "class_members"]

REGISTER = "the quasi-identifiers of everybody in the table and who is in which class, the release and the method"
"""What such an attacker knows."""

CELLS = 1 << 22
"""People × values that are attacked, at most."""


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
    rows : ndarray
        The row of the input that each person is.
    people : int
        How many people there are, released or not.
    """

    codes: NDArray[np.int64]
    member: NDArray[np.int64]
    held: NDArray[np.int64]
    truth: NDArray[np.int64]
    rows: NDArray[np.int64]
    people: int


def class_members(data: Any, release: Any, schema: Schema, column: str, rng: Rng | None = None) -> ClassMembers:
    """The classes of a release by its labels, with the people in them; blanks are values.

    Of a release with more than :data:`CELLS` people × values, classes are drawn at random until so many are reached.
    """
    if column not in schema.secrets:
        raise bad_input("column", column, "a sensitive column of the schema")
    before, (after, rows) = arrow_of(data), lineage_of(data, release)
    member, sizes = as_it_is_rows(after, schema)
    order: dict[str | None, int] = {}
    found = []
    for table in (before, after):
        places, labels = labels_of(table[column], schema.missing_values, column)
        found.append(np.array([order.setdefault(label, len(order)) for label in labels], np.int64)[places])
    shown, people = found[1], before.num_rows
    most = CELLS // max(len(order), 1)
    if len(rows) > most:
        drawn = resolve_rng(rng).permutation(len(sizes))
        drawn = drawn[: max(1, int(np.searchsorted(np.cumsum(sizes[drawn]), most, side="right")))]
        number = np.full(len(sizes), -1)
        number[drawn] = np.arange(len(drawn))
        inside = np.flatnonzero(number[member] >= 0)
        people = max(round(people * len(inside) / len(rows)), len(inside))
        member, sizes, shown, rows = number[member[inside]], sizes[drawn], shown[inside], rows[inside]
    codes = [leaf_codes(before[name], tree, name, schema)[rows] for name, tree in schema.quasi.items()]
    held = np.zeros((len(sizes), len(order)), np.int64)
    np.add.at(held, (member, shown), 1)
    return ClassMembers(np.stack(codes, axis=1), member, held, found[0][rows], rows, people)
