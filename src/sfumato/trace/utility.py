"""What is left of a path: the path itself, speeds, stays, trips and the map of where people are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.core.stops import find_stops
from sfumato.validate import finite_array, positive

__all__ = ["DwellProfile", "HeatMap", "PathError", "SpeedProfile", "Trips"]

Paths = NDArray[np.float64]


def _paths(name: str, value: ArrayLike) -> Paths:
    """One path (n, d), one series (n,) or several paths (users, n, d), always as (users, n, d)."""
    array = finite_array(name, value)
    if array.ndim == 1:
        array = array[:, None]
    return array[None] if array.ndim == 2 else array


def _both(data: ArrayLike, release: ArrayLike) -> tuple[Paths, Paths]:
    truth, seen = _paths("data", data), _paths("release", release)
    if truth.shape != seen.shape:
        raise bad_input("release", seen.shape, f"the shape of the data, {truth.shape}")
    return truth, seen


@dataclass(frozen=True, kw_only=True)
class PathError:
    """Root mean square distance between true and released positions."""

    name: str = "path error"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        truth, seen = _both(data, release)
        return Score(float(np.sqrt(((truth - seen) ** 2).sum(-1).mean())), reference=0.0)


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
        speeds = [(np.linalg.norm(np.diff(p, axis=1), axis=-1) / gaps).ravel() for p in _both(data, release)]
        return Score(float(wasserstein_distance(*speeds)), reference=0.0)


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
            for paths in _both(data, release)
        ]
        if stays[0] == 0:
            raise bad_input("data", "paths without stops", "some time spent in stops", "shorten the duration")
        return Score(float(abs(stays[1] - stays[0]) / stays[0]), reference=0.0)


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
        truth, seen = (_cells(paths.reshape(-1, paths.shape[-1]), self.cell) for paths in _both(data, release))
        return Score(_overlap(truth, seen), reference=1.0)


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
        ends = [np.concatenate([p[:, 0], p[:, -1]], axis=1) for p in _both(data, release)]
        return Score(_overlap(*(_cells(e, self.cell) for e in ends)), reference=1.0)


def _cells(points: Paths, cell: float) -> Paths:
    return np.floor(points / cell)


def _overlap(first: Paths, second: Paths) -> float:
    """Σ min(p, q) over the cells of two samples of equal size."""
    _, codes = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
    codes = codes.ravel()
    counts = [np.bincount(part, minlength=codes.max() + 1) for part in (codes[: len(first)], codes[len(first) :])]
    return float(np.minimum(*counts).sum() / len(first))
