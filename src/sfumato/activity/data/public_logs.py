"""Real logs from the public sets: visits to venues, cabs in the cells of a city, places of GeoLife users."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from sfumato.activity.core.activity import Activity
from sfumato.activity.core.calendar_windows import Calendar
from sfumato.activity.core.event_log import read_activity
from sfumato.io.datasets.cabspotting import load_cab_points
from sfumato.io.datasets.geolife import load_geolife
from sfumato.io.datasets.gowalla import load_gowalla_visits
from sfumato.noise import seeded_rng
from sfumato.validate import integer, positive

__all__ = ["cab_cells", "geolife_places", "gowalla_halves"]


def gowalla_halves(*, venues: int | None = None, users: int | None = None, seed: int = 0) -> Activity:
    """Gowalla visits of 5 628 users, each visit put into one of two windows by a fair coin (the set has no times).

    Parameters
    ----------
    venues : int, optional
        Only the most visited ones.
    users : int, optional
        Only so many of the users, at random.
    """
    table, rng = load_gowalla_visits(), seeded_rng(seed)
    people, user = np.unique(table["user"].to_numpy(), return_inverse=True)
    places, venue = np.unique(table["venue"].to_numpy(), return_inverse=True)
    visits = table["visits"].to_numpy()
    first = rng.binomial(visits, 0.5)
    shape = len(people), len(places)
    windows = [
        sparse.csr_array((np.minimum(part, 1).astype(float), (user, venue)), shape=shape)
        for part in (first, visits - first)
    ]
    log = Activity(windows=tuple(windows))
    if venues is not None:
        busiest = np.argsort(-np.asarray((windows[0] + windows[1]).sum(axis=0)).reshape(-1), kind="stable")
        log = log.select(np.sort(busiest[: integer("venues", venues)]))
    if users is not None:
        log = log.take(np.sort(rng.permutation(len(people))[: integer("users", users)]))
    return log


def cab_cells(
    *, every: str = "day", intervals: Sequence[str] = (), metres: float = 500.0, by_hour: bool = True
) -> Activity:
    """Where 100 San Francisco cabs were: cells of a grid, by hour of the day, in windows of the local calendar.

    Parameters
    ----------
    every, intervals
        As in :class:`Calendar`; the week is that of 19 May 2008.
    metres : float
        The width of a cell.
    by_hour : bool
        Whether a cell counts for each hour of the day by itself.
    """
    import pyarrow as pa

    table = load_cab_points()
    seconds = table["t"].to_numpy()
    cells = _cells(table["lat"].to_numpy(), table["lon"].to_numpy(), positive("metres", metres))
    if by_hour:
        local = Calendar(timezone="America/Los_Angeles").local(_utc(seconds))
        from pyarrow import compute as pc

        cells = cells * 24 + pc.hour(local).to_numpy(zero_copy_only=False)
    log = pa.table({"user": table["cab"], "item": cells, "time": _utc(seconds)})
    return read_activity(
        log, calendar=Calendar(every=every, timezone="America/Los_Angeles", intervals=tuple(intervals))
    )


def geolife_places(*, metres: float = 500.0, least_days: int = 4) -> Activity:
    """Which places GeoLife users went to on even and on odd days (of the Unix calendar in Beijing): two windows.

    Parameters
    ----------
    metres : float
        The width of a place.
    least_days : int
        Only users with so many days in each window.
    """
    table = load_geolife()
    days = (table["t"].to_numpy() + 8 * 3600) // 86_400
    people, user = np.unique(table["user"].to_numpy(zero_copy_only=False), return_inverse=True)
    cells = _cells(table["lat"].to_numpy(), table["lon"].to_numpy(), positive("metres", metres))
    _, place = np.unique(cells, return_inverse=True)
    odd = days % 2
    seen = np.unique(np.stack([user, days]), axis=1)
    active = np.ones(len(people), bool)
    for side in (0, 1):
        active &= np.bincount(seen[0][seen[1] % 2 == side], minlength=len(people)) >= integer("least_days", least_days)
    windows = []
    for side in (0, 1):
        found = np.unique(np.stack([user[odd == side], place[odd == side]]), axis=1)
        windows.append(
            sparse.csr_array((np.ones(found.shape[1]), (found[0], found[1])), shape=(len(people), place.max() + 1))
        )
    log = Activity(windows=tuple(windows), labels=("even days", "odd days")).take(np.flatnonzero(active))
    used = np.asarray((log.windows[0] + log.windows[1]).sum(axis=0)).reshape(-1) > 0
    return log.select(np.flatnonzero(used))


def _cells(latitude: np.ndarray, longitude: np.ndarray, metres: float) -> np.ndarray:
    """The number of the grid cell of each point; cells are ``metres`` wide at the middle latitude."""
    degree = 111_195.0
    middle = math.cos(math.radians(float(np.median(latitude))))
    row = np.floor(latitude * degree / metres).astype(np.int64)
    column = np.floor(longitude * degree * middle / metres).astype(np.int64)
    return (row - row.min()) * (int(np.ptp(column)) + 1) + column - column.min()


def _utc(seconds: np.ndarray) -> object:
    import pyarrow as pa

    return pa.array((seconds * 1_000_000).astype(np.int64)).cast(pa.timestamp("us", "UTC"))
