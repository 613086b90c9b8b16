"""Which promises a table already keeps, without changing it [P1, P2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import STAR
from sfumato.table.core.risk import ClassRisk, class_risk
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Compact, distinct, labels_of, sensitive_counts
from sfumato.table.mechanisms.base import arrow_of
from sfumato.table.mechanisms.recoding.judge import Judge
from sfumato.table.promise import flatten

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Held", "Inspection", "as_it_is", "as_it_is_rows", "check", "reached"]


@dataclass(frozen=True)
class Held:
    """What holds for one sensitive column: the largest l and the smallest t.

    Parameters
    ----------
    distinct_l : int
    entropy_l : float
    recursive_c : float
        The c for which recursive (c, l)-diversity holds just not, at l = 2 (∞ if some class has one value).
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
        Prosecutor, marketer and uniqueness.
    sizes : ndarray
        Of the classes.
    """

    k: int
    classes: int
    rows: int
    starred: int
    sensitive: dict[str, Held]
    risk: ClassRisk
    sizes: NDArray[np.int64] = field(repr=False)

    def __str__(self) -> str:
        lines = [f"k = {self.k} ({self.classes} classes, {self.rows} rows, {self.starred} suppressed)", str(self.risk)]
        for name, held in self.sensitive.items():
            more = "" if np.isnan(held.t_hierarchical) else f", hierarchical {held.t_hierarchical:.4g}"
            lines.append(
                f"{name}: l = {held.distinct_l} distinct, {held.entropy_l:.4g} entropy; "
                f"t = {held.t:.4g} (equal), ordered {held.t_ordered:.4g}{more}"
            )
        return "\n".join(lines)


def as_it_is_rows(table: pa.Table, schema: Schema) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The class of each row by its labels, and the size of each class."""
    _, member, counts, _ = _labelled(table, schema)
    return member, counts


def _labelled(
    table: pa.Table, schema: Schema
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    schema.require(table.column_names)
    if table.num_rows == 0:
        raise InputError("table without rows: expected at least one record")
    columns, sizes, star = [], [], np.full(table.num_rows, bool(schema.quasi))
    for name in schema.quasi:
        codes, labels = labels_of(table[name], schema.missing_values, name)
        gaps = np.array([label is None for label in labels])
        if gaps[codes].any():
            schema.missing_label(name)  # refused, or one and the same value
            codes = np.where(gaps[codes], int(np.flatnonzero(gaps)[0]), codes)
        star &= codes == (labels.index(STAR) if STAR in labels else -1)
        columns.append(codes)
        sizes.append(len(labels))
    matrix = np.stack(columns, axis=1) if columns else np.zeros((table.num_rows, 0), np.int64)
    codes, member = distinct(matrix, sizes)
    return codes, member, np.bincount(member, minlength=len(codes)).astype(np.int64), star


def as_it_is(frame: Any, schema: Schema) -> tuple[Compact, int]:
    """The compact form of any table by its labels, raw or released, and how many of its rows are all ``*``."""
    table = arrow_of(frame)
    codes, member, counts, star = _labelled(table, schema)
    sensitive = sensitive_counts(table, schema, member)
    return Compact(tuple(schema.quasi), (), codes, counts, sensitive), int(star.sum())


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
    table, starred = as_it_is(frame, schema)
    classes = Classes.by_value(table)
    held = {}
    for column in table.sensitive:
        ratio = _recursive_ratio(classes, column.name)
        held[column.name] = Held(
            int(classes.distinct(column.name).min()),
            float(np.exp(classes.entropy(column.name).min())),
            ratio,
            float(classes.closeness(column.name).max()),
            float(classes.closeness(column.name, "ordered").max()),
            float(classes.closeness(column.name, "hierarchical").max()) if column.hierarchy else float("nan"),
        )
    sizes = classes.sizes
    return Inspection(int(sizes.min()), classes.number, table.rows, starred, held, class_risk(sizes), sizes)


def _recursive_ratio(classes: Classes, name: str) -> float:
    worst = 0.0
    for _, histogram in classes.blocks(classes.table.column(name)):
        top = histogram.max(1)
        rest = histogram.sum(1) - top
        with np.errstate(divide="ignore"):
            worst = max(worst, float((top / rest).max()))
    return worst


def reached(release: Any, schema: Schema, promise: Guarantee) -> float:
    """How far a release keeps a promise: the k it has, or 1 if it keeps the promise and 0 if not.

    Promises that need the population are not covered: the release alone does not tell.
    """
    table, _ = as_it_is(release, schema)
    classes = Classes.by_value(table)
    if isinstance(promise, KAnonymity):
        return float(classes.sizes.min())
    judge = Judge(table, flatten([promise]), 0, True)
    kept = not judge.broken(classes).any() and all(p.holds_together(classes) for p in judge.together)
    return float(kept)
