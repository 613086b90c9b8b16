"""Several days at one place, and several releases of one path: what they tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.attacks.evidence import Belief, moment_belief, place_belief
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting
from sfumato.trace.attacks.stay import best_linear
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.noise import Rng

__all__ = ["RepeatAttack", "pooled"]


def pooled(beliefs: Sequence[Belief]) -> Belief:
    """What independent beliefs of one place come to: their means weighted by one over their variances.

    >>> pooled([Belief(np.array([0.0, 0.0]), 1.0), Belief(np.array([4.0, 0.0]), 3.0)]).mean.tolist()
    [1.0, 0.0]
    """
    weights = np.array([1 / belief.variance for belief in beliefs])
    mean = weights @ np.stack([belief.mean for belief in beliefs]) / weights.sum()
    return Belief(np.asarray(mean), float(1 / weights.sum()))


@dataclass(frozen=True, kw_only=True)
class RepeatAttack(LocationAttack):
    """Locates a place from all that is known of it: several visits, other days, earlier releases of the same path.

    Parameters
    ----------
    earlier : sequence of Sighting
        Earlier releases of the *same path*. Their noises are independent, so two noises in one direction each that
        differ cancel: this is why a release is never drawn again.
    days : sequence of (Sighting, sequence of Interval)
        Other days, and when the person was at the same place.
    visits : sequence of Interval
        All visits to the place in the release itself, if there are several.
    stay : bool
        Assume that the hidden interval is one stay.
    by : {"path", "points"}
        The learned path, or the best linear estimate from the points of the visits alone, which no kernel misleads.
    """

    earlier: Sequence[Sighting] = ()
    days: Sequence[tuple[Sighting, Sequence[Interval]]] = ()
    visits: Sequence[Interval] = ()
    stay: bool = True
    by: Literal["path", "points"] = "path"
    name: str = field(default="all releases together")
    knows: ClassVar[str] = (
        "the method and its noise, which times were secret, and all other releases of the same person"
    )
    takes: ClassVar[str] = "other releases of the same person, or a place that was visited more than once"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("by", self.by, ("path", "points"))

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        if not self.earlier and not self.days and len(self.visits) < 2:
            raise bad_input("earlier", (), "other releases of the same person", "there is nothing to put together")
        for other in self.earlier:
            seen = seen.join(other)
        own = (seen, tuple(self.visits) or (interval,))
        beliefs = [belief for one in (own, *self.days) if (belief := self._believed(*one)) is not None]
        if not beliefs:
            raise bad_input("release", "no points of the visits", "points of the visits", "they were cut out")
        return pooled(beliefs).mean

    def _believed(self, seen: Sighting, visits: Sequence[Interval]) -> Belief | None:
        if self.by == "points":
            return best_linear(seen, *visits)
        if self.stay:
            return place_belief(seen, *visits)
        return pooled([moment_belief(seen, sum(visit) / 2) for visit in visits])
