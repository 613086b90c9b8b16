"""Independent normal noise on numeric columns [P7]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.mechanisms.base import Released, TableMechanism, number_columns, with_numbers
from sfumato.validate import positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["IndependentNoise"]


@dataclass(frozen=True, kw_only=True, eq=False)
class IndependentNoise(TableMechanism):
    """Independent normal noise on numeric columns: means and covariances between columns stay, variances grow by σ².

    Parameters
    ----------
    columns : sequence of str
    share : float
        σ as a share of each column's standard deviation.
    """

    new_numbers = True
    technique = "noise addition"

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
        return with_numbers(table, self.columns, rows + rng.normal(size=rows.shape) * self.share * rows.std(0))
