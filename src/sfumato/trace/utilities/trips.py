"""Overlap of origins and destinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.utilities.paths import both_paths, cells_of, overlap
from sfumato.validate import positive

__all__ = ["Trips"]


@dataclass(frozen=True, kw_only=True)
class Trips:
    """Share of origin–destination counts kept: the overlap of true and released tables of (first cell, last cell).

    Parameters
    ----------
    cell : float
        Side of a zone.
    """

    cell: float
    name: str = "origin-destination overlap"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        positive("cell", self.cell)

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        ends = [np.concatenate([p[:, 0], p[:, -1]], axis=1) for p in both_paths(data, release)]
        return Score(overlap(*(cells_of(e, self.cell) for e in ends)), reference=1.0)
