"""Several windows together: what was learned of a person in one window helps in the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.activity.attacks.assignment_attack import Distance, affinity_by
from sfumato.activity.attacks.scoring import last_two, score_assignment, window_pairs
from sfumato.activity.core.assignment import CANDIDATES, EXACT, assign
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["ChainAttack"]


@dataclass(frozen=True, kw_only=True)
class ChainAttack:
    """Follows people through all windows: every link adds a row to the profile that the next window is matched with.

    The score is the share of users whose row in the *last* window is linked to their row in the first. With two windows
    it is :class:`LinkageAttack`.

    Examples
    --------
    >>> from sfumato.activity import Activity
    >>> log = Activity(windows=[np.eye(4)] * 3)
    >>> ChainAttack().attack(log, log, rng=np.random.default_rng(0)).value
    1.0
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "all windows of the release, under different pseudonyms"

    distance: Distance = "rarity"
    exact: int = EXACT
    candidates: int = CANDIDATES
    name: str = "linked through all windows"

    def __post_init__(self) -> None:
        choice("distance", self.distance, ("squared", "rarity"))
        integer("exact", self.exact)
        integer("candidates", self.candidates)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users who are followed from the first window to the last."""
        generator = resolve_rng(rng)
        _, seen = window_pairs(data, release)
        last_two(seen)
        windows = seen.estimates()
        profile, place = windows[0], np.arange(seen.shape[0])
        for later, window in enumerate(windows[1:], start=1):
            affinity = affinity_by(self.distance, profile / later, window)
            place = assign(affinity, generator, exact=self.exact, candidates=self.candidates)
            profile = profile + window[place]
        return score_assignment(place, seen.windows[-1], getattr(mechanism, "k", None))
