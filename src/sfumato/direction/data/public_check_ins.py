"""Check-ins of public sets: where journeys end (GeoLife, San Francisco cabs), and visits to venues (Gowalla)."""

from __future__ import annotations

import numpy as np

from sfumato.direction.core.coordinates import latlon_to_vector, metres_to_radians
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid
from sfumato.io.datasets.cabspotting import load_cab_trips
from sfumato.io.datasets.geolife import load_geolife
from sfumato.io.datasets.gowalla import load_gowalla_venues, load_gowalla_visits
from sfumato.io.frames import column
from sfumato.noise import seeded_rng
from sfumato.validate import positive

__all__ = ["cab_check_ins", "geolife_check_ins", "gowalla_check_ins"]

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


def gowalla_check_ins(
    *, centre: tuple[float, float] = (30.2672, -97.7431), metres: float = 5_000.0, hours: bool = True, seed: int = 0
) -> CheckIns:
    """Visits of Gowalla users to the venues around a point (by default central Austin), as often as they went there.

    Venues stand at their real density: within 2 km of the centre of Austin half of them have another one within 21 m.
    Venues at the very same point (floors of a building) are one place, since no release can tell them apart. The set
    has no times: with ``hours`` those of San Francisco cab rides are dealt out at random; otherwise all is at midnight.

    Parameters
    ----------
    centre : pair of float
        Latitude and longitude.
    metres : float
        Venues within this distance.
    """
    venues, visits = load_gowalla_venues(), load_gowalla_visits()
    latlon = np.stack([column(venues, name) for name in ("lat", "lon")], axis=1).astype(np.float64)
    arc = angle_between(latlon_to_vector(latlon), latlon_to_vector(centre))
    near = np.flatnonzero(arc <= metres_to_radians(positive("metres", metres)))
    places, number = np.unique(latlon[near], axis=0, return_inverse=True)
    rank = dict(zip(column(venues, "venue")[near].tolist(), number.ravel().tolist(), strict=True))
    place = np.array([rank.get(venue, -1) for venue in column(visits, "venue").tolist()])
    kept = np.flatnonzero(place >= 0)
    times = column(visits, "visits")[kept]
    _, user = np.unique(column(visits, "user")[kept], return_inverse=True)
    place, user = np.repeat(place[kept], times), np.repeat(user, times).astype(np.int64)
    rng = seeded_rng(seed)
    hour = rng.choice(cab_check_ins().hour, size=len(place)) if hours else np.zeros(len(place))
    return CheckIns(user=user, hour=hour, latlon=places[place], place=place, places=places)
