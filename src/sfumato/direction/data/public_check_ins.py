"""Check-ins made of public traces: where and when journeys end (GeoLife, San Francisco cabs)."""

from __future__ import annotations

import numpy as np

from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid
from sfumato.io.datasets.cabspotting import load_cab_trips
from sfumato.io.datasets.geolife import load_geolife
from sfumato.io.frames import column

__all__ = ["cab_check_ins", "geolife_check_ins"]

_BEIJING = 8 * 3600
_PACIFIC = -7 * 3600  # daylight time, in May


def geolife_check_ins(*, cell: float = 200.0, most: int = 1000) -> CheckIns:
    """Where and when trajectories end, as check-ins at the busiest ``most`` cells, in Beijing time."""
    points = load_geolife()
    trajectory = column(points, "traj")
    seconds = column(points, "t").astype(np.float64)
    order = np.lexsort((seconds, trajectory))
    last = order[np.flatnonzero(np.diff(trajectory[order], append=-1))]
    return check_ins_on_grid(
        column(points, "user")[last],
        np.mod(seconds[last] + _BEIJING, 86_400) / 3600,
        np.stack((column(points, "lat")[last], column(points, "lon")[last]), axis=1),
        cell=cell,
        most=most,
    )


def cab_check_ins(*, cell: float = 200.0, most: int = 1000) -> CheckIns:
    """Where and when rides end, as check-ins of the cab at the busiest ``most`` cells, in local time."""
    trips = load_cab_trips()
    seconds = column(trips, "t_end").astype(np.float64)
    return check_ins_on_grid(
        column(trips, "cab"),
        np.mod(seconds + _PACIFIC, 86_400) / 3600,
        np.stack((column(trips, "lat_end"), column(trips, "lon_end")), axis=1),
        cell=cell,
        most=most,
    )
