"""GeoLife GPS trajectories 1.3 (Microsoft Research; Zheng et al. 2008, 2009, 2010), non-commercial use only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_geolife", "load_geolife_dense", "load_geolife_modes"]


def load_geolife() -> pa.Table:
    """1 206 788 points of 182 users, one a minute: ``user`` (text), ``traj``, ``t`` (Unix s), ``lat``, ``lon``."""
    return load_packed_csv("geolife/geolife_60s_182users.csv.xz", {"user": "string"})


def load_geolife_dense() -> pa.Table:
    """489 928 points at full rate, the first 330 s of 4 638 trajectories; columns as in :func:`load_geolife`."""
    return load_packed_csv("geolife/geolife_dense_first330s.csv.xz", {"user": "string"})


def load_geolife_modes() -> pa.Table:
    """14 718 intervals of 69 users: ``user`` (text), ``start``, ``end`` (UTC), ``mode`` of transport."""
    return load_packed_csv("geolife/geolife_mode_labels.csv.xz", {"user": "string"})
