"""Error of the histogram of hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.direction.utilities.profiles import profiles
from sfumato.direction.utilities.transport import circular_emd
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["HourHistogramError"]


@dataclass(frozen=True, kw_only=True)
class HourHistogramError:
    """Earth mover's distance between the true and the protected histogram of hours of each place, in hours (E11).

    Parameters
    ----------
    bins : int
        Parts of the day.
    """

    bins: int = 24

    needs: ClassVar[frozenset[str]] = frozenset({"hour", "place"})

    def __post_init__(self) -> None:
        integer("bins", self.bins, least=2)

    @property
    def name(self) -> str:
        return "error of hour profiles (h)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = (profiles(value, self.bins) for value in (data, release))
        busy = true.sum(axis=1) > 0
        cost = np.atleast_1d(circular_emd(true[busy], seen[busy]))
        return Score.of_mean(cost, reference=0.0)
