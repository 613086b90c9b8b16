"""Error of the mean hour of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sfumato.direction.core.statistics import circular_distance
from sfumato.direction.utilities.profiles import group_hours
from sfumato.noise import Rng
from sfumato.study.score import Score

__all__ = ["MeanHourError"]


@dataclass(frozen=True, kw_only=True)
class MeanHourError:
    """Distance between the circular means of the true and the protected answers, in hours (E9).

    Parameters
    ----------
    by_group : bool
        Average the error of the group means instead of that of the overall mean.
    """

    by_group: bool = False

    needs: ClassVar[frozenset[str]] = frozenset({"hour"})

    @property
    def name(self) -> str:
        return "error of the group means (h)" if self.by_group else "error of the mean (h)"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = group_hours(data), group_hours(release)
        if self.by_group:
            return Score(float(circular_distance(true.group, seen.group).mean()), reference=0.0)
        return Score(float(circular_distance(true.overall, seen.overall)), reference=0.0)
