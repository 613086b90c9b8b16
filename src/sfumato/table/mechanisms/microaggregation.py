"""Numeric quasi-identifiers replaced by the mean of a group of similar records [P5, P6]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.promise import KAnonymity
from sfumato.table.mechanisms.base import TableMechanism, number_columns
from sfumato.table.mechanisms.clusters import group_means, k_member_groups, mdav_groups
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

    k: int
    grouping: Literal["mdav", "k-member"] = "mdav"

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)
        choice("grouping", self.grouping, ("mdav", "k-member"))

    @property
    def guarantee(self) -> KAnonymity:
        return KAnonymity(self.k)

    def _release(self, table: pa.Table, rng: Rng) -> tuple[pa.Table, NDArray[np.int64]]:
        import pyarrow as pa

        names = list(self.schema.quasi)
        rows = number_columns(table, names)
        spread = rows.std(0)
        scaled = (rows - rows.mean(0)) / np.where(spread > 0, spread, 1.0)
        groups = mdav_groups(scaled, self.k) if self.grouping == "mdav" else k_member_groups(scaled, self.k, rng=rng)
        means = group_means(rows, groups)
        for j, name in enumerate(names):
            table = table.set_column(table.column_names.index(name), name, pa.array(means[:, j]))
        return table, np.arange(table.num_rows)
