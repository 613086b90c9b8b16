"""Two people in one trace, found by what it would take to be both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from sfumato.errors import InputError
from sfumato.trace.core.kernel import Vector
from sfumato.validate import finite_array

__all__ = ["Split", "check_one_person", "split_in_two"]

_WALK_AND_RIDE = 15.0
"""Metres a second above which a step may be a change of person."""
_LEAST_SWITCHES, _LEAST_SHARE, _SHORTER = 4, 0.05, 3.0


@dataclass(frozen=True)
class Split:
    """A path cut into two tracks: how often it changes between them, the share of the smaller, and the lengths.

    Parameters
    ----------
    switches : int
    smaller : float
    whole, apart : float
        Length of the path as it is, and of the two tracks together, in metres.
    fastest : float
        The highest speed of the path as it is, in metres a second.
    """

    switches: int
    smaller: float
    whole: float
    apart: float
    fastest: float

    @property
    def two_people(self) -> bool:
        """Whether it is far easier to believe in two people than in one."""
        return self.switches >= _LEAST_SWITCHES and self.smaller >= _LEAST_SHARE and self.whole > _SHORTER * self.apart


def split_in_two(times: Vector, path: Vector) -> Split:
    """Cut a path into two tracks, each point going to the track from which it is reached more slowly.

    The second track opens at the first step faster than 15 m/s. Somebody on a train or a plane changes tracks once, or
    a receiver that errs a few times; two people in one file change all the time, and apart their tracks are short.

    >>> times = np.arange(20.0) * 60
    >>> here, there = np.zeros((20, 2)), np.full((20, 2), 4000.0)
    >>> split = split_in_two(times, np.where(np.arange(20)[:, None] % 2, here, there))
    >>> split.switches, split.apart, split.two_people
    (19, 0.0, True)
    """
    moments, places = finite_array("times", times, ndim=1), finite_array("path", path, ndim=2)
    track = _tracks(moments, places, _WALK_AND_RIDE)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    apart = sum(float(np.linalg.norm(np.diff(places[track == which], axis=0), axis=1).sum()) for which in (0, 1))
    second = float((track == 1).mean())
    fastest = float((steps / np.maximum(np.diff(moments), 1e-3)).max(initial=0.0))
    return Split(int((np.diff(track) != 0).sum()), min(second, 1 - second), float(steps.sum()), apart, fastest)


def check_one_person(times: Vector, path: Vector, *, whose: str = "the trace") -> None:
    """Refuse a trace that two people made."""
    split = split_in_two(times, path)
    if split.two_people:
        raise InputError(
            f"{whose} looks like two people: it changes {split.switches} times between two tracks that are "
            f"{split.apart / 1000:.3g} km long apart and {split.whole / 1000:.3g} km together, at up to "
            f"{split.fastest:.3g} m/s; say --user COLUMN, or split it first"
        )


# At every turn ``last`` holds the latest point of each track (−1: the second is not open yet), and all points before
# ``row`` are on the track from whose latest point they were reached more slowly.
@njit(cache=True)
def _tracks(times, path, limit):  # type: ignore[no-untyped-def]  # pragma: no cover
    n = len(times)
    track = np.zeros(n, np.int64)
    last = np.array([0, -1])
    for row in range(1, n):
        speed = np.full(2, np.inf)
        for which in range(2):
            if last[which] >= 0:
                far = 0.0
                for k in range(path.shape[1]):
                    far += (path[row, k] - path[last[which], k]) ** 2
                speed[which] = np.sqrt(far) / max(times[row] - times[last[which]], 1e-3)
        chosen = 0 if speed[0] <= speed[1] else 1
        if last[1] < 0 and speed[0] > limit:
            chosen = 1
        track[row] = chosen
        last[chosen] = row
    return track
