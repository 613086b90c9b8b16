"""Base of the mechanisms on tables: frames in, frames out, and lineage for the attacker's score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import is_frame, missing_columns, numbers, to_native_like
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.table.core.lineage import Lineage, plain_table
from sfumato.table.core.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Released", "TableMechanism", "number_columns", "with_numbers"]

Released = tuple["pa.Table", NDArray[np.int64]]
"""A released table and the input row of each of its rows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TableMechanism(Mechanism):
    """A mechanism on tables. A frame in gives a frame out; a :class:`Lineage` in gives one out.

    Parameters
    ----------
    schema : Schema
    """

    new_numbers: ClassVar[bool] = False
    """Whether released numbers may be none of the values of their columns."""

    draws: ClassVar[bool] = True
    """Whether it draws random numbers."""

    technique: ClassVar[str] = ""
    """Its name in ISO/IEC 20889."""

    makes_up: ClassVar[bool] = False
    """Whether its records are made up: none came from an input row, which its lineage says with −1."""

    covers_all: ClassVar[bool] = False
    """Whether its promise covers every column that leaves and the number of records: nothing else may be told."""

    schema: Schema

    def __post_init__(self) -> None:
        if not isinstance(self.schema, Schema):
            raise bad_input("schema", self.schema, "a Schema", "Schema.read('table.toml')")

    @property
    def sampling(self) -> float:
        """The chance of a record to be in the release; an attacker takes it into account."""
        return 1.0

    @property
    def plan(self) -> str:
        """What it will do, in one sentence that does not depend on the data; empty if there is nothing to say."""
        return ""

    @property
    def perturbs(self) -> bool:
        """Whether released values may be false, so that classes of equal values say nothing of the risk."""
        return self.new_numbers or self.makes_up

    def fitted_to(self, *tables: pa.Table) -> Self:
        """The same mechanism with hierarchies for the values of some tables, where its schema has rules."""
        bound = self.schema.bound(*tables)
        return self if bound is self.schema else replace(self, schema=bound)

    def prepared(self, table: pa.Table, rng: Rng) -> Self:
        """The same mechanism with what it first draws from the data and shows, where it does."""
        return self

    def shown_schema(self, table: pa.Table) -> Schema:
        """The schema by which its release of ``table`` is read: what each value may have become."""
        return self.schema.bound(table)

    @abstractmethod
    def _release(self, table: pa.Table, rng: Rng) -> Released:
        """The released table and, for each of its rows, the row of ``table`` it came from."""

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected table: the same kind of frame, without identifiers and without the index of a pandas frame."""
        frame = data.data if isinstance(data, Lineage) else data
        released, rows = self.released(frame, rng=rng)
        result = to_native_like(released, frame)
        if not isinstance(data, Lineage):
            return result
        return Lineage(result, np.where(rows < 0, -1, data.rows[rows]), self.sampling)

    def released(self, frame: Any, *, rng: Rng | None = None) -> Released:
        """The protected table as an Arrow table, and the input row of each of its rows."""
        generator = resolve_rng(rng)
        if not is_frame(frame):
            raise bad_input("data", type(frame).__name__, "a pandas, Polars or Arrow table")
        table = plain_table(frame)
        if table.num_rows == 0:
            raise InputError("table without rows: expected at least one record")
        self.schema.require_roles(table.column_names)
        released, rows = self.fitted_to(table)._release(table, generator)
        kept = [name for name in released.column_names if name not in self.schema.identifiers]
        return released.select(kept), rows


def number_columns(table: pa.Table, names: Sequence[str]) -> NDArray[np.float64]:
    """Columns of finite numbers, side by side; text that reads as a number is one (in a CSV file all is text)."""
    import pyarrow as pa

    missing_columns(names, table.column_names, "the table")
    found = []
    for name in names:
        column = table[name]
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            try:
                column = column.cast(pa.float64())
            except pa.ArrowInvalid:
                wrong = next(word for word in column.unique().to_pylist() if word is not None and not _is_number(word))
                raise bad_input(f"column {name!r}: value", wrong, "numbers", "this mechanism takes no words") from None
        found.append(numbers(pa.table({name: column}), name))
    return np.stack(found, axis=1)


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def with_numbers(table: pa.Table, names: Sequence[str], rows: NDArray[np.float64]) -> Released:
    """The table with other numbers in the named columns, each row where it was."""
    import pyarrow as pa

    for j, name in enumerate(names):
        table = table.set_column(table.column_names.index(name), name, pa.array(rows[:, j]))
    return table, np.arange(table.num_rows)
