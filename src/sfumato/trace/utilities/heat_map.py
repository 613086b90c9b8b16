"""Overlap of the true and the released map of presence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.utilities.paths import both_paths, cells_of, overlap
from sfumato.validate import positive

__all__ = ["HeatMap"]


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Share of presence that the released map puts in the right cells: 1 − total variation.

    Parameters
    ----------
    cell : float
        Side of a cell of the map.
    """

    cell: float
    name: str = "heat map overlap"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        positive("cell", self.cell)

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        truth, seen = (cells_of(paths.reshape(-1, paths.shape[-1]), self.cell) for paths in both_paths(data, release))
        return Score(overlap(truth, seen), reference=1.0)
