"""Quantiles of bounded numbers by the exponential mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential, ScopedMechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, PureDP
from sfumato.promise.amount import share_down
from sfumato.statistic.core.column import Outside, bounded, check_bounds, read_numbers
from sfumato.statistic.core.neighbours import column_neighbours
from sfumato.validate import choice, finite_array, integer, positive, probability

__all__ = ["Quantile"]

Floats = NDArray[np.float64]

_ONE = 1 << 20
_CELLS = 1 << 20  # scores held at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class Quantile(ScopedMechanism):
    """One or several quantiles of bounded numbers, by the exponential mechanism over a public grid of candidates.

    The score of a candidate c is minus the distance of q·n from [#{x < c}, #{x ≤ c}], which is 0 for every c that may
    be called the q-quantile. Replacing a record moves it by at most Δ = 1; adding or removing one by at most
    Δ = max(q, 1 − q), since q·n moves too. Pr[c] ∝ exp(ε·score/(2Δ)), drawn exactly
    (:class:`~sfumato.mechanism.Exponential`).

    Several quantiles share ε equally, middle one first; each is sought between those already released, so that they
    come out in order.

    Parameters
    ----------
    epsilon : float
        The whole loss, for all quantiles together.
    bounds : pair of float
        (low, high), public.
    q : float or sequence of float
        Which quantiles, increasing, in (0, 1).
    points : int
        The candidates are low, low + (high − low)/points, …, high; values are rounded to them.
    outside : {"reject", "clip"}
    column : str, optional
        The column of a frame.

    References
    ----------
    Smith (2011), "Privacy-preserving statistical estimation with optimal convergence rates", for the score.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> ages = np.tile(np.arange(20, 81), 50)
    >>> Quantile(epsilon=9.0, bounds=(0, 120), q=(0.25, 0.5, 0.75), points=120).release(ages, rng=seeded_rng(0))
    array([35., 50., 65.])
    """

    epsilon: float
    bounds: tuple[float, float]
    q: float | Sequence[float] = 0.5
    points: int = 10_000
    outside: Outside = "reject"
    column: str | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        choice("neighbours", self.neighbours, ("replace-one", "add-remove"), "other relations change the sensitivity")
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        integer("points", self.points, most=10**7)
        choice("outside", self.outside, ("reject", "clip"))
        if not isinstance(self.q, (int, float)):
            object.__setattr__(self, "q", tuple(float(q) for q in self.q))
        for q in self._levels:
            probability("q", q)
        if len(self._levels) == 0 or not (np.diff(self._levels) > 0).all():
            raise bad_input("q", self.q, "one or more increasing numbers in (0, 1)")
        _ = self.guarantee

    @cached_property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon, **self.scope).assuming(Assumption("bounds"))

    @property
    def _levels(self) -> tuple[float, ...]:
        return (float(self.q),) if isinstance(self.q, (int, float)) else tuple(self.q)

    @property
    def candidates(self) -> Floats:
        """All possible outputs."""
        low, high = self.bounds
        return np.asarray(low + np.arange(self.points + 1) * ((high - low) / self.points))

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return column_neighbours(data, self.bounds, neighbours=self.neighbours, column=self.column)

    def values(self, data: Any) -> Floats:
        """The checked, bounded numbers."""
        values = bounded(read_numbers(data, self.column), self.bounds, self.outside)
        if self.neighbours == "replace-one" and len(values) == 0:
            raise bad_input("data", "no records", "at least one record", "with add-remove neighbours n may be 0")
        return values

    def answer(self, data: Any) -> Any:
        """The exact quantiles of the (clipped) values."""
        values = self.values(data)
        if len(values) == 0:
            return sum(self.bounds) / 2 if isinstance(self.q, (int, float)) else np.full(len(self.q), np.nan)
        result = np.quantile(values, self._levels, method="inverted_cdf")
        return float(result[0]) if isinstance(self.q, (int, float)) else result

    @property
    def adds_up(self) -> bool:
        """Whether the totals of all records are the sums of those of their parts: then a file can stream past."""
        return True

    def totals(self, data: Any) -> tuple[NDArray[np.int64], int]:
        """How many records are nearest to each candidate: whole numbers that add up; and the number of records."""
        low, high = self.bounds
        values = self.values(data)
        place = np.rint((values - low) * (self.points / (high - low))).astype(np.int64)
        return np.bincount(place, minlength=self.points + 1), len(values)

    def margin_for(self, size: int, level: float = 0.95) -> float:
        """How far off in rank one quantile is, as a share of ``size`` records, with this probability at most.

        The release is a q′-quantile with |q′ − q| ≤ margin. Some candidate has score 0, so that a score below −s has
        probability at most m·exp(−ε·s/(2Δ)) for m candidates, and s = 2Δ·ln(m/(1 − level))/ε (McSherry and
        Talwar 2007). It depends on public things only.

        >>> round(Quantile(epsilon=1.0, bounds=(0, 120), points=120).margin_for(1000), 4)
        0.0156
        """
        if len(self._levels) > 1:
            raise bad_input("q", self.q, "one quantile for a margin", "ask for each alone")
        missed = 1 - probability("level", level)
        change = 1.0 if self.neighbours == "replace-one" else max(self._levels[0], 1 - self._levels[0])
        ranks = 2 * change * float(np.log((self.points + 1) / missed)) / self.epsilon
        return min(ranks / integer("size", size), 1.0)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected quantile, or an array of them."""
        return self.release_totals(*self.totals(data), rng=rng)

    def release_totals(self, totals: NDArray[np.int64], size: int, *, rng: Rng | None = None) -> Any:
        """The same from exact totals that were added up elsewhere."""
        rng = resolve_rng(rng)
        below = np.concatenate(([0], np.cumsum(totals)))
        index = np.full(len(self._levels) + 2, -1)
        index[0], index[-1] = 0, self.points
        for level, left, right in self._order():
            start, stop = index[left], index[right] + 1
            index[level + 1] = start + self._choosers[level].release(self._scores(below, level)[start:stop], rng=rng)
        result = self.candidates[index[1:-1]]
        return float(result[0]) if isinstance(self.q, (int, float)) else result

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> Floats:
        """``count`` independent releases, for experiments and audits; each of them costs ε."""
        rng = resolve_rng(rng)
        if len(self._levels) > 1:
            return np.array([self.release(data, rng=rng) for _ in range(integer("count", count))])
        scores = self._scores(self._below(data), 0)
        rows = max(1, _CELLS // len(scores))
        parts = [min(rows, count - done) for done in range(0, integer("count", count), rows)]
        chosen = [self._choosers[0].release(np.tile(scores, (part, 1)), rng=rng) for part in parts]
        result = self.candidates[np.concatenate(chosen)]
        return result if isinstance(self.q, (int, float)) else result[:, None]

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of each output (a number, or a row of quantiles)."""
        outputs = finite_array("output", output).reshape(-1, len(self._levels))
        low, high = self.bounds
        place = (outputs - low) * (self.points / (high - low))
        index = np.rint(place).astype(np.int64)
        known = (np.abs(place - index) < 1e-6) & (index >= 0) & (index <= self.points)
        index = np.clip(index, 0, self.points)
        index = np.column_stack([np.zeros(len(index), np.int64), index, np.full(len(index), self.points)])
        result = np.where(known.all(axis=1) & (np.diff(index, axis=1) >= 0).all(axis=1), 0.0, -np.inf)
        below = self._below(data)
        for level, left, right in self._order():
            scores = self._scores(below, level)
            for start, stop in {(int(a), int(b)) for a, b in index[result > -np.inf][:, [left, right]]}:
                rows = (index[:, left] == start) & (index[:, right] == stop) & (result > -np.inf)
                law = self._choosers[level].log_probs(scores[start : stop + 1])
                result[rows] += law[index[rows, level + 1] - start]
        return np.asarray(result)

    @cached_property
    def _choosers(self) -> tuple[Exponential, ...]:
        """The mechanisms that choose the quantiles, one each."""
        epsilon, wholes = share_down(self.epsilon, len(self._levels)), [round(q * _ONE) for q in self._levels]
        changes = [_ONE if self.neighbours == "replace-one" else max(q, _ONE - q) for q in wholes]
        return tuple(Exponential(epsilon=epsilon, sensitivity=float(change), **self.scope) for change in changes)

    def _below(self, data: Any) -> NDArray[np.int64]:
        """#{x < c} for each candidate c, and the number of records at the end."""
        return np.concatenate(([0], np.cumsum(self.totals(data)[0])))

    def _scores(self, below: NDArray[np.int64], level: int) -> Floats:
        """Scores in units of 2^-20 of a record, whole numbers: nothing is rounded but q itself."""
        target = round(self._levels[level] * _ONE) * int(below[-1])
        return -np.maximum(np.maximum(below[:-1] * _ONE - target, target - below[1:] * _ONE), 0).astype(float)

    def _order(self) -> Iterator[tuple[int, int, int]]:
        """The quantiles, middle first, each with the positions of those released around it (in 0 … m + 1)."""
        ranges = [(0, len(self._levels) + 1)]
        while ranges:
            left, right = ranges.pop(0)
            if right - left > 1:
                middle = (left + right) // 2
                yield middle - 1, left, right
                ranges += [(left, middle), (middle, right)]
