"""Synthetic days and crowds: paths with stops, for the demo and quick tests."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, positive

__all__ = ["STREETS", "Day", "make_crowd", "make_day"]


STREETS = 400.0
"""Metres between parallel streets of the made-up town; all run east or north, and one passes through (0, 0)."""


@dataclass(frozen=True, eq=False)
class Day:
    """One person's day in the plane.

    Attributes
    ----------
    times : ndarray of shape (n,)
        Minutes since midnight.
    path : ndarray of shape (n, 2)
        Metres, as a receiver with some error sees them.
    stops : dict of str to (float, float)
        When each stop began and ended.
    route : ndarray of shape (m, 2)
        Where the person really was, every ten seconds: on a street all day.
    """

    times: NDArray[np.float64]
    path: NDArray[np.float64]
    stops: dict[str, tuple[float, float]]
    route: NDArray[np.float64]


def make_day(*, seed: int = 0, every: float = 5.0, error: float = 8.0) -> Day:
    """A day with home, work, a clinic at noon, a shop and home again, along streets, observed every few minutes.

    >>> day = make_day()
    >>> day.path.shape, list(day.stops)
    ((169, 2), ['home', 'work', 'clinic', 'office', 'shop', 'evening'])
    """
    rng = seeded_rng(seed)
    times = np.arange(7 * 60, 21 * 60 + 1e-9, positive("every", every))
    corners = rng.choice(15 * 15, 4, replace=False)  # of 5.6 km by 5.6 km
    places = dict(
        zip(("home", "work", "clinic", "shop"), np.stack([corners // 15 - 7, corners % 15 - 7], 1), strict=True)
    )
    plan = [
        ("home", "home", 7 * 60, 8 * 60),
        ("work", "work", 8.75 * 60, 11.75 * 60),
        ("clinic", "clinic", 12.25 * 60, 12.75 * 60),
        ("office", "work", 13.25 * 60, 17 * 60),
        ("shop", "shop", 17.5 * 60, 18 * 60),
        ("evening", "home", 18.75 * 60, 21 * 60),
    ]
    legs = [
        (leaves, arrives, _streets_between(places[place], places[following], rng))
        for (_, place, _, leaves), (_, following, arrives, _) in itertools.pairwise(plan)
    ]

    def where(moments: NDArray[np.float64]) -> NDArray[np.float64]:
        place = np.tile(STREETS * places["home"].astype(float), (len(moments), 1))
        for leaves, arrives, corners in legs:
            share = np.clip((moments - leaves) / (arrives - leaves), 0, 1)
            share = share * share * (3 - 2 * share)  # no jumps in speed
            walked = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(corners, axis=0)).sum(1))])
            there = np.stack([np.interp(share * walked[-1], walked, axis) for axis in corners.T], axis=1)
            place = np.where(moments[:, None] >= leaves, there, place)
        return place

    path = where(times) + rng.normal(0.0, error, (len(times), 2))
    route = where(np.arange(times[0], times[-1], 1 / 6))
    return Day(times, path, {name: (start, end) for name, _, start, end in plan}, route)


def _streets_between(start: NDArray[np.int64], end: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
    """The corners of a way between two crossings: east or west in two parts, north or south between them."""
    turn = int(rng.integers(min(start[0], end[0]), max(start[0], end[0]) + 1))
    return STREETS * np.array([start, (turn, start[1]), (turn, end[1]), end], dtype=float)


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
