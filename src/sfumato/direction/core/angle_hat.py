"""Angles drawn from a rotation-invariant law without error: rejection under a staircase of whole numbers.

The density of the angle, f(θ) = sin^{n−2}θ·p(θ) on [0, π], is covered by steps. A step is chosen with probability
W/2⁶², where W is a whole number, the angle is uniform in the step, and it is kept if U·W·e^c ≤ f(θ)·width. What is kept
has exactly the density f, whatever the steps, as long as W·e^c is at least the largest f·width of the step: W is
rounded up and holds a margin far above the rounding of doubles. The inner part of a step is kept without asking for f.

All random reals are uniform and known by their leading 64 bits; doubles decide with a bound on their error, and what
they leave open is decided with more bits of the same reals in interval arithmetic (:class:`ExactAngle`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.direction.core.angular_law import AngularLaw
from sfumato.direction.core.sphere import Floats
from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, exact, pi
from sfumato.noise.lazy_uniform import LazyUniform, decide, random_words
from sfumato.noise.normal import signed

__all__ = ["AngleHat", "CertifiedLaw", "ExactAngle"]

_EVEN, _LINEAR, _FINE, _GUIDE = 256, 192, 4_096, 1_024
_BITS = 62
_TOTAL = 1 << _BITS
_FILLED = 1 - 2.0**-10  # of all words; the rest is rejected, so that rounding up never exceeds the whole


class CertifiedLaw(AngularLaw):
    """A law whose density is also known in interval arithmetic."""

    @abstractmethod
    def interval_profile(self, theta: Interval) -> Interval:
        """:meth:`log_profile` of the real law, of which κ is at most the double and the decimal that it prints as."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Doubles between which the density of the angle is monotone and continuous."""
        return (self.mode,)


@dataclass(frozen=True, eq=False)
class _Steps:
    """Where the steps begin, how wide they are, and the logarithm of their height."""

    start: Floats
    width: Floats
    weight: list[int]
    log_height: Floats


