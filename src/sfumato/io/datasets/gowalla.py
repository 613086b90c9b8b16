"""Gowalla: visits to venues, where these are, and who is whose friend; the subset of Liu et al. (PVLDB 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_gowalla_friends", "load_gowalla_venues", "load_gowalla_visits"]


def load_gowalla_visits() -> pa.Table:
    """How often 5 628 users visited 30 943 venues: ``user``, ``venue``, ``visits``; there are no times."""
    return load_packed_csv("gowalla/visits.csv.xz")


def load_gowalla_venues() -> pa.Table:
    """Where the venues are: ``venue``, ``lat``, ``lon`` in degrees."""
    return load_packed_csv("gowalla/venues.csv.xz")


def load_gowalla_friends() -> pa.Table:
    """Who is a friend of whom: ``user``, ``friend``, each pair once."""
    return load_packed_csv("gowalla/friends.csv.xz")
