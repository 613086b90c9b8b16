"""Tables of numbers and categories, coded alike, and their nearest records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import column, is_frame, missing_columns, to_arrow
from sfumato.model.core.nearest import Neighbours, points
from sfumato.validate import finite_array, integer

__all__ = ["MixedRows", "closest_records", "code_together", "embed"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MixedRows:
    """Records as numbers and category codes.

    ``numbers`` are divided by the range that the first table has, so that a difference of 1 is as large as a different
    category; ``raw`` are the same before that.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]
    raw: NDArray[np.float64]
    number_names: tuple[str, ...]
    code_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns: numbers first."""
        return (*self.number_names, *self.code_names)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def take(self, rows: NDArray[Any]) -> MixedRows:
        """Some of the records."""
        return MixedRows(
            numbers=self.numbers[rows],
            codes=self.codes[rows],
            raw=self.raw[rows],
            number_names=self.number_names,
            code_names=self.code_names,
        )

    def select(self, names: Sequence[str]) -> MixedRows:
        """Some of the columns."""
        missing_columns(names, self.names, "the table")
        first = [place for place, name in enumerate(self.number_names) if name in names]
        second = [place for place, name in enumerate(self.code_names) if name in names]
        return MixedRows(
            numbers=np.ascontiguousarray(self.numbers[:, first]),
            codes=np.ascontiguousarray(self.codes[:, second]),
            raw=self.raw[:, first],
            number_names=tuple(self.number_names[place] for place in first),
            code_names=tuple(self.code_names[place] for place in second),
        )


def code_together(*tables: Any) -> list[MixedRows]:
    """Code several tables alike: frames with the same columns, or arrays of numbers.

    A column is a category if it holds anything but numbers in any table. Ranges are those of the first table.

    >>> import pyarrow as pa
    >>> first, second = pa.table({"age": [20, 40], "sex": ["f", "m"]}), pa.table({"age": [30], "sex": ["m"]})
    >>> people, others = code_together(first, second)
    >>> people.numbers.ravel(), others.numbers.ravel(), others.codes.ravel()
    (array([1., 2.]), array([1.5]), array([1], dtype=int32))
    """
    if not any(is_frame(table) for table in tables):
        flat = [points("table", table) for table in tables]
        names = [f"x{place}" for place in range(flat[0].shape[1])]
        if {part.shape[1] for part in flat} != {len(names)}:
            raise bad_input("tables", [part.shape[1] for part in flat], "the same number of columns in each")
        columns = [{name: part[:, place] for place, name in enumerate(names)} for part in flat]
    else:
        frames = [to_arrow(table) for table in tables]
        names = list(frames[0].column_names)
        for frame in frames:
            if sorted(frame.column_names) != sorted(names):
                raise bad_input("columns", frame.column_names, f"those of the first table: {', '.join(names)}")
            if not frame.num_rows:
                raise InputError("a table has no records: expected at least one")
        columns = [{name: column(frame, name) for name in names} for frame in frames]
    numeric = [name for name in names if all(part[name].dtype.kind in "iuf" for part in columns)]
    others = [name for name in names if name not in numeric]
    low = {name: float(columns[0][name].min()) for name in numeric}
    span = {name: (float(columns[0][name].max()) - low[name]) or 1.0 for name in numeric}
    coded = _codes(columns, others)
    out = []
    for part, codes in zip(columns, coded, strict=True):
        count = len(part[names[0]])
        raw = np.empty((count, len(numeric)))
        for place, name in enumerate(numeric):
            raw[:, place] = finite_array(f"column {name!r}", part[name], ndim=1)
        scaled = raw / np.array([span[name] for name in numeric]) if numeric else raw
        made = MixedRows(numbers=scaled, codes=codes, raw=raw, number_names=tuple(numeric), code_names=tuple(others))
        out.append(made)
    return out


def _codes(columns: Sequence[dict[str, NDArray[Any]]], names: Sequence[str]) -> list[NDArray[np.int32]]:
    """Numbers for categories, the same in all tables, in alphabetical order."""
    import pyarrow as pa

    out = [np.empty((len(next(iter(part.values()))), len(names)), np.int32) for part in columns]
    for place, name in enumerate(names):
        coded = [pa.array(part[name]).cast(pa.string()).dictionary_encode() for part in columns]
        levels = sorted({text for part in coded for text in part.dictionary.to_pylist()})
        number = {text: code for code, text in enumerate(levels)}
        for made, part in zip(out, coded, strict=True):
            common = np.array([number[text] for text in part.dictionary.to_pylist()], np.int32)
            made[:, place] = common[part.indices.to_numpy()]
    return out


def embed(rows: MixedRows, spread: NDArray[np.float64] | None = None, levels: Sequence[int] = ()) -> Any:
    """Rows as points: numbers divided by ``spread``, a category as 1/√2 on an axis of its own.

    The squared Euclidean distance then is the sum of squared standardised differences plus the number of different
    categories.
    """
    scale = rows.raw.std(axis=0) if spread is None else spread
    parts = [rows.raw / np.where(scale > 0, scale, 1.0)]
    for place in range(rows.codes.shape[1]):
        axes = np.zeros((len(rows), levels[place]))
        axes[np.arange(len(rows)), rows.codes[:, place]] = np.sqrt(0.5)
        parts.append(axes)
    return np.concatenate(parts, axis=1)


def closest_records(known: MixedRows, queries: MixedRows, *, count: int = 1, itself: bool = True) -> Neighbours:
    """The ``count`` closest records under Gower's distance: mean over columns of |difference|/range or inequality.

    Parameters
    ----------
    itself : bool
        Whether record i of ``known`` may be the neighbour of query i; False for the neighbours within one table.

    Memory is that of the result: no matrix of distances is made.

    >>> people, others = code_together([[0.0], [10.0]], [[4.0]])
    >>> closest_records(people, others, count=2).distance
    array([[0.4, 0.6]])
    """
    if known.names != queries.names:
        raise bad_input("queries", queries.names, "the columns of the known records", "code the tables together")
    count = integer("count", count, most=len(known) - (not itself), remedy="there are no more records")
    distance, index = np.full((len(queries), count), np.inf), np.full((len(queries), count), -1, np.int64)
    # Codes as floats: compilers make wide instructions of a loop only if all its numbers have one width.
    parts = (known.numbers, known.codes, queries.numbers, queries.codes)
    columns = [np.ascontiguousarray(part.T, np.float64) for part in parts]
    _search(*columns, itself, distance, index)
    return Neighbours(distance / max(1, known.width), index)


@njit(cache=True, nogil=True)
def _search(known, codes, wanted, wanted_codes, itself, distance, index):  # type: ignore[no-untyped-def]
    # Columns are rows here (known[c, j]), so that the sums of one block of records are made by straight loops.
    # distance[i] holds the smallest sums found so far in increasing order, index[i] whose they are; of equal sums the
    # first record stays.
    count, size = distance.shape[1], known.shape[1]
    block = 1024
    total = np.empty(block)
    for i in range(distance.shape[0]):
        worst = np.inf
        for start in range(0, size, block):
            width = min(block, size - start)
            total[:] = 0.0
            for c in range(codes.shape[0]):
                own, row = wanted_codes[c, i], codes[c, start : start + width]
                for k in range(width):
                    total[k] += 0.0 if row[k] == own else 1.0
            for c in range(known.shape[0]):
                value, row = wanted[c, i], known[c, start : start + width]
                for k in range(width):
                    total[k] += abs(row[k] - value)
            if not itself and start <= i < start + width:
                total[i - start] = np.inf
            for k in range(width):
                one = total[k]
                if one < worst:
                    place = count - 1
                    while place > 0 and distance[i, place - 1] > one:
                        distance[i, place] = distance[i, place - 1]
                        index[i, place] = index[i, place - 1]
                        place -= 1
                    distance[i, place] = one
                    index[i, place] = start + k
                    worst = distance[i, count - 1]
