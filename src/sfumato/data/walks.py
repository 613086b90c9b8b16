"""Made-up days and crowds: paths with stops, for the demo and quick tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import seeded_rng
from sfumato.validate import integer, positive

__all__ = ["Day", "make_crowd", "make_day"]


@dataclass(frozen=True, eq=False)
class Day:
    """One person's day in the plane.

    Attributes
    ----------
    times : ndarray of shape (n,)
        Minutes since midnight.
    path : ndarray of shape (n, 2)
        Metres.
    stops : dict of str to (float, float)
        When each stop began and ended.
    """

    times: NDArray[np.float64]
    path: NDArray[np.float64]
    stops: dict[str, tuple[float, float]]


def make_day(*, seed: int = 0, every: float = 5.0, error: float = 8.0) -> Day:
    """A day with home, work, a clinic at noon, a shop and home again, observed every few minutes.

    >>> day = make_day()
    >>> day.path.shape, list(day.stops)
    ((169, 2), ['home', 'work', 'clinic', 'office', 'shop', 'evening'])
    """
    rng = seeded_rng(seed)
    times = np.arange(7 * 60, 21 * 60 + 1e-9, positive("every", every))
    places = {name: rng.uniform(-3000, 3000, 2) for name in ("home", "work", "clinic", "shop")}
    plan = [
        ("home", "home", 7 * 60, 8 * 60),
        ("work", "work", 8.75 * 60, 11.75 * 60),
        ("clinic", "clinic", 12.25 * 60, 12.75 * 60),
        ("office", "work", 13.25 * 60, 17 * 60),
        ("shop", "shop", 17.5 * 60, 18 * 60),
        ("evening", "home", 18.75 * 60, 21 * 60),
    ]
    knots = np.array([moment for *_, start, end in plan for moment in (start, end)])
    corners = np.array([places[place] for _, place, *_ in plan for _ in range(2)])
    share = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, len(knots) - 2)
    along = np.clip((times - knots[share]) / (knots[share + 1] - knots[share]), 0, 1)[:, None]
    smooth = along * along * (3 - 2 * along)  # no jumps in speed
    path = corners[share] + smooth * (corners[share + 1] - corners[share])
    path += rng.normal(0.0, error, path.shape)
    return Day(times, path, {name: (start, end) for name, _, start, end in plan})


def make_crowd(
    users: int = 60, *, seed: int = 0, every: float = 10.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,) and paths (users, n, 2) of several made-up people on the same day.

    >>> times, paths = make_crowd(3)
    >>> paths.shape == (3, len(times), 2)
    True
    """
    days = [make_day(seed=seed * 100_003 + k, every=every) for k in range(integer("users", users))]
    return days[0].times, np.stack([day.path for day in days])
