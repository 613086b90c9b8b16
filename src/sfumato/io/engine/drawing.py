"""Recoding with random numbers, where the batches are: in threads, or on the executors of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sfumato.errors import InputError
from sfumato.noise import Rng, secure_rng

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Draw", "Drawing", "as_numbers"]


class Draw(Protocol):
    """What is released of a batch of records; it pickles, and holds no generator."""

    def schema(self, source: pa.Schema) -> pa.Schema:
        """The columns that come out."""

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, pa.Array]:
        """These columns for a batch with at least one record."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Applies a :class:`Draw` to batches, each with a generator of its own.

    The generator is made where the batch is: by the operating system of that machine, never copied. A task that Spark
    runs twice draws twice, but only one of its outputs is committed, so that no record is released twice.

    Parameters
    ----------
    draw : Draw
    seed : int, optional
        For experiments: the generator then follows from the seed and the place of the batch.
    """

    draw: Draw
    seed: int | None = None
    place: tuple[int, ...] = ()

    def at(self, *place: int) -> Drawing:
        """The same for the batch at this place of the source: its part, and its number there."""
        return replace(self, place=place)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        schema = self.draw.schema(batch.schema)
        if batch.num_rows == 0:
            columns = {field.name: pa.array([], field.type) for field in schema}
        else:
            rng = secure_rng() if self.seed is None else np.random.default_rng([self.seed, *self.place])
            columns = dict(self.draw(batch, rng))
        return pa.RecordBatch.from_arrays([_typed(columns[field.name], field) for field in schema], schema=schema)


def _typed(values: pa.Array, field: pa.Field) -> pa.Array:
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return whole if whole.type == field.type else whole.cast(field.type)


def as_numbers(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.Table:
    """The batch as a table, with the texts of these columns (all cells of a CSV file are texts) as numbers."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch])
    for name in columns:
        place = table.column_names.index(name)
        kind = table.schema.field(name).type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            try:
                table = table.set_column(place, name, table[name].cast(pa.float64()))
            except pa.ArrowInvalid as error:  # its text quotes the cell
                raise InputError(f"column {name!r}: expected a number in every record; found other text") from error
    return table
