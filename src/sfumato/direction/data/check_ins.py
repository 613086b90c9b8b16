"""Check-ins (who was where at what hour): the data type, a generator, and check-ins made of traces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.errors import bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.noise import seeded_rng
from sfumato.validate import finite_array, integer, positive

__all__ = ["CheckIns", "check_ins_on_grid", "make_check_ins", "nearest_place"]

_METRES_PER_DEGREE = EARTH_RADIUS * math.pi / 180


@dataclass(frozen=True, kw_only=True, eq=False)
class CheckIns:
    """Check-ins: the user, the hour and the place of each visit.

    Parameters
    ----------
    user : ndarray of int, shape (records,)
        Who, numbered from 0.
    hour : ndarray of float, shape (records,)
        Local time of day in [0, 24).
    latlon : ndarray of float, shape (records, 2)
        Where, in degrees.
    place : ndarray of int, shape (records,)
        The nearest of the public places.
    places : ndarray of float, shape (places, 2)
        The public list of places, in degrees.
    """

    user: NDArray[np.int64]
    hour: NDArray[np.float64]
    latlon: NDArray[np.float64]
    place: NDArray[np.int64]
    places: NDArray[np.float64]

    def __post_init__(self) -> None:
        count = len(self.user)
        for name, shape in (("hour", (count,)), ("latlon", (count, 2)), ("place", (count,))):
            if np.shape(getattr(self, name)) != shape:
                raise bad_input(name, np.shape(getattr(self, name)), f"shape {shape}, one entry a record")
        if np.ndim(self.places) != 2 or np.shape(self.places)[1] != 2:
            raise bad_input("places", np.shape(self.places), "rows of latitude and longitude")
        for name, most in (("place", len(self.places)), ("user", np.inf)):
            values = getattr(self, name)
            if count and (values.min() < 0 or values.max() >= most):
                raise bad_input(name, int(values.max()), f"numbers from 0, below {most}")

    def __len__(self) -> int:
        return len(self.user)

    @property
    def users(self) -> int:
        """How many users there are (the largest number + 1)."""
        return int(self.user.max()) + 1 if len(self) else 0

    def select(self, which: Any) -> Self:
        """The records that a mask or an index array picks; the list of places stays."""
        rows = {name: getattr(self, name)[which] for name in ("user", "hour", "latlon", "place")}
        return type(self)(**rows, places=self.places)


def nearest_place(latlon: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of the nearest of ``places`` for each point, along great circles."""
    from scipy.spatial import cKDTree

    # chords grow with arcs, so a tree in space finds the nearest on the globe
    _, index = cKDTree(latlon_to_vector(places)).query(latlon_to_vector(latlon))
    return np.asarray(index, dtype=np.int64)


def make_check_ins(
    *, users: int = 150, places: int = 200, cities: int = 10, records: int = 20_000, seed: int = 0
) -> CheckIns:
    """Synthetic check-ins: places in cities, a home and six favourite places for each user, habits in time.

    Places are clustered in cities and visited by Zipf's law; every place has hours of its own (a bar is busy when a
    bakery sleeps); every user lives at one place, is there at night, and visits a handful of others at the hours that
    suit both.

    >>> data = make_check_ins(users=20, places=30, cities=3, records=500)
    >>> len(data), data.places.shape
    (500, (30, 2))
    """
    rng = seeded_rng(seed)
    users, places, cities = integer("users", users), integer("places", places, least=2), integer("cities", cities)
    records = integer("records", records)
    centres = np.stack((rng.uniform(-50, 60, cities), rng.uniform(-180, 180, cities)), axis=1)
    town = rng.integers(cities, size=places)
    spread = rng.normal(0, 2_500 / _METRES_PER_DEGREE, (places, 2))
    spread[:, 1] /= np.cos(np.deg2rad(centres[town, 0]))
    where = centres[town] + spread
    popularity = 1 / np.arange(1, places + 1) ** 0.9
    peak, focus = rng.uniform(7, 24, places), rng.uniform(0.8, 3.0, places)

    home = rng.choice(places, size=users, p=popularity[::-1] / popularity.sum())  # people live where few others go
    user = rng.integers(users, size=records)
    haunts = np.empty((users, 6), dtype=np.int64)
    for person in range(users):
        near = np.flatnonzero(town == town[home[person]])
        haunts[person] = rng.choice(near, size=6, p=popularity[near] / popularity[near].sum())
    at_home = rng.random(records) < 0.35
    place = np.where(at_home, home[user], haunts[user, rng.integers(6, size=records)])
    night = np.mod(rng.normal(0.5, 2.5, records), 24)
    day = np.mod(peak[place] + rng.vonmises(0, focus[place]) * 24 / (2 * math.pi), 24)
    hour = np.where(at_home, night, day)
    return CheckIns(user=user, hour=np.minimum(hour, 24 - 1e-9), latlon=where[place], place=place, places=where)


def check_ins_on_grid(
    user: ArrayLike, hour: ArrayLike, latlon: ArrayLike, *, cell: float = 200.0, most: int = 1000
) -> CheckIns:
    """Check-ins from points of traces: the ``most`` busiest cells of a fixed grid are the places.

    Parameters
    ----------
    user, hour, latlon
        Labels of any kind, hours in [0, 24), degrees of shape (records, 2).
    cell : float
        Side of a cell in metres. The grid itself does not depend on the data; which cells are listed does, as the list
        of venues of a check-in service depends on its users.
    most : int
        Points outside the busiest cells are dropped.
    """
    points = finite_array("latlon", latlon, ndim=2)
    side = positive("cell", cell) / _METRES_PER_DEGREE
    stretch = math.cos(math.radians(round(float(np.median(points[:, 0])))))
    cells = np.floor(points / (side, side / stretch)).astype(np.int64)
    listed, index, count = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    busiest = np.argsort(-count, kind="stable")[: integer("most", most, least=2)]
    rank = np.full(len(listed), -1)
    rank[busiest] = np.arange(len(busiest))
    place = rank[index.ravel()]
    kept = place >= 0
    centres = (listed[busiest] + 0.5) * np.array((side, side / stretch))
    _, number = np.unique(np.asarray(user)[kept], return_inverse=True)
    return CheckIns(
        user=number.astype(np.int64),
        hour=finite_array("hour", hour, ndim=1)[kept],
        latlon=centres[place[kept]],
        place=place[kept],
        places=centres,
    )
