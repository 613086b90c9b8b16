"""Error of the histogram of directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from sfumato.direction.core.coordinates import CIRCLES, Kind, period_of
from sfumato.direction.core.statistics import circular_histogram, globe_histogram
from sfumato.direction.data.directions import unit_of
from sfumato.direction.utilities.profiles import aligned
from sfumato.direction.utilities.transport import (
    HistogramDistance,
    bins_error,
    circular_emd,
    globe_bins_error,
    globe_emd,
)
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["DirectionHistogramError"]


@dataclass(frozen=True, kw_only=True)
class DirectionHistogramError:
    """Distance between the histograms of the true and the released directions.

    Parameters
    ----------
    kind : {"angle", "hour", "week", "latlon"}
        Vectors of many dimensions have no histogram.
    bins : int
        Parts of the circle; places are counted in cells of two degrees.
    distance : {"transport", "bins"}
        The earth mover's distance, or the mean absolute error of the share of a bin.
    """

    kind: Kind = "hour"
    bins: int = 24
    distance: HistogramDistance = "transport"

    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        choice("kind", self.kind, (*CIRCLES, "latlon"), "vectors of many dimensions have no histogram")
        integer("bins", self.bins, least=2)
        choice("distance", self.distance, get_args(HistogramDistance))

    @property
    def name(self) -> str:
        if self.distance == "bins":
            return "histogram error (share of a bin)"
        return f"histogram error ({unit_of(self.kind)[0]})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = (value.values for value in aligned(data, release, self.kind))
        if self.kind == "latlon":
            error = globe_emd if self.distance == "transport" else globe_bins_error
            return Score(error(*globe_histogram(true), *globe_histogram(seen)), reference=0.0)
        period = period_of(self.kind)
        counts = [circular_histogram(values, self.bins, period) for values in (true, seen)]
        if self.distance == "bins":
            return Score(float(bins_error(counts[0], counts[1])), reference=0.0)
        return Score(float(circular_emd(counts[0], counts[1], period)), reference=0.0)
