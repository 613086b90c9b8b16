"""Noise on numeric columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.mechanisms.base import TableMechanism, number_columns
from sfumato.validate import positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AdditiveNoise", "CorrelatedNoise", "Released"]

Released = tuple["pa.Table", NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True, eq=False)
class AdditiveNoise(TableMechanism):
    """Independent normal noise on numeric columns: means and covariances between columns stay, variances grow by σ².

    Parameters
    ----------
    columns : sequence of str
    share : float
        σ as a share of each column's standard deviation.
    """

    columns: Sequence[str]
    share: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("share", self.share)

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("normal noise scaled to the data, without a bound on the values")

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        rows = number_columns(table, self.columns)
        return _put(table, self.columns, rows + rng.normal(size=rows.shape) * self.share * rows.std(0))


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelatedNoise(TableMechanism):
    """Normal noise with covariance c·Σ: means and correlations stay, variances grow by 1 + c.

    Parameters
    ----------
    columns : sequence of str
    c : float
    """

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
        return _put(table, self.columns, rows + rng.normal(size=rows.shape) @ root.T)


def _put(table: pa.Table, columns: Sequence[str], rows: NDArray[np.float64]) -> Released:
    import pyarrow as pa

    for j, name in enumerate(columns):
        table = table.set_column(table.column_names.index(name), name, pa.array(rows[:, j]))
    return table, np.arange(table.num_rows)
