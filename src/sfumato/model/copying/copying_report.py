"""What the data-copying test found, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sfumato.model.copying.rank_test import RankTest
from sfumato.model.copying.representation import DifferentBins

__all__ = ["Cell", "CopyingReport", "Tail"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of the training set.

    Parameters
    ----------
    number, fresh, generated : int
        Which cell, and how many samples of each kind fell into it.
    fresh_share : float
        Its share of the fresh samples: the weight of its score.
    test : RankTest or None
        None where there are too few samples.
    enough : bool
        Whether there is a score.
    copies, underfits : bool
        Whether the cell is flagged, false discoveries controlled over all cells.
    """

    number: int
    fresh: int
    generated: int
    fresh_share: float
    test: RankTest | None
    enough: bool
    copies: bool = False
    underfits: bool = False

    @property
    def z(self) -> float:
        """The score of the cell; NaN if it has too few samples."""
        return float("nan") if self.test is None else self.test.z


@dataclass(frozen=True, kw_only=True)
class Tail:
    """The generated samples that are closest to the training set.

    ``generated`` and ``fresh`` count the samples within ``cut``; ``excess`` is how many generated ones are there beyond
    what fresh ones lead to expect.
    """

    cut: float
    generated: int
    fresh: int
    excess: float
    p_value: float


@dataclass(frozen=True, kw_only=True, eq=False)
class CopyingReport:
    """What :func:`~sfumato.model.audit_copying` found.

    Parameters
    ----------
    overall : RankTest
        Z_U and Δ̂ over all samples.
    c_t, z_tilde : float
        The mean score of the cells as published, and the standardised one, normal with variance 1 under no copying.
    cells : tuple of Cell
    tail : Tail
        The samples closest to the training set.
    bins : DifferentBins
        Cells that the generator fills too much or too little.
    exact_copies, equal_fresh : int
        Generated and fresh samples at distance 0 of a training point.
    distances, closest, cell_of : ndarray
        For every generated sample: distance to the training set, which training point, which cell.
    """

    overall: RankTest
    c_t: float
    z_tilde: float
    cells: tuple[Cell, ...]
    tail: Tail
    bins: DifferentBins
    exact_copies: int
    equal_fresh: int
    level: float
    distances: NDArray[np.float64]
    closest: NDArray[np.int64]
    cell_of: NDArray[np.int64]
    minimum: int

    @property
    def p_value(self) -> float:
        """The probability of Z̃ at most this under no copying."""
        return float(ndtr(self.z_tilde))

    @property
    def copies(self) -> bool:
        """Whether any of the three tests says that the generator copies; false alarms are at most ``level``."""
        each = self.level / 3
        return self.p_value < each or self.tail.p_value < each or any(cell.copies for cell in self.cells)

    @property
    def underfits(self) -> bool:
        """Whether generated samples are farther from the training set than fresh ones."""
        return float(ndtr(-self.z_tilde)) < self.level / 3 or any(cell.underfits for cell in self.cells)

    @property
    def skipped(self) -> int:
        """Cells without a score, because they have too few samples."""
        return sum(not cell.enough for cell in self.cells)

    def worst_cells(self, count: int = 5) -> list[Cell]:
        """The cells with the lowest scores."""
        return sorted((cell for cell in self.cells if cell.enough), key=lambda cell: cell.z)[:count]

    def copied(self, count: int = 10) -> NDArray[np.int64]:
        """The generated samples closest to the training set, closest first."""
        return np.argsort(self.distances, kind="stable")[:count]

    @property
    def words(self) -> str:
        """The verdict in plain words."""
        return " ".join(self._sentences())

    def _sentences(self) -> Sequence[str]:
        share, (low, high) = self.overall.share, self.overall.interval()
        said = []
        if self.copies:
            said.append("The generator copies its training set.")
        elif self.underfits:
            said.append("The generator does not copy; its samples are farther from the training set than fresh ones.")
        else:
            said.append("No copying was found, which does not prove that there is none.")
        said.append(
            f"A generated sample is closer to the training set than a fresh one in {1 - share:.0%} of pairs "
            f"(50 % without copying; between {1 - high:.0%} and {1 - low:.0%} with 95 % confidence)."
        )
        flagged = [cell for cell in self.cells if cell.copies]
        if flagged:
            held = sum(cell.generated for cell in flagged)
            said.append(
                f"{len(flagged)} of {len(self.cells)} cells are copied; they hold {held} of "
                f"{len(self.distances)} generated samples."
            )
        if self.tail.p_value < self.level / 3 and self.tail.excess >= 1:
            near = self.tail.generated + self.tail.fresh
            said.append(
                f"Of the {near} samples closest to the training set {self.tail.generated} are generated, about "
                f"{self.tail.excess:.0f} more than fresh ones lead to expect."
            )
        if self.exact_copies:
            said.append(
                f"{self.exact_copies} generated samples equal a training sample exactly "
                f"(fresh samples that do: {self.equal_fresh})."
            )
        if self.copies and self.underfits:
            said.append("Elsewhere it underfits: the average score hides the copying.")
        if self.bins.over or self.bins.under:
            said.append(
                f"{self.bins.over} cells are over-represented and {self.bins.under} under-represented "
                f"(about {0.05 * len(self.cells):.1g} each would be by chance)."
            )
        if self.skipped:
            said.append(f"{self.skipped} cells have fewer than {self.minimum} samples of a kind and no score.")
        return said

    def __str__(self) -> str:
        return self.words
