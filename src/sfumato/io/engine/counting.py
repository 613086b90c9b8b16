"""Counts of combinations of values, made in parts where the records are and added up where they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.io.engine.base import COUNT

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["add_counts", "count_parts"]

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
        joined = {name: _joined([table[name] for table in tables]) for name in whole.column_names}
        del tables
        whole = _summed(pa.table(joined), columns, [(COUNT, "sum")])
        del joined
    return pa.table({name: _plain(whole[name]) for name in whole.column_names})


def _part(table: pa.Table, columns: Sequence[str]) -> bytes:
    import pyarrow as pa

    numbered = pa.table({name: _numbered(table[name]) for name in columns})
    counted = _summed(numbered, columns, [([], "count_all")])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, counted.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(counted)
    return sink.getvalue().to_pybytes()


def _summed(table: pa.Table, columns: Sequence[str], how: Any) -> pa.Table:
    """The distinct combinations, and in the last column how often each occurs.

    Numbers are grouped, not the dictionary arrays themselves: Arrow does not hash these.
    """
    import pyarrow as pa

    whole = table.combine_chunks()
    chunks = {name: whole[name].chunk(0) for name in columns}
    plain = {name: chunk.indices if _is_numbered(chunk) else chunk for name, chunk in chunks.items()}
    rest = {name: whole[name] for name in whole.column_names if name not in columns}
    found = pa.table({**plain, **rest}).group_by(list(columns), use_threads=False).aggregate(how).combine_chunks()
    counts = next(name for name in found.column_names if name not in columns)
    made = {name: found[name].chunk(0) for name in columns}
    words = {
        name: pa.DictionaryArray.from_arrays(made[name], chunk.dictionary) if _is_numbered(chunk) else made[name]
        for name, chunk in chunks.items()
    }
    return pa.table({**words, COUNT: found[counts]})


def _is_numbered(column: pa.Array | pa.ChunkedArray) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(column.type))


def _numbered(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts as numbers of a dictionary; what has a fixed width is light as it is."""
    import pyarrow as pa

    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    coded = any(check(column.type) for check in text)
    return column.dictionary_encode(null_encoding="encode") if coded else column  # so that every number is one


def _joined(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Columns below each other, with one dictionary for all."""
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in column.chunks]
    if not _is_numbered(chunks[0]):
        return pa.concat_arrays(chunks)
    words = pa.concat_arrays([chunk.dictionary for chunk in chunks]).dictionary_encode(null_encoding="encode")
    found, start = [], 0
    for chunk in chunks:
        found.append(words.indices.slice(start, len(chunk.dictionary)).take(chunk.indices))
        start += len(chunk.dictionary)
    return pa.DictionaryArray.from_arrays(pa.concat_arrays(found), words.dictionary)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if _is_numbered(column) else column
