"""Randomised response on every cell: the honest local baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.activity.core.activity import Activity, as_dense, as_matrix
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.errors import bad_input
from sfumato.mechanism import RandomizedResponse
from sfumato.noise import Rng
from sfumato.promise import Assumption, PureDP
from sfumato.validate import integer, positive

__all__ = ["RandomizedCells"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RandomizedCells(ActivityMechanism):
    """Each cell says whether the user used the item, and lies with probability 1/(1 + e^ε): ε for each cell.

    **Theorem.** One cell is randomised response, ε-LDP. Two rows differ in up to all their cells, so that a user's loss
    is ε times the number of items and windows. With ``most`` a user reports at most that many items in a window, a
    random choice of them: any two rows then differ in at most 2·``most`` cells whatever was chosen, and the loss for
    the row is 2·``most``·ε (a mixture of laws whose ratios are all bounded keeps the bound).

    Parameters
    ----------
    epsilon : float
        For each cell.
    most : int, optional
        How many items of a user enter in each window.

    Examples
    --------
    >>> print(RandomizedCells(epsilon=1.0).guarantee)
    ε = 1 per cell (any-pair neighbours, local model), provided that the items are public
    >>> print(RandomizedCells(epsilon=0.5, most=4).guarantee)
    ε = 4 per row of one window (any-pair neighbours, local model), provided that the items are public
    """

    technique = "randomization"
    needs_items = True

    epsilon: float
    most: int | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        if self.most is not None:
            integer("most", self.most)
        _ = self._response

    @cached_property
    def _response(self) -> RandomizedResponse:
        return RandomizedResponse(epsilon=self.epsilon, categories=2)

    @property
    def guarantee(self) -> PureDP:
        """ε for each cell; with ``most``, 2·most·ε for each row."""
        cell = PureDP(self.epsilon, unit="cell", neighbours="any-pair", model="local").assuming(Assumption("items"))
        return cell if self.most is None else cell.over(2 * self.most, unit="row of one window")

    def per_user(self, items: int, windows: int) -> PureDP:
        cell = PureDP(self.epsilon, **self.guarantee.terms)
        cells = items if self.most is None else min(items, 2 * self.most)
        return cell.over(cells * windows, unit="user")

    @property
    def channel(self) -> tuple[float, float]:
        """The probability of a 1 where there is a 0, and where there is a 1."""
        return self._response.other, self._response.truth

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        windows = []
        for window in activity.windows:
            bits = _bits(as_dense(window))
            if self.most is not None:
                bits = _some(bits, self.most, rng)
            windows.append(np.asarray(self._response.release(bits, rng=rng)) + 0.0)
        return activity.with_windows(windows, channel=self.channel)

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The exact log-probability of each output matrix, for one matrix.

        With ``most`` a row is a mixture over the choices of t of its s ones. All choices with j of the a ones that were
        answered by a 1 are alike: Σ_j C(a, j)·C(s − a, t − j)/C(s, t)·e^{ε(2j − t)} times the law of a row of zeros.
        """
        bits, answers = _bits(as_dense(as_matrix("data", data))), _bits(np.asarray(output))
        if self.most is None or self.most >= bits.sum(axis=1).max():
            return self._response.log_prob(answers, bits)
        from scipy.special import gammaln, logsumexp

        law = self._response.log_prob(answers, np.zeros_like(bits))
        for row, has in enumerate(bits):
            yes = answers[:, row, has > 0].sum(axis=1)[:, None]
            total = int(has.sum())
            chosen = min(self.most, total)
            j = np.arange(chosen + 1)

            def choose(n: Any, k: Any) -> Any:
                inside = (k >= 0) & (k <= n)
                k = np.where(inside, k, 0)
                return np.where(inside, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), -np.inf)

            weight = choose(yes, j) + choose(total - yes, chosen - j) - choose(total, np.array(chosen))
            law = law + logsumexp(weight + self.epsilon * (2 * j - chosen), axis=1)
        return law

    def cell_scores(self, released: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For 0/1 rows x: log-likelihood of a released cell at x = 0, and what x = 1 adds to it."""
        low, high = (max(one, 1e-300) for one in self.channel)
        said = released > 0.5
        zero: NDArray[np.float64] = np.where(said, math.log(low), math.log(high))
        return zero, np.where(said, 1.0, -1.0) * math.log(high / low)


def _bits(matrix: NDArray[Any]) -> NDArray[np.int64]:
    if not ((matrix == 0) | (matrix == 1)).all():
        raise bad_input("data", "other cells", "cells that are 0 or 1", "read the log without counts")
    return matrix.astype(np.int64)


def _some(bits: NDArray[np.int64], most: int, rng: Rng) -> NDArray[np.int64]:
    """At most ``most`` ones a row, chosen uniformly."""
    order = np.where(bits > 0, rng.random(bits.shape), np.inf)
    if most >= bits.shape[1]:
        return bits
    cut = np.partition(order, most, axis=1)[:, most : most + 1]
    return np.where(order < cut, bits, 0)
