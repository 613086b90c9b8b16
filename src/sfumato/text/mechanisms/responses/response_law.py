"""The law of an answer that favours some of finitely many, in whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.interval import exact
from sfumato.text.promise import ResponsePrivacy

__all__ = ["ResponseLaw", "most_informative"]

_BITS = 32
_MOST = 1 << 62


@dataclass(frozen=True, kw_only=True)
class ResponseLaw:
    """Gives each of t favoured answers the weight W and every other one of A the weight B, with W/B ≤ e^ε.

    **Theorem.** Each answer has one of two probabilities, whose ratio is W/B and whose normaliser does not depend on
    what is favoured: any two inputs are told apart by at most ε, without the factor 2 of the exponential mechanism.
    Which answers are favoured may be any function of the input.

    Parameters
    ----------
    epsilon : float
    answers : int
        A.
    favoured : int
        t.

    Examples
    --------
    >>> law = ResponseLaw(epsilon=3.0, answers=4, favoured=1)
    >>> round(law.truth, 4), round(law.leakage, 4)
    (0.87, 3.4802)
    """

    epsilon: float
    answers: int
    favoured: int

    @cached_property
    def weights(self) -> tuple[int, int]:
        """W and B: the weights of a favoured answer and of any other, in whole numbers."""
        for bits in range(_BITS, -1, -1):
            base = 1 << bits
            high = int((exact(float(self.epsilon), 60).exp() * base).low.to_integral_value(rounding="ROUND_FLOOR"))
            if self.favoured * high + (self.answers - self.favoured) * base < _MOST:
                return high, base
        raise bad_input("epsilon", self.epsilon, "e^ε times the favoured answers below 2⁶²", "ε above 20 hides nothing")

    @property
    def total(self) -> int:
        """The sum of all weights."""
        high, base = self.weights
        return self.favoured * high + (self.answers - self.favoured) * base

    @property
    def truth(self) -> float:
        """p, the probability of a favoured answer."""
        return self.favoured * self.weights[0] / self.total

    @property
    def leakage(self) -> float:
        """p·A/t, the factor by which the chance of any guess may grow."""
        return self.answers * self.weights[0] / self.total

    @property
    def promise(self) -> ResponsePrivacy:
        """ε for any two documents, and the maximal leakage (in nats) beside it."""
        leakage = math.nextafter(math.log(self.leakage) * (1 + 2.0**-50), math.inf)
        return ResponsePrivacy(float(self.epsilon), min(leakage, float(self.epsilon)), unit="document")

    def draw(self, favoured: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """An answer for each row of favoured ones, which are in ascending order.

        A whole number below the sum of the weights names one answer.
        """
        high, base = self.weights
        number = rng.integers(0, self.total, size=len(favoured))
        kept = number < self.favoured * high
        own = favoured[np.arange(len(favoured)), np.where(kept, number // high, 0)]
        other = np.where(kept, 0, (number - self.favoured * high) // base)
        for column in favoured.T:  # ascending: the r-th answer that is not favoured
            other = other + (other >= column)
        drawn: NDArray[np.int64] = np.where(kept, own, other)
        return drawn

    def log_probs(self, fits: NDArray[np.bool_]) -> NDArray[np.float64]:
        """ln of the chance of an answer that is favoured, or not."""
        high, base = self.weights
        return np.where(fits, math.log(high), math.log(base)) - math.log(self.total)


def most_informative(epsilon: float, size: int) -> int:
    """The t at which the mutual information of text and release is largest, if every public text is near as often.

    It is p·ln(p/f) + (1 − p)·ln((1 − p)/(1 − f)) with f = t/m.
    """
    most = max(1, size // 2)
    share = np.arange(1, most + 1) / size
    total = share + (1 - share) * np.exp(-epsilon)  # p/f = 1/total and (1 − p)/(1 − f) = e^−ε/total
    information = -np.log(total) - (1 - share) * np.exp(-epsilon) / total * epsilon
    return int(information.argmax()) + 1
