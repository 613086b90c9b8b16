"""A random sample of the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.validate import probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RecordSampling"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordSampling(TableMechanism):
    """Release each record, as it is, with probability ``rate``.

    Alone it barely lowers the worst case: l outliers all vanish only with probability (1 − rate)^l.
    """

    technique = "sampling"

    rate: float

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("rate", self.rate, one=True)

    @property
    def sampling(self) -> float:
        return self.rate

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("sampled records are released as they are")

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        kept = np.flatnonzero(rng.random(table.num_rows) < self.rate)
        return table.take(kept), kept
