"""Error of the distribution of speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.utilities.paths import both_paths

__all__ = ["SpeedProfile"]


@dataclass(frozen=True, kw_only=True)
class SpeedProfile:
    """Earth mover's distance between the distributions of true and released speeds.

    Parameters
    ----------
    times : array-like of shape (n,)
    """

    times: ArrayLike
    name: str = "speed profile error"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        from scipy.stats import wasserstein_distance

        gaps = np.diff(np.asarray(self.times, float))
        speeds = [(np.linalg.norm(np.diff(p, axis=1), axis=-1) / gaps).ravel() for p in both_paths(data, release)]
        return Score(float(wasserstein_distance(*speeds)), reference=0.0)
