"""A private two-sample test that keeps its level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.choice import draw_coins
from sfumato.noise.discrete import discrete_gaussian, discrete_gaussian_log_prob
from sfumato.noise.interval import exact
from sfumato.promise import ApproxDP, Assumption
from sfumato.promise.amount import less
from sfumato.promise.smooth_noise import tuned_smooth_noise
from sfumato.statistic.core.neighbours import group_neighbours
from sfumato.statistic.core.two_groups import LABELS, TwoGroups, check_dummies, check_labels, public_labels
from sfumato.statistic.core.welch_sensitivity import smooth_bound
from sfumato.statistic.mechanisms.private_welch import FINENESS, ROUNDING
from sfumato.validate import integer, positive, probability

__all__ = ["WelchAnswer", "WelchTest"]

_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4)
_RESERVES = (0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True)
class WelchAnswer:
    """What :class:`WelchTest` releases.

    Parameters
    ----------
    answered : bool
        Whether the data allowed noise as small as the public scale. If not, nothing is rejected: the p-value is 1.
    statistic : float
        The noisy t (0 if not answered); under equal means its law is N(0, 1 + noise_scale²).
    p_value : float
        Two-sided, calibrated for the noise.
    noise_scale : float
        The standard deviation of the noise, public.
    """

    answered: bool
    statistic: float
    p_value: float
    noise_scale: float

    def rejects(self, level: float = 0.05) -> bool:
        """Whether equal means are rejected at this level."""
        return self.p_value <= probability("level", level)


@dataclass(frozen=True, kw_only=True, eq=False)
class WelchTest(Mechanism):
    """Welch's test with noise of a *public* scale σ, or no answer.

    The noise that :class:`~sfumato.statistic.PrivateWelch` needs depends on the data, so a threshold computed from it
    would leak, and a threshold that ignores it does not keep the level (Mimoto Fig. 7.1: a nominal 5 % becomes 83 %).
    Here σ is fixed beforehand. First it is checked, privately, whether the data needs no more: ln S has global
    sensitivity β, because S is β-smooth, and the answer is given if

        ln S + Lap(β/ε₁) ≤ ln S_max − (β/ε₁)·ln(1/2δ),     S_max = α·σ with (α, 0) calibrated for (ε₂, δ).

    Then t̃ = t + σ·N(0, 1) is released with the p-value 2Φ(−|t̃|/√(1 + σ²)). Here t is cut at ±T, T = cap·√(1 + σ²), far
    beyond what decides, so that strong effects do not make S large.

    **Privacy** (ε₁ + ε₂, δ): the check is ε₁-DP. If S(D) > S_max, the answer is given with probability at most δ. If
    S(D) ≤ S_max, any neighbour's t is within S_max, and t + σ·N(0, 1) is (ε₂, δ)-DP. Only one of the cases costs δ.

    **Level**: Pr[answered and |t̃| > z·√(1 + σ²)] ≤ Pr[|t + σZ| > z·√(1 + σ²)], with or without the cut, which is the
    level as far as t itself is standard normal under equal means, whatever the check depends on. The dummies only help
    if the groups are of like size (they enlarge the variance); if not, they shift t by (μ − r̄)·(2/n_B − 2/n_A) over its
    standard error.

    Parameters
    ----------
    epsilon, delta : float
    upper, dummies, group, value, labels
        As in :class:`~sfumato.statistic.PrivateWelch`.
    noise_scale : float
        The public σ. :meth:`planned` finds one from a public guess of the data's size and spread.
    check_share : float
        ε₁/ε, the part of ε that the check takes.
    reserve : float
        How far, on the log scale, S must stay below S_max for an answer: (β/ε₁)·ln(1/2δ), which sets β.
    cap : float
        Where t is cut, in standard deviations of the noisy statistic. At 4, a test at level 5 % can reach a power of
        98 %; for smaller levels raise it.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> promise = {"epsilon": 5.0, "delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}
    >>> test = WelchTest.planned(size=10_000, deviation=14.0, **promise)
    >>> a, b = seeded_rng(1).normal([[100.0], [101.0]], 14.0, (2, 5000))
    >>> test.release((a, b), rng=seeded_rng(2)).rejects(0.05)
    True
    """

    epsilon: float
    delta: float
    upper: float
    dummies: tuple[float, float]
    noise_scale: float
    check_share: float = 0.2
    reserve: float = 0.5
    cap: float = 4.0
    group: str = "group"
    value: str = "value"
    labels: tuple[str, str] = LABELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", check_labels(self.labels))
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        if self.delta >= 0.5:
            raise bad_input("delta", self.delta, "a number in (0, 0.5)", "δ is the chance of no protection at all")
        object.__setattr__(self, "dummies", check_dummies(self.upper, self.dummies))
        positive("noise_scale", self.noise_scale, "WelchTest.planned finds one")
        probability("check_share", self.check_share)
        positive("reserve", self.reserve)
        positive("cap", self.cap)
        _ = self.allowed

    @classmethod
    def planned(
        cls,
        *,
        size: int,
        deviation: float,
        epsilon: float,
        delta: float,
        upper: float,
        dummies: tuple[float, float],
        cap: float = 4.0,
        answered: float = 0.95,
        slack: float = 1.1,
        group: str = "group",
        value: str = "value",
        labels: tuple[str, str] = LABELS,
    ) -> Self:
        """The test with the least σ that is answered with probability ``answered`` if a public guess is right.

        Shares and reserves are tried and the best are taken; nothing of this looks at the data.

        Parameters
        ----------
        size : int
            The number of records of both groups together.
        deviation : float
            A guess, from public knowledge, of the standard deviation in each group.
        answered : float
            The probability of an answer.
        slack : float
            How many times the S of the guess the data's S may be.
        """
        from scipy.special import ndtri

        half = integer("size", size, least=4) // 2
        positive("deviation", deviation)
        missed = min(1 - probability("answered", answered), 0.5)
        first = cls(
            epsilon=epsilon,
            delta=delta,
            upper=upper,
            dummies=dummies,
            noise_scale=1.0,
            cap=cap,
            group=group,
            value=value,
            labels=labels,
        )
        typical = deviation * ndtri((np.arange(half) + 0.5) / half) + sum(first.dummies) / 2
        guess = (np.clip(typical - deviation, 0, upper), np.clip(typical + deviation, 0, upper))  # a strong effect
        groups = TwoGroups.of(guess, upper=upper, dummies=first.dummies)

        def needed(test: Self) -> float:
            """The σ that the S of ``test`` asks for; S depends on σ through the cut, so it is found step by step."""
            distance = test.reserve - test._check_scale * math.log(2 * missed)
            factor = positive("slack", slack) * math.exp(distance) * test.noise_scale / test.allowed
            scale = 0.0
            for _ in range(60):
                before, scale = scale, factor * smooth_bound(groups, test._beta, test._cut(scale))
                if scale <= before * (1 + 1e-3):
                    break
            return scale * (1 + 1e-2)

        tests = [first.replace(check_share=share, reserve=reserve) for share in _SHARES for reserve in _RESERVES]
        best = min(tests, key=needed)
        return best.replace(noise_scale=needed(best))

    @cached_property
    def guarantee(self) -> ApproxDP:
        public = (Assumption("upper bound"), Assumption("dummies"), *public_labels(self.labels))
        return ApproxDP(self.epsilon, self.delta).assuming(*public)

    @property
    def _check_epsilon(self) -> float:
        return self.check_share * self.epsilon

    @property
    def _beta(self) -> float:
        """The smoothness that the reserve pays for; not a function of the data."""
        return self.reserve * self._check_epsilon / -math.log(2 * self.delta)

    @property
    def _check_scale(self) -> float:
        """The scale of the check's Laplace noise on ln S, with an allowance for rounding."""
        return (self._beta + 2 * ROUNDING) / (self._check_epsilon * (1 - ROUNDING))

    @cached_property
    def allowed(self) -> float:
        """S_max: the sensitivity that noise of the public scale covers, less what the grid takes."""
        alpha, _ = tuned_smooth_noise(less(self.epsilon, self._check_epsilon), self.delta, 0.0, step=FINENESS)
        return self.noise_scale * (alpha - 2 * FINENESS)

    def _cut(self, noise_scale: float) -> float:
        """T, where t is cut."""
        return self.cap * math.sqrt(1 + noise_scale**2)

    @cached_property
    def grid(self) -> float:
        """The step of the grid on which the noisy t lies: at most 2^-16 of σ."""
        return 2.0 ** math.floor(math.log2(self.noise_scale * FINENESS))

    def groups(self, data: Any) -> TwoGroups:
        """The checked data with the dummies."""
        columns = {"group": self.group, "value": self.value, "labels": self.labels}
        return TwoGroups.of(data, upper=self.upper, dummies=self.dummies, **columns)

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return group_neighbours(data, self.upper, group=self.group, value=self.value, labels=self.labels)

    def answer_probability(self, data: Any) -> float:
        """How likely the data is found fit for the public noise scale. It depends on the data: do not publish it."""
        away = self._away(self.groups(data))
        return 0.5 * math.exp(away) if away < 0 else 1 - 0.5 * math.exp(-away)

    def _away(self, groups: TwoGroups) -> float:
        """How far, in scales of its noise, the check is on the side of an answer."""
        bound = smooth_bound(groups, self._beta, self._cut(self.noise_scale)) * (1 + ROUNDING)
        return math.log(self.allowed / bound) / self._check_scale + math.log(2 * self.delta * (1 - ROUNDING))

    def release(self, data: Any, *, rng: Rng | None = None) -> WelchAnswer:
        """The calibrated answer."""
        return self.sample(data, 1, rng)[0]

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> list[WelchAnswer]:
        """``count`` independent answers, for experiments and audits; each of them costs (ε, δ)."""
        rng = resolve_rng(rng)
        groups = self.groups(data)
        place = self._place(groups)
        noise = discrete_gaussian(self.noise_scale / self.grid, count, rng=rng)
        away = self._away(groups)
        rare = draw_coins(lambda digits: exact(-abs(away), digits).exp() / 2, count, rng)  # however rare it is
        answered = rare if away < 0 else ~rare
        return [
            self._answer((place + int(step)) * self.grid) if yes else WelchAnswer(False, 0.0, 1.0, self.noise_scale)
            for yes, step in zip(answered.tolist(), noise.tolist(), strict=True)
        ]

    def _place(self, groups: TwoGroups) -> int:
        """The cut t in grid steps."""
        cut = self._cut(self.noise_scale)
        return round(min(max(groups.statistic, -cut), cut) / self.grid)

    def _answer(self, statistic: float) -> WelchAnswer:
        p_value = math.erfc(abs(statistic) / math.sqrt(2 * (1 + self.noise_scale**2)))
        return WelchAnswer(True, statistic, p_value, self.noise_scale)

    def log_prob(self, output: Sequence[WelchAnswer], data: Any) -> NDArray[np.float64]:
        """The exact log-probability of each answer."""
        groups = self.groups(data)
        away = self._away(groups)
        rare = -abs(away) - math.log(2)
        given, refused = (rare, math.log1p(-math.exp(rare))) if away < 0 else (math.log1p(-math.exp(rare)), rare)
        steps = np.array([answer.statistic for answer in output]) / self.grid - self._place(groups)
        law = discrete_gaussian_log_prob(np.rint(steps), self.noise_scale / self.grid) + given
        return np.where([answer.answered for answer in output], law, refused)
