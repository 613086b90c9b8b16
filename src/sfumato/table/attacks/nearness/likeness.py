"""How likely a released table makes the record of a person, read as a density over all records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

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

CELLS = 1 << 21
"""People × records that are weighed at once."""


def whole_schema(schema: Schema, names: Sequence[str], *tables: pa.Table) -> Schema:
    """The schema in which all the named columns, sensitive ones too, have a hierarchy for the values of the tables."""
    trees: dict[str, Any] = {**schema.quasi, **schema.secrets}
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
    spread : list of sparse arrays of shape (labels, values)
        1{x in label}/|label| of every column.
    base : list of ndarray of shape (values,)
        b_j.
    """

    tuples: Ints
    counts: Floats
    spread: list[csr_array]
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
        counts = np.bincount(member).astype(np.float64)
        return cls(tuples, counts, [column.weights for column in columns], shares)

    def density(self, people: Ints, smoothing: float) -> Floats:
        """The density of each person's values, by all columns."""
        total: Floats = self.by_label(people, smoothing, None).sum(axis=1)
        return total / self.counts.sum()

    def by_label(self, people: Ints, smoothing: float, secret: int | None) -> Floats:
        """The density of each person, summed by the label of column ``secret``, which is not compared."""
        labels = self.tuples[:, secret] if secret is not None else np.zeros(len(self.tuples), np.int64)
        out = np.empty((len(people), int(labels.max()) + 1))
        block = max(1, CELLS // len(self.tuples))
        for start in range(0, len(people), block):
            some = people[start : start + block]
            weights = np.tile(self.counts, (len(some), 1))
            for j in range(self.tuples.shape[1]):
                if j != secret:
                    self._weigh(weights, some[:, j], j, smoothing)
            for i, row in enumerate(weights):
                out[start + i] = np.bincount(labels, row, out.shape[1])
        return out

    def _weigh(self, weights: Floats, values: Ints, j: int, smoothing: float) -> None:
        """Multiply the weight of each person (row) and tuple by what column j says."""
        covers = self.spread[j].tocsc()
        order = np.argsort(self.tuples[:, j], kind="stable")
        begin = np.searchsorted(self.tuples[order, j], np.arange(covers.shape[0] + 1))
        floor = smoothing * np.maximum(self.base[j], 1e-9)
        _raise(weights, values, covers.indptr, covers.indices, (1 - smoothing) * covers.data, floor, begin, order)


# True after turn i: row i holds its weights times the floor of the person's value, and more where a label covers it.
@njit(cache=True)
def _raise(weights, values, starts, labels, gains, floor, begin, order):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        low = floor[values[i]]
        for t in range(weights.shape[1]):
            weights[i, t] *= low
        for at in range(starts[values[i]], starts[values[i] + 1]):
            factor = (low + gains[at]) / low
            for place in range(begin[labels[at]], begin[labels[at] + 1]):
                weights[i, order[place]] *= factor


def person_codes(people: pa.Table, schema: Schema) -> Ints:
    """The values of each person as positions in the hierarchies."""
    trees: dict[str, Hierarchy] = dict(schema.quasi)
    return np.stack([leaf_codes(people[name], tree, name, schema) for name, tree in trees.items()], axis=1)
