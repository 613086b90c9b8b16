"""What the local front ends share: checked answers, and coins whose bias is exactly the one in the law."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.privacy import PureDP
from sfumato.validate import integer, positive

__all__ = ["Encoding", "check_answers", "rare_coin", "rare_probability"]

_WORD = 2.0**-64


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
    """1/(e^t + 1) rounded up to a multiple of 2⁻⁶⁴, so that the odds never exceed e^t.

    >>> rare_probability(0.0)
    0.5
    """
    if log_odds <= 0:
        return 0.5
    multiple = math.ceil(2.0**64 / (math.exp(min(log_odds, 700.0)) + 1) * (1 + 2.0**-50))
    return min(multiple * _WORD, 0.5)


def rare_coin(probability: float, shape: tuple[int, ...], rng: Rng) -> NDArray[np.bool_]:
    """Coins that fall True with exactly ``probability``, a multiple of 2⁻⁶⁴ below 1."""
    words = rng.integers(0, 2**64, size=shape, dtype=np.uint64)
    return words < np.uint64(probability * 2.0**64)


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
        return PureDP(self.epsilon, unit="answer", neighbours="replace-one", model="local")

    @abstractmethod
    def estimate(self, reports: Any) -> NDArray[np.float64]:
        """Unbiased shares of the K answers; noise may push some below 0 or above 1."""
