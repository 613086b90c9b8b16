"""Agreement of the order of the groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.direction.utilities.profiles import group_hours
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score

__all__ = ["RankAgreement"]


@dataclass(frozen=True, kw_only=True)
class RankAgreement:
    """Spearman's ρ between the order of the true and of the protected group means (E10)."""

    needs: ClassVar[frozenset[str]] = frozenset({"hour"})

    @property
    def name(self) -> str:
        return "rank agreement of groups"

    @property
    def better(self) -> Literal["higher", "lower"]:
        return "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        true, seen = group_hours(data).group, group_hours(release).group
        if len(true) < 2:
            raise bad_input("data", len(true), "at least two groups to rank")
        # hours are ranked from the middle of the day backwards and forwards, so that midnight does not cut a group
        first, second = (np.argsort(np.argsort(np.mod(means + 12, 24))) for means in (true, seen))
        n = len(true)
        return Score(float(1 - 6 * ((first - second) ** 2).sum() / (n * (n * n - 1))), reference=1.0)
