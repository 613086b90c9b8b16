"""What each tuple of quasi-identifiers publishes, applied to batches of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import STAR
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, distinct, leaf_codes
from sfumato.table.mechanisms.recoding.partition import Partition

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TupleIndex", "TupleRecoder"]


class TupleIndex:
    """Finds code tuples in a sorted list of them, packed into machine words."""

    def __init__(self, codes: NDArray[np.int64], sizes: Sequence[int]) -> None:
        self.sizes = tuple(max(int(size), 1) for size in sizes)
        self.steps: list[tuple[int, NDArray[np.int64]]] = []  # after how many columns words become ranks
        key, room = np.zeros(len(codes), np.int64), 1
        for j, size in enumerate(self.sizes):
            if room * size >= 2**62:
                ranks, key = np.unique(key, return_inverse=True)
                self.steps.append((j, ranks))
                room = len(ranks)
            key = key * size + codes[:, j]
            room *= size
        # the tuples of a summary are sorted already
        self.order = np.argsort(key, kind="stable") if (key[1:] < key[:-1]).any() else None
        self.keys = key if self.order is None else key[self.order]

    def find(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each row of ``codes``; all must be there."""
        key = np.zeros(len(codes), np.int64)
        steps = dict(self.steps)
        known = np.ones(len(codes), np.bool_)
        for j, size in enumerate(self.sizes):
            if j in steps:
                ranks = steps[j]
                place = np.minimum(np.searchsorted(ranks, key), len(ranks) - 1)
                known &= ranks[place] == key
                key = place
            key = key * size + codes[:, j]
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        if not (known & (self.keys[place] == key)).all():
            raise InputError("a record was not in the summary: the source changed while it was read")
        return place if self.order is None else self.order[place]


