"""Answers of comparisons under differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.mechanism.base import Mechanism
from sfumato.mechanism.container import unpack_any
from sfumato.mechanism.randomized_response import RandomizedResponse
from sfumato.noise import Rng
from sfumato.party.core.answers import answer_array
from sfumato.promise import PureDP
from sfumato.validate import positive

__all__ = ["PrivateAnswers"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateAnswers(Mechanism):
    """Turns each answer with probability 1/(1 + e^ε): ε-LDP for each answer (Warner 1965).

    A protocol that hides the numbers still tells the answer, and ℓ answers to well chosen questions tell an ℓ-bit
    number. Turning a *share* of the answer (two bits whose exclusive or it is) turns the answer, so each party can do
    so by itself before it shows its share: what the other sees is ε-LDP by this party's coin, whatever the other does
    with its own.

    **Theorem.** Answer and turned answer are equal with probability e^ε/(1 + e^ε) and different with probability
    1/(1 + e^ε), and the ratio is e^ε. A person behind m answers spends m·ε.

    Parameters
    ----------
    epsilon : float
        For each answer.

    Examples
    --------
    >>> mechanism = PrivateAnswers(epsilon=1.0)
    >>> print(mechanism.guarantee)
    ε = 1 per answer (any-pair neighbours, local model)
    >>> mechanism.release(np.array([1, 0, 1])).shape
    (3,)
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        _ = self._coin

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each answer."""
        return PureDP(self.epsilon, unit="answer", neighbours="any-pair", model="local")

    @cached_property
    def _coin(self) -> RandomizedResponse:
        return RandomizedResponse(epsilon=self.epsilon, categories=2)

    @property
    def truth(self) -> float:
        """The probability that an answer stays as it is."""
        return self._coin.truth

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The answers, some of them turned: a scalar, an array or a column, as it came in."""
        answer_array("data", data)
        _, repack = unpack_any(data)
        return repack(np.asarray(self._coin.release(answer_array("data", data), rng=rng)))

    def flips(self, count: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
        """The noise alone: 1 where an answer is to be turned."""
        return np.asarray(self._coin.release(np.zeros(count, np.int64), rng=rng))

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of each output for one answer, or one array of answers."""
        return self._coin.log_prob(answer_array("output", output), answer_array("data", data))

    def estimate(self, answers: ArrayLike) -> float:
        """The unbiased number of ones among the true answers."""
        seen = answer_array("answers", answers, least=1)
        return float(self._coin.estimate(seen)[1]) * seen.size
