"""How often a private test decides as the exact one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.statistic.core.t_test import welch
from sfumato.statistic.core.two_groups import read_two_groups
from sfumato.statistic.mechanisms.local_test import LocalTest
from sfumato.statistic.mechanisms.private_p_value import PrivatePValue
from sfumato.statistic.mechanisms.welch_test import WelchAnswer, WelchTest
from sfumato.study.score import Score
from sfumato.validate import probability

__all__ = ["DecisionAgreement"]


@dataclass(frozen=True, kw_only=True)
class DecisionAgreement:
    """Whether a private test rejects equal means if and only if Welch's exact test does; over many releases, how often.

    Parameters
    ----------
    query : WelchTest, PrivatePValue or LocalTest
        It tells the two groups apart.
    level : float
        Of both tests.
    """

    query: WelchTest | PrivatePValue | LocalTest
    level: float = 0.05
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        probability("level", self.level)

    @property
    def name(self) -> str:
        return f"decides as the exact test at {self.level:.0%}"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        query = self.query
        groups = read_two_groups(data, group=query.group, value=query.value, labels=query.labels)
        exact = welch(*groups).p_value <= self.level
        if release is data:
            return Score(1.0, reference=1.0)
        if not isinstance(release, WelchAnswer):
            raise bad_input("release", type(release).__name__, "a WelchAnswer", "WelchTest releases one")
        return Score(float(release.rejects(self.level) == exact), reference=1.0)
