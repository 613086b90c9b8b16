"""Stops: stretches of a path that stay within a small circle for some time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, positive

__all__ = ["Stops", "find_stops"]


@dataclass(frozen=True, eq=False)
class Stops:
    """Stops in the order of time: centres (k, 2), first and last index (k,), and how long each lasted (k,)."""

    centres: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    durations: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.centres)

    @property
    def home(self) -> NDArray[np.float64] | None:
        """The centre of the longest stop, if there is any."""
        return self.centres[self.durations.argmax()] if len(self) else None


def find_stops(times: NDArray[np.float64], path: NDArray[np.float64], *, radius: float, duration: float) -> Stops:
    """The stretches that stay within ``radius`` of their first point for at least ``duration``.

    >>> times = np.arange(6.0)
    >>> path = np.array([[0.0, 0], [1, 0], [0, 1], [100, 0], [200, 0], [200, 1]])
    >>> find_stops(times, path, radius=5.0, duration=2.0).first.tolist()
    [0]
    """
    moments, places = finite_array("times", times, ndim=1), finite_array("path", path, ndim=2)
    if len(moments) != len(places):
        raise bad_input("path", places.shape, f"{len(moments)} points, one for each time")
    first, last = _stretches(moments, places, positive("radius", radius), positive("duration", duration))
    centres = np.array([places[i : j + 1].mean(0) for i, j in zip(first, last, strict=True)])
    return Stops(centres.reshape(-1, places.shape[1]), first, last, moments[last] - moments[first])


@njit(cache=True)
def _stretches(times, path, radius, duration):  # type: ignore[no-untyped-def]  # pragma: no cover
    n = len(times)
    first = np.empty(n, np.int64)
    last = np.empty(n, np.int64)
    count = 0
    i = 0
    while i < n:
        j = i
        while j + 1 < n:
            far = 0.0
            for k in range(path.shape[1]):
                far += (path[j + 1, k] - path[i, k]) ** 2
            if far > radius * radius:
                break
            j += 1
        if times[j] - times[i] >= duration:
            first[count], last[count] = i, j
            count += 1
            i = j + 1
        else:
            i += 1
    return first[:count], last[:count]
