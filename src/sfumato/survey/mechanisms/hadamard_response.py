"""Hadamard response: one small number a report, whatever the number of categories."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.survey.mechanisms.encoding import Encoding, check_answers, rare_coins, rare_probability

__all__ = ["HadamardResponse"]


@dataclass(frozen=True, kw_only=True, eq=False)
class HadamardResponse(Encoding):
    """Reports a column of a Hadamard matrix that agrees with the answer's row more often than not.

    Answer x owns row x + 1 of the Sylvester–Hadamard matrix of order B, the smallest power of two above K. The report
    is uniform among the B/2 columns where that row is +1 with probability e^ε/(e^ε + 1), and among the others
    otherwise. Any other row is +1 on half of either set, so that share_x = (2·Pr[row is +1] − 1)(e^ε + 1)/(e^ε − 1).

    **Theorem** (Acharya, Sun and Zhang 2019). ε-LDP, because a report's probabilities under two answers differ at most
    by e^ε; log₂ B bits a report, and all K shares from one fast Walsh–Hadamard transform.

    Examples
    --------
    >>> front = HadamardResponse(epsilon=1.0, categories=5)
    >>> front.order
    8
    >>> reports = front.release(np.repeat([0, 1], 50_000), rng=np.random.default_rng(0))
    >>> (abs(front.estimate(reports) - [0.5, 0.5, 0, 0, 0]) < 0.05).all()
    np.True_
    """

    @property
    def order(self) -> int:
        """B, the number of possible reports."""
        return 1 << self.categories.bit_length()

    @property
    def wrong_rate(self) -> float:
        """Probability that the answer's row is −1 at the report."""
        return rare_probability(self.epsilon)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.int64]:
        rows = check_answers(data, self.categories) + 1
        rng = resolve_rng(rng)
        reports = rng.integers(0, self.order, size=rows.size)
        wanted = rare_coins(self.epsilon, rows.shape, rng)
        # Flipping one bit that the row reads swaps the two halves of the columns one to one.
        return np.where(_odd(rows & reports) == wanted, reports, reports ^ (rows & -rows))

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """Exact log-probabilities of outputs of shape (m, n) for the n answers ``data``."""
        rows = check_answers(data, self.categories) + 1
        reports = np.asarray(output)
        if reports.ndim != 2 or reports.shape[1] != rows.size or (reports < 0).any() or (reports >= self.order).any():
            raise bad_input("output", reports.shape, f"reports below {self.order} of shape (m, {rows.size})")
        usual = math.log1p(-self.wrong_rate)
        rare = usual - self.epsilon
        return (np.where(_odd(rows & reports), rare, usual) - math.log(self.order / 2)).sum(axis=1)

    def estimate(self, reports: ArrayLike) -> NDArray[np.float64]:
        columns = np.asarray(reports)
        if (
            columns.ndim != 1
            or columns.dtype.kind not in "iu"
            or columns.size == 0
            or columns.min() < 0
            or columns.max() >= self.order
        ):
            raise bad_input("reports", columns.shape, f"one whole number below {self.order} for each owner")
        sums = _walsh_hadamard(np.bincount(columns, minlength=self.order).astype(np.float64))
        return sums[1 : self.categories + 1] / (columns.size * (1 - 2 * self.wrong_rate))

    def variance(self, n: int, share: float = 0.0) -> float:
        """Variance of one estimated share from n reports."""
        gain = 1 - 2 * self.wrong_rate
        return (1 - (share * gain) ** 2) / (n * gain**2)


def _odd(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether an odd number of bits is set."""
    folded = values.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        folded ^= folded >> shift
    return folded & 1 == 1


def _walsh_hadamard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    width = 1
    while width < values.size:
        pairs = values.reshape(-1, 2, width)
        values = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        width *= 2
    return values
