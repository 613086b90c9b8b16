"""Coverage of the released interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.statistic.utilities.intervals import both, check_query
from sfumato.study.score import Score
from sfumato.validate import probability

__all__ = ["Coverage"]


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Whether release ± margin holds the exact statistic; over seeds, the coverage of the interval.

    Parameters
    ----------
    query : Count, Sum, Mean, Variance or Histogram
        With a noise ``margin``; the mechanism that made the release.
    level : float
        What the interval promises.
    """

    query: Any
    level: float = 0.95
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        check_query(self.query)
        if not hasattr(self.query, "margin"):
            raise bad_input("query", self.query, "a mechanism with a margin", "quantiles have none")
        probability("level", self.level)

    @property
    def name(self) -> str:
        return f"coverage of the {self.level:.0%} interval"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        exact, released = both(self.query, data, release)
        covered = np.abs(released - exact) <= self.query.margin(data, self.level)
        return Score(float(np.mean(covered)), reference=self.level)
