"""Two bounded columns on a public grid of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array

__all__ = ["BITS", "farthest_rows", "grid_columns"]

BITS = 20
"""Bounds are 2^BITS grid steps apart."""

Bounds = tuple[float, float]


def grid_columns(data: Any, bounds_x: Bounds, bounds_y: Bounds) -> list[NDArray[np.int64]]:
    """Both columns as whole numbers between 0 and 2^BITS; values outside the bounds are refused.

    >>> [column.tolist() for column in grid_columns([[0.0, 5.0], [1.0, 7.5]], (0, 1), (5, 10))]
    [[0, 1048576], [0, 524288]]
    """
    rows = finite_array("data", data)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) == 0:
        raise bad_input("data", rows.shape, "rows of two numbers", "stack the two columns")
    columns = []
    for values, (low, high) in zip(rows.T, (bounds_x, bounds_y), strict=True):
        outside = int(((values < low) | (values > high)).sum())
        if outside:
            raise bad_input("data", f"{outside} values outside", f"values in [{low:g}, {high:g}]", "clip them")
        columns.append(np.rint((values - low) / (high - low) * 2.0**BITS).astype(np.int64))
    return columns


def farthest_rows(data: Any, bounds_x: Bounds, bounds_y: Bounds) -> tuple[Any, Any]:
    """Two neighbours of ``data`` whose first record is at one corner of the bounds or at the next."""
    rows = finite_array("data", data, ndim=2)
    corners = [[bounds_x[0], bounds_y[0]], [bounds_x[1], bounds_y[0]]]
    first, second = (np.concatenate([[corner], rows[1:]]) for corner in corners)
    return first, second
