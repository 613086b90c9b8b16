"""Location of a stay from its own points and their neighbours: simple estimates that need no model of the path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.trace.attacks.evidence import Belief
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting
from sfumato.trace.core.stops import find_stops
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    from sfumato.noise import Rng

__all__ = ["StayAttack", "best_linear", "neighbours", "stay_mean"]

_RECEIVER = 5.0
"""Metres that a receiver errs by itself."""
_STOP = 600.0
"""Seconds that a stop lasts at least to which somebody comes back."""


def stay_mean(seen: Sighting, interval: Interval) -> Path | None:
    """The mean of the points in the interval; none if there are none."""
    inside = (seen.times >= interval[0]) & (seen.times <= interval[1])
    return seen.path[inside].mean(0) if inside.any() else None


def best_linear(seen: Sighting, *visits: Interval) -> Belief | None:
    """The best linear unbiased estimate of a place that all points of its visits show, given their noise.

    p̂ = (1ᵀN⁻¹1)⁻¹ 1ᵀN⁻¹z, of variance 1/1ᵀN⁻¹1: noise that is alike at all points stays, all other is averaged out.
    """
    inside = np.flatnonzero(np.any([(seen.times >= low) & (seen.times <= high) for low, high in visits], axis=0))
    if len(inside) == 0:
        return None
    ones = np.ones((len(inside), 1))
    if seen.law is not None:
        weight = seen.law.take(inside).solve(_RECEIVER**2, ones)[:, 0]
    else:
        noise = seen.covariance[np.ix_(inside, inside)] + _RECEIVER**2 * np.eye(len(inside))
        weight = np.asarray(np.linalg.solve(noise, ones)[:, 0], np.float64)
    total = float(weight.sum())
    return Belief(np.asarray(weight @ seen.path[inside] / total), 1 / total)


def neighbours(seen: Sighting, interval: Interval, *, beside: int = 1) -> Path:
    """The last places before and the first after the interval, interpolated to its middle."""
    before, after = np.flatnonzero(seen.times < interval[0]), np.flatnonzero(seen.times > interval[1])
    ends = [seen.path[part].mean(0) for part in (before[-beside:], after[:beside]) if len(part)]
    if not ends:
        return seen.path.mean(0)
    return np.asarray(np.mean(ends, axis=0))


@dataclass(frozen=True, kw_only=True)
class StayAttack(LocationAttack):
    """Locates a stay without a model of the path.

    Parameters
    ----------
    by : {"mean", "blue", "neighbours", "stop", "longest"}
        The mean of its points; the best linear unbiased estimate given the noise; the points just before and after it;
        the stop nearest in time that is found in the release; of those outside the hidden interval the stop where most
        time was spent, since people come back. Where no points of the stay were released, the first two fall to the
        points beside it, and so do the last two where there is no stop.
    stop : float
        What counts as a stop, in metres, for ``"stop"``.
    """

    by: Literal["mean", "blue", "neighbours", "stop", "longest"] = "blue"
    stop: float = 150.0
    name: str = field(default="stay by its points")
    knows: ClassVar[str] = "the noise from the card, that the person stayed in one place, and which times were secret"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("by", self.by, ("mean", "blue", "neighbours", "stop", "longest"))
        positive("stop", self.stop)

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        found = None
        if self.by == "mean":
            found = stay_mean(seen, interval)
        elif self.by == "blue":
            belief = best_linear(seen, interval)
            found = None if belief is None else belief.mean
        elif self.by == "stop":
            found = _nearest_stop(seen, interval, self.stop)
        elif self.by == "longest":
            found = _longest_stop(seen, interval, self.stop)
        return neighbours(seen, interval) if found is None else found


def _nearest_stop(seen: Sighting, interval: Interval, radius: float) -> Path | None:
    """The centre of the stop that overlaps the interval most, or is nearest to it in time."""
    gap = float(np.median(np.diff(seen.times)))
    distinct = np.concatenate([[True], np.diff(seen.times) > 0])
    times, path = seen.times[distinct], seen.path[distinct]
    for width in (1.0, 2.0, 4.0):  # noise widens a stop
        stops = find_stops(times, path, radius=radius * width, duration=max(4 * gap, (interval[1] - interval[0]) / 2))
        if len(stops):
            begin, end = times[stops.first], times[stops.last]
            apart = np.maximum(begin - interval[1], interval[0] - end)  # negative where they overlap
            return stops.centres[int(apart.argmin())]
    return None


def _longest_stop(seen: Sighting, interval: Interval, radius: float) -> Path | None:
    """The centre of the stop outside the interval with the most time within the radius of it, on all visits together.

    A stop is ten minutes long at least; points that are far apart in time do not count as time spent.
    """
    outside = (seen.times < interval[0]) | (seen.times > interval[1])
    times, path = seen.times[outside], seen.path[outside]
    distinct = np.concatenate([[True], np.diff(times) > 0])[: len(times)]
    times, path = times[distinct], path[distinct]
    if len(times) < 3:
        return None
    stops = find_stops(times, path, radius=radius, duration=_STOP)
    if len(stops) == 0:
        return None
    gaps = np.diff(times)
    lasting = np.minimum(np.append(gaps, 0.0), 3 * float(np.median(gaps)))  # how long each point stands for
    spent = [lasting[np.linalg.norm(path - centre, axis=1) <= radius].sum() for centre in stops.centres]
    return np.asarray(stops.centres[int(np.argmax(spent))])
