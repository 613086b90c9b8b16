"""How likely a released table makes the record of a person, read as a density over all records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.label_column import LabelColumn, label_columns
from sfumato.table.core.rules.hierarchy_rules import Flat
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import distinct, leaf_codes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Likeness", "person_codes", "whole_schema"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 20_000
"""Released records that are compared with each person; of more, so many are drawn."""


def whole_schema(schema: Schema, names: Sequence[str], *tables: pa.Table) -> Schema:
    """The schema in which all the named columns, sensitive ones too, have a hierarchy for the values of the tables."""
    trees = {**schema.quasi, **schema.secrets}
    given = {name: Flat() if trees[name] is None else trees[name] for name in names}
    return Schema(quasi=given, missing=schema.missing, missing_values=schema.missing_values).bound(*tables)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A released table as a density: each record spreads over the values its labels cover, and a little beyond.

    The density of a record x is Σ_r Π_j [(1 − λ)·1{x_j in label r_j}/|r_j| + λ·b_j(x_j)] over released records r, where
    b_j is the share of x_j in the released column. With λ → 0 only records that fit in every column count; a larger λ
    lets others speak that differ in some.

    Parameters
    ----------
    tuples, counts : ndarray
        Distinct released label tuples, and how often each occurs.
    kernels : list of ndarray of shape (values, labels)
        1{x in label}/|label| of every column.
    base : list of ndarray of shape (values,)
        b_j.
    """

    tuples: Ints
    counts: Floats
    kernels: list[Floats]
    base: list[Floats]

    @classmethod
    def of(cls, release: pa.Table, schema: Schema, rng: Rng) -> Likeness:
        """Read a release by a schema whose quasi-identifiers are all columns that count."""
        if not release.num_rows:
            raise InputError("the release has no records: nothing can be compared with them")
        if release.num_rows > MOST:
            release = release.take(np.sort(rng.choice(release.num_rows, MOST, replace=False)))
        columns: list[LabelColumn] = list(label_columns(release, schema).values())
        codes = np.stack([column.codes for column in columns], axis=1)
        tuples, member = distinct(codes, [column.weights.shape[0] for column in columns])
        shares = [np.asarray(column.histogram).reshape(-1) / release.num_rows for column in columns]
        spread = [np.ascontiguousarray(column.weights.toarray().T) for column in columns]
        return cls(tuples, np.bincount(member).astype(np.float64), spread, shares)

    def density(self, people: Ints, smoothing: float) -> Floats:
        """The density of each person's values, by all columns."""
        total: Floats = self.by_label(people, smoothing, None).sum(axis=1)
        return total / self.counts.sum()

    def by_label(self, people: Ints, smoothing: float, secret: int | None) -> Floats:
        """The density of each person, summed by the label of column ``secret``, which is not compared."""
        width = self.tuples.shape[1]
        used = [j for j in range(width) if j != secret]
        labels = self.tuples[:, secret] if secret is not None else np.zeros(len(self.tuples), np.int64)
        out = np.zeros((len(people), int(labels.max()) + 1))
        values = max(len(self.base[j]) for j in used)
        kinds = max(self.kernels[j].shape[1] for j in used)
        table = np.zeros((len(used), values, kinds))
        for place, j in enumerate(used):
            size, count = self.kernels[j].shape
            floor = smoothing * np.maximum(self.base[j], 1e-9)
            table[place, :size, :count] = (1 - smoothing) * self.kernels[j] + floor[:, None]
        _gather(people[:, used], np.ascontiguousarray(self.tuples[:, used]), self.counts, labels, table, out)
        return out


@njit(cache=True)
def _gather(people, tuples, counts, labels, table, out):  # type: ignore[no-untyped-def]
    # out[i, v] holds the density of person i by the released tuples seen so far whose secret label is v.
    for i in range(people.shape[0]):
        for r in range(tuples.shape[0]):
            weight = counts[r]
            for j in range(people.shape[1]):
                weight *= table[j, people[i, j], tuples[r, j]]
            out[i, labels[r]] += weight


def person_codes(people: pa.Table, schema: Schema) -> Ints:
    """The values of each person as positions in the hierarchies."""
    trees: dict[str, Hierarchy] = dict(schema.quasi)
    return np.stack([leaf_codes(people[name], tree, name, schema) for name, tree in trees.items()], axis=1)
