"""Many separate studies, each with people of its own: what level and power are measured on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.people import make_trial
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.privacy import Guarantee
from sfumato.statistic.t_test import welch
from sfumato.statistic.welch_test import WelchAnswer
from sfumato.validate import integer

__all__ = ["EachStudy", "PValues", "Studies", "make_studies"]

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


@dataclass(frozen=True, eq=False)
class PValues:
    """The p-value of every study."""

    equal: Floats
    different: Floats

    @classmethod
    def of(cls, studies: Studies) -> PValues:
        """Without protection: Welch's own p-values."""
        return cls(
            np.array([welch(a, b).p_value for a, b in studies.equal]),
            np.array([welch(a, b).p_value for a, b in studies.different]),
        )


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
class EachStudy(Mechanism):
    """Runs one private test on every study and releases the p-values.

    Which study a person is in is public and does not change, so that the promise for one study holds for all of them
    together. A mechanism that releases a noisy t alone is read as the dissertation does (Mimoto Fig. 7.1): against a
    standard normal law, as if there were no noise.

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

    @property
    def guarantee(self) -> Guarantee:
        return self.test.guarantee

    def release(self, data: Studies, *, rng: Rng | None = None) -> PValues:
        """The p-values."""
        if not isinstance(data, Studies):
            raise bad_input("data", type(data).__name__, "Studies", "make_studies makes them")
        rng = resolve_rng(rng)
        return PValues(
            *(np.array([self._p_value(pair, rng) for pair in part]) for part in (data.equal, data.different))
        )

    def _p_value(self, pair: Pair, rng: Rng) -> float:
        answer = self.test.release(pair, rng=rng)
        if isinstance(answer, WelchAnswer):
            return answer.p_value
        return math.erfc(abs(answer) / math.sqrt(2))
