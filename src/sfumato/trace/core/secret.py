"""Secrets: the times of a trace at which the place is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, positive

__all__ = ["Secret", "all_basic"]


@dataclass(frozen=True)
class Secret:
    """The points of a trace that are one secret: *basic* for one time, *compound* for several protected jointly.

    Protecting a compound does not imply protecting its parts at the same level (Meehan, §5.2.2).

    >>> Secret((24,)).kind, Secret((24, 25)).kind
    ('basic', 'compound')
    """

    indices: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.indices:
            raise bad_input("secret", self.indices, "at least one index")
        if len(set(self.indices)) != len(self.indices):
            raise bad_input("secret", self.indices, "distinct indices", "drop the duplicates")
        if any(isinstance(i, bool) or not isinstance(i, (int, np.integer)) or i < 0 for i in self.indices):
            raise bad_input("secret", self.indices, "whole numbers ≥ 0")
        object.__setattr__(self, "indices", tuple(sorted(int(i) for i in self.indices)))

    @property
    def kind(self) -> str:
        return "basic" if len(self.indices) == 1 else "compound"

    def within(self, n: int) -> NDArray[np.intp]:
        """The indices as an array, checked against a trace of ``n`` points."""
        if self.indices[-1] >= n:
            raise bad_input("secret", self.indices, f"indices below {n}, the number of points")
        if len(self.indices) == n:
            raise bad_input(
                "secret", "every point", "some point that is not secret", "use all_basic(n) for each in turn"
            )
        return np.array(self.indices, dtype=np.intp)

    @classmethod
    def during(cls, times: ArrayLike, start: float, end: float) -> Secret:
        """All points observed from ``start`` to ``end``.

        >>> Secret.during([0.0, 60.0, 120.0, 180.0], 60.0, 120.0).indices
        (1, 2)
        """
        moments = finite_array("times", times, ndim=1)
        found = np.flatnonzero((moments >= start) & (moments <= end))
        if len(found) == 0:
            raise bad_input("secret", (start, end), "an interval with at least one point of the trace in it")
        return cls(tuple(found.tolist()))

    @classmethod
    def at_place(cls, points: ArrayLike, centre: Sequence[float], radius: float) -> Secret:
        """All points within ``radius`` of a place, whenever: "the clinic, any time".

        The times are read off the path, and the shape of the noise follows them: the promise hides *where* somebody was
        at these times, not *which* times they are. Keep them to yourself, or hide every time (:func:`all_basic`).
        """
        path = finite_array("points", points, ndim=2)
        positive("radius", radius)
        found = np.flatnonzero(np.linalg.norm(path - np.asarray(centre, float), axis=1) <= radius)
        if len(found) == 0:
            raise bad_input("secret", tuple(centre), f"a place with a point of the trace within {radius:g}")
        return cls(tuple(found.tolist()))


def all_basic(n: int) -> list[Secret]:
    """Each time of a trace of ``n`` points as a secret of its own."""
    return [Secret((i,)) for i in range(n)]
