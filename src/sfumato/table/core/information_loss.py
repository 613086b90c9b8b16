"""Information loss of a generalised table: measures that add up over cells, and measures of whole classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Summary
from sfumato.validate import positive

__all__ = [
    "AverageClassSize",
    "CellInformationLoss",
    "ClassInformationLoss",
    "ClassificationPenalty",
    "Discernibility",
    "GeneralisedInformationLoss",
    "InformationLoss",
    "NonUniformEntropy",
    "named_information_loss",
]

Floats = NDArray[np.float64]


class InformationLoss:
    """A measure of the information that a release loses; smaller is better."""

    name: str = ""


@dataclass(frozen=True)
class CellInformationLoss(InformationLoss):
    """A weighted mean over the quasi-identifier cells; a suppressed cell costs what the root costs.

    Parameters
    ----------
    weights : mapping of str to float
        Relative weight of each column, 1 by default.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    @abstractmethod
    def cells(self, table: Summary, column: int) -> Floats:
        """Cost of each value (second axis) at each level (first axis), at most 1 on average."""

    def tables(self, table: Summary) -> Floats:
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
class GeneralisedInformationLoss(CellInformationLoss):
    """Generalised information loss: mean over quasi cells of (leaves − 1)/(domain − 1); a suppressed cell costs 1."""

    name = "generalised"

    def cells(self, table: Summary, column: int) -> Floats:
        tree = table.hierarchies[column]
        return np.stack([tree.information_loss(level) for level in range(tree.height)])


@dataclass(frozen=True)
class NonUniformEntropy(CellInformationLoss):
    """Non-uniform entropy: the mean of −log Pr[value | generalised value], 1 when everything is suppressed."""

    name = "entropy"

    def cells(self, table: Summary, column: int) -> Floats:
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


class ClassInformationLoss(InformationLoss):
    """An information loss of whole classes."""

    @abstractmethod
    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        """The information loss when the classes in ``kept`` are released and the others suppressed."""

    def floor(self, sizes: NDArray[np.int64]) -> float:
        """A lower bound on the information loss of every generalisation of classes of these ``sizes``."""
        return 0.0


@dataclass(frozen=True)
class Discernibility(ClassInformationLoss):
    """Discernibility: Σ|class|² over released classes plus rows·|class| over suppressed ones."""

    name = "discernibility"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        sizes = classes.sizes.astype(np.float64)
        return float((sizes[kept] ** 2).sum() + classes.table.rows * sizes[~kept].sum())

    def floor(self, sizes: NDArray[np.int64]) -> float:
        return float((sizes.astype(np.float64) ** 2).sum())


@dataclass(frozen=True)
class AverageClassSize(ClassInformationLoss):
    """Mean size of the released classes; suppressed records count as one class."""

    name = "class-size"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        kept = kept & (classes.sizes > 0)
        return classes.table.rows / (int(kept.sum()) + bool(classes.sizes[~kept].sum()))

    def floor(self, sizes: NDArray[np.int64]) -> float:
        return float(sizes.sum() / max(int((sizes > 0).sum()), 1))


@dataclass(frozen=True)
class ClassificationPenalty(ClassInformationLoss):
    """Share of records that are suppressed or do not have the majority value of their class in ``column``."""

    column: str
    name = "classification"

    def of(self, classes: Classes, kept: NDArray[np.bool_]) -> float:
        majority = np.zeros(classes.number, np.int64)
        for part, histogram in classes.blocks(self.column):
            majority[part] = histogram.max(1)
        return 1.0 - float(majority[kept].sum()) / classes.table.rows


def named_information_loss(measure: InformationLoss | str) -> InformationLoss:
    """An information loss by name: generalised, entropy, discernibility, class-size, classification:COLUMN."""
    if isinstance(measure, InformationLoss):
        return measure
    kind, _, column = measure.partition(":")
    if kind == "classification" and column:
        return ClassificationPenalty(column)
    simple = {c.name: c for c in (GeneralisedInformationLoss, NonUniformEntropy, Discernibility, AverageClassSize)}
    if measure in simple:
        return simple[measure]()
    raise bad_input("information_loss", measure, "one of " + ", ".join([*simple, "classification:COLUMN"]))
