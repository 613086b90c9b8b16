"""Hidden places: where somebody stayed or was, on one or more visits, as one secret."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.trace.core.kernel import Matrix, Vector
from sfumato.validate import finite_array

__all__ = ["HiddenPlace", "OperationalClock", "seen_at_other_times"]

_TICKS = 1024.0
"""A second. Times are rounded to ticks, so that all their differences are exact."""


@dataclass(frozen=True)
class HiddenPlace:
    """One place and all visits to it, which together are one secret; a visit of no length is a single moment.

    Parameters
    ----------
    visits : tuple of (start, end)
        In the unit of the times of the path, in order, apart from each other.

    >>> HiddenPlace(((720.0, 750.0),)).moment, HiddenPlace(((720.0, 720.0),)).moment
    (False, True)
    """

    visits: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        visits = tuple((float(start), float(end)) for start, end in self.visits)
        if not visits:
            raise bad_input("visits", self.visits, "at least one visit")
        if not np.isfinite(visits).all() or any(end < start for start, end in visits):
            raise bad_input("visits", visits, "visits that end after they begin")
        if any(second[0] <= first[1] for first, second in itertools.pairwise(visits)):
            raise bad_input("visits", visits, "visits in order and apart from each other", "join those that touch")
        object.__setattr__(self, "visits", visits)

    @classmethod
    def at(cls, moment: float) -> HiddenPlace:
        """The place at a single moment, on the move or not."""
        return cls(((moment, moment),))

    @property
    def moment(self) -> bool:
        """Whether it is the place of a single moment."""
        return len(self.visits) == 1 and self.visits[0][0] == self.visits[0][1]

    def during(self, times: ArrayLike) -> NDArray[np.bool_]:
        """Which of the times lie in a visit.

        >>> HiddenPlace(((60.0, 120.0),)).during([0.0, 60.0, 120.0, 180.0]).tolist()
        [False, True, True, False]
        """
        moments = np.asarray(times, float)
        inside = np.zeros(moments.shape, np.bool_)
        for start, end in self.visits:
            inside |= (moments >= start) & (moments <= end)
        return inside


@dataclass(frozen=True, eq=False)
class OperationalClock:
    """A clock that stands still during stays, so that what moves on it is the path between them.

    Parameters
    ----------
    places : sequence of HiddenPlace
        Their visits must not overlap.

    >>> OperationalClock([HiddenPlace(((60.0, 120.0),))])([0.0, 60.0, 90.0, 120.0, 180.0]).tolist()
    [0.0, 60.0, 60.0, 60.0, 120.0]
    """

    places: Sequence[HiddenPlace]

    def __post_init__(self) -> None:
        stays = self._stays
        for (_, end), (start, _) in itertools.pairwise(stays):
            if start <= end:
                raise bad_input("places", (start, end), "stays at different times", "hide them as one place")

    @property
    def _stays(self) -> list[tuple[float, float]]:
        visits = {visit for place in self.places for visit in place.visits}
        return sorted((start, end) for start, end in visits if end > start)

    def __call__(self, times: ArrayLike) -> Vector:
        """The operational time of moments: their time less all stays before."""
        moments = finite_array("times", times)
        running = moments.copy()
        for start, end in self._stays:
            running = running - np.clip(moments - start, 0.0, end - start)
        return np.round(running * _TICKS) / _TICKS


def seen_at_other_times(
    times: Vector, path: Matrix, places: Sequence[HiddenPlace], *, radius: float, margin: float
) -> int:
    """How many points lie within ``radius`` of where somebody stayed, more than ``margin`` before or after any visit.

    This looks at the true path, so it is for the owner alone and decides nothing: a release that is made only if nobody
    came back would tell that nobody did. Moments on the move do not count, since nobody is seen to stop there.

    >>> times = np.arange(0.0, 7200.0, 60.0)
    >>> path = np.stack([np.where(times < 3600, 0.0, 900.0), np.zeros(120)], axis=1)
    >>> seen_at_other_times(times, path, [HiddenPlace(((600.0, 1800.0),))], radius=200.0, margin=1200.0)
    9
    """
    far = np.ones(len(times), np.bool_)
    near = np.zeros(len(times), np.bool_)
    for place in places:
        for start, end in place.visits:
            far &= (times < start - margin) | (times > end + margin)
        there = place.during(times)
        if not place.moment and there.any():
            near |= np.linalg.norm(path - np.median(path[there], axis=0), axis=1) <= radius
    return int((far & near).sum())
