"""The classes of a table: how many records each has, and which sensitive values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.summary import Summary, distinct

__all__ = ["Classes"]

CELLS = 1 << 22
"""How many cells of a class × value histogram are held at once."""


@dataclass(frozen=True, eq=False)
class Classes:
    """A partition of the tuples of a table.

    Parameters
    ----------
    table : Summary
    member : ndarray of shape (tuples,)
        The class of each tuple, −1 for a tuple that is not looked at.
    number : int
        How many classes there are.
    """

    table: Summary
    member: NDArray[np.int64]
    number: int

    @classmethod
    def by_value(cls, table: Summary) -> Classes:
        """Classes of the table as it is: one for each distinct tuple."""
        return cls(table, np.arange(len(table.codes)), len(table.codes))

    @classmethod
    def at_levels(cls, table: Summary, levels: Sequence[int]) -> Classes:
        """Classes after full-domain generalisation."""
        coarse = np.stack(
            [
                h.codes[level][table.codes[:, j]]
                for j, (h, level) in enumerate(zip(table.hierarchies, levels, strict=True))
            ],
            axis=1,
        ).astype(np.int64)
        codes, member = distinct(coarse, [h.size for h in table.hierarchies])
        return cls(table, member, len(codes))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return self._sum(self.table.counts)

    @cached_property
    def population(self) -> NDArray[np.int64]:
        """Members of the population in each class."""
        if self.table.population is None:
            raise bad_input("population", None, "the table of the population", "give population= or --population")
        return self._sum(self.table.population)

    def _sum(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = self.member >= 0
        return np.bincount(self.member[inside], weights[inside], self.number).astype(np.int64)

    def only(self, keep: NDArray[np.bool_]) -> Classes:
        """The classes in ``keep`` alone."""
        new = np.where(keep, np.cumsum(keep) - 1, -1)
        return Classes(self.table, np.where(self.member >= 0, new[self.member], -1), int(keep.sum()))

    def merged(self, keep: NDArray[np.bool_]) -> Classes:
        """All classes in ``keep`` as one."""
        return Classes(self.table, np.where((self.member >= 0) & keep[self.member], 0, -1), 1)

    def blocks(self, name: str) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Histograms class × value of a sensitive column, as many classes at a time as fit."""
        column = self.table.column(name)
        values = len(column.values)
        member = self.member[column.tuples]
        inside = np.flatnonzero(member >= 0)
        if self.number * values > CELLS:
            inside = inside[np.argsort(member[inside], kind="stable")]
        member, codes, counts = member[inside], column.codes[inside], column.counts[inside]
        step = max(1, CELLS // max(values, 1))
        for start in range(0, self.number, step):
            stop = min(start + step, self.number)
            a, b = (0, len(member)) if step >= self.number else np.searchsorted(member, [start, stop])
            flat = (member[a:b] - start) * values + codes[a:b]
            histogram = np.bincount(flat, counts[a:b], (stop - start) * values)
            yield slice(start, stop), histogram.astype(np.int64).reshape(stop - start, values)
