"""What the local front ends share: checked answers, and coins whose bias is exactly that of the law."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.noise.choice import draw_coins
from sfumato.noise.interval import Interval, at_most
from sfumato.promise import Assumption, PureDP
from sfumato.validate import integer, positive, probability

__all__ = ["Encoding", "check_answers", "rare_coins", "rare_probability"]


def check_answers(answers: ArrayLike, categories: int) -> NDArray[np.int64]:
    """One whole number from 0 to ``categories`` − 1 for each owner."""
    array = np.asarray(answers)
    if array.dtype.kind not in "iu" or array.ndim != 1 or array.size == 0:
        raise bad_input("answers", answers, f"one whole number from 0 to {categories - 1} for each owner")
    outside = (array < 0) | (array >= categories)
    if outside.any():
        first = int(np.argmax(outside))
        raise bad_input(
            f"answers[{first}]",
            array[first].item(),
            f"a category from 0 to {categories - 1}",
            "encode the answers first, and give every one of them a category",
        )
    return array.astype(np.int64, copy=False)


def rare_probability(log_odds: float) -> float:
    """1/(e^t + 1), also where e^t overflows.

    >>> rare_probability(0.0)
    0.5
    """
    return math.exp(-log_odds) / (1 + math.exp(-log_odds))


def rare_coins(epsilon: float, shape: tuple[int, ...], rng: Rng, *, parts: int = 1) -> NDArray[np.bool_]:
    """Coins that fall True with probability exactly 1/(e^t + 1), t = ε/parts; ε as a budget counts it."""

    def enclosed(digits: int) -> Interval:
        rare = (-at_most(epsilon, digits) / parts).exp()
        return rare / (rare + 1)

    return draw_coins(enclosed, math.prod(shape), rng).reshape(shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class Encoding(Mechanism):
    """A local front end that encodes one categorical answer: base of the unary and Hadamard ones.

    Parameters
    ----------
    epsilon : float
        The promise to each owner.
    categories : int
        Number of answers K ≥ 2; an answer is 0, …, K − 1.
    """

    epsilon: float
    categories: int

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        integer("categories", self.categories, least=2)

    @property
    def guarantee(self) -> PureDP:
        promise = PureDP(self.epsilon, unit="answer", neighbours="any-pair", model="local")
        return promise.assuming(Assumption("categories"))

    @abstractmethod
    def estimate(self, reports: Any) -> NDArray[np.float64]:
        """Unbiased shares of the K answers; noise may push some below 0 or above 1."""

    @abstractmethod
    def variance(self, n: int, share: float = 0.0) -> float:
        """Variance of one estimated share from n reports."""

    def margin_for(self, size: int, level: float = 0.95) -> float:
        """How far the estimate of one share is off at most, with probability ``level``, from ``size`` reports.

        By the normal law, for the share whose estimate varies most. Nothing of the answers is used.

        >>> from sfumato.survey import UnaryEncoding
        >>> round(UnaryEncoding(epsilon=1.0, categories=4).margin_for(10_000), 4)
        0.0424
        """
        n = integer("size", size)
        spread = math.sqrt(max(self.variance(n, 0.0), self.variance(n, 1.0)))  # no share between varies more
        return NormalDist().inv_cdf((1 + probability("level", level)) / 2) * spread