@dataclass(frozen=True, eq=False)
class TupleRecoder:
    """What each tuple publishes. Applied to a batch it gives the released records; it pickles.

    Parameters
    ----------
    schema : Schema
    index : TupleIndex
    output : ndarray of shape (tuples, columns)
        Which of the ``labels`` of the column each tuple gets.
    labels : tuple of tuples of str
    dropped : ndarray of shape (tuples,), or None
        Tuples whose records are left out.
    maps : tuple of ndarray, or None
        What the code of each value becomes before a tuple is looked up; None if it stays.
    """

    schema: Schema
    index: TupleIndex
    output: NDArray[np.int32]
    labels: tuple[tuple[str, ...], ...]
    dropped: NDArray[np.bool_] | None = None
    maps: tuple[NDArray[np.int64], ...] | None = None

    @classmethod
    def at_levels(
        cls, table: Summary, schema: Schema, levels: Sequence[int], suppressed: NDArray[np.bool_], stars: bool
    ) -> TupleRecoder:
        """Full-domain generalisation; suppressed tuples become ``*`` everywhere, or are left out."""
        output = np.empty(table.codes.shape, np.int32)
        labels = []
        for j, (tree, level) in enumerate(zip(table.hierarchies, levels, strict=True)):
            output[:, j] = tree.codes[level][table.codes[:, j]]
            words = list(tree.labels[level])
            if suppressed.any() and stars:
                if STAR not in words:
                    words.append(STAR)
                output[suppressed, j] = words.index(STAR)
            labels.append(tuple(words))
        index = TupleIndex(table.codes, [tree.size for tree in table.hierarchies])
        return cls(schema, index, output, tuple(labels), None if stars or not suppressed.any() else suppressed)

    @classmethod
    def by_class(cls, partition: Partition, schema: Schema) -> TupleRecoder:
        """Local recoding: every tuple gets what its class publishes."""
        table = partition.table
        output = np.empty(table.codes.shape, np.int32)
        labels = []
        for j in range(table.width):
            by_class, words = partition.labels(j)
            output[:, j] = by_class[partition.member]
            labels.append(tuple(words))
        return cls(schema, TupleIndex(table.codes, [tree.size for tree in table.hierarchies]), output, tuple(labels))

    def at_labels(self, table: Summary, levels: Sequence[int]) -> TupleRecoder:
        """The same recoding, looked up by what a tuple is at ``levels``, for records that stream past.

        A class is kept or suppressed whole, so its tuple at the levels of the recoding says what becomes of a record.
        There are far fewer of these than of raw tuples where hardly two records are alike.
        """
        maps = tuple(tree.codes[level].astype(np.int64) for tree, level in zip(table.hierarchies, levels, strict=True))
        sizes = [len(tree.labels[level]) for tree, level in zip(table.hierarchies, levels, strict=True)]
        coarse = np.stack([maps[j][table.codes[:, j]] for j in range(table.width)], axis=1)
        codes, member = distinct(coarse, sizes)
        one = np.empty(len(codes), np.int64)
        one[member] = np.arange(len(member))
        left = np.zeros(len(member), np.bool_) if self.dropped is None else self.dropped
        if not ((left == left[one][member]).all() and (self.output == self.output[one][member]).all()):
            raise InputError("levels: expected those of the recoding, at which a class has the same labels throughout")
        dropped = None if self.dropped is None else left[one]
        return TupleRecoder(self.schema, TupleIndex(codes, sizes), self.output[one], self.labels, dropped, maps)

    def classes(self, table: Summary) -> Classes:
        """The released classes: tuples with the same labels in every column, but for those that are left out."""
        codes, member = distinct(self.output.astype(np.int64), [len(words) for words in self.labels])
        if self.dropped is None:
            return Classes(table, member, len(codes))
        kept = np.bincount(member[~self.dropped], minlength=len(codes)) > 0
        return Classes(table, np.where(self.dropped, -1, member), len(codes)).only(kept)

    def rows(self, batch: pa.RecordBatch | pa.Table) -> NDArray[np.int64]:
        """The tuple of each record."""
        codes = np.empty((batch.num_rows, len(self.schema.quasi)), np.int64)
        for j, (name, tree) in enumerate(self.schema.quasi.items()):
            found = leaf_codes(batch.column(name), tree, name, self.schema)
            codes[:, j] = found if self.maps is None else self.maps[j][found]
        return self.index.find(codes) if batch.num_rows else np.zeros(0, np.int64)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The released records of a batch, in their order; identifiers are gone."""
        import pyarrow as pa

        arrays, names = self._columns(batch, self.rows(batch))
        return pa.RecordBatch.from_arrays(_plain(arrays, names, self.schema), names)

    def coded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same records, the recoded columns as numbers of their labels."""
        import pyarrow as pa

        return pa.RecordBatch.from_arrays(*self._columns(batch, self.rows(batch)))

    def table(self, table: pa.Table, member: NDArray[np.int64] | None = None) -> tuple[pa.Table, NDArray[np.int64]]:
        """The released table, and from which row of the input each of its rows comes."""
        import pyarrow as pa

        place = self.rows(table) if member is None else member
        arrays, names = self._columns(table, place)
        kept = np.arange(len(place)) if self.dropped is None else np.flatnonzero(~self.dropped[place])
        return pa.table(_plain(arrays, names, self.schema), names=names), kept

    def _columns(self, batch: pa.RecordBatch | pa.Table, place: NDArray[np.int64]) -> tuple[list[pa.Array], list[str]]:
        import pyarrow as pa

        if self.dropped is not None:
            kept = np.flatnonzero(~self.dropped[place])
            batch, place = batch.take(kept), place[kept]
        quasi = {name: j for j, name in enumerate(self.schema.quasi)}
        names = [name for name in batch.schema.names if name not in self.schema.identifiers]
        arrays = []
        for name in names:
            if name in quasi:
                j = quasi[name]
                codes = pa.array(self.output[place, j])
                words = pa.array(self.labels[j], pa.string())
                arrays.append(pa.DictionaryArray.from_arrays(codes, words))
            else:
                arrays.append(batch.column(name))
        return arrays, names


def _plain(arrays: Sequence[pa.Array], names: Sequence[str], schema: Schema) -> list[pa.Array]:
    """The columns with the texts of recoded ones in place of their numbers."""
    import pyarrow as pa

    return [one.cast(pa.string()) if name in schema.quasi else one for one, name in zip(arrays, names, strict=True)]
