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
from sfumato.trace.attacks.seen_noise import SeenNoise
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
    noise : ndarray of shape (n, n) or SeenNoise, optional
        Covariance of the noise in each dimension, written out or not; none if the points are exact.
    """

    times: Path
    path: Path
    noise: Matrix | SeenNoise | None = None

    def __post_init__(self) -> None:
        times, path = finite_array("times", self.times, ndim=1), finite_array("path", self.path, ndim=2)
        if len(times) != len(path) or len(times) < 2:
            raise bad_input("path", path.shape, f"{len(times)} points, one for each time, at least two")
        if not (np.diff(times) >= 0).all():
            raise bad_input("times", "unsorted", "times that do not decrease", "sort the points")
        if self.noise is not None:
            shape = (len(self.noise.own),) * 2 if isinstance(self.noise, SeenNoise) else np.shape(self.noise)
            if shape != (len(times),) * 2:
                raise bad_input("noise", shape, f"a covariance of {len(times)} points")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "path", path)

    @property
    def covariance(self) -> Matrix:
        """The covariance of the noise as a matrix, zero if the points are exact; for few points."""
        if isinstance(self.noise, SeenNoise):
            return self.noise.covariance
        return np.zeros((len(self.times),) * 2) if self.noise is None else self.noise

    @property
    def law(self) -> SeenNoise | None:
        """The noise without its covariance written out, if it is known so or if there is none."""
        if self.noise is None:
            return SeenNoise(np.zeros(len(self.times)), np.zeros((len(self.times), 0)))
        return self.noise if isinstance(self.noise, SeenNoise) else None

    def take(self, which: NDArray[np.intp]) -> Self:
        """Some of the points."""
        noise = self.noise
        if isinstance(noise, SeenNoise):
            noise = noise.take(which)
        elif noise is not None:
            noise = noise[np.ix_(which, which)]
        return type(self)(times=self.times[which], path=self.path[which], noise=noise)

    def around(self, interval: Interval, most: int) -> Self:
        """At most ``most`` points about an interval: those next to it, and fewer and fewer farther away.

        A quarter of them are spread evenly over the interval itself. Half of the others are the nearest, and the rest
        lie at distances that grow geometrically: how somebody moves shows at short and at long distances.

        >>> seen = Sighting(times=np.arange(1000.0), path=np.zeros((1000, 2)))
        >>> few = seen.around((500.0, 500.0), 40).times
        >>> len(few) <= 40, few[[0, -1]].tolist(), 499.0 in few, 500.0 in few
        (True, [0.0, 999.0], True, True)
        """
        if len(self.times) <= most:
            return self
        first, last = np.searchsorted(self.times, interval[0]), np.searchsorted(self.times, interval[1], "right")
        inside = np.linspace(first, last - 1, min(max(most // 4, 1), int(last - first))).astype(np.intp)
        side = (most - len(inside)) // 2
        before, after = _spread_out(int(first), side), _spread_out(len(self.times) - int(last), side)
        return self.take(np.unique(np.concatenate([first - before, inside, last - 1 + after]).astype(np.intp)))

    def join(self, other: Sighting) -> Self:
        """Both, as one: the noises are independent, as those of two releases are."""
        times = np.concatenate([self.times, other.times])
        order = np.argsort(times, kind="stable")
        path = np.concatenate([self.path, other.path])[order]
        own, its = self.law, other.law
        if own is not None and its is not None:
            return type(self)(times=times[order], path=path, noise=own.join(its).take(order))
        zero = np.zeros((len(self.times), len(other.times)))
        noise = np.block([[self.covariance, zero], [zero.T, other.covariance]])[np.ix_(order, order)]
        return type(self)(times=times[order], path=path, noise=noise)


def _spread_out(count: int, most: int) -> NDArray[np.intp]:
    """At most ``most`` of the numbers from 1 to ``count``: the first, then ever fewer, and the last."""
    if count <= most:
        return np.arange(1, count + 1)
    near = np.arange(1, most // 2 + 1)
    far = np.geomspace(most // 2 + 1, count, most - len(near))
    return np.unique(np.concatenate([near, far.round()])).astype(np.intp)


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
