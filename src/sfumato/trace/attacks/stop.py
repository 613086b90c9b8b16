"""Search for stops in a released path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.belief import as_path, with_gaps
from sfumato.trace.core.stops import find_stops
from sfumato.validate import positive

__all__ = ["StopAttack"]


@dataclass(frozen=True, kw_only=True)
class StopAttack:
    """Smooths the released path, looks for stops in it and counts the true stops that are found.

    The reference is the share that the same number of discs at random in the region would cover.

    Parameters
    ----------
    times : array-like of shape (n,)
    radius : float
        A stop counts as found when one is reported within this distance.
    duration : float
        How long a stop lasts at least, in the unit of the times.
    window : int
        Points in the running median that smooths the release; 1 for none.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the method, and how long a stop lasts"

    times: ArrayLike
    radius: float
    duration: float
    window: int = 5
    name: str = "stops found"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        positive("duration", self.duration)

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        from scipy.ndimage import median_filter

        times = np.asarray(self.times, float)
        truth = as_path("data", data, len(times))
        seen = with_gaps(truth, release)
        real = find_stops(times, truth, radius=self.radius, duration=self.duration)
        if len(real) == 0:
            raise bad_input("data", "a path without stops", "at least one stop to look for", "shorten the duration")
        kept = np.isfinite(seen).all(axis=1)
        when = times[kept]
        smooth = median_filter(seen[kept], size=(self.window, 1), mode="nearest")
        # Noise widens a stop: several widths are tried; the attacker may know how many there are.
        found = [find_stops(when, smooth, radius=self.radius * width, duration=self.duration) for width in (1, 2, 4)]
        reported = min(found, key=lambda stops: abs(len(stops) - len(real)))
        hits = 0.0
        if len(reported):
            apart = np.linalg.norm(real.centres[:, None] - reported.centres[None], axis=2)
            hits = float((apart.min(1) <= self.radius).mean())
        area = float(np.prod(np.maximum(np.ptp(truth, axis=0), 2 * self.radius)))
        disc = np.pi * self.radius**2 if truth.shape[1] == 2 else 2 * self.radius
        return Score(hits, reference=float(1 - (1 - min(disc / area, 1.0)) ** max(len(reported), 1)))
