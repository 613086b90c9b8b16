"""Laplace noise on every cell [P7, Experiment 2]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.activity.core.activity import Activity, as_dense, as_matrix
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.errors import bad_input
from sfumato.mechanism import Laplace
from sfumato.noise import Rng
from sfumato.promise import Assumption, PureDP
from sfumato.validate import positive

__all__ = ["CellNoise"]

_GRID = 2.0**-20


@dataclass(frozen=True, kw_only=True, eq=False)
class CellNoise(ActivityMechanism):
    """Adds Laplace noise of scale φ to every cell: ε = high/φ for each *cell*, and as many times that for a user.

    **Theorem.** Two values of a cell in [0, high] are at most ``high`` apart, so Laplace noise of scale φ is high/φ-DP
    for the cell, locally (Dwork et al. 2006). A user has as many cells as there are items and windows: at φ = 1.5,
    1 000 items and two windows that is ε = 1 333, which protects nobody. The dissertation states no ε.

    Cells are whole multiples of 2⁻²⁰ or refused, so that the noise on the grid is exact.

    Parameters
    ----------
    scale : float
        φ. The dissertation writes Lap(0, 2φ²), the variance.
    high : float
        The largest value of a cell: 1 for 0/1, a public bound for counts. A larger one is refused.

    Examples
    --------
    >>> print(CellNoise(scale=0.5).guarantee)
    ε = 2 per cell (any-pair neighbours, local model), provided that the items are public
    """

    technique = "noise addition"
    needs_items = True

    scale: float
    high: float = 1.0

    def __post_init__(self) -> None:
        positive("scale", self.scale)
        positive("high", self.high)
        _ = self._laplace

    @cached_property
    def _laplace(self) -> Laplace:
        return Laplace(epsilon=self._epsilon, sensitivity=self.high, grid=_GRID, neighbours="any-pair", model="local")

    @property
    def _epsilon(self) -> float:
        return math.nextafter(self.high / self.scale, math.inf)

    @property
    def guarantee(self) -> PureDP:
        """ε = high/φ for each cell."""
        return PureDP(self._epsilon, unit="cell", neighbours="any-pair", model="local").assuming(Assumption("items"))

    def per_user(self, items: int, windows: int) -> PureDP:
        return self.guarantee.over(items * windows, unit="user")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        return activity.with_windows(
            self._laplace.release(self._inside(as_dense(window)), rng=rng) for window in activity.windows
        )

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The exact log-probability of each output matrix, for one matrix."""
        return self._laplace.log_prob(output, self._inside(as_dense(as_matrix("data", data))))

    def cell_scores(self, released: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For 0/1 rows x: log-likelihood of a released cell at x = 0, and what x = 1 adds to it."""
        zero = -np.abs(released) / self.scale
        return zero, -np.abs(released - 1.0) / self.scale - zero

    def _inside(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        if matrix.size and (matrix.min() < 0 or matrix.max() > self.high):
            raise bad_input(
                "data", "a cell outside", f"cells from 0 to {self.high:g}", "take 0/1 instead of counts, or raise high"
            )
        return matrix
