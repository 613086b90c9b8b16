"""Columns of released labels, each read as a distribution over the values it may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.table.core.channel import coverage
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of

__all__ = ["LabelColumn", "label_columns", "leaf_numbers"]

Floats = NDArray[np.float64]


def leaf_numbers(tree: Hierarchy) -> Floats | None:
    """The values of a column of numbers, or None."""
    try:
        return np.array([float(leaf) for leaf in tree.leaves])
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A column of a table: the label of each row and, for each label, a distribution over the values.

    Parameters
    ----------
    tree : Hierarchy
    codes : ndarray of shape (rows,)
    weights : ndarray of shape (labels, values)
        Rows sum to 1: the values a label covers, alike.
    numbers : ndarray of shape (labels,), or None
        The number a label stands for on average, if the column holds numbers.
    """

    tree: Hierarchy
    codes: NDArray[np.int64]
    weights: Floats
    numbers: Floats | None

    @property
    def features(self) -> Floats:
        """The column as learners take it: a number, or one indicator a value with the expected share."""
        return self.weights[self.codes] if self.numbers is None else self.numbers[self.codes, None]

    @property
    def histogram(self) -> Floats:
        """How often each value occurs, by expectation."""
        return np.bincount(self.codes, minlength=len(self.weights)) @ self.weights

    @property
    def information_loss(self) -> Floats:
        """(values covered − 1)/(domain − 1) of each row."""
        covered = (self.weights > 0).sum(1)
        return ((covered - 1) / max(self.tree.size - 1, 1))[self.codes]


def label_columns(table: Any, schema: Schema) -> dict[str, LabelColumn]:
    """All quasi-identifiers of a raw or released table.

    A number that is no value of its column (noise, a mean) stands for the nearest one; any other label must be a node,
    a set or a range.
    """
    arrow = arrow_of(table)
    found = {}
    for name, tree in schema.quasi.items():
        codes, labels = labels_of(arrow[name], schema.missing_values)
        words = [schema.missing_label(name) if label is None else label for label in labels[:-1]]
        if (codes == len(labels) - 1).any():
            words.append(schema.missing_label(name))
        leaves = leaf_numbers(tree)
        free = [_number(word) if leaves is not None and word not in tree.nodes else None for word in words]
        covers = np.zeros((len(words), tree.size))
        fixed = [i for i, value in enumerate(free) if value is None]
        if fixed:
            covers[fixed] = coverage(tree, [words[i] for i in fixed], name).likelihood.T
        numbers = None
        for i, value in enumerate(free):
            if value is not None and leaves is not None:
                covers[i, int(np.abs(leaves - value).argmin())] = 1.0
        weights = covers / covers.sum(1, keepdims=True)
        if leaves is not None:
            numbers = weights @ leaves
            for i, value in enumerate(free):
                if value is not None:
                    numbers[i] = value
        found[name] = LabelColumn(tree, codes, weights, numbers)
    return found


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
