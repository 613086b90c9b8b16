"""Error of the time spent in stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.core.stops import find_stops
from sfumato.trace.utilities.paths import both_paths
from sfumato.validate import positive

__all__ = ["DwellProfile"]


@dataclass(frozen=True, kw_only=True)
class DwellProfile:
    """Relative error of the total time spent in stops.

    Parameters
    ----------
    times : array-like of shape (n,)
    radius, duration : float
        What counts as a stop.
    """

    times: ArrayLike
    radius: float
    duration: float
    name: str = "dwell time error"
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        positive("duration", self.duration)

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        times = np.asarray(self.times, float)
        stays = [
            sum(find_stops(times, p, radius=self.radius, duration=self.duration).durations.sum() for p in paths)
            for paths in both_paths(data, release)
        ]
        if stays[0] == 0:
            raise bad_input("data", "paths without stops", "some time spent in stops", "shorten the duration")
        return Score(float(abs(stays[1] - stays[0]) / stays[0]), reference=0.0)
