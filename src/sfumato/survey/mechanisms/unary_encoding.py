"""Unary encoding: a row of K noisy bits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.survey.mechanisms.encoding import Encoding, check_answers, rare_coins, rare_probability

__all__ = ["UnaryEncoding"]


@dataclass(frozen=True, kw_only=True, eq=False)
class UnaryEncoding(Encoding):
    """Reports K bits: the bit of the true answer is set with probability p, every other with probability q.

    **Theorem** (Wang et al. 2017). ε = ln[p(1−q)/((1−p)q)], since two answers differ in two bits. *Optimised* unary
    encoding takes p = ½, q = 1/(e^ε + 1), which minimises the variance 4e^ε/(n(e^ε − 1)²) of rare answers; the
    *symmetric* one (basic RAPPOR) has p = 1 − q = e^{ε/2}/(e^{ε/2} + 1). The coins are exact.

    Parameters
    ----------
    epsilon, categories
        See :class:`~sfumato.survey.mechanisms.encoding.Encoding`.
    optimised : bool

    Examples
    --------
    >>> front = UnaryEncoding(epsilon=1.0, categories=4)
    >>> front.release([0, 3, 3], rng=np.random.default_rng(0)).shape
    (3, 4)
    >>> reports = front.release(np.repeat([0, 1], 50_000), rng=np.random.default_rng(0))
    >>> (abs(front.estimate(reports) - [0.5, 0.5, 0, 0]) < 0.05).all()
    np.True_
    """

    optimised: bool = True

    @property
    def log_odds(self) -> float:
        """ln((1 − q)/q)."""
        return self.epsilon if self.optimised else self.epsilon / 2

    @property
    def false_rate(self) -> float:
        """q, the probability that a bit of another answer is set."""
        return rare_probability(self.log_odds)

    @property
    def true_rate(self) -> float:
        """p, the probability that the bit of the true answer is set."""
        return 0.5 if self.optimised else 1 - self.false_rate

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.uint8]:
        """One row of K bits for each answer."""
        answers = check_answers(data, self.categories)
        rng = resolve_rng(rng)
        reports = np.empty((answers.size, self.categories), np.uint8)
        step, parts = max(1, (1 << 20) // self.categories), 1 if self.optimised else 2
        for start in range(0, answers.size, step):
            block = reports[start : start + step]
            block[:] = rare_coins(self.epsilon, block.shape, rng, parts=parts)
        lost = rare_coins(0.0 if self.optimised else self.epsilon, answers.shape, rng, parts=parts)
        reports[np.arange(answers.size), answers] = ~lost
        return reports

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """Exact log-probabilities of outputs of shape (m, n, K) for the n answers ``data``."""
        answers = check_answers(data, self.categories)
        bits = np.asarray(output)
        if bits.ndim != 3 or bits.shape[1:] != (answers.size, self.categories) or not np.isin(bits, (0, 1)).all():
            raise bad_input("output", bits.shape, f"bits of shape (m, {answers.size}, {self.categories})")
        q, p = self.false_rate, self.true_rate
        log_zero = math.log1p(-q)
        log_one = log_zero - self.log_odds
        total = np.where(bits == 1, log_one, log_zero).sum(axis=(1, 2))
        own = bits[:, np.arange(answers.size), answers]
        swap = np.where(own == 1, math.log(p) - log_one, math.log1p(-p) - log_zero)
        return total + swap.sum(axis=1)

    def estimate(self, reports: ArrayLike) -> NDArray[np.float64]:
        bits = np.asarray(reports)
        if bits.ndim != 2 or bits.shape[1] != self.categories or len(bits) == 0 or not np.isin(bits, (0, 1)).all():
            raise bad_input("reports", bits.shape, f"rows of {self.categories} bits")
        return (bits.mean(axis=0) - self.false_rate) / (self.true_rate - self.false_rate)

    def variance(self, n: int, share: float = 0.0) -> float:
        """Variance of one estimated share from n reports."""
        p, q = self.true_rate, self.false_rate
        return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (n * (p - q) ** 2)
