"""GeoLife GPS trajectories 1.3 (Microsoft Research; Zheng et al. 2008, 2009, 2010), non-commercial use only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid
from sfumato.io.datasets.packed import read_packed_csv
from sfumato.io.datasets.source import data_file
from sfumato.io.frames import column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["geolife_checkins", "load_geolife", "load_geolife_dense", "load_geolife_modes"]

_ORIGIN = "Microsoft Research, https://www.microsoft.com/en-us/download/details.aspx?id=52367"
_LOCAL = 8 * 3600  # Beijing


def load_geolife() -> pa.Table:
    """1 206 788 points of 182 users, one a minute: ``user`` (text), ``traj``, ``t`` (Unix s), ``lat``, ``lon``."""
    path = data_file(
        "geolife",
        "geolife_60s_182users.csv.xz",
        origin=_ORIGIN,
        size=5_392_568,
        sha256="681840fde6c6a37cf7e8ac28336c6745f690983316dd67497c8658b299139f48",
    )
    return read_packed_csv(path, {"user": "string"})


def load_geolife_dense() -> pa.Table:
    """489 928 points at full rate, the first 330 s of 4 638 trajectories; columns as in :func:`load_geolife`."""
    path = data_file(
        "geolife",
        "geolife_dense_first330s.csv.xz",
        origin=_ORIGIN,
        size=1_857_640,
        sha256="a768baf33d45946da7d6dacea41be0fdfde7912412309c8a2fe4fcbb1e2c8079",
    )
    return read_packed_csv(path, {"user": "string"})


def load_geolife_modes() -> pa.Table:
    """14 718 intervals of 69 users: ``user`` (text), ``start``, ``end`` (UTC), ``mode`` of transport."""
    path = data_file(
        "geolife",
        "geolife_mode_labels.csv.xz",
        origin=_ORIGIN,
        size=91_424,
        sha256="6edeb3bf4ceab68cb6fb9aa8501627051ccd5ff9f0aaf2b09528c60645298d20",
    )
    return read_packed_csv(path, {"user": "string"})


def geolife_checkins(*, cell: float = 200.0, most: int = 1000) -> CheckIns:
    """Where and when trajectories end, as check-ins at the busiest ``most`` cells, in Beijing time."""
    points = load_geolife()
    trajectory = column(points, "traj")
    seconds = column(points, "t").astype(np.float64)
    order = np.lexsort((seconds, trajectory))
    last = order[np.flatnonzero(np.diff(trajectory[order], append=-1))]
    return check_ins_on_grid(
        column(points, "user")[last],
        np.mod(seconds[last] + _LOCAL, 86_400) / 3600,
        np.stack((column(points, "lat")[last], column(points, "lon")[last]), axis=1),
        cell=cell,
        most=most,
    )
