"""Traces of San Francisco cabs in May 2008 (CRAWDAD epfl/mobility; Piorkowski et al. 2009): one week."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid
from sfumato.io.datasets.packed import read_packed_csv
from sfumato.io.datasets.source import data_file
from sfumato.io.frames import column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["cab_checkins", "load_cab_points", "load_cab_trips"]

_ORIGIN = "CRAWDAD epfl/mobility, https://ieee-dataport.org/open-access/crawdad-epflmobility"
_LOCAL = -7 * 3600  # Pacific daylight time, in May


def load_cab_points() -> pa.Table:
    """822 746 points of the 100 busiest cabs: ``cab``, ``t`` (Unix seconds), ``lat``, ``lon``, ``occupied``."""
    path = data_file(
        "cabspotting",
        "cab_points_100cabs_7days.csv.xz",
        origin=_ORIGIN,
        size=4_088_464,
        sha256="1bec8d7bd03278234b7dd9fe7ff2d387f21b44ebf81e9c123db3f687181a5b51",
    )
    return read_packed_csv(path, {"cab": "string"})


def load_cab_trips() -> pa.Table:
    """130 742 rides of 516 cabs: ``cab``, and ``t``, ``lat``, ``lon`` with the endings ``_start`` and ``_end``."""
    path = data_file(
        "cabspotting",
        "cab_trips_all_7days.csv.xz",
        origin=_ORIGIN,
        size=1_742_396,
        sha256="47986ee361c10d405f1b6383acdab3bdf198bbcc0aa821366ad35a6801864981",
    )
    return read_packed_csv(path, {"cab": "string"})


def cab_checkins(*, cell: float = 200.0, most: int = 1000) -> CheckIns:
    """Where and when rides end, as check-ins of the cab at the busiest ``most`` cells, in local time."""
    trips = load_cab_trips()
    seconds = column(trips, "t_end").astype(np.float64)
    return check_ins_on_grid(
        column(trips, "cab"),
        np.mod(seconds + _LOCAL, 86_400) / 3600,
        np.stack((column(trips, "lat_end"), column(trips, "lon_end")), axis=1),
        cell=cell,
        most=most,
    )
