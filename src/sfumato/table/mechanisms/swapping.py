"""Swapping of values between records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.validate import probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Swapping"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Swapping(TableMechanism):
    """Exchange the values of some columns between random pairs of records; every marginal is kept.

    When many columns are swapped the re-identification risk says nothing (records are exchanged whole): use the
    revealing attack.

    Parameters
    ----------
    columns : sequence of str
        Swapped together.
    rate : float
        Share of the records that takes part.
    """

    technique = "permutation"

    columns: Sequence[str]
    rate: float

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("rate", self.rate, one=True)
        if not self.columns or isinstance(self.columns, str):
            raise bad_input("columns", self.columns, "a list of columns")
        for name in self.columns:
            if name not in self.schema.roles:
                raise bad_input("columns", name, "columns of the schema")

    @property
    def perturbs(self) -> bool:
        return True

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("records that are not swapped are released as they are")

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        pairs = int(self.rate * table.num_rows) // 2
        chosen = rng.permutation(table.num_rows)[: 2 * pairs].reshape(2, pairs)
        order = np.arange(table.num_rows)
        order[chosen[0]], order[chosen[1]] = chosen[1], chosen[0]
        for name in self.columns:
            table = table.set_column(table.column_names.index(name), name, table[name].take(order))
        return table, np.arange(table.num_rows)
