"""The local two-sample test of Ding, Nori, Li and Allen: one randomised bit a person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, RandomizedResponse
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, PureDP
from sfumato.statistic.core.neighbours import group_neighbours
from sfumato.statistic.core.t_test import welch
from sfumato.statistic.core.two_groups import LABELS, check_labels, read_two_groups
from sfumato.statistic.mechanisms.welch_test import WelchAnswer
from sfumato.validate import positive

__all__ = ["LocalTest"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalTest(Mechanism):
    """Welch's test on one bit from each person, for a collector whom nobody trusts: a comparison, [DNLA18].

    Each person rounds x in [0, m] at random to a bit, 1 with probability x/m, and tells it through randomised response:
    Pr[1] = (1 + (x/m)(e^ε − 1))/(e^ε + 1). The mean of the bits is a straight line in the mean of the values, so
    Welch's test on the bits is one of equal means.

    **Privacy**: randomised response is ε-LDP whatever the rounded bit is; the answer is a function of the bits. Which
    group a person belongs to is not protected.

    **Power**: bits have a variance near ¼ whatever the spread of the values, and randomised response divides the effect
    by coth(ε/2): at equal power the test needs about (m·coth(ε/2)/(2σ))² times the records of the t-test.

    Parameters
    ----------
    epsilon : float
        For each value.
    upper : float
        Values lie in [0, upper]; others are refused.
    group, value : str
        Columns, if the data is a frame.
    labels : pair
        What the groups are called in the column ``group``, the first first. Public: declared, not read from records.

    References
    ----------
    Ding, Nori, Li and Allen (2018), Comparing population means under local differential privacy.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> a, b = seeded_rng(1).normal([[100.0], [110.0]], 14.0, (2, 5000))
    >>> local = LocalTest(epsilon=2.0, upper=200.0)
    >>> local.release((a, b), rng=seeded_rng(2)).rejects(0.05)
    True
    >>> print(local.guarantee)
    ε = 2 per record (any-pair neighbours, local model), provided that the groups and the upper bound are public
    """

    epsilon: float
    upper: float
    group: str = "group"
    value: str = "value"
    labels: tuple[str, str] = LABELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", check_labels(self.labels))
        positive("epsilon", self.epsilon)
        positive("upper", self.upper)

    @cached_property
    def guarantee(self) -> PureDP:
        promise = PureDP(self.epsilon, neighbours="any-pair", model="local")
        return promise.assuming(Assumption("groups"), Assumption("upper bound"))

    @cached_property
    def response(self) -> RandomizedResponse:
        """What each person tells their bit through."""
        return RandomizedResponse(epsilon=self.epsilon, categories=2)

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two data sets in which one person has another value: 0 or ``upper``."""
        return group_neighbours(data, self.upper, group=self.group, value=self.value, labels=self.labels)

    def bits(self, data: Any, *, rng: Rng | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What is collected: the randomised bits of A and of B."""
        rng = resolve_rng(rng)
        told = []
        groups = read_two_groups(data, group=self.group, value=self.value, labels=self.labels)
        for name, values in zip(self.labels, groups, strict=True):
            outside = int(((values < 0) | (values > self.upper)).sum())
            if outside:
                raise bad_input(
                    f"group {name}", f"{outside} values outside", f"values in [0, {self.upper:g}]", "clip them"
                )
            rounded = (rng.random(len(values)) * self.upper < values).astype(np.int64)
            told.append(self.response.release(rounded, rng=rng))
        return told[0], told[1]

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> list[WelchAnswer]:
        """``count`` independent answers, for experiments and audits; each of them costs ε."""
        rng = resolve_rng(rng)
        return [self.release(data, rng=rng) for _ in range(count)]

    def release(self, data: Any, *, rng: Rng | None = None) -> WelchAnswer:
        """Welch's test on the bits; no answer if a group has no two people or all bits agree."""
        a, b = self.bits(data, rng=rng)
        if len(a) + len(b) == 0:
            raise bad_input("data", "no records", "at least one record")
        scale = 1 / math.tanh(self.epsilon / 2)
        if min(len(a), len(b)) < 2 or (np.ptp(a) == 0 and np.ptp(b) == 0):
            return WelchAnswer(False, 0.0, 1.0, scale)
        found = welch(a, b)
        return WelchAnswer(True, found.statistic, found.p_value, scale)
