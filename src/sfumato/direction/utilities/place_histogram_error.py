"""Error of the histogram of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sfumato.direction.core.statistics import globe_histogram
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.utilities.transport import globe_emd
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import positive

__all__ = ["PlaceHistogramError"]


@dataclass(frozen=True, kw_only=True)
class PlaceHistogramError:
    """Earth mover's distance between the true and the protected histogram of places, in km along great circles (E11).

    Parameters
    ----------
    degrees : float
        Side of a cell of the histogram.
    """

    degrees: float = 2.0

    needs: ClassVar[frozenset[str]] = frozenset({"place"})

    def __post_init__(self) -> None:
        positive("degrees", self.degrees)

    @property
    def name(self) -> str:
        return "error of the map (km)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        for value in (data, release):
            if not isinstance(value, CheckIns):
                raise bad_input("data", type(value).__name__, "CheckIns")
        counts, places = globe_histogram(data.latlon, self.degrees)
        seen, where = globe_histogram(release.latlon, self.degrees)
        return Score(globe_emd(counts, places, seen, where), reference=0.0)
