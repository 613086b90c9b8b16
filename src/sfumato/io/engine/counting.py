"""Counts of combinations of values, made in parts where the records are and added up where they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.io.engine.base import COUNT

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["add_counts", "count_parts"]

Ints = NDArray[np.int64]

AT_ONCE = 1 << 20
"""Records that are counted at a time: what a worker holds."""


def count_parts(batches: Iterable[pa.RecordBatch], columns: Sequence[str]) -> Iterator[bytes]:
    """The distinct combinations of ``columns`` with their :data:`COUNT`, for about a million records at a time.

    A part is an Arrow stream whose values are numbers of a dictionary: where hardly two records are alike, nearly as
    many combinations as records travel, and texts are what makes them heavy.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch.select(list(columns)))
            rows += batch.num_rows
        if rows >= AT_ONCE:
            yield _part(pa.Table.from_batches(held), columns)
            held, rows = [], 0
    if held:
        yield _part(pa.Table.from_batches(held), columns)


def add_counts(parts: Iterable[bytes], columns: Sequence[str], empty: Callable[[], pa.Table]) -> pa.Table:
    """The sum of parts (:func:`count_parts`); with none of them ``empty()`` says what the columns are.

    >>> import pyarrow as pa
    >>> parts = count_parts([pa.record_batch({"a": ["x", "x", "y"]})], ["a"]), count_parts([], ["a"])
    >>> add_counts([part for one in parts for part in one], ["a"], dict).to_pydict()
    {'a': ['x', 'y'], '__count__': [2, 1]}
    """
    import pyarrow as pa

    tables = [pa.ipc.open_stream(part).read_all() for part in parts]
    if not tables:
        none = empty()
        return none.append_column(COUNT, pa.array([], pa.int64()))
    whole = tables[0]
    if len(tables) > 1:
        joined = {name: _joined([table[name] for table in tables]) for name in columns}
        counts = np.concatenate([table[COUNT].to_numpy() for table in tables])
        del tables
        whole = _summed(joined, counts)
        del joined
    return pa.table({name: whole[name].cast(whole[name].type.value_type) for name in columns} | {COUNT: whole[COUNT]})


def _part(table: pa.Table, columns: Sequence[str]) -> bytes:
    import pyarrow as pa

    counted = _summed({name: _joined([_numbered(table[name])]) for name in columns})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, counted.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(counted)
    return sink.getvalue().to_pybytes()


def _summed(columns: dict[str, pa.DictionaryArray], counts: Ints | None = None) -> pa.Table:
    """The distinct combinations of numbered columns, and how often each occurs: ``counts`` added up, else rows.

    The numbers of a row are packed into one machine word as far as they fit; ranks replace the word when the next
    would not.
    """
    import pyarrow as pa

    key, room = np.zeros(len(next(iter(columns.values()))), np.int64), 1
    for column in columns.values():
        size = max(len(column.dictionary), 1)
        if room * size >= 2**62:
            ranks, key = np.unique(key, return_inverse=True)
            room = len(ranks)
        key = key * size + column.indices.to_numpy()
        room *= size
    order = np.argsort(key)
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    added = np.diff(starts, append=len(key)) if counts is None else np.add.reduceat(counts[order], starts)
    first = pa.array(order[starts])
    made = {name: column.take(first) for name, column in columns.items()}
    return pa.table(made | {COUNT: pa.array(added, pa.int64())})


def _numbered(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as numbers of a dictionary, missing ones too."""
    return column.dictionary_encode(null_encoding="encode")


def _joined(columns: Sequence[pa.ChunkedArray]) -> pa.DictionaryArray:
    """Columns below each other, with one dictionary for all."""
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in column.chunks]
    words = pa.concat_arrays([chunk.dictionary for chunk in chunks]).dictionary_encode(null_encoding="encode")
    found, start = [], 0
    for chunk in chunks:
        found.append(words.indices.slice(start, len(chunk.dictionary)).take(chunk.indices))
        start += len(chunk.dictionary)
    return pa.DictionaryArray.from_arrays(pa.concat_arrays(found), words.dictionary)
