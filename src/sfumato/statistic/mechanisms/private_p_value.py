"""A private p-value: a sign test over parts of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.discrete import discrete_laplace, discrete_laplace_log_prob, discrete_laplace_variance
from sfumato.promise import PureDP
from sfumato.statistic.core.neighbours import group_neighbours
from sfumato.statistic.core.two_groups import LABELS, check_labels, public_labels, read_two_groups
from sfumato.statistic.mechanisms.welch_test import WelchAnswer
from sfumato.validate import integer, positive

__all__ = ["PrivatePValue"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivatePValue(Mechanism):
    """A two-sided p-value for equal means under pure ε, without bounds on the values.

    The p-value of Welch's t has no useful sensitivity (Mimoto §7.1.3 says only that one “can be derived”), and one
    computed from a noisy t with the exact degrees of freedom is not private. Here the records are dealt at random into
    m parts. A part votes for the group with the larger mean; a tie, or a part without both groups, votes by a fair
    coin. Released is the number K of votes for A plus discrete Laplace noise L of scale 1/ε, and with it
    p = Pr[|2(B + L) − m| ≥ |2(K + L) − m|] for B ~ Bin(m, ½): the noise is counted in.

    **Privacy** (ε, δ = 0): let one record change its value, its group or both. Deal the records of both data sets
    alike: one part changes, and K by at most 1. The dealing does not depend on the records, so mixing over it keeps ε.

    **Level**: if under equal means a part votes for A with probability ½, then K ~ Bin(m, ½) and Pr[p ≤ α] ≤ α exactly,
    for every m, ε and α. That is so if the two groups have the same law and like size, or symmetric laws; otherwise as
    far as the mean of a part is nearly normal, so parts should have ten records and more. **Power**: 64 % of the
    efficiency of the t-test for many parts, less what the noise takes: m well above 8/ε² makes it small.

    Parameters
    ----------
    epsilon : float
    parts : int, optional
        m; by default 32/ε², but at least 8, and no more than leaves ten records to a part.
    group, value : str
        Columns, if the data is a frame.
    labels : pair
        What the groups are called in the column ``group``, the first first. Public: declared, not read from records.

    References
    ----------
    Mimoto (2022), §7.1.3; votes of parts: Nissim, Raskhodnikova and Smith (2007); p-values of noisy binomial counts:
    Awan and Slavković (2018).

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> a, b = seeded_rng(1).normal([[100.0], [101.5]], 14.0, (2, 5000))
    >>> test = PrivatePValue(epsilon=1.0)
    >>> test.release((a, b), rng=seeded_rng(2)).rejects(0.05)
    True
    >>> print(test.guarantee)
    ε = 1 per record (replace-one neighbours, central model)
    """

    epsilon: float
    parts: int | None = None
    group: str = "group"
    value: str = "value"
    labels: tuple[str, str] = LABELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", check_labels(self.labels))
        positive("epsilon", self.epsilon)
        if self.parts is not None:
            integer("parts", self.parts, least=2)

    @cached_property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon).assuming(*public_labels(self.labels))

    def number_of_parts(self, size: int) -> int:
        """m for so many records; their number is public."""
        if self.parts is not None:
            return self.parts
        return max(2, min(max(8, math.ceil(32 / self.epsilon**2)), size // 10))

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can: it outweighs all others, or nothing."""
        a, b = read_two_groups(data, group=self.group, value=self.value, labels=self.labels)
        return group_neighbours((a, b), 1e6 * (1 + float(np.abs(np.concatenate([a, b])).max(initial=1.0))))

    def release(self, data: Any, *, rng: Rng | None = None) -> WelchAnswer:
        """The p-value, with the standardised number of votes for A in place of t."""
        return self.sample(data, 1, rng)[0]

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> list[WelchAnswer]:
        """``count`` independent releases, for experiments and audits; each of them costs ε."""
        rng = resolve_rng(rng)
        a, b = read_two_groups(data, group=self.group, value=self.value, labels=self.labels)
        values, in_a = np.concatenate([a, b]), np.repeat([True, False], [len(a), len(b)])
        if len(values) == 0:
            raise bad_input("data", "no records", "at least one record")
        parts = self.number_of_parts(len(values))
        votes = np.array([_votes(values, in_a, parts, rng) for _ in range(count)])
        return [self.read(int(told), parts) for told in votes + discrete_laplace(1 / self.epsilon, count, rng=rng)]

    def read(self, told: int, parts: int) -> WelchAnswer:
        """What the released number of votes says."""
        noise = 2 * math.sqrt(discrete_laplace_variance(1 / self.epsilon) / parts)
        p_value = float(self.tail(parts)[min(abs(2 * told - parts), 2 * parts + self._reach)])
        return WelchAnswer(True, (2 * told - parts) / math.sqrt(parts), p_value, noise)

    @cached_property
    def _reach(self) -> int:
        """Noise beyond this has a probability below 10⁻³⁰⁰."""
        return math.ceil(700 / self.epsilon)

    def tail(self, parts: int) -> NDArray[np.float64]:
        """Entry t is Pr[|2(B + L) − m| ≥ t] under equal means."""
        from scipy.stats import binom

        noise = np.exp(discrete_laplace_log_prob(np.arange(-self._reach, self._reach + 1), 1 / self.epsilon))
        law = np.convolve(binom.pmf(np.arange(parts + 1), parts, 0.5), noise)
        away = np.abs(2 * np.arange(-self._reach, parts + self._reach + 1) - parts)
        at_least = np.bincount(away, law, minlength=2 * (parts + self._reach) + 1)
        # Rounded up: these sums are off by less than 10⁻¹¹ of themselves, and that may make no p-value smaller.
        return np.minimum(at_least[::-1].cumsum()[::-1] * (1 + 1e-11), 1.0)


def _votes(values: NDArray[np.float64], in_a: NDArray[np.bool_], parts: int, rng: Rng) -> int:
    """How many parts have the larger mean in A."""
    part = np.arange(len(values)) % parts
    dealt = rng.permutation(len(values))
    values, in_a = values[dealt], in_a[dealt]
    counts = [np.bincount(part[side], minlength=parts) for side in (in_a, ~in_a)]
    sums = [np.bincount(part[side], values[side], minlength=parts) for side in (in_a, ~in_a)]
    both = (counts[0] > 0) & (counts[1] > 0)
    gap = np.where(both, sums[0] * counts[1] - sums[1] * counts[0], 0.0)
    return int((gap > 0).sum() + (rng.random(int((gap == 0).sum())) < 0.5).sum())
