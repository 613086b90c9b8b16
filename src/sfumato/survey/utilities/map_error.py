"""Error of the map of shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.survey.core.local_view import unbias
from sfumato.survey.data.survey import Survey
from sfumato.survey.utilities.estimates import check_survey, total_variation
from sfumato.validate import integer

__all__ = ["MapError"]


@dataclass(frozen=True, kw_only=True)
class MapError:
    """Mean total-variation distance between true and estimated shares on a map of square cells, weighted by owners.

    Parameters
    ----------
    cells : int
        Cells along each of the first two coordinates.
    """

    cells: int = 12
    name: str = "map error"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        integer("cells", self.cells)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        check_survey(data, release)
        cell = cells_of(data.where, self.cells)
        size = np.bincount(cell)
        used = size > 0
        truth = _cell_shares(data, cell)[used]
        estimate = unbias(_cell_shares(release, cell)[used], release.channel)
        return Score(float(np.average(total_variation(truth, estimate), weights=size[used])))


def cells_of(where: NDArray[np.float64], cells: int) -> NDArray[np.int64]:
    """The number of the map cell that each place lies in."""
    number = np.zeros(len(where), np.int64)
    for column in where[:, :2].T:
        low, high = column.min(), column.max()
        width = (high - low) / cells or 1.0
        number = number * cells + np.minimum((column - low) // width, cells - 1).astype(np.int64)
    return number


def _cell_shares(survey: Survey, cell: NDArray[np.int64]) -> NDArray[np.float64]:
    counts = np.zeros((int(cell.max()) + 1, survey.k))
    np.add.at(counts, (cell, survey.answers), 1.0)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
