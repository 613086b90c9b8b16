"""Intervals of shares, checks and pairs that the utilities of statistics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential, Mechanism, SmoothGaussian
from sfumato.statistic.core.studies import PValues, Studies
from sfumato.statistic.mechanisms.local_test import LocalTest
from sfumato.statistic.mechanisms.private_p_value import PrivatePValue
from sfumato.statistic.mechanisms.private_welch import PrivateWelch
from sfumato.statistic.mechanisms.welch_test import WelchTest
from sfumato.validate import probability

__all__ = ["TESTS", "Decisions", "both", "check_query", "exact_answer"]

TESTS = (WelchTest, PrivatePValue, LocalTest)
"""The mechanisms that decide between equal and different means."""


def check_query(query: Any) -> None:
    if not isinstance(query, Mechanism) or isinstance(query, TESTS):
        raise bad_input("query", query, "a mechanism with an exact answer, such as Mean")


def exact_answer(query: Any, data: Any) -> Any:
    """The answer without noise; of a mechanism that adds noise to every record, the records themselves."""
    if isinstance(query, SmoothGaussian):
        return data[0]
    if isinstance(query, PrivateWelch):
        return query.groups(data).statistic
    if isinstance(query, Exponential):
        return np.asarray(query.candidates)[np.argmax(query.scores(data))]
    return query.answer(data) if hasattr(query, "answer") else data


def both(query: Any, data: Any, release: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = np.asarray(exact_answer(query, data), float)
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
