"""What generalisation costs: losses that add up over cells, and losses of whole classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Compact
from sfumato.validate import positive

__all__ = [
    "AverageClassSize",
    "CellLoss",
    "ClassLoss",
    "ClassificationLoss",
    "Discernibility",
    "InformationLoss",
    "Loss",
    "NonUniformEntropy",
    "named_loss",
]

Floats = NDArray[np.float64]


class Loss:
    """A loss: 0 for the raw table."""

    name: str = ""


@dataclass(frozen=True)
class CellLoss(Loss):
    """A loss that is a weighted mean over the quasi-identifier cells; a suppressed cell costs what the root costs.

    Parameters
    ----------
    weights : mapping of str to float
        Relative weight of each column, 1 by default.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    @abstractmethod
    def cells(self, table: Compact, column: int) -> Floats:
        """Cost of each value (second axis) at each level (first axis), at most 1 on average."""

    def tables(self, table: Compact) -> Floats:
        """Cost of a cell, by column, level and value; a whole record costs their sum."""
        unknown = set(self.weights) - set(table.names)
        if unknown:
            raise bad_input("weights", sorted(unknown)[0], "a quasi-identifier: " + ", ".join(table.names))
        weights = np.array([positive(f"weights[{n}]", self.weights.get(n, 1.0), zero=True) for n in table.names])
        if weights.sum() <= 0:
            raise bad_input("weights", dict(self.weights), "at least one weight > 0")
        weights = weights / weights.sum()
        height = max(tree.height for tree in table.hierarchies)
        size = max(tree.size for tree in table.hierarchies)
        result = np.zeros((table.width, height, size))
        for j, tree in enumerate(table.hierarchies):
            result[j, : tree.height, : tree.size] = weights[j] * self.cells(table, j)
            result[j, tree.height :, : tree.size] = result[j, tree.height - 1, : tree.size]
        return result


@dataclass(frozen=True)
class InformationLoss(CellLoss):
    """Generalised information loss: mean over quasi cells of (leaves − 1)/(domain − 1); a suppressed cell costs 1."""

    name = "information"

    def cells(self, table: Compact, column: int) -> Floats:
        tree = table.hierarchies[column]
        return np.stack([tree.loss(level) for level in range(tree.height)])


@dataclass(frozen=True)
class NonUniformEntropy(CellLoss):
    """Non-uniform entropy: the mean of −log Pr[value | generalised value], 1 when everything is suppressed."""

    name = "entropy"

    def cells(self, table: Compact, column: int) -> Floats:
        tree = table.hierarchies[column]
        frequency = np.bincount(table.codes[:, column], table.counts, tree.size)
        result = np.zeros((tree.height, tree.size))
        for level in range(tree.height):
            above = np.bincount(tree.codes[level], frequency)[tree.codes[level]]
            np.log(above, out=result[level], where=above > 0)
            result[level] -= np.log(np.where(frequency > 0, frequency, 1.0))
        result[:, frequency == 0] = 0.0
        whole = float(result[-1] @ frequency) / table.rows
        return result / whole if whole > 0 else result


class ClassLoss(Loss):
    """A loss of whole classes."""

    @abstractmethod
    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        """The loss when the classes in ``kept`` are released and the others suppressed."""

    def floor(self, sizes: NDArray[np.int64]) -> float:
        """At least what every generalisation of classes of these ``sizes`` loses."""
        return 0.0


@dataclass(frozen=True)
class Discernibility(ClassLoss):
    """Discernibility: Σ|class|² over released classes plus rows·|class| over suppressed ones."""

    name = "discernibility"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        sizes = classes.sizes.astype(np.float64)
        return float((sizes[kept] ** 2).sum() + classes.table.rows * sizes[~kept].sum())

    def floor(self, sizes: NDArray[np.int64]) -> float:
        return float((sizes.astype(np.float64) ** 2).sum())


@dataclass(frozen=True)
class AverageClassSize(ClassLoss):
    """Mean size of the released classes; suppressed records count as one class."""

    name = "class-size"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        kept = kept & (classes.sizes > 0)
        return classes.table.rows / (int(kept.sum()) + bool(classes.sizes[~kept].sum()))

    def floor(self, sizes: NDArray[np.int64]) -> float:
        return float(sizes.sum() / max(int((sizes > 0).sum()), 1))


@dataclass(frozen=True)
class ClassificationLoss(ClassLoss):
    """Share of records that are suppressed or do not have the majority value of their class in ``column``."""

    column: str
    name = "classification"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        column = classes.table.column(self.column)
        majority = np.zeros(classes.number, np.int64)
        for part, histogram in classes.blocks(column):
            majority[part] = histogram.max(1)
        return 1.0 - float(majority[kept].sum()) / classes.table.rows


def named_loss(loss: Loss | str) -> Loss:
    """A loss by name: information, entropy, discernibility, class-size, classification:COLUMN."""
    if isinstance(loss, Loss):
        return loss
    kind, _, column = loss.partition(":")
    if kind == "classification" and column:
        return ClassificationLoss(column)
    simple = {c.name: c for c in (InformationLoss, NonUniformEntropy, Discernibility, AverageClassSize)}
    if loss in simple:
        return simple[loss]()
    raise bad_input("loss", loss, "one of " + ", ".join([*simple, "classification:COLUMN"]))
