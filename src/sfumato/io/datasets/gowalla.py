"""Visits of Gowalla users to venues: the subset of Liu et al. (PVLDB 2017) for recommending places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_gowalla_visits"]


def load_gowalla_visits() -> pa.Table:
    """How often 5 628 users visited 30 943 venues: ``user``, ``venue``, ``visits``; there are no times."""
    return load_packed_csv("gowalla/visits.csv.xz")
