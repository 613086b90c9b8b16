"""Error of the histogram of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.statistics import globe_histogram
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.utilities.transport import HistogramDistance, globe_bins_error, globe_emd
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice, positive

__all__ = ["PlaceHistogramError"]


@dataclass(frozen=True, kw_only=True)
class PlaceHistogramError:
    """Distance between the true and the protected histogram of places (E11).

    Parameters
    ----------
    degrees : float
        Side of a cell of the histogram.
    distance : {"transport", "bins"}
        The earth mover's distance in km along great circles, or the mean absolute error of the share of a cell.
    by_user : bool
        A histogram for each user, and the mean of their errors, instead of one for all.
    """

    degrees: float = 2.0
    distance: HistogramDistance = "transport"
    by_user: bool = False

    needs: ClassVar[frozenset[str]] = frozenset({"place"})

    def __post_init__(self) -> None:
        positive("degrees", self.degrees)
        choice("distance", self.distance, get_args(HistogramDistance))

    @property
    def name(self) -> str:
        unit = "km" if self.distance == "transport" else "share of a cell"
        return f"error of the map {'of a user ' if self.by_user else ''}({unit})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        for value in (data, release):
            if not isinstance(value, CheckIns):
                raise bad_input("data", type(value).__name__, "CheckIns")
        if not self.by_user:
            return Score(self._error(data.latlon, release.latlon), reference=0.0)
        each = [self._error(data.latlon[rows], release.latlon[rows]) for rows in _rows_of(data.user)]
        return Score.of_mean(np.array(each), reference=0.0)

    def _error(self, true: NDArray[np.float64], seen: NDArray[np.float64]) -> float:
        first, second = globe_histogram(true, self.degrees), globe_histogram(seen, self.degrees)
        if self.distance == "bins":
            return globe_bins_error(*first, *second, degrees=self.degrees)
        return globe_emd(*first, *second)


def _rows_of(user: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The records of each user."""
    order = np.argsort(user, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(user[order])) + 1)
