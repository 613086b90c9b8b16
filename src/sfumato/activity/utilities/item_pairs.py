"""Which items are used by the same people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.activity.attacks.scoring import window_pairs
from sfumato.activity.core.activity import as_dense
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["CooccurrenceError"]


@dataclass(frozen=True, kw_only=True)
class CooccurrenceError:
    """Relative error of how many people use two items both, over all pairs of the most used items.

    ‖C − c·Ĉ‖/‖C‖ without the diagonals, C = MᵀM of the items' columns and c ≥ 0 the factor that fits best (some
    releases scale their rows), averaged over the windows: 0 for the original, 1 for a release of zeros.

    Parameters
    ----------
    items : int
        How many of the most used ones.

    Examples
    --------
    >>> CooccurrenceError().measure([[1, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 0]]).value  # one of three pairs
    0.816...
    """

    items: int = 100
    name: str = "error of co-occurrence"
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        integer("items", self.items, least=2)

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The relative error, averaged over the windows."""
        original, seen = window_pairs(data, release)
        found = []
        for one, two in zip(original.windows, seen.estimates(), strict=True):
            used = np.asarray(one.sum(axis=0)).reshape(-1)
            columns = np.argsort(-used, kind="stable")[: self.items]
            true, guess = (_pairs(as_dense(side[:, columns])) for side in (one, two))
            size = float(np.linalg.norm(true))
            factor = max(0.0, float((true * guess).sum())) / max(float((guess * guess).sum()), 1e-300)
            found.append(float(np.linalg.norm(true - factor * guess)) / size if size > 0 else float(np.any(guess)))
        return Score(float(np.mean(found)), reference=0.0)


def _pairs(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    together = matrix.T @ matrix
    np.fill_diagonal(together, 0.0)
    return together
