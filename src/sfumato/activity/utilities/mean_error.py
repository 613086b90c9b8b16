"""Error of the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import finite_array

__all__ = ["MeanError"]


@dataclass(frozen=True, kw_only=True)
class MeanError:
    """How far the mean of the release is from the mean of the data.

    Examples
    --------
    >>> MeanError().measure([1.0, 3.0], [1.5, 3.5]).value
    0.5
    """

    name: str = "error of the mean"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """|mean of the release − mean of the data|."""
        true, seen = finite_array("data", data, ndim=1), finite_array("release", release, ndim=1)
        return Score(abs(float(seen.mean() - true.mean())), reference=0.0)
