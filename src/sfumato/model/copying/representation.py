"""Over- and under-representation of cells: how many generated samples fall where fresh ones do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array

__all__ = ["DifferentBins", "different_bins"]

CRITICAL = 1.6448536269514722  # the 95 % point of the normal law


class DifferentBins(NamedTuple):
    """How many cells a generator fills too much or too little (NDB), and the z-score of each cell.

    A score is NaN where no sample of either kind fell.
    """

    over: int
    under: int
    z: NDArray[np.float64]

    @property
    def share(self) -> float:
        """Statistically different cells per cell; 0.1 is expected of a perfect generator (0.05 on either side)."""
        return (self.over + self.under) / len(self.z)


def different_bins(fresh: ArrayLike, generated: ArrayLike) -> DifferentBins:
    """Compare the counts of two samples cell by cell (Richardson and Weiss 2018; Meehan 2023, §2.3.2).

    Z = (q̂ − p̂)/√(s(1−s)(1/n + 1/m)) with the pooled share s. A cell is different if the one-sided p-value is below
    0.05, that is |Z| > 1.645; the dissertation prints Z > 0.05, which compares a score with a level.

    >>> different_bins([50, 50], [90, 10])[:2]
    (1, 1)
    """
    first, second = finite_array("fresh", fresh, ndim=1), finite_array("generated", generated, ndim=1)
    if len(first) != len(second) or not len(first):
        raise bad_input("generated", len(second), f"{max(1, len(first))} counts, one for each cell")
    n, m = first.sum(), second.sum()
    if not n or not m or min(first.min(), second.min()) < 0:
        raise bad_input("counts", (float(n), float(m)), "counts ≥ 0 with at least one sample of each kind")
    pooled = (first + second) / (n + m)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    gap = second / m - first / n
    z = np.divide(gap, spread, out=np.full(len(gap), np.nan), where=spread > 0)
    return DifferentBins(int((z > CRITICAL).sum()), int((z < -CRITICAL).sum()), z)
