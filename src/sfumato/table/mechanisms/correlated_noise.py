"""Normal noise with the covariance of the columns [P7]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.mechanisms.base import Released, TableMechanism, number_columns, with_numbers
from sfumato.validate import positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CorrelatedNoise"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelatedNoise(TableMechanism):
    """Normal noise with covariance c·Σ: means and correlations stay, variances grow by 1 + c.

    Parameters
    ----------
    columns : sequence of str
    c : float
    """

    new_numbers = True
    technique = "noise addition"

    columns: Sequence[str]
    c: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("c", self.c)

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("normal noise scaled to the data, without a bound on the values")

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        rows = number_columns(table, self.columns)
        covariance = np.atleast_2d(np.cov(rows, rowvar=False))
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0) * self.c)
        return with_numbers(table, self.columns, rows + rng.normal(size=rows.shape) @ root.T)
