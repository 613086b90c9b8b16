"""What an attacker sees of a path: points with their times, the noise in them as the card tells it, and what is hidden.

A hidden interval is what the attacker looks for. Its target is the place in its middle: the place itself for a stay,
the place at that moment for somebody who moves. Points may be missing there, or be there with noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.validate import finite_array

__all__ = ["Interval", "Sighting", "hidden_intervals", "targets"]

Path = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sighting:
    """The points of one person that an attacker has.

    Parameters
    ----------
    times : ndarray of shape (n,)
        Not decreasing; two releases of one path have each time twice.
    path : ndarray of shape (n, d)
        Metres.
    noise : ndarray of shape (n, n), optional
        Covariance of the noise in each dimension; none if the points are exact.
    """

    times: Path
    path: Path
    noise: Matrix | None = None

    def __post_init__(self) -> None:
        times, path = finite_array("times", self.times, ndim=1), finite_array("path", self.path, ndim=2)
        if len(times) != len(path) or len(times) < 2:
            raise bad_input("path", path.shape, f"{len(times)} points, one for each time, at least two")
        if not (np.diff(times) >= 0).all():
            raise bad_input("times", "unsorted", "times that do not decrease", "sort the points")
        if self.noise is not None and np.shape(self.noise) != (len(times),) * 2:
            raise bad_input("noise", np.shape(self.noise), f"a covariance of {len(times)} points")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "path", path)

    @property
    def covariance(self) -> Matrix:
        """The covariance of the noise, zero if the points are exact."""
        return np.zeros((len(self.times),) * 2) if self.noise is None else self.noise

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some of the points."""
        noise = None if self.noise is None else self.noise[np.ix_(which, which)]
        return type(self)(times=self.times[which], path=self.path[which], noise=noise)

    def near(self, moment: float, most: int) -> Self:
        """The ``most`` points that are nearest in time."""
        if len(self.times) <= most:
            return self
        return self.take(np.sort(np.argsort(np.abs(self.times - moment), kind="stable")[:most]))

    def join(self, other: Sighting) -> Self:
        """Both, as one: the noises are independent, as those of two releases are."""
        times = np.concatenate([self.times, other.times])
        order = np.argsort(times, kind="stable")
        zero = np.zeros((len(self.times), len(other.times)))
        noise = np.block([[self.covariance, zero], [zero.T, other.covariance]])[np.ix_(order, order)]
        return type(self)(times=times[order], path=np.concatenate([self.path, other.path])[order], noise=noise)


def hidden_intervals(times: ArrayLike, secrets: Sequence[Secret]) -> list[Interval]:
    """The intervals that the secrets cover; secrets at neighbouring points are one interval.

    >>> hidden_intervals([0.0, 60.0, 120.0, 180.0, 240.0], [Secret((1,)), Secret((2,)), Secret((4,))])
    [(60.0, 120.0), (240.0, 240.0)]
    """
    moments = finite_array("times", times, ndim=1)
    inside = np.array(sorted({i for secret in secrets for i in secret.within(len(moments))}), np.intp)
    runs = np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1)
    return [(float(moments[run[0]]), float(moments[run[-1]])) for run in runs]


def targets(times: Path, path: Path, intervals: Sequence[Interval]) -> Path:
    """Where somebody really was in the middle of each interval, of shape (intervals, d)."""
    middles = np.array([(start + end) / 2 for start, end in intervals])
    return np.stack([np.interp(middles, times, axis) for axis in path.T], axis=1)
