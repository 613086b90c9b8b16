"""Suppression of the records of small classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.noise import Rng
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.table.promise.final_check import verify_table
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RecordSuppression"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordSuppression(TableMechanism):
    """Leave out the records whose quasi-identifiers, as they stand, are shared by fewer than k.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, RecordSuppression, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.flat(["young", "old"])})
    >>> RecordSuppression(schema=schema, k=2).release(pa.table({"age": ["old", "young", "old"]})).to_pydict()
    {'age': ['old', 'old']}
    """

    draws = False
    technique = "record suppression"

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)

    @property
    def guarantee(self) -> Guarantee:
        return KAnonymity(self.k)

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        member, counts = as_it_is_rows(table, self.schema)
        kept = np.flatnonzero(counts[member] >= self.k)
        if not kept.size:
            raise InfeasibleError(f"no class has {self.k} records; the largest has {counts.max()}: generalise first")
        released = table.take(kept)
        verify_table([self.guarantee], released, self.schema)
        return released, kept
