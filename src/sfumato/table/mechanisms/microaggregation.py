"""Numeric quasi-identifiers replaced by the mean of a group of similar records [P5, P6]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.mechanism.clusters import group_means, k_member_groups, mdav_groups
from sfumato.noise import Rng
from sfumato.promise import KAnonymity
from sfumato.table.mechanisms.base import Released, TableMechanism, number_columns, with_numbers
from sfumato.table.promise.final_check import verify_table
from sfumato.validate import choice, integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Microaggregation"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Microaggregation(TableMechanism):
    """Group records on their standardised numeric quasi-identifiers and release the group's mean.

    Every group has at least k records and all of them get the same values, so the release is k-anonymous; the mean
    of every column is kept.

    Parameters
    ----------
    schema : Schema
        All quasi-identifiers must be numbers; their hierarchies are not used.
    k : int
    grouping : {"mdav", "k-member"}
        Maximum distance to average vector, or greedy k-member (chapter 5's k-anonymiser).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Microaggregation, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> Microaggregation(schema=schema, k=2).release(pa.table({"age": [18, 22, 36, 38]})).to_pydict()
    {'age': [20.0, 20.0, 37.0, 37.0]}
    """

    new_numbers = True
    technique = "microaggregation"

    k: int
    grouping: Literal["mdav", "k-member"] = "mdav"

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)
        choice("grouping", self.grouping, ("mdav", "k-member"))

    @property
    def perturbs(self) -> bool:
        return False  # all records of a group get the same values

    @property
    def guarantee(self) -> KAnonymity:
        return KAnonymity(self.k)

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        names = list(self.schema.quasi)
        rows = number_columns(table, names)
        spread = rows.std(0)
        scaled = (rows - rows.mean(0)) / np.where(spread > 0, spread, 1.0)
        groups = mdav_groups(scaled, self.k) if self.grouping == "mdav" else k_member_groups(scaled, self.k, rng=rng)
        released, order = with_numbers(table, names, group_means(rows, groups))
        verify_table([self.guarantee], released, self.schema)
        return released, order
