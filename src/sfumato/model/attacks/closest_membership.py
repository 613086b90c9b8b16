"""Was a person's record in the training set, judged by the closest synthetic record?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.copying.rank_test import rank_test
from sfumato.model.core.mixed_rows import closest_records
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["ClosestMembershipAttack"]


@dataclass(frozen=True, kw_only=True)
class ClosestMembershipAttack:
    """Takes people close to a synthetic record for members: the probability that a member is told from a stranger.

    The value is the area under the curve of the distances to the closest synthetic record; ½ is chance.

    Parameters
    ----------
    people : int
        At most so many members and strangers are judged.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "a person's whole record, and asks whether it was trained on"

    people: int = 2_000
    name: str = "members told from strangers"

    def __post_init__(self) -> None:
        integer("people", self.people)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The area under the curve, with Hanley and McNeil's interval."""
        generator = resolve_rng(rng)
        train, test, made = cohort_of(data).coded(release)
        inside, outside = (
            closest_records(made, part.take(generator.choice(len(part), min(self.people, len(part)), replace=False)))
            for part in (train, test)
        )
        area = rank_test(inside.distance[:, 0], outside.distance[:, 0]).share
        n, m = len(inside.distance), len(outside.distance)
        q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
        variance = (area * (1 - area) + (n - 1) * (q1 - area**2) + (m - 1) * (q2 - area**2)) / (n * m)
        half = 1.96 * math.sqrt(max(variance, 0.0))
        return Score(area, float(np.clip(area - half, 0, area)), float(np.clip(area + half, area, 1)), 0.5)
