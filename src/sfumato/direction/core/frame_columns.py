"""Directions in the columns of a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import numbers, with_columns
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng

__all__ = ["release_columns"]

FrameT = TypeVar("FrameT")


def release_columns(frame: FrameT, columns: Sequence[str], mechanism: Mechanism, *, rng: Rng | None = None) -> FrameT:
    """The frame with some columns protected; pandas, Polars or Arrow, the same kind out as in.

    Parameters
    ----------
    columns : sequence of str
        For ``kind="latlon"`` latitude and longitude; for ``kind="vector"`` one column a coordinate; for angles and
        hours any number of columns, each protected on its own.
    mechanism : Mechanism
        A directional mechanism.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.direction import Purkayastha
    >>> table = pa.table({"name": ["a", "b"], "wakes": [6.5, 23.25]})
    >>> release_columns(table, ["wakes"], Purkayastha(epsilon=10.0, kind="hour")).column_names
    ['name', 'wakes']
    """
    kind = getattr(mechanism, "kind", None)
    if not columns or (kind == "latlon" and len(columns) != 2):
        raise bad_input("columns", list(columns), "latitude and longitude" if kind == "latlon" else "at least one")
    released = mechanism.release(read_columns(frame, columns), rng=rng)
    return with_columns(frame, {name: released[:, i] for i, name in enumerate(columns)})


def read_columns(frame: object, columns: Sequence[str]) -> NDArray[np.float64]:
    """The columns as an array of shape (rows, columns)."""
    return np.stack([numbers(frame, name) for name in columns], axis=1)
