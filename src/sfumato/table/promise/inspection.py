"""Which promises a table already keeps, without changing it [P1, P2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.risk import ClassRisk
from sfumato.table.core.schema import Schema
from sfumato.table.promise.base import table_promises
from sfumato.table.promise.closeness import TCloseness
from sfumato.table.promise.diversity import LDiversity, RecursiveDiversity
from sfumato.table.promise.people_anonymity import people_in, risk_in

__all__ = ["Held", "Inspection", "check", "reached"]


@dataclass(frozen=True)
class Held:
    """What holds for one sensitive column: the largest l and the smallest t.

    Parameters
    ----------
    distinct_l : int
    entropy_l : float
    recursive_c : float
        Recursive (c, 2)-diversity holds for every c above it (∞ if some class has one value).
    t : float
        With equal distance.
    t_ordered : float
    t_hierarchical : float
        NaN without a hierarchy.
    """

    distinct_l: int
    entropy_l: float
    recursive_c: float
    t: float
    t_ordered: float
    t_hierarchical: float


@dataclass(frozen=True)
class Inspection:
    """What holds for a table as it is.

    Parameters
    ----------
    k : int
        Size of the smallest class (rows of ``*``, if there are, are one class).
    classes, rows, starred : int
        How many classes and rows there are, and how many rows are all ``*``.
    sensitive : dict of str to Held
    risk : ClassRisk
        Prosecutor, marketer and uniqueness; of people, where the schema says whose record it is.
    sizes : ndarray
        Of the classes.
    people : int, optional
        People in the class with fewest, where the schema says whose record it is.
    """

    k: int
    classes: int
    rows: int
    starred: int
    sensitive: dict[str, Held]
    risk: ClassRisk
    sizes: NDArray[np.int64] = field(repr=False)
    people: int | None = None

    def __str__(self) -> str:
        who = "" if self.people is None else f", at least {self.people} people a class"
        lines = [
            f"k = {self.k}{who} ({self.classes} classes, {self.rows} rows, {self.starred} suppressed)",
            str(self.risk),
        ]
        for name, held in self.sensitive.items():
            more = "" if np.isnan(held.t_hierarchical) else f", hierarchical {held.t_hierarchical:.4g}"
            lines.append(
                f"{name}: l = {held.distinct_l} distinct, {held.entropy_l:.4g} entropy; "
                f"t = {held.t:.4g} (equal), ordered {held.t_ordered:.4g}{more}"
            )
        return "\n".join(lines)


def check(frame: Any, schema: Schema) -> Inspection:
    """Which k, l and t a table keeps as it is: raw, or released by anyone.

    Rows are grouped by the labels of their quasi-identifiers; a missing value equals a missing value (under the
    policy ``missing="category"``; otherwise it is refused). t is measured against the table's own distribution.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Schema, check
    >>> schema = Schema(quasi={"age": Hierarchy.flat(["20-29", "30-39"])}, sensitive=["illness"])
    >>> found = check(pa.table({"age": ["20-29"] * 3 + ["30-39"] * 2, "illness": ["a", "b", "a", "b", "b"]}), schema)
    >>> found.k, found.sensitive["illness"].distinct_l
    (2, 1)
    """
    schema = schema.bound(arrow_of(frame), names=schema.secrets)
    table, starred = as_it_is(frame, schema)
    classes = Classes.by_value(table)
    columns = [column for column in table.sensitive if column.name != schema.person]
    held = {column.name: _held(classes, column.name, column.hierarchy is not None) for column in columns}
    people, sizes = None, classes.sizes
    person = schema.person if len(columns) < len(table.sensitive) else None  # it does not leave with a release
    if person is not None:
        people = int(people_in(classes, person).min())
    risk = risk_in(classes, person)
    return Inspection(int(sizes.min()), classes.number, table.rows, starred, held, risk, sizes, people)


def _held(classes: Classes, name: str, tree: bool) -> Held:
    """The level that the worst class reaches, for each kind of promise on a column."""
    return Held(
        int(LDiversity(1, name).levels(classes).min()),
        float(LDiversity(1, name, "entropy").levels(classes).min()),
        float(RecursiveDiversity(1.0, 2, name).levels(classes).max()),
        float(TCloseness(1.0, name).levels(classes).max()),
        float(TCloseness(1.0, name, "ordered").levels(classes).max()),
        float(TCloseness(1.0, name, "hierarchical").levels(classes).max()) if tree else float("nan"),
    )


def reached(release: Any, schema: Schema, promise: Guarantee) -> float:
    """How far a release keeps a promise: the k it has, or 1 if it keeps the promise and 0 if not.

    Promises that need the population are not covered: the release alone does not tell.
    """
    table, _ = as_it_is(release, schema)
    classes = Classes.by_value(table)
    wanted = table_promises([promise])
    for one in wanted:
        one.require(table)
    if len(wanted) == 1:
        return wanted[0].reached(classes)
    return float(all(one.kept_by(classes) for one in wanted))
