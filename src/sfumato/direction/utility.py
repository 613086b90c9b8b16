"""What is left of protected directions: means, rankings, histograms and busy hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.statistics import circular_distance, globe_histogram
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.direction.mechanisms.hour_survey import GroupMeans, group_means
from sfumato.direction.utilities.transport import circular_emd, globe_emd
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.shapes import Score
from sfumato.validate import integer, positive

__all__ = ["BusyHours", "HourHistogramError", "MeanHourError", "PlaceHistogramError", "RankAgreement"]


@dataclass(frozen=True, kw_only=True)
class MeanHourError:
    """How far the circular mean of the protected answers is from that of the true ones, in hours (E9).

    Parameters
    ----------
    by_group : bool
        Average the error of the group means instead of that of the overall mean.
    """

    by_group: bool = False

    @property
    def name(self) -> str:
        return "error of the group means (h)" if self.by_group else "error of the mean (h)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = _means(data), _means(release)
        if self.by_group:
            return Score(float(circular_distance(true.group, seen.group).mean()), reference=0.0)
        return Score(float(circular_distance(true.overall, seen.overall)), reference=0.0)


@dataclass(frozen=True, kw_only=True)
class RankAgreement:
    """Spearman's ρ between the order of the true and of the protected group means (E10)."""

    @property
    def name(self) -> str:
        return "rank agreement of groups"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = _means(data).group, _means(release).group
        if len(true) < 2:
            raise bad_input("data", len(true), "at least two groups to rank")
        # hours are ranked from the middle of the day backwards and forwards, so that midnight does not cut a group
        first, second = (np.argsort(np.argsort(np.mod(means + 12, 24))) for means in (true, seen))
        n = len(true)
        return Score(float(1 - 6 * ((first - second) ** 2).sum() / (n * (n * n - 1))), reference=1.0)


@dataclass(frozen=True, kw_only=True)
class HourHistogramError:
    """Earth mover's distance between the true and the protected histogram of hours of each place, in hours (E11).

    Parameters
    ----------
    bins : int
        Parts of the day.
    """

    bins: int = 24

    def __post_init__(self) -> None:
        integer("bins", self.bins, least=2)

    @property
    def name(self) -> str:
        return "error of hour profiles (h)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = (_profiles(value, self.bins) for value in (data, release))
        busy = true.sum(axis=1) > 0
        cost = np.atleast_1d(circular_emd(true[busy], seen[busy]))
        return _mean(cost, reference=0.0)


@dataclass(frozen=True, kw_only=True)
class BusyHours:
    """How many of the busiest hours of each place are still among its busiest.

    Parameters
    ----------
    hours : int
        How many hours count as busy; guessing finds hours/24 of them.
    """

    hours: int = 4

    def __post_init__(self) -> None:
        integer("hours", self.hours, least=1, most=23)

    @property
    def name(self) -> str:
        return f"busiest {self.hours} hours kept"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = _profiles(data, 24), _profiles(release, 24)
        enough = (true > 0).sum(axis=1) >= self.hours
        if not enough.any():
            raise bad_input("data", int((true > 0).sum()), f"a place with visits in at least {self.hours} hours")
        top, found = (np.argsort(-profile[enough], axis=1, kind="stable")[:, : self.hours] for profile in (true, seen))
        kept = (top[:, :, None] == found[:, None, :]).any(axis=2).mean(axis=1)
        return _mean(kept, reference=1.0)


@dataclass(frozen=True, kw_only=True)
class PlaceHistogramError:
    """Earth mover's distance between the true and the protected histogram of places, in km along great circles (E11).

    Parameters
    ----------
    degrees : float
        Side of a cell of the histogram.
    """

    degrees: float = 2.0

    def __post_init__(self) -> None:
        positive("degrees", self.degrees)

    @property
    def name(self) -> str:
        return "error of the map (km)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        for value in (data, release):
            if not isinstance(value, CheckIns):
                raise bad_input("data", type(value).__name__, "CheckIns")
        counts, places = globe_histogram(data.latlon, self.degrees)
        seen, where = globe_histogram(release.latlon, self.degrees)
        return Score(globe_emd(counts, places, seen, where), reference=0.0)


def _means(value: Any) -> GroupMeans:
    if not isinstance(value, SleepSurvey | GroupMeans):
        raise bad_input("data", type(value).__name__, "a SleepSurvey or GroupMeans")
    return group_means(value)


def _profiles(value: Any, bins: int) -> NDArray[np.int64]:
    """Counts by place and part of the day; a survey is one place."""
    if isinstance(value, SleepSurvey):
        place, hour, places = np.zeros(value.hour.size, dtype=np.int64), value.hour.ravel(), 1
    elif isinstance(value, CheckIns):
        place, hour, places = value.place, value.hour, len(value.places)
    else:
        raise bad_input("data", type(value).__name__, "CheckIns or a SleepSurvey")
    part = np.minimum((hour * (bins / 24)).astype(np.int64), bins - 1)
    return np.bincount(place * bins + part, minlength=places * bins).reshape(places, bins)


def _mean(values: NDArray[np.float64], reference: float) -> Score:
    mean = float(values.mean())
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return Score(mean, low=mean - half, high=mean + half, reference=reference)
