"""Share of the busiest hours that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.direction.utilities.profiles import profiles
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["BusyHours"]


@dataclass(frozen=True, kw_only=True)
class BusyHours:
    """Share of the busiest hours of each place that are still among its busiest.

    Parameters
    ----------
    hours : int
        How many hours count as busy; guessing finds hours/24 of them.
    """

    hours: int = 4

    needs: ClassVar[frozenset[str]] = frozenset({"hour", "place"})

    def __post_init__(self) -> None:
        integer("hours", self.hours, least=1, most=23)

    @property
    def name(self) -> str:
        return f"busiest {self.hours} hours kept"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = profiles(data, 24), profiles(release, 24)
        enough = (true > 0).sum(axis=1) >= self.hours
        if not enough.any():
            raise bad_input("data", int((true > 0).sum()), f"a place with visits in at least {self.hours} hours")
        top, found = (np.argsort(-profile[enough], axis=1, kind="stable")[:, : self.hours] for profile in (true, seen))
        kept = (top[:, :, None] == found[:, None, :]).any(axis=2).mean(axis=1)
        return Score.of_mean(kept, reference=1.0)
