"""Scores of the nodes of a lattice by what sampled classes keep, with a proved sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.stats import binom

from sfumato.table.core.grouper import Grouper
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary

__all__ = ["LevelScores", "candidate_levels"]

Floats = NDArray[np.float64]

UNIT = 2.0**-20
"""Scores are whole multiples of this: sums of them are exact, whatever their order."""


def candidate_levels(heights: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """The nodes of a lattice; of a larger one ``most`` of them, on random ways from the top to the bottom.

    They depend on the heights alone, never on data. Ways reach every height equally often, while most nodes of a large
    lattice lie in its middle, where nothing would be released.

    >>> candidate_levels([2, 2], 10)
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    if math.prod(heights) <= most:
        return list(product(*(range(height) for height in heights)))
    rng = np.random.default_rng(0)
    found: set[tuple[int, ...]] = set()
    while len(found) < most:
        node = [height - 1 for height in heights]
        steps = rng.permutation(np.repeat(np.arange(len(heights)), node))
        found.add(tuple(node))
        for column in steps:
            node[column] -= 1
            if len(found) == most:
                break
            found.add(tuple(node))
    return sorted(found)


@dataclass(frozen=True, eq=False)
class LevelScores:
    """Expected information that a node of the lattice keeps when a sample is thresholded.

    **Score.** u(D, g) = Σ_c w_c·φ(n_c) over the classes c of the node g, where w_c = 1 − the information loss of the
    class's labels and φ(n) = n·Pr[Bin(n − 1, β) ≥ k − 1] is the expected number of its records that are released, over
    β. The weights w_c ∈ [0, 1] depend on the labels alone.

    **Sensitivity.** One record more makes one class of every node larger by one, so every score rises, or stays, by at
    most Δ = max_n φ(n) − φ(n − 1) = max_m Pr[Bin(m, β) ≥ k] + k·Pr[Bin(m, β) = k − 1], since φ(n) = E[J_n·1{J_n ≥
    k}]/β and one more coin adds one to J_n ≥ k, or brings k − 1 to k. The second term falls for m > (k − 1)/β, so that
    the maximum is found among finitely many m. Beyond four times k/β the table of φ goes on with slope 1. All scores
    move the same way: the exponential mechanism needs no factor 2.

    Parameters
    ----------
    schema : Schema
        All columns that leave are its quasi-identifiers.
    rate : float
    k : int
    """

    schema: Schema
    rate: float
    k: int

    @cached_property
    def _gains(self) -> Floats:
        """φ(0), φ(1), …, in units."""
        size = np.arange(math.ceil(4 * self.k / self.rate) + 64, dtype=np.float64)
        kept = size * binom.sf(self.k - 2, size - 1, self.rate)
        kept[0] = 0.0
        return np.asarray(np.maximum.accumulate(kept) / UNIT)

    @cached_property
    def sensitivity(self) -> float:
        """Δ in units, with room for rounding a class's score down and for the rounding of φ."""
        size = np.arange(len(self._gains), dtype=np.float64)
        steps = binom.sf(self.k - 1, size, self.rate) + self.k * binom.pmf(self.k - 1, size, self.rate)
        return math.ceil(max(float(steps.max()), 1.0) * (1 + 1e-9) / UNIT) + 2.0

    def costs(self, table: Summary) -> Floats:
        """The share of information that a column loses, by column, level and value; weighted means add up to 1.

        A listed hierarchy is public: (leaves below − 1)/(leaves − 1). Of a rule only the number of levels is: level
        over root.
        """
        weights = np.array([self.schema.weights.get(name, 1.0) for name in table.names])
        weights = weights / max(weights.sum(), 1e-300)
        height = max(tree.height for tree in table.hierarchies)
        cost = np.zeros((table.width, height, max(tree.size for tree in table.hierarchies)))
        for j, (name, tree) in enumerate(zip(table.names, table.hierarchies, strict=True)):
            for level in range(tree.height):
                share = level / max(tree.height - 1, 1) if name in self.schema.rules else tree.information_loss(level)
                cost[j, level, : tree.size] = weights[j] * share
        return cost

    def of(self, table: Summary, candidates: Sequence[tuple[int, ...]]) -> Floats:
        """The score of each candidate in units: whole numbers."""
        return np.fromiter(self._each(table, candidates), np.float64, len(candidates))

    def _each(self, table: Summary, candidates: Sequence[tuple[int, ...]]) -> Iterator[float]:
        grouper, cost, gains = Grouper(table), self.costs(table), self._gains
        for levels in candidates:
            groups = grouper.at(levels)
            node = np.array(levels, np.int64)
            yield float(_kept(groups.counts, groups.reps, table.codes, cost, node, gains, 1 / UNIT))


@njit(cache=True)
def _kept(counts, reps, codes, cost, levels, gains, slope):  # type: ignore[no-untyped-def]
    # `total` is the score of the groups seen so far: a sum of whole numbers, one for each class by its own labels.
    total = np.int64(0)
    last = gains.shape[0] - 1
    for g in range(counts.shape[0]):
        n = counts[g]
        gain = gains[n] if n <= last else gains[last] + (n - last) * slope
        if gain < 1.0:
            continue
        weight = 1.0
        for j in range(levels.shape[0]):
            weight -= cost[j, levels[j], codes[reps[g], j]]
        if weight > 0:
            total += np.int64(np.floor(weight * gain))
    return total
