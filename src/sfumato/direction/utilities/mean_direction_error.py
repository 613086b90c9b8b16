"""Error of the mean direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from sfumato.direction.core.coordinates import Kind
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.core.statistics import mean_direction
from sfumato.direction.data.directions import Directions, unit_of
from sfumato.direction.utilities.profiles import aligned
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice

__all__ = ["MeanDirectionError"]


@dataclass(frozen=True, kw_only=True)
class MeanDirectionError:
    """How far the mean direction of all records moved, in hours, kilometres or radians.

    Parameters
    ----------
    kind : {"vector", "angle", "hour", "week", "latlon"}
    """

    kind: Kind = "vector"

    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))

    @property
    def name(self) -> str:
        return f"shift of the mean ({unit_of(self.kind)[0]})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        here, there = (_mean(value) for value in aligned(data, release, self.kind))
        return Score(float(unit_of(self.kind)[1] * angle_between(here, there)), reference=0.0)


def _mean(data: Directions) -> Any:
    return mean_direction(data.vectors.reshape(-1, data.vectors.shape[-1]))
