"""Records sampled, suppressed or swapped, and numbers with noise [P4, P5, P7]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.noise import Rng
from sfumato.promise import Guarantee, KAnonymity, NoGuarantee
from sfumato.table.core.inspection import as_it_is_rows
from sfumato.table.mechanisms.base import TableMechanism, number_columns
from sfumato.validate import integer, positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AdditiveNoise", "CorrelatedNoise", "RecordSuppression", "Sampling", "Swapping"]

Released = tuple["pa.Table", NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampling(TableMechanism):
    """Keep each record with probability ``rate``. Alone it barely lowers the worst case: l outliers all vanish only
    with probability (1 − rate)^l.
    """

    rate: float

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("rate", self.rate, one=True)

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("sampled records are released as they are")

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        kept = np.flatnonzero(rng.random(table.num_rows) < self.rate)
        return table.take(kept), kept


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
        return table.take(kept), kept


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
