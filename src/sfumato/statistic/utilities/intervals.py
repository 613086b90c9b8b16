"""Intervals of shares, checks and pairs that the utilities of statistics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.statistic.core.studies import PValues, Studies
from sfumato.validate import probability

__all__ = ["Decisions", "both", "check_query"]


def check_query(query: Any) -> None:
    if not isinstance(query, Mechanism) or not hasattr(query, "answer"):
        raise bad_input("query", query, "a mechanism with an exact answer, such as Mean")


def both(query: Any, data: Any, release: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = np.asarray(query.answer(data), float)
    released = exact if release is data else np.asarray(release, float)  # the raw data answers exactly
    if released.shape != exact.shape:
        raise bad_input("release", released.shape, f"the shape {exact.shape} of the exact answer")
    return exact, released


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """Base of the measures on the p-values of many studies."""

    level: float = 0.05

    def __post_init__(self) -> None:
        probability("level", self.level)

    def _rejected(self, data: Any, release: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if isinstance(release, Studies):
            release = release.p_values
        if not isinstance(release, PValues):
            raise bad_input("release", type(release).__name__, "PValues", "EachStudy releases them")
        return release.equal <= self.level, release.different <= self.level
