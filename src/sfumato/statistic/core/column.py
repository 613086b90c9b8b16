"""A column of bounded numbers: read, checked against public bounds, and placed on a public grid of whole numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import column as frame_column
from sfumato.io.frames import is_frame
from sfumato.validate import finite_array, interval, unmasked_array

__all__ = ["Outside", "bounded", "check_bounds", "grid_steps", "on_grid", "read_column", "read_numbers"]

Outside = Literal["reject", "clip"]
"""What becomes of a value outside the public bounds: an error, or the nearest bound."""

GRID_BITS = 30
MOST_RECORDS = 1 << 31
_RANGE = 450  # the square of 2^450, divided by the finest grid and multiplied by all records, is still a normal double


def read_column(data: Any, column: str | None) -> NDArray[Any]:
    """One column as a one-dimensional array: from a frame by name, or from an array or series as it is."""
    if is_frame(data):
        if column is None:
            raise bad_input("column", None, "the name of a column, since the data is a frame")
        return frame_column(data, column)
    values = unmasked_array("data", data)
    if values.ndim != 1:
        raise bad_input("data", values.shape, "one dimension", "give one column")
    if len(values) > MOST_RECORDS:
        raise bad_input("data", len(values), f"at most {MOST_RECORDS} records", "split them")
    return values


def read_numbers(data: Any, column: str | None) -> NDArray[np.float64]:
    """One column as finite numbers; what no double holds is refused."""
    name = "data" if column is None else f"column {column!r}"
    values = data if isinstance(data, list | tuple) else read_column(data, column)  # a list may hold long integers
    return read_column(finite_array(name, values, ndim=1), None)


def check_bounds(value: object) -> tuple[float, float]:
    """Public bounds whose distance, its inverse and its square are normal doubles.

    Otherwise a grid step would be 0 or infinite, and a release NaN, whatever was promised.

    >>> check_bounds((0.0, 1e300))
    Traceback (most recent call last):
    sfumato.errors.InputError: bounds = (0.0, 1e+300): expected bounds between 2^-450 and 2^450 apart, ...
    """
    low, high = interval("bounds", value, "state the public range of the values")
    if not 2.0**-_RANGE <= high - low <= 2.0**_RANGE or max(abs(low), abs(high)) > 2.0**_RANGE:
        raise bad_input(
            "bounds",
            value,
            f"bounds between 2^-{_RANGE} and 2^{_RANGE} apart, and none beyond ±2^{_RANGE}",
            "change the unit of the data",
        )
    return low, high


def bounded(values: NDArray[np.float64], bounds: tuple[float, float], outside: Outside) -> NDArray[np.float64]:
    """The values, all within the bounds: others are refused or, on request, moved to the nearest bound.

    >>> bounded(np.array([3.0, 150.0]), (0.0, 100.0), "clip")
    array([  3., 100.])
    """
    low, high = bounds
    if outside == "clip":
        return np.clip(values, low, high)
    if len(values) and (values.min() < low or values.max() > high):
        wrong = (values < low) | (values > high)
        raise bad_input(
            f"data[{int(np.flatnonzero(wrong)[0])}]",
            f"outside, as are {int(wrong.sum())} of {len(values)} values",
            f"values in [{low:g}, {high:g}]",
            "widen the bounds, or clip (outside='clip', --clip)",
        )
    return values


def on_grid(values: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.int64]:
    """Bounded values as whole numbers 0 … 2^30 of the step (high − low)/2^30.

    Rounding each record by itself keeps neighbours neighbours; from here on sums are exact, and so is the sensitivity.
    """
    low, high = bounds
    scaled = values - low
    scaled *= grid_steps() / (high - low)
    np.minimum(np.rint(scaled, out=scaled), grid_steps(), out=scaled)  # rounding may pass the upper end by one
    return scaled.astype(np.int64)


def grid_steps() -> int:
    """How many grid steps the bounds are apart."""
    return 1 << GRID_BITS
