"""Traces of San Francisco cabs in May 2008 (CRAWDAD epfl/mobility; Piorkowski et al. 2009): one week."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_cab_points", "load_cab_trips"]


def load_cab_points() -> pa.Table:
    """822 746 points of the 100 busiest cabs: ``cab``, ``t`` (Unix seconds), ``lat``, ``lon``, ``occupied``."""
    return load_packed_csv("cabspotting/cab_points_100cabs_7days.csv.xz", {"cab": "string"})


def load_cab_trips() -> pa.Table:
    """130 742 rides of 516 cabs: ``cab``, and ``t``, ``lat``, ``lon`` with the endings ``_start`` and ``_end``."""
    return load_packed_csv("cabspotting/cab_trips_all_7days.csv.xz", {"cab": "string"})
