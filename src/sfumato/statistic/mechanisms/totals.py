"""Whole-number totals with whole-number Laplace noise: what count, sum, mean, variance and histogram are made of.

Each of them adds up records on a public grid, exactly, adds discrete Laplace noise Pr[z] ∝ exp(−|z|/b) to each total
and computes the answer from the noisy totals alone. A promise therefore rests on integers only: no floating-point sum,
no low bits (Casacuberta et al. 2022).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, ScopedMechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.discrete import discrete_laplace
from sfumato.noise.discrete_sampler import LARGEST_SCALE
from sfumato.promise import Assumption, PureDP
from sfumato.statistic.core.neighbours import column_neighbours
from sfumato.validate import choice, positive, probability

__all__ = ["NoisyTotals", "TotalsMechanism", "log_laplace_between"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TotalsMechanism(ScopedMechanism):
    """Base of the mechanisms that release a function of noisy totals.

    Parameters
    ----------
    epsilon : float
        The whole loss of one release.
    column : str, optional
        The column of a frame; an array or series needs none.
    unit, neighbours, model
        As in :class:`~sfumato.promise.Guarantee`. With ``"replace-one"`` the number of records is public;
        with ``"add-remove"`` it is not, and an answer that uses it pays for it.
    """

    epsilon: float
    column: str | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        choice("neighbours", self.neighbours, ("replace-one", "add-remove"), "other relations change the sensitivity")
        if self.column is not None and not isinstance(self.column, str):
            raise bad_input("column", self.column, "the name of a column")

    @cached_property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon, **self.scope).assuming(*self._assumptions)

    @property
    def _assumptions(self) -> tuple[Assumption, ...]:
        """What is taken as public beside the query itself."""
        return ()

    @property
    def public_size(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbours == "replace-one"

    @property
    def adds_up(self) -> bool:
        """Whether the totals of all records are the sums of those of their parts: then a file can stream past."""
        return True

    @property
    def parts(self) -> NoisyTotals:
        """The noisy totals themselves as a mechanism of the same promise: all else is post-processing of them."""
        return NoisyTotals(query=self)

    @property
    @abstractmethod
    def extremes(self) -> tuple[Any, Any]:
        """The two records that are farthest apart."""

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return column_neighbours(data, self.extremes, neighbours=self.neighbours, column=self.column)

    @abstractmethod
    def answer(self, data: Any) -> Any:
        """The exact answer, without protection: what the release estimates."""

    @abstractmethod
    def totals(self, data: Any) -> tuple[Ints, int]:
        """The exact totals, and the number of records where it is public (0 where it is not)."""

    @abstractmethod
    def scales(self, size: int) -> Floats:
        """The scale b of the noise on each total; Σ (change of a total)/b ≤ ε for neighbours."""

    @abstractmethod
    def finish(self, totals: Ints, size: int) -> Any:
        """The answer from noisy totals; the last axis runs over the totals."""

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected answer: a number, or an array for a histogram."""
        return self.release_totals(*self.totals(data), rng=rng)

    def release_totals(self, totals: Ints, size: int, *, rng: Rng | None = None) -> Any:
        """The protected answer from exact totals that were added up elsewhere."""
        result = np.asarray(self.finish(totals + self._noise(size, 1, resolve_rng(rng)), size))[0]
        return result.item() if np.ndim(result) == 0 else result

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> NDArray[Any]:
        """``count`` independent releases, for experiments and audits; each of them costs ε."""
        totals, size = self.totals(data)
        return np.asarray(self.finish(totals + self._noise(size, count, resolve_rng(rng)), size))

    def noise_step(self, size: int) -> float:
        """How far one unit of noise moves the answer, where the answer is one total times a step."""
        raise bad_input("neighbours", self.neighbours, "'replace-one' for a margin", "a ratio of totals has none")

    def margin(self, data: Any, level: float = 0.95) -> float:
        """The exact answer (each count of a histogram) lies within release ± margin with this probability at least.

        It speaks of the noise alone, not of how the data was sampled, and depends on public things only.
        """
        return self.margin_for(self.totals(data)[1], level)

    def margin_for(self, size: int, level: float = 0.95) -> float:
        """The same for any data of a public number of records: what can be said before anything is paid."""
        missed = 1 - probability("level", level)
        scale = float(self.scales(size)[0])
        # Pr[|z| > k] = 2·p^{k+1}/(1 + p) with p = exp(−1/b)
        reach = math.ceil(scale * math.log(2 / (missed * (1 + math.exp(-1 / scale))))) - 1
        return max(reach, 0) * self.noise_step(size)

    def _noise(self, size: int, count: int, rng: Rng) -> Ints:
        scales = self.scales(size).tolist()
        if max(scales) > LARGEST_SCALE:
            least = self.epsilon * max(scales) / LARGEST_SCALE
            raise bad_input("epsilon", self.epsilon, f"ε of at least {least:.2g} here", "less is nothing but noise")
        if len(set(scales)) == 1:
            return discrete_laplace(scales[0], count * len(scales), rng=rng).reshape(count, -1)
        return np.stack([discrete_laplace(scale, count, rng=rng) for scale in scales], axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTotals(Mechanism):
    """The noisy totals of another mechanism, unprocessed: its exact law, for audits and for the strongest attacker."""

    query: TotalsMechanism

    @property
    def guarantee(self) -> PureDP:
        return self.query.guarantee

    def release(self, data: Any, *, rng: Rng | None = None) -> Ints:
        totals, size = self.query.totals(data)
        return totals + self.query._noise(size, 1, resolve_rng(rng))[0]

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of noisy totals, one for each row."""
        totals, size = self.query.totals(data)
        away = np.asarray(output) - totals
        return np.asarray(log_laplace_between(away, away, self.query.scales(size)).sum(axis=-1))


def log_laplace_between(low: ArrayLike, high: ArrayLike, scale: ArrayLike) -> Floats:
    """log Pr[low ≤ z ≤ high] for discrete Laplace noise, exact to rounding even in the far tails.

    >>> round(float(np.exp(log_laplace_between(0, 0, 1.0))), 6)  # tanh(1/2)
    0.462117
    """
    low, high = np.ceil(low), np.floor(high)
    low, high, scale = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float), np.asarray(scale, float))
    positive_part = _log_side(np.maximum(low, 0), high, scale)
    negative_part = _log_side(np.maximum(-high, 1), -low, scale)
    return np.asarray(np.logaddexp(positive_part, negative_part))


def _log_side(low: Floats, high: Floats, scale: Floats) -> Floats:
    """log Pr[low ≤ z ≤ high] for 0 ≤ low; −∞ where high < low."""
    width = np.maximum(high - low + 1, 0)
    with np.errstate(divide="ignore"):
        return -low / scale + np.log(-np.expm1(-width / scale)) - np.log1p(np.exp(-1 / scale))
