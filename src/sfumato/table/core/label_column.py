"""Columns of released labels, each read as a distribution over the values it may stand for."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.table.core.channel import covered_places
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import MISSING, Schema
from sfumato.table.core.value_labels import labels_of, number_of

__all__ = ["FEATURES", "LabelColumn", "label_columns", "leaf_numbers", "leaf_scale"]

Floats = NDArray[np.float64]

FEATURES = 64
"""Indicators that a column of words has at most."""


def leaf_numbers(tree: Hierarchy) -> Floats | None:
    """The values of a column of numbers, NaN for a missing one; None if others are words."""
    try:
        found = np.array([np.nan if leaf == MISSING else float(leaf) for leaf in tree.leaves])
    except ValueError:
        return None
    return None if np.isnan(found).all() else found


def leaf_scale(tree: Hierarchy) -> Floats | None:
    """The values of a column of numbers or dates on one scale, a missing value in their middle; None for words."""
    words = [leaf for leaf in tree.leaves if leaf != MISSING]
    try:
        found = np.array([float(word) for word in words])
    except ValueError:
        try:
            found = np.array([float(dt.date.fromisoformat(word[:10]).toordinal()) for word in words])
        except ValueError:
            return None
    if not len(found):
        return None
    scale = np.full(tree.size, found.mean())
    scale[[i for i, leaf in enumerate(tree.leaves) if leaf != MISSING]] = found
    return scale


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A column of a table: the label of each row and, for each label, a distribution over the values.

    Parameters
    ----------
    tree : Hierarchy
    codes : ndarray of shape (rows,)
    weights : sparse array of shape (labels, values)
        Rows sum to 1: the values a label covers, alike.
    numbers : ndarray of shape (labels,), or None
        The number a label stands for on average, if the column holds numbers.
    """

    tree: Hierarchy
    codes: NDArray[np.int64]
    weights: Any
    numbers: Floats | None

    @cached_property
    def by_label(self) -> Floats:
        """Each label as learners take it: a number, or one indicator a value with the expected share. Of a column of
        words with many values, the nodes of the finest level with at most :data:`FEATURES` of them."""
        if self.numbers is not None:
            return self.numbers[:, None]
        level = next(
            i for i, names in enumerate(self.tree.labels) if len(names) <= FEATURES or i + 1 == self.tree.height
        )
        nodes = self.tree.codes[level]
        member = csr_array((np.ones(len(nodes)), nodes, np.arange(len(nodes) + 1)))
        shares: Floats = (self.weights @ member).toarray()
        return shares

    @property
    def features(self) -> Floats:
        """The features of each row (:attr:`by_label`)."""
        return self.by_label[self.codes]

    @property
    def histogram(self) -> Floats:
        """How often each value occurs, by expectation."""
        counted: Floats = np.bincount(self.codes, minlength=self.weights.shape[0]) @ self.weights
        return counted

    @property
    def information_loss(self) -> Floats:
        """(values covered − 1)/(domain − 1) of each row."""
        covered = np.diff(self.weights.indptr)
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
        leaves, scale = leaf_numbers(tree), leaf_scale(tree)
        free = [number_of(word) if leaves is not None and word not in tree.nodes else None for word in words]
        covered = [
            covered_places(tree, word, name)
            if value is None or leaves is None
            else np.array([int(np.nanargmin(np.abs(leaves - value)))])
            for word, value in zip(words, free, strict=True)
        ]
        sizes = np.array([len(values) for values in covered])
        weights = csr_array(
            (np.repeat(1 / sizes, sizes), np.concatenate(covered), np.concatenate([[0], np.cumsum(sizes)])),
            shape=(len(words), tree.size),
        )
        numbers = None if scale is None else np.asarray(weights @ scale)
        if numbers is not None:
            for i, value in enumerate(free):
                if value is not None:
                    numbers[i] = value
        found[name] = LabelColumn(tree, codes, weights, numbers)
    return found
