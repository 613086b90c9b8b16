"""Directions as a table holds them: rows of hours, of angles, of places or of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import Kind, as_vectors
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import choice

__all__ = ["Directions", "directions_of", "unit_of"]

_UNITS: dict[str, tuple[str, float]] = {
    "hour": ("h", 24 / (2 * np.pi)),
    "week": ("h", 168 / (2 * np.pi)),
    "latlon": ("km", EARTH_RADIUS / 1000),
}


def unit_of(kind: str) -> tuple[str, float]:
    """The unit in which errors of this kind are said, and how many of it are a radian.

    >>> unit_of("angle")
    ('rad', 1.0)
    """
    return _UNITS.get(kind, ("rad", 1.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Directions:
    """Rows of directions.

    Parameters
    ----------
    values : ndarray of float, shape (rows, columns)
        Latitude and longitude for places, one column a coordinate for vectors; for hours and angles every column is a
        direction of its own.
    kind : {"vector", "angle", "hour", "week", "latlon"}

    Examples
    --------
    >>> Directions(values=np.array([[6.0, 18.0], [7.0, 23.0]]), kind="hour").vectors.shape
    (2, 2, 2)
    """

    values: NDArray[np.float64]
    kind: Kind

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))
        if np.ndim(self.values) != 2:
            raise bad_input("values", np.shape(self.values), "rows and columns")

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def vectors(self) -> NDArray[np.float64]:
        """Unit vectors of shape (rows, directions in a row, dimension)."""
        vectors = as_vectors("column", self.values, self.kind, normalise=True, wrap=True)
        return vectors if vectors.ndim == 3 else vectors[:, None]

    def select(self, rows: Any) -> Self:
        """Some of the rows."""
        return type(self)(values=self.values[rows], kind=self.kind)


def directions_of(data: Any) -> list[Directions]:
    """The directions in any data of this room: one list of rows for each kind that a record has."""
    if isinstance(data, Directions):
        return [data]
    if isinstance(data, SleepSurvey):
        return [Directions(values=data.hour, kind="hour")]
    if isinstance(data, CheckIns):
        return [Directions(values=data.latlon, kind="latlon"), Directions(values=data.hour[:, None], kind="hour")]
    raise bad_input("data", type(data).__name__, "Directions, a SleepSurvey or CheckIns")
