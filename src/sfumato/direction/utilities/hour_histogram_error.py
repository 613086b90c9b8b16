"""Error of the histogram of hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sfumato.direction.utilities.profiles import profiles
from sfumato.direction.utilities.transport import HistogramDistance, bins_error, circular_emd
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["HourHistogramError"]


@dataclass(frozen=True, kw_only=True)
class HourHistogramError:
    """Distance between the true and the protected histogram of hours of each place (E11).

    A place that no visit is left at counts as uniform. Where noise carries most visits away, that is nearer than a
    profile of a few strangers' visits, and the mean over all places can fall as the noise grows.

    Parameters
    ----------
    bins : int
        Parts of the day.
    distance : {"transport", "bins"}
        The earth mover's distance in hours, or the mean absolute error of the share of a bin.
    """

    bins: int = 24
    distance: HistogramDistance = "transport"

    needs: ClassVar[frozenset[str]] = frozenset({"hour", "place"})

    def __post_init__(self) -> None:
        integer("bins", self.bins, least=2)
        choice("distance", self.distance, get_args(HistogramDistance))

    @property
    def name(self) -> str:
        return f"error of hour profiles ({'h' if self.distance == 'transport' else 'share of a bin'})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = (profiles(value, self.bins) for value in (data, release))
        busy = true.sum(axis=1) > 0
        error = circular_emd if self.distance == "transport" else bins_error
        cost = np.atleast_1d(error(true[busy], seen[busy]))
        return Score.of_mean(cost, reference=0.0)
