"""Junction trees: exact marginals of a graphical model over a few discrete columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng

__all__ = ["JunctionTree", "tree_cells"]

Floats = NDArray[np.float64]
Columns = tuple[int, ...]
"""Positions of columns in increasing order."""


def _cliques(sizes: Sequence[int], wanted: Iterable[Columns]) -> list[Columns]:
    """Maximal cliques of a triangulation of the graph in which wanted columns are joined: eliminate the column whose
    clique has the fewest cells first."""
    near: dict[int, set[int]] = {column: set() for column in range(len(sizes))}
    for columns in wanted:
        for column in columns:
            near[column] |= set(columns) - {column}
    found: list[set[int]] = []
    while near:
        column = min(near, key=lambda c: (prod(sizes[v] for v in near[c]) * sizes[c], c))
        around = near.pop(column)
        clique = around | {column}
        if not any(clique <= other for other in found):
            found.append(clique)
        for one in around:
            near[one] = (near[one] | around) - {one, column}
    return [tuple(sorted(clique)) for clique in found]


def tree_cells(sizes: Sequence[int], wanted: Iterable[Columns]) -> int:
    """How many cells the cliques of a junction tree have that holds all wanted sets of columns.

    >>> tree_cells([2, 3, 5], [(0, 1), (1, 2)])
    21
    """
    return sum(prod(sizes[column] for column in clique) for clique in _cliques(sizes, wanted))


class JunctionTree:
    """The law p(x) ∝ exp Σ_c θ_c(x_c) over the cliques c of a tree, with its marginals by message passing.

    Parameters
    ----------
    sizes : sequence of int
        How many values each column has.
    wanted : iterable of tuples of int
        Sets of columns, each of which lies in one clique.
    """

    def __init__(self, sizes: Sequence[int], wanted: Iterable[Columns]) -> None:
        self.sizes = tuple(sizes)
        cliques = _cliques(sizes, wanted)
        # A tree with the largest separators, grown clique by clique, has the running intersection property.
        order, parents = [0], [-1]
        while len(order) < len(cliques):
            outside = [i for i in range(len(cliques)) if i not in order]
            shared = {(i, p): len(set(cliques[i]) & set(cliques[p])) for i in outside for p in order}
            child, parent = max(shared, key=lambda pair: (shared[pair], -pair[0], -pair[1]))
            parents.append(order.index(parent))
            order.append(child)
        self.cliques = [cliques[i] for i in order]
        self.parents = parents
        self.separators: list[Columns] = [
            () if p < 0 else tuple(sorted(set(self.cliques[i]) & set(self.cliques[p]))) for i, p in enumerate(parents)
        ]

    def shape(self, columns: Columns) -> tuple[int, ...]:
        """The shape of a marginal."""
        return tuple(self.sizes[column] for column in columns)

    def home(self, columns: Columns) -> int:
        """A clique that holds all of some columns."""
        return next(i for i, clique in enumerate(self.cliques) if set(columns) <= set(clique))

    def aligned(self, values: Floats, columns: Columns, clique: Columns) -> Floats:
        """A marginal over ``columns`` shaped so that it broadcasts over a clique that holds them."""
        return values.reshape([self.sizes[column] if column in columns else 1 for column in clique])

    def beliefs(self, potentials: Sequence[Floats]) -> list[Floats]:
        """The probabilities of the cells of every clique."""
        mixed = list(potentials)
        sent: list[Floats] = [np.zeros(())] * len(mixed)
        for i in range(len(mixed) - 1, 0, -1):  # towards the root
            p = self.parents[i]
            sent[i] = _log_sum(mixed[i], self.cliques[i], self.separators[i])
            mixed[p] = mixed[p] + self.aligned(sent[i], self.separators[i], self.cliques[p])
        for i in range(1, len(mixed)):  # and back
            p = self.parents[i]
            back = _log_sum(mixed[p], self.cliques[p], self.separators[i]) - sent[i]
            mixed[i] = mixed[i] + self.aligned(back, self.separators[i], self.cliques[i])
        return [_normalised(one) for one in mixed]


class Law:
    """A law on a junction tree by the probabilities of its cliques."""

    def __init__(self, tree: JunctionTree, beliefs: Sequence[Floats]) -> None:
        self.tree, self.beliefs = tree, list(beliefs)

    @cached_property
    def conditionals(self) -> list[Floats]:
        """The law of each clique given its separator."""
        found = []
        for belief, clique, separator in zip(self.beliefs, self.tree.cliques, self.tree.separators, strict=True):
            given = self.tree.aligned(_sum_to(belief, clique, separator), separator, clique)
            found.append(np.divide(belief, given, out=np.zeros_like(belief), where=given > 0))
        return found

    @cached_property
    def _below(self) -> list[set[int]]:
        """The columns in the subtree of each clique, without its separator."""
        found = [set(clique) - set(sep) for clique, sep in zip(self.tree.cliques, self.tree.separators, strict=True)]
        for i in range(len(found) - 1, 0, -1):
            found[self.tree.parents[i]] |= found[i]
        return found

    def marginal(self, columns: Columns) -> Floats:
        """The probabilities of the values of some columns, in one clique or not."""
        return self._message(0, set(columns))[0]

    def _message(self, i: int, wanted: set[int]) -> tuple[Floats, Columns]:
        """The law of the wanted columns of a subtree given its separator, and which columns these are together."""
        tree = self.tree
        parts: list[tuple[Floats, Columns]] = [(self.conditionals[i], tree.cliques[i])]
        for child in range(i + 1, len(tree.cliques)):
            if tree.parents[child] == i and wanted & self._below[child]:
                parts.append(self._message(child, wanted))
        kept = tuple(sorted((wanted & self._below[i]) | set(tree.separators[i])))
        place = {column: at for at, column in enumerate(sorted(set().union(*(names for _, names in parts))))}
        operands: list[Any] = []
        for values, names in parts:  # einsum knows 52 names, as many as the columns that meet here
            operands += [values, [place[column] for column in names]]
        total: Floats = np.einsum(*operands, [place[column] for column in kept], optimize="greedy")
        return total, kept

    def draw(self, count: int, rng: Rng) -> NDArray[np.int64]:
        """Records from the law, one row each: clique by clique, given the columns that are there already."""
        tree = self.tree
        rows = np.zeros((count, len(tree.sizes)), np.int64)
        for clique, separator, law in zip(tree.cliques, tree.separators, self.conditionals, strict=True):
            fresh = tuple(column for column in clique if column not in separator)
            axes = [clique.index(column) for column in (*separator, *fresh)]
            table = law.transpose(axes).reshape(prod(tree.shape(separator)), -1)
            given = np.zeros(count, np.int64)
            for column in separator:
                given = given * tree.sizes[column] + rows[:, column]
            cell = _drawn(table, given, rng)
            for column in reversed(fresh):
                cell, rows[:, column] = np.divmod(cell, tree.sizes[column])
        return rows


def _drawn(table: Floats, given: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
    """A cell of the row of ``table`` that each entry of ``given`` names, by its probabilities."""
    sums = np.cumsum(table, axis=1)
    total = np.where(sums[:, -1:] > 0, sums[:, -1:], 1.0)
    ends = sums / total
    ends[:, -1] = 1.0
    flat = (ends + np.arange(len(table))[:, None]).ravel()  # row i has the ends i … i + 1
    place = np.searchsorted(flat, given + rng.random(len(given)), side="right")
    return np.minimum(place, (given + 1) * table.shape[1] - 1) - given * table.shape[1]


def _log_sum(values: Floats, clique: Columns, kept: Columns) -> Floats:
    axes = tuple(place for place, column in enumerate(clique) if column not in kept)
    if not axes:
        return values
    top = values.max(axis=axes, keepdims=True)
    total = np.log(np.exp(values - top).sum(axis=axes, keepdims=True)) + top
    return np.asarray(total.squeeze(axes))


def _sum_to(values: Floats, clique: Columns, kept: Columns) -> Floats:
    axes = tuple(place for place, column in enumerate(clique) if column not in kept)
    return np.asarray(values.sum(axis=axes))


def _normalised(values: Floats) -> Floats:
    shifted = np.exp(values - values.max())
    return np.asarray(shifted / shifted.sum())
