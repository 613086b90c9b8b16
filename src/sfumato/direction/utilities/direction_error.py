"""Error of single directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sfumato.direction.core.coordinates import Kind
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.data.directions import unit_of
from sfumato.direction.utilities.profiles import aligned
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import choice

__all__ = ["DirectionError"]


@dataclass(frozen=True, kw_only=True)
class DirectionError:
    """Arc length between each true direction and its release, in hours, kilometres or radians.

    Parameters
    ----------
    kind : {"vector", "angle", "hour", "week", "latlon"}
    median : bool
        The median instead of the mean.
    """

    kind: Kind = "vector"
    median: bool = False

    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))

    @property
    def name(self) -> str:
        return f"{'median' if self.median else 'mean'} error ({unit_of(self.kind)[0]})"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = aligned(data, release, self.kind)
        errors = unit_of(self.kind)[1] * angle_between(true.vectors, seen.vectors).ravel()
        return Score(float(np.median(errors)), reference=0.0) if self.median else Score.of_mean(errors, 0.0)
