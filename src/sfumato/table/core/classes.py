"""The classes of a table: sizes and the sensitive values in each, and every measure taken of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.summary import Compact, Sensitive, distinct

__all__ = ["Classes", "tree_distance"]

Floats = NDArray[np.float64]
CELLS = 1 << 22
"""How many cells of a class × value histogram are held at once."""


@dataclass(frozen=True, eq=False)
class Classes:
    """A partition of the tuples of a table.

    Parameters
    ----------
    table : Compact
    member : ndarray of shape (tuples,)
        The class of each tuple, −1 for a tuple that is not looked at.
    number : int
        How many classes there are.
    """

    table: Compact
    member: NDArray[np.int64]
    number: int

    @classmethod
    def by_value(cls, table: Compact) -> Classes:
        """Classes of the table as it is: one for each distinct tuple."""
        return cls(table, np.arange(len(table.codes)), len(table.codes))

    @classmethod
    def at_levels(cls, table: Compact, levels: Sequence[int]) -> Classes:
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

    # --- sensitive values ---------------------------------------------------------------------------------------

    def blocks(self, column: Sensitive) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Histograms class × value, as many classes at a time as fit."""
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

    def _each(
        self, name: str, measure: Callable[[NDArray[np.int64], Sensitive], NDArray[Any]], dtype: Any
    ) -> NDArray[Any]:
        column = self.table.column(name)
        result = np.empty(self.number, dtype)
        for part, histogram in self.blocks(column):
            result[part] = measure(histogram, column)
        return result

    def distinct(self, name: str) -> NDArray[np.int64]:
        """How many different values each class holds."""
        return self._each(name, lambda h, _: (h > 0).sum(1), np.int64)

    def entropy(self, name: str) -> Floats:
        """−Σ p ln p of each class."""

        def measure(histogram: NDArray[np.int64], _: Sensitive) -> Floats:
            share = histogram / np.maximum(histogram.sum(1, keepdims=True), 1)
            return -np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=1)

        return self._each(name, measure, np.float64)

    def closeness(self, name: str, distance: str = "equal", reference: Floats | None = None) -> Floats:
        """Earth mover's distance of each class to the table (or to ``reference``, frequencies that sum to 1)."""
        column = self.table.column(name)
        whole = column.histogram / column.histogram.sum() if reference is None else reference
        if distance == "hierarchical" and column.hierarchy is None:
            raise bad_input("distance", distance, f"a hierarchy for {name}", "give it one in the schema")

        def measure(histogram: NDArray[np.int64], column: Sensitive) -> Floats:
            gap = histogram / np.maximum(histogram.sum(1, keepdims=True), 1) - whole
            if distance == "equal":
                return 0.5 * np.abs(gap).sum(1)
            if distance == "ordered":
                return np.abs(np.cumsum(gap, axis=1)).sum(1) / max(gap.shape[1] - 1, 1)
            assert column.hierarchy is not None
            return tree_distance(gap, column.hierarchy)

        return self._each(name, measure, np.float64)

    def recursive(
        self, name: str, c: float, length: int, allowed: Sequence[str], always: Sequence[str], share: float
    ) -> NDArray[np.bool_]:
        """Recursive (c, l)-diversity with its positive- and negative-disclosure parts."""
        column = self.table.column(name)
        free, must = _places(column, allowed), _places(column, always)

        def measure(histogram: NDArray[np.int64], _: Sensitive) -> NDArray[np.bool_]:
            bounded = np.delete(histogram, free, axis=1)
            top = bounded.max(1, initial=0)  # r_y: the most frequent value that must not be disclosed
            falling = -np.sort(-histogram, axis=1)
            # with y ≤ l − 1 the tail starts at r_l; a bounded value further down leaves the tail from r_{l−1}
            rank = (histogram > top[:, None]).sum(1)  # y − 1
            tail_l = falling[:, length - 1 :].sum(1)
            tail_before = falling[:, max(length - 2, 0) :].sum(1) - top
            tail = np.where(rank + 1 <= length - 1, tail_l, tail_before) if length > 1 else tail_l
            good = (top < c * tail) | (top == 0)
            if not free.size:
                good &= (histogram > 0).sum(1) >= length
            rare = histogram[:, must] < (share - 1e-12) * histogram.sum(1, keepdims=True)
            return good & ~rare.any(1)

        return self._each(name, measure, np.bool_)


def _places(column: Sensitive, values: Sequence[str]) -> NDArray[np.int64]:
    unknown = [value for value in values if value not in column.values]
    if unknown:
        raise bad_input(f"value of {column.name}", unknown[0], "one of its values")
    return np.array([column.values.index(value) for value in values], np.int64)


def tree_distance(gap: Floats, tree: Hierarchy) -> Floats:
    """Earth mover's distance when moving mass costs the height of the lowest common ancestor over the tree's height.

    Mass that a node cannot settle among its children moves on to its parent: the cost is Σ over inner nodes of
    height(N)/H · min(surplus of its children, lack of its children).
    """
    height = tree.height - 1
    if height == 0:
        return np.zeros(len(gap))
    total = np.zeros(len(gap))
    extra = gap
    below = tree.codes[0]
    for level in range(1, tree.height):
        above = tree.codes[level]
        parent = np.zeros(extra.shape[1], np.int64)
        parent[below] = above
        join = np.zeros((extra.shape[1], len(tree.labels[level])))
        join[np.arange(extra.shape[1]), parent] = 1.0
        surplus, lack = np.maximum(extra, 0) @ join, np.maximum(-extra, 0) @ join
        total += level / height * np.minimum(surplus, lack).sum(1)
        extra, below = extra @ join, above
    return total
