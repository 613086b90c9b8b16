"""The farthest neighbours of a data set: what an attacker who knows all records but one must tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame
from sfumato.statistic.core.column import read_column
from sfumato.statistic.core.two_groups import read_two_groups

__all__ = ["column_neighbours", "group_neighbours"]


def column_neighbours(
    data: Any, extremes: tuple[Any, Any], *, neighbours: str, column: str | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two neighbours of one column that differ as much as one record can.

    With replace-one neighbours the first record is at one extreme or the other; with add-remove neighbours there is one
    more record, at the second extreme, or there is not.

    >>> column_neighbours(np.array([1.0, 2.0, 3.0]), (0.0, 9.0), neighbours="replace-one")
    (array([0., 2., 3.]), array([9., 2., 3.]))
    """
    if is_frame(data):
        raise bad_input("data", "a frame", "one column as an array", "take the column out first")
    records = read_column(data, column)
    if neighbours == "add-remove":
        return np.append(records, [extremes[1]]), records
    if len(records) == 0:
        raise bad_input("data", "no records", "at least one record")
    return _with_first(records, extremes[0]), _with_first(records, extremes[1])


def group_neighbours(data: Any, upper: float, **columns: Any) -> tuple[Any, Any]:
    """Two neighbours of two groups, read with these columns and labels: the first record of A is 0 or ``upper``."""
    a, b = read_two_groups(data, **columns)
    a = a if len(a) else np.zeros(1)
    return (_with_first(a, 0.0), b), (_with_first(a, upper), b)


def _with_first(records: NDArray[Any], value: Any) -> NDArray[Any]:
    return np.concatenate([np.array([value]), records[1:]])
