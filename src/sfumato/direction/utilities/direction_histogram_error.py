"""Error of the histogram of directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sfumato.direction.core.coordinates import Kind, period_of
from sfumato.direction.core.statistics import circular_histogram, globe_histogram
from sfumato.direction.data.directions import unit_of
from sfumato.direction.utilities.profiles import aligned
from sfumato.direction.utilities.transport import circular_emd, globe_emd
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["DirectionHistogramError"]


@dataclass(frozen=True, kw_only=True)
class DirectionHistogramError:
    """Earth mover's distance between the histograms of the true and the released directions.

    Parameters
    ----------
    kind : {"angle", "hour", "latlon"}
        Vectors of many dimensions have no histogram.
    bins : int
        Parts of the circle; places are counted in cells of two degrees.
    """

    kind: Kind = "hour"
    bins: int = 24

    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        choice("kind", self.kind, ("angle", "hour", "latlon"), "vectors of many dimensions have no histogram")
        integer("bins", self.bins, least=2)

    @property
    def name(self) -> str:
        return f"histogram error ({unit_of(self.kind)[0]})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = (value.values for value in aligned(data, release, self.kind))
        if self.kind == "latlon":
            return Score(globe_emd(*globe_histogram(true), *globe_histogram(seen)), reference=0.0)
        period = period_of(self.kind)
        counts = [circular_histogram(values, self.bins, period) for values in (true, seen)]
        return Score(float(circular_emd(counts[0], counts[1], period)), reference=0.0)
