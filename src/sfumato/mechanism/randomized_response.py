"""Randomised response."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.mechanism.container import unpack_any
from sfumato.noise.choice import draw_coins
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_most, exact
from sfumato.promise import Assumption, Model, Neighbours, PureDP
from sfumato.validate import integer, positive

__all__ = ["RandomizedResponse"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RandomizedResponse(ScopedMechanism):
    """Tells the truth with probability e^ε/(e^ε + K − 1), else one of the other K − 1 answers: ε-LDP (Meehan SH1).

    **Theorem.** Any answer has probability p = e^ε/(e^ε + K − 1) under one input and q = 1/(e^ε + K − 1) under every
    other, and p/q = e^ε. The coin is exact, the other answer uniform.

    Parameters
    ----------
    epsilon : float
        For each single answer; a person who answers m questions spends m·ε.
    categories : int or sequence
        The number K of answers, which are then 0, …, K − 1, or the answers themselves.

    Examples
    --------
    >>> survey = RandomizedResponse(epsilon=1.0, categories=["no", "yes"])
    >>> round(survey.truth, 4)
    0.7311
    >>> survey.release(np.array(["yes", "no", "no"]), rng=np.random.default_rng(2)).shape
    (3,)
    """

    epsilon: float
    categories: int | Sequence[Any]
    unit: str = "answer"
    neighbours: Neighbours = field(default="any-pair")
    model: Model = field(default="local")

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        if isinstance(self.categories, (list, tuple, np.ndarray)):
            if len(self.categories) < 2 or len(set(self.categories)) < len(self.categories):
                raise bad_input("categories", self.categories, "at least two different answers")
        else:
            integer("categories", self.categories, least=2)
        _ = self.guarantee

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each answer."""
        return PureDP(self.epsilon, **self.scope).assuming(Assumption("categories"))

    @cached_property
    def answers(self) -> NDArray[Any]:
        """All answers, in order."""
        return np.arange(self.categories) if isinstance(self.categories, int) else np.asarray(self.categories)

    @property
    def truth(self) -> float:
        """The probability p of the true answer."""
        return 1 / (1 + (self.answers.size - 1) * math.exp(-self.epsilon))

    @property
    def other(self) -> float:
        """The probability q of each other answer."""
        return 1 / (math.exp(self.epsilon) + self.answers.size - 1) if self.epsilon < 700 else 0.0

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """One randomised answer for every answer: a scalar, an array or a column, as it came in."""
        array, repack = unpack_any(data)
        code = self.encode(array)
        rng = resolve_rng(rng)
        keep = draw_coins(self._truth, code.size, rng).reshape(code.shape)
        shift = rng.integers(1, self.answers.size, size=code.shape)
        return repack(self.answers[(code + np.where(keep, 0, shift)) % self.answers.size])

    def encode(self, data: ArrayLike) -> NDArray[np.int64]:
        """The position of each answer among the categories; an unknown answer is refused."""
        array = np.asarray(data)
        order = np.argsort(self.answers, kind="stable")
        place = np.searchsorted(self.answers, array, sorter=order).clip(max=self.answers.size - 1)
        code = order[place]
        unknown = self.answers[code] != array
        if np.any(unknown):
            first = np.atleast_1d(array)[np.atleast_1d(unknown)][0]
            raise bad_input("data", first, "one of the categories", "add it to categories, or drop the answer")
        return code

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of each output for one answer (or one array of answers, which are independent)."""
        truth = self.encode(data)
        same = self.encode(output) == truth
        log_truth = -math.log1p((self.answers.size - 1) * math.exp(-self.epsilon))
        law = np.where(same, log_truth, log_truth - self.epsilon)
        return law.reshape(law.shape[0], -1).sum(axis=1)

    def estimate(self, answers: ArrayLike) -> NDArray[np.float64]:
        """Unbiased shares of the true answers: (share observed − q)/(p − q); may fall below 0 or above 1."""
        code = self.encode(unpack_any(answers, "answers")[0])
        if code.size == 0:
            raise bad_input("answers", code.shape, "at least one answer")
        share = np.bincount(code.ravel(), minlength=self.answers.size) / code.size
        return (share - self.other) / (self.truth - self.other)

    def _truth(self, digits: int) -> Interval:
        return _truth(self.answers.size - 1, self.epsilon, digits)


@lru_cache(maxsize=256)
def _truth(others: int, epsilon: float, digits: int) -> Interval:
    """p, enclosed; kept, as it takes longer than the release of one answer."""
    return exact(1, digits) / (exact(others, digits) * (-at_most(epsilon, digits)).exp() + 1)
