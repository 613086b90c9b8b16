"""Several days at one place, and several releases of one path: what they tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.attacks.evidence import Belief, moment_belief, place_belief
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting

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
    """Locates a place from more than one release of the same person.

    Parameters
    ----------
    earlier : sequence of Sighting
        Earlier releases of the *same path*. Their noises are independent, so two noises in one direction each that
        differ cancel: this is why a release is never drawn again.
    days : sequence of (Sighting, Interval)
        Other days, and when the person was at the same place.
    stay : bool
        Assume that the hidden interval is one stay.
    """

    earlier: Sequence[Sighting] = ()
    days: Sequence[tuple[Sighting, Interval]] = ()
    stay: bool = True
    name: str = field(default="all releases together")
    knows: ClassVar[str] = (
        "the method and its noise, which times were secret, and all other releases of the same person"
    )
    takes: ClassVar[str] = "other releases of the same person"

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        if not self.earlier and not self.days:
            raise bad_input("earlier", (), "other releases of the same person", "there is nothing to put together")
        for other in self.earlier:
            seen = seen.join(other)
        return pooled([self._believed(*one) for one in ((seen, interval), *self.days)]).mean

    def _believed(self, seen: Sighting, interval: Interval) -> Belief:
        if self.stay:
            return place_belief(seen, interval)
        return moment_belief(seen, sum(interval) / 2)
