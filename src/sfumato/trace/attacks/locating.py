"""The frame of attacks that guess a place: errors in metres, the share of guesses within a radius, and chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.belief import as_path, law_of, noisy_points, with_gaps
from sfumato.trace.attacks.sighting import Interval, Path, Sighting, hidden_intervals, targets
from sfumato.trace.core.secret import Secret
from sfumato.validate import positive

__all__ = ["LocationAttack", "chance_errors", "location_scores"]

_GRID = 41


@dataclass(frozen=True, kw_only=True)
class LocationAttack(ABC):
    """Guesses where somebody was in the middle of each hidden interval.

    The value is the share of intervals whose guess is within ``radius``, the reference the same share for guesses that
    are spread evenly over the region of the path. A point that is missing in the release is NaN there.

    Parameters
    ----------
    times : array-like of shape (n,)
    secrets : sequence of Secret
        Neighbouring ones are one interval.
    radius : float
        In the unit of the positions.
    name : str
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = ""
    takes: ClassVar[str] = ""
    """What this attacker has beside the release and its card, where it is more than that."""

    times: ArrayLike
    secrets: Sequence[Secret]
    radius: float = 200.0
    name: str = "location"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        if len(self.secrets) == 0:
            raise bad_input("secrets", self.secrets, "at least one secret")

    @abstractmethod
    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        """The guess of the place in the middle of an interval, of shape (d,)."""

    def seen(self, truth: Path, release: ArrayLike, mechanism: Mechanism | None) -> Sighting:
        """What the attacker sees: the points that were released, and the law of their noise."""
        times, path = np.asarray(self.times, float), with_gaps(truth, release)
        kept = np.isfinite(path).all(axis=1)
        noise = law_of(mechanism, int(kept.sum()))
        return Sighting(times=times[kept], path=noisy_points(mechanism, path[kept]), noise=noise)

    def errors(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Path:
        """The distance of each guess from the truth."""
        times, generator = np.asarray(self.times, float), resolve_rng(rng)
        truth = as_path("data", data, len(times))
        seen = self.seen(truth, release, mechanism)
        intervals = hidden_intervals(times, self.secrets)
        guesses = np.stack([self.locate(seen, one, generator) for one in intervals])
        return np.asarray(np.linalg.norm(guesses - targets(times, truth, intervals), axis=1))

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        found = self.errors(data, release, mechanism=mechanism, rng=rng)
        return Score.of_share(found <= self.radius, float((self.by_chance(data) <= self.radius).mean()))

    def by_chance(self, data: ArrayLike) -> Path:
        """How far guesses are that are spread evenly over the region of the path, one row for each interval."""
        times = np.asarray(self.times, float)
        truth = as_path("data", data, len(times))
        return chance_errors(truth, targets(times, truth, hidden_intervals(times, self.secrets)))


def chance_errors(path: Path, places: Path) -> Path:
    """How far guesses spread evenly over the region of the path are from the places: one row each."""
    low, high = path.min(0), path.max(0)
    axes = [np.linspace(a, b, _GRID) for a, b in zip(low, high, strict=True)]
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
    return np.asarray(np.linalg.norm(places[:, None] - grid[None], axis=2))


def location_scores(
    errors: ArrayLike, chance: ArrayLike, *, radii: Sequence[float] = (50.0, 200.0)
) -> dict[str, Score]:
    """The median error in metres, and the shares of guesses within some radii, with 95 % intervals and chance.

    The interval of the median is that of the order statistics.

    >>> scores = location_scores([10.0, 60.0, 300.0], [[100.0, 900.0]] * 3)
    >>> scores["median error, m"].value, scores["within 200 m"].value, scores["within 200 m"].reference
    (60.0, 0.6666666666666666, 0.5)
    """
    from scipy.stats import binom

    found, by_chance = np.sort(np.asarray(errors, float).ravel()), np.asarray(chance, float)
    count = len(found)
    below = int(binom.ppf(0.025, count, 0.5))
    low, high = (found[max(below - 1, 0)], found[min(count - below, count - 1)]) if count > 5 else (np.nan, np.nan)
    scores = {"median error, m": Score(float(np.median(found)), low, high, float(np.median(by_chance)))}
    for radius in radii:
        share = Score.of_share(found <= radius, float((by_chance <= radius).mean()))
        scores[f"within {radius:g} m"] = share
    return scores
