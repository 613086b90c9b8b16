"""The median of a column with a smooth bound of its sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import SmoothGaussian
from sfumato.noise import Rng
from sfumato.promise import ApproxDP
from sfumato.validate import finite_array, positive

__all__ = ["SmoothMedian", "median_and_bound"]


def median_and_bound(values: ArrayLike, bounds: tuple[float, float], beta: float) -> tuple[float, float]:
    """The lower median x_m, m = ⌈n/2⌉, and its β-smooth sensitivity under replace-one neighbours.

    **Theorem** (Nissim, Raskhodnikova and Smith 2007, section 3.1). With the records sorted, x_i the lower bound for
    i < 1 and the upper one for i > n, S = max over k of e^{−kβ} · max over 0 ≤ t ≤ k+1 of (x_{m+t} − x_{m+t−k−1}).

    Terms from the k on where e^{−kβ}·(high − low) is below what was found cannot win. The bound is rounded up.

    >>> median_and_bound([1.0, 2.0, 3.0, 4.0, 10.0], (0.0, 10.0), 1.0)[0]
    3.0
    """
    low, high = bounds
    records = np.sort(finite_array("data", values, ndim=1))
    if records.size == 0:
        raise bad_input("data", "no records", "at least one record")
    if records[0] < low or records[-1] > high:
        raise bad_input("data", "values outside", f"values in [{low:g}, {high:g}]", "--clip")
    positive("beta", beta)
    n, m = len(records), math.ceil(len(records) / 2)
    best = 0.0
    for k in range(n + 1):
        weight = math.exp(-k * beta)
        if weight * (high - low) <= best:
            break
        places = m + np.arange(k + 2)
        gaps = _at(records, places, low, high) - _at(records, places - k - 1, low, high)
        best = max(best, weight * float(gaps.max()))
    return float(records[m - 1]), max(best, np.finfo(float).tiny) * (1 + 2.0**-40)


def _at(records: NDArray[np.float64], places: NDArray[np.int64], low: float, high: float) -> NDArray[np.float64]:
    """The record of each rank, counted from 1, with the bounds beyond both ends."""
    inside = records[np.clip(places, 1, len(records)) - 1]
    return np.where(places < 1, low, np.where(places > len(records), high, inside))


@dataclass(frozen=True)
class SmoothMedian:
    """``smooth-gaussian`` as the command line has it: the mechanism together with the public bounds of the column."""

    noise: SmoothGaussian
    bounds: tuple[float, float]

    @property
    def guarantee(self) -> ApproxDP:
        """The promise of the noise."""
        return self.noise.guarantee

    def farthest_neighbours(self, data: Any) -> tuple[tuple[float, float], tuple[float, float]]:
        """Answer and bound in two worlds: one record at the lower bound, or at the upper one."""
        records = np.sort(finite_array("data", data, ndim=1))
        worlds = [np.concatenate([[end], records[1:]]) for end in self.bounds]
        first, second = (median_and_bound(world, self.bounds, self.noise.beta) for world in worlds)
        return first, second

    def sample(self, data: tuple[float, float], count: int, rng: Rng) -> NDArray[np.float64]:
        """Many releases of one answer."""
        return np.array([self.noise.release(data, rng=rng) for _ in range(count)])

    def log_density(self, output: ArrayLike, data: tuple[float, float]) -> NDArray[np.float64]:
        """The law of the noise."""
        return self.noise.log_density(output, data)
