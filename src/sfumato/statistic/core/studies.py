"""Many separate studies, each with people of its own: what level and power are measured on."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee
from sfumato.statistic.core.t_test import welch
from sfumato.statistic.data import make_trial
from sfumato.statistic.mechanisms.welch_test import WelchAnswer, WelchTest
from sfumato.validate import integer

__all__ = ["EachPlannedStudy", "EachStudy", "PValues", "Studies", "StudiesMechanism", "make_studies"]

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Studies:
    """Pairs of groups with equal means, and pairs with different ones."""

    equal: Sequence[Pair]
    different: Sequence[Pair]

    def __post_init__(self) -> None:
        if not len(self.equal) or not len(self.different):
            raise bad_input("studies", (len(self.equal), len(self.different)), "at least one study of either kind")

    @cached_property
    def p_values(self) -> PValues:
        """Welch's own p-values, without protection."""
        parts = (self.equal, self.different)
        return PValues(*(np.array([welch(a, b).p_value for a, b in part]) for part in parts))

    def __getstate__(self) -> dict[str, Any]:
        """The studies alone: what was computed from them must not change their digest."""
        return {"equal": self.equal, "different": self.different}


@dataclass(frozen=True, eq=False)
class PValues:
    """The p-value of every study."""

    equal: Floats
    different: Floats


def make_studies(
    count: int, size: int, *, effect: float, mean: float = 100.0, deviation: float = 14.0, rng: Rng
) -> Studies:
    """``count`` studies of ``size`` people with equal means and as many with means ``effect`` apart, in [0, 200]."""
    shape: dict[str, Any] = {"mean": mean, "deviation": deviation, "rng": rng}
    numbers = range(integer("count", count))
    return Studies(
        equal=[make_trial(size, **shape) for _ in numbers],
        different=[make_trial(size, effect=effect, **shape) for _ in numbers],
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class StudiesMechanism(Mechanism):
    """Base of the mechanisms that run one private test on every study and release the p-values.

    Which study a person is in is public and does not change, so that the promise for one study holds for all of them
    together. A mechanism that releases a noisy t alone is read as the dissertation does (Mimoto Fig. 7.1): against a
    standard normal law, as if there were no noise.
    """

    @abstractmethod
    def one_test(self) -> Mechanism:
        """The mechanism for one study: it releases a t or a WelchAnswer."""

    @property
    def guarantee(self) -> Guarantee:
        return self.one_test().guarantee

    def farthest_neighbours(self, data: Studies) -> tuple[Any, Any]:
        """Two neighbours of the first study that differ as much as one record can."""
        test: Any = self.one_test()
        first, second = test.farthest_neighbours(data.equal[0])
        return first, second

    def release(self, data: Studies, *, rng: Rng | None = None) -> PValues:
        """The p-values."""
        if not isinstance(data, Studies):
            raise bad_input("data", type(data).__name__, "Studies", "make_studies makes them")
        rng = resolve_rng(rng)
        test = self.one_test()
        return PValues(
            *(
                np.array([_p_value(test.release(pair, rng=rng)) for pair in part])
                for part in (data.equal, data.different)
            )
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EachStudy(StudiesMechanism):
    """Runs a given test on every study.

    Parameters
    ----------
    test : Mechanism
        A :class:`~sfumato.statistic.WelchTest`, or a mechanism that releases a t.
    """

    test: Mechanism

    def __post_init__(self) -> None:
        if not isinstance(self.test, Mechanism):
            raise bad_input("test", self.test, "a mechanism that releases a t or a WelchAnswer")

    @property
    def epsilon(self) -> float:
        """The ε of the test, promised or claimed."""
        return float(getattr(self.test, "epsilon", math.nan))

    def one_test(self) -> Mechanism:
        return self.test


@dataclass(frozen=True, kw_only=True, eq=False)
class EachPlannedStudy(StudiesMechanism):
    """Runs on every study the test that :meth:`~sfumato.statistic.WelchTest.planned` finds for it.

    Parameters
    ----------
    epsilon, delta, upper, dummies
        As in :class:`~sfumato.statistic.WelchTest`.
    size, deviation
        The public guess of a study's size and spread.
    """

    epsilon: float
    delta: float
    upper: float
    dummies: tuple[float, float]
    size: int
    deviation: float

    def __post_init__(self) -> None:
        self.one_test()

    def one_test(self) -> WelchTest:
        return self._planned

    @cached_property
    def _planned(self) -> WelchTest:
        return WelchTest.planned(**self.get_params())


def _p_value(answer: Any) -> float:
    if isinstance(answer, WelchAnswer):
        return answer.p_value
    return math.erfc(abs(answer) / math.sqrt(2))