class AngleHat:
    """The steps for one law, built once.

    Parameters
    ----------
    law : CertifiedLaw

    Attributes
    ----------
    acceptance : float
        The share of proposals that are kept without asking for the density.
    """

    def __init__(self, law: CertifiedLaw) -> None:
        self.law = law
        edges = self._edges()
        start, end = edges[:-1], edges[1:]
        width = end - start
        inner = law.log_kernel(np.nextafter(start, end)), law.log_kernel(np.nextafter(end, start))
        top, least = np.maximum(*inner), np.minimum(*inner)  # monotone within a step
        # Doubles are wrong by less than this in a logarithm of the density, wherever the step.
        margin = 1e-6 + 2.0**-46 * (50 * law.n + 4 * law.kappa)
        log_mass = top + np.log(width) + margin
        highest = float(log_mass.max())
        self.log_unit = highest + math.log(float(np.exp(log_mass - highest).sum())) - math.log(_TOTAL * _FILLED)
        weight = [max(1, math.ceil(math.exp(value))) for value in log_mass - self.log_unit]
        log_weight = np.array([math.log(value) for value in weight])
        log_height = log_weight + self.log_unit - np.log(width)
        self.steps = _Steps(start, width, weight, log_height)
        sure = np.exp(np.minimum(least - margin - log_height, 0.0))
        if law.n > 2:  # the density is 0 at both ends
            sure[[0, -1]] = 0.0
        self._sure = sure
        self.cumulative = np.cumsum(np.array(weight, dtype=object)).tolist()
        if self.cumulative[-1] > _TOTAL:
            raise AssertionError("the steps exceed the whole")  # far from it: each is rounded up by less than one
        self._ends = np.array(self.cumulative, np.uint64)
        first = np.searchsorted(self._ends, np.arange(_GUIDE, dtype=np.uint64) << np.uint64(_BITS - 10), side="right")
        self._guide = first.astype(np.int64)
        self.acceptance = float((np.array(weight, float) * self._sure).sum() / _TOTAL)

    def _edges(self) -> Floats:
        """0, π, the places where the density turns, and between them steps of equal probability and of equal width."""
        law = self.law
        low, high = law.support
        if math.pi - high < 1e-3:  # closer to π, whose sine is lost in the rounding of the angle, no step may end
            high = math.pi
        fine = np.unique(np.concatenate([np.linspace(low, high, _FINE), np.clip(law.breaks, 0.0, math.pi)]))
        logs = law.log_kernel((fine[1:] + fine[:-1]) / 2)
        mass = np.concatenate([[0.0], np.cumsum(np.exp(logs - logs.max()) * np.diff(fine))])
        even = np.interp(np.linspace(0, mass[-1], _EVEN + 1), mass, fine)
        linear = np.linspace(low, high, _LINEAR + 1)  # for the tails, which steps of equal probability cover badly
        far = np.linspace(high, math.pi, 17) if high < math.pi else np.array([math.pi])
        near = np.linspace(0.0, low, 17) if low > 0 else np.array([0.0])
        edges = np.unique(np.concatenate([near, even, linear, np.clip(law.breaks, 0.0, math.pi), far]))
        wide = np.diff(edges, prepend=-1.0) > 1e-12 * edges  # a step must be wide enough to have an inside
        return np.asarray(edges[wide | np.isin(edges, [0.0, math.pi, *law.breaks])], float)

    def draw(self, count: int, rng: Rng) -> tuple[Floats, NDArray[np.uint64], NDArray[np.bool_]]:
        """Angles with the sign of a fair coin, the words that they were made from, and which of them are not certain.

        An angle that is certain to be kept is within 2⁻⁵⁰ of itself, and 2⁻⁶² of π, of the real number.
        """
        words = random_words(rng, 3 * count).reshape(-1, 3)
        theta, state = self._decide(words)
        rejected = np.flatnonzero(state == _REJECTED)
        while rejected.size:
            words[rejected] = random_words(rng, 3 * rejected.size).reshape(-1, 3)
            theta[rejected], state[rejected] = self._decide(words[rejected])
            rejected = rejected[state[rejected] == _REJECTED]
        return theta, words, state == _UNSURE

    def _decide(self, words: NDArray[np.uint64]) -> tuple[Floats, NDArray[np.int8]]:
        """Proposals, and whether each is kept, rejected or left open."""
        theta = np.empty(len(words))
        step, state = np.empty(len(words), np.int64), np.empty(len(words), np.int8)
        _propose(words, self._ends, self._guide, self.steps.start, self.steps.width, self._sure, theta, step, state)
        asked = np.flatnonzero(state == _ASK)
        if asked.size:
            state[asked] = self._ask(np.abs(theta[asked]), step[asked], words[asked, 2])
        return theta, state

    def _ask(self, theta: Floats, step: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Whether f(θ) is above U times the height, for certain."""
        law, uniform = self.law, (words.astype(float) + 0.5) * 2.0**-64
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = law.log_kernel(theta) - self.steps.log_height[step] - np.log(uniform)
            sine = np.sin(theta)
            # θ is wrong by 2⁻⁵⁰, which the steepness of the density multiplies; sums of logarithms round by 2⁻⁵² each.
            error = 2.0**-48 * ((law.n - 2) * (2 + np.abs(np.log(sine)) + 1 / sine) + 8 * law.kappa + 64)
            error += 2.0**-48 * np.abs(self.steps.log_height[step]) + 2.0**-64 / uniform
            state = np.where(gap > 0, _KEPT, _REJECTED)
            certain = np.abs(gap) > error
        return np.where(certain, state, _UNSURE).astype(np.int8)


_KEPT, _ASK, _REJECTED, _UNSURE = 0, 1, 2, 3


# Every turn is one proposal by itself: the first word chooses the step, the second the place in it and the side, the
# third is the U of the rejection. ``sure`` is a share that is kept whatever the density.
@njit(cache=True)
def _propose(
    words: NDArray[np.uint64],
    ends: NDArray[np.uint64],
    guide: NDArray[np.int64],
    start: Floats,
    width: Floats,
    sure: Floats,
    theta: Floats,
    step: NDArray[np.int64],
    state: NDArray[np.int8],
) -> None:  # pragma: no cover
    for i in range(words.shape[0]):
        word = words[i, 0] >> np.uint64(2)
        k = guide[np.int64(word >> np.uint64(52))]
        while k < ends.size and ends[k] <= word:
            k += 1
        if k == ends.size:
            step[i], state[i], theta[i] = 0, _REJECTED, 0.0
            continue
        place = float(np.int64(words[i, 1])) * 2.0**-63
        angle = start[k] + width[k] * abs(place)
        theta[i] = angle if place >= 0 else -angle
        step[i] = k
        state[i] = _KEPT if (float(words[i, 2]) + 1) * 2.0**-64 <= sure[k] else _ASK


class ExactAngle:
    """One angle that is known to as many digits as are asked for: the one that its words begin, or the next kept.

    Parameters
    ----------
    hat : AngleHat
    words : array of 3 words
    rng : numpy Generator
    """

    def __init__(self, hat: AngleHat, words: NDArray[np.uint64], rng: Rng) -> None:
        self._hat = hat
        while not self._kept(words, rng):
            words = random_words(rng, 3)

    def _kept(self, words: NDArray[np.uint64], rng: Rng) -> bool:
        hat, chosen = self._hat, int(words[0]) >> 2
        self._step = int(np.searchsorted(hat._ends, np.uint64(chosen), side="right"))
        if self._step == len(hat.cumulative):
            return False
        self.place, test = LazyUniform(rng, int(words[1])), LazyUniform(rng, int(words[2]))
        return decide(lambda digits: self._below(test, digits), [self.place, test])

    def _below(self, test: LazyUniform, digits: int) -> bool:
        """U·W·e^c < f(θ)·width."""
        hat, theta = self._hat, self.angle(digits)
        left = (test.interval(digits) * hat.steps.weight[self._step]).log() + hat.log_unit
        right = hat.law.interval_profile(theta) + self._width(digits).log()
        if hat.law.n > 2:
            right = right + theta.sin().log() * (hat.law.n - 2)
        return left.below(right)

    def _width(self, digits: int) -> Interval:
        start, last = float(self._hat.steps.start[self._step]), self._step + 1 == len(self._hat.cumulative)
        end = pi(digits) if last else exact(float(self._hat.steps.start[self._step + 1]), digits)
        return end - start

    @property
    def negative(self) -> bool:
        """The side."""
        return bool(self.place.leading_bit)

    def angle(self, digits: int) -> Interval:
        """θ, in [0, π]."""
        place = signed(self.place, digits)
        return self._width(digits) * (-place if self.negative else place) + float(self._hat.steps.start[self._step])
