"""Summary of a table: its distinct quasi-identifier tuples with counts.

Mechanisms decide on the summary alone; the decision is applied to the records by join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.value_labels import labels_of

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.table.core.schema import Schema

__all__ = ["Sensitive", "Summary", "distinct", "labels_of", "leaf_codes", "sensitive_counts", "summarise"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sensitive:
    """How often each tuple meets each value of one sensitive column: parallel arrays, ordered by value.

    Parameters
    ----------
    name : str
    values : tuple of str
        The domain in its order.
    tuples, codes, counts : ndarray
        Tuple, value and how often the two meet.
    hierarchy : Hierarchy or None
        The tree of the values where hierarchical distance is wanted.
    """

    name: str
    values: tuple[str, ...]
    tuples: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    hierarchy: Hierarchy | None = None

    @cached_property
    def histogram(self) -> NDArray[np.int64]:
        """How often each value occurs in the whole table."""
        return np.bincount(self.codes, self.counts, len(self.values)).astype(np.int64)

    def marked(self, values: Sequence[str]) -> NDArray[np.bool_]:
        """For each value of the domain, whether it is one of ``values``."""
        unknown = [value for value in values if value not in self.values]
        if unknown:
            raise bad_input(f"value of {self.name}", unknown[0], "one of its values")
        return np.isin(np.array(self.values, object), list(values)).astype(np.bool_)


@dataclass(frozen=True, eq=False)
class Summary:
    """Distinct quasi-identifier tuples with their counts.

    Parameters
    ----------
    names : tuple of str
    hierarchies : tuple of Hierarchy
    codes : ndarray of shape (tuples, columns)
        Positions of the values in their hierarchies.
    counts : ndarray of shape (tuples,)
    sensitive : tuple of Sensitive
    population : ndarray of shape (tuples,) or None
        How often each tuple occurs in the population the table was drawn from (models that need one).
    """

    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    sensitive: tuple[Sensitive, ...] = ()
    population: NDArray[np.int64] | None = None

    @cached_property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    @property
    def width(self) -> int:
        """How many quasi-identifiers there are."""
        return len(self.names)

    def column(self, name: str) -> Sensitive:
        """The sensitive column of that name."""
        for column in self.sensitive:
            if column.name == name:
                return column
        known = ", ".join(s.name for s in self.sensitive) or "there is none"
        raise bad_input("sensitive column", name, f"a sensitive column of the schema ({known})")

    def with_population(self, other: Summary) -> Summary:
        """The same table, with the counts of its population; tuples that only the population has get count 0."""
        stacked = np.concatenate([self.codes, other.codes])
        codes, inverse = distinct(stacked, [h.size for h in self.hierarchies])
        here = len(self.codes)
        counts = np.bincount(inverse[:here], self.counts, len(codes)).astype(np.int64)
        population = np.bincount(inverse[here:], other.counts, len(codes)).astype(np.int64)
        if (population < counts).any():
            at = int(np.flatnonzero(population < counts)[0])
            raise bad_input(
                "population",
                f"{population[at]} records where the table has {counts[at]}",
                "at least as many of every tuple",
                "the table must be a part of its population",
            )
        sensitive = tuple(replace(s, tuples=inverse[:here][s.tuples]) for s in self.sensitive)
        return replace(self, codes=codes, counts=counts, sensitive=sensitive, population=population)


def leaf_codes(column: pa.ChunkedArray | pa.Array, hierarchy: Hierarchy, name: str, schema: Schema) -> Ints:
    """Positions in the hierarchy; a value that is not there, or is missing under policy "reject", is refused."""
    codes, labels = labels_of(column, schema.missing_values, name)
    used = np.bincount(codes, minlength=len(labels)) > 0
    places = np.zeros(len(labels), np.int64)
    for i in np.flatnonzero(used):
        label = labels[i]
        if label is None:
            label = schema.missing_label(name)
        place = hierarchy.index.get(label)
        if place is None:
            raise bad_input(
                f"column {name!r}: value",
                label,
                f"one of the {hierarchy.size} values of its hierarchy",
                "add a row for it to the hierarchy",
            )
        places[i] = place
    return places[codes]


def distinct(codes: NDArray[np.int64], sizes: Sequence[int]) -> tuple[NDArray[np.int64], Ints]:
    """Distinct rows of a code matrix in lexicographic order, and for each row which of them it is.

    Columns are packed into one machine word as far as they fit; ranks replace the word when the next would not.
    """
    if codes.shape[1] == 0:
        return codes[: min(1, len(codes))], np.zeros(len(codes), np.int64)
    key = np.zeros(len(codes), np.int64)
    room = 1
    for j, size in enumerate(sizes):
        if room * max(size, 1) >= 2**62:
            ranks, key = np.unique(key, return_inverse=True)
            room = len(ranks)
            if room * max(size, 1) >= 2**62:
                raise InputError(
                    f"{room} distinct tuples × {size} values do not fit a machine word: use a coarser column"
                )
        key = key * size + codes[:, j]
        room *= max(size, 1)
    if room <= max(4 * len(codes), 1 << 16):  # few possible keys: no need to sort the rows
        ranks = np.cumsum(np.bincount(key, minlength=room) > 0) - 1
        inverse = ranks[key]
        first = np.empty(int(ranks[-1]) + 1, np.int64)
        first[inverse[::-1]] = np.arange(len(key) - 1, -1, -1)
    else:
        order = np.argsort(key)
        new = np.diff(key[order], prepend=-1) != 0
        inverse = np.empty(len(key), np.int64)
        inverse[order] = np.cumsum(new) - 1
        first = order[new]
    return np.ascontiguousarray(codes[first]), inverse


def summarise(table: pa.Table, schema: Schema, *, weight: str | None = None) -> tuple[Summary, Ints]:
    """The summary of a table and, for each of its rows, which tuple it is.

    Parameters
    ----------
    weight : str, optional
        Column with counts, if the table is already a summary.
    """
    schema.require(table.column_names)
    if table.num_rows == 0:
        raise InputError("table without rows: expected at least one record")
    names = tuple(schema.quasi)
    trees = tuple(schema.quasi[name] for name in names)
    matrix = np.empty((table.num_rows, len(names)), np.int64)
    for j, (name, tree) in enumerate(zip(names, trees, strict=True)):
        matrix[:, j] = leaf_codes(table[name], tree, name, schema)
    codes, inverse = distinct(matrix, [tree.size for tree in trees])
    weights = None if weight is None else table[weight].to_numpy().astype(np.int64)
    counts = np.bincount(inverse, weights, len(codes)).astype(np.int64)
    sensitive = sensitive_counts(table, schema, inverse, weights)
    return Summary(names, trees, codes, counts, sensitive), inverse


def sensitive_counts(
    table: pa.Table, schema: Schema, inverse: Ints, weights: Ints | None = None
) -> tuple[Sensitive, ...]:
    """How often each tuple (``inverse`` says which one each row has) meets each sensitive value."""
    columns = dict(schema.secrets)
    if schema.person is not None and schema.person in table.column_names:  # not in a release
        columns[schema.person] = None
    return tuple(_sensitive(table[name], name, tree, schema, inverse, weights) for name, tree in columns.items())


def _sensitive(
    column: pa.ChunkedArray,
    name: str,
    hierarchy: Hierarchy | None,
    schema: Schema,
    inverse: Ints,
    weights: Ints | None,
) -> Sensitive:
    if hierarchy is not None:
        values, codes = hierarchy.leaves, leaf_codes(column, hierarchy, name, schema)
    else:
        values, codes = _natural_order(column, name, schema)
    pair = codes * (inverse.max() + 1) + inverse
    keys, which = np.unique(pair, return_inverse=True)
    counts = np.bincount(which, weights, len(keys)).astype(np.int64)
    return Sensitive(name, values, keys % (inverse.max() + 1), keys // (inverse.max() + 1), counts, hierarchy)


def _natural_order(column: pa.ChunkedArray, name: str, schema: Schema) -> tuple[tuple[str, ...], Ints]:
    """The values that occur, in the order of numbers if all are numbers, else of their names."""
    codes, labels = labels_of(column, schema.missing_values, name)
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels))).tolist()
    named = {i: schema.missing_label(name) if labels[i] is None else str(labels[i]) for i in used}
    domain = set(named.values())
    try:
        order = sorted(domain, key=float)
    except ValueError:
        order = sorted(domain)
    place = {value: i for i, value in enumerate(order)}
    places = np.zeros(len(labels), np.int64)
    for i, value in named.items():
        places[i] = place[value]
    return tuple(order), places[codes]
