"""Pearson's correlation from moments with noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.mechanism.gaussian import discrete_gaussian_sigma
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.discrete import discrete_gaussian, discrete_gaussian_log_prob
from sfumato.promise import ApproxDP, Assumption
from sfumato.statistic.core.column import check_bounds
from sfumato.statistic.core.two_columns import BITS, farthest_rows, grid_columns
from sfumato.validate import finite_array, integer, positive, probability

__all__ = ["MomentCorrelation"]

_STEPS = 38
"""The moments lie on a grid of 2^-38, far finer than the noise."""
_FIRST = 3 / 8
"""The weight c of the two sums beside those of second order: less makes means noisier, more everything else."""
_ROOT_BITS = 100
_ROOT = math.isqrt(2 << (2 * _ROOT_BITS))  # √2 in steps of 2^-100
_PIECE = 1 << 20

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MomentCorrelation(Mechanism):
    r"""Pearson's correlation of two bounded columns, computed from sums and sums of products with Gaussian noise.

    With u, v the two columns in units of their bounds, counted from the middle (so that both lie in [−½, ½]), the noise
    is added to

        T = (c·Σu, c·Σv, Σu², Σv², √2·Σuv),    c = 3/8.

    **Sensitivity.** Replacing a record z = (u, v) by w changes T by √(‖zzᵀ − wwᵀ‖² + c²‖z − w‖²) in L₂. With p = ‖z‖²,
    q = ‖w‖² ≤ ½ and t = z·w the square is p² + q² − 2t² + c²(p + q − 2t), which is largest at t = −c²/2:

        Δ² ≤ ½ + c² + c⁴/2,    Δ ≤ (1 + c²)/√2 = .807.

    So T with Gaussian noise of the σ for this Δ is (ε, δ)-DP, and what is computed from it is, too. A neighbour
    replaces one record; the number of records is public.

    **Error.** There are no dummies, hence no pull towards 0, and σ does not depend on the data. If both columns have
    standard deviation s in units of their bounds, with means near the middle, the correlation of n records is off by
    about σ·√((1 + r²)/2)/(n·s²): see :meth:`expected_error`. A column's spread counts as σ at least, and the result is
    brought back to [−1, 1].

    Parameters
    ----------
    epsilon, delta : float
    bounds_x, bounds_y : pair of float
        Public bounds of the two columns; values outside are refused.

    References
    ----------
    Dwork and Roth (2014), §3.5.3 (Gaussian noise, post-processing); Balle and Wang (2018) for σ.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> x = seeded_rng(1).normal(0.5, 0.15, 20_000).clip(0, 1)
    >>> y = (x + seeded_rng(2).normal(0, 0.15, 20_000)).clip(0, 1)
    >>> private = MomentCorrelation(epsilon=1.0, delta=1e-6, bounds_x=(0, 1), bounds_y=(0, 1))
    >>> data = np.stack([x, y], axis=1)
    >>> round(private.answer(data), 2), round(private.expected_error(20_000, 0.15), 3)
    (0.7, 0.008)
    >>> abs(private.release(data, rng=seeded_rng(3)) - 0.7) < 0.03
    True
    """

    epsilon: float
    delta: float
    bounds_x: tuple[float, float]
    bounds_y: tuple[float, float]

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        for name in ("bounds_x", "bounds_y"):
            object.__setattr__(self, name, check_bounds(getattr(self, name)))
        _ = self._sigma

    @cached_property
    def guarantee(self) -> ApproxDP:
        return ApproxDP(self.epsilon, self.delta).assuming(Assumption("bounds"))

    @cached_property
    def _sigma(self) -> float:
        """The noise on each moment in grid steps; rounding moves three moments by a step at most between neighbours."""
        change = math.nextafter((1 + _FIRST**2) / math.sqrt(2) * 2.0**_STEPS + 2, math.inf)
        return discrete_gaussian_sigma(self.epsilon, self.delta, change, 5)

    @property
    def scale(self) -> float:
        """The standard deviation σ of the noise on each moment. It is public."""
        return self._sigma * 2.0**-_STEPS

    @property
    def parts(self) -> NoisyMoments:
        """The moments with their noise, whose law is known."""
        return NoisyMoments(query=self)

    def expected_error(self, size: int, deviation: float) -> float:
        """About how far the release is off for ``size`` records, at most 1: from public things alone.

        It is the standard deviation σ/(n·s²) for |r| near 1, and up to 30 % less for r near 0, if both columns have the
        standard deviation s = ``deviation`` in units of their bounds and means near the middle; means a quarter of the
        bounds away can double it.
        """
        return min(self.scale / (integer("size", size) * positive("deviation", deviation) ** 2), 1.0)

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return farthest_rows(data, self.bounds_x, self.bounds_y)

    def answer(self, data: Any) -> float:
        """The exact correlation; 0 where a column has no spread. It is not private."""
        rows = finite_array("data", data, ndim=2)
        grid_columns(rows, self.bounds_x, self.bounds_y)  # checks
        spread = rows - rows.mean(axis=0)
        square = float((spread[:, 0] ** 2).sum() * (spread[:, 1] ** 2).sum())
        return float(spread[:, 0] @ spread[:, 1]) / math.sqrt(square) if square > 0 else 0.0

    def moments(self, data: Any) -> tuple[list[int], int]:
        """T in grid steps as whole numbers of any size, each rounded once, and the number of records."""
        x, y = grid_columns(data, self.bounds_x, self.bounds_y)
        u, v = (2 * column - (1 << BITS) for column in (x, y))  # in steps of 2^-(BITS + 1)
        pieces = [slice(start, start + _PIECE) for start in range(0, len(u), _PIECE)]  # sums that 64 bits hold
        first = [int(column.sum()) for column in (u, v)]
        second = [sum(int((a[piece] * b[piece]).sum()) for piece in pieces) for a, b in ((u, u), (v, v), (u, v))]
        down = 2 * (BITS + 1) - _STEPS
        sums = [3 * total << (_STEPS - BITS - 4) for total in first]
        squares = [_rounded(total, down) for total in second[:2]]
        return [*sums, *squares, _rounded(second[2] * _ROOT, _ROOT_BITS + down)], len(u)

    def read(self, noisy: ArrayLike, size: int) -> NDArray[np.float64]:
        """The correlation from noisy moments; the last axis runs over the five."""
        told = np.asarray(noisy, np.float64) * 2.0**-_STEPS
        mean_u, mean_v = told[..., 0] / (_FIRST * size), told[..., 1] / (_FIRST * size)
        spread_u = np.maximum(told[..., 2] - size * mean_u**2, self.scale)
        spread_v = np.maximum(told[..., 3] - size * mean_v**2, self.scale)
        joint = told[..., 4] / math.sqrt(2) - size * mean_u * mean_v
        return np.clip(joint / np.sqrt(spread_u * spread_v), -1.0, 1.0)

    def release(self, data: Any, *, rng: Rng | None = None) -> float:
        """The noisy correlation, between −1 and 1."""
        return float(self.sample(data, 1, rng)[0])

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent releases, for experiments and audits; each of them costs (ε, δ)."""
        totals, size = self.moments(data)
        noise = discrete_gaussian(self._sigma, 5 * count, rng=resolve_rng(rng)).reshape(count, 5)
        return self.read(noise.astype(object) + np.array(totals, dtype=object), size)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyMoments(Mechanism):
    """The moments of :class:`MomentCorrelation` with their noise, unprocessed: its exact law, for audits."""

    query: MomentCorrelation

    @property
    def guarantee(self) -> ApproxDP:
        return self.query.guarantee

    def release(self, data: Any, *, rng: Rng | None = None) -> Ints:
        return self.sample(data, 1, rng)[0]

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> Ints:
        """``count`` independent releases, one a row."""
        totals, size = self.query.moments(data)
        if size > 1 << 22:
            raise bad_input("data", size, f"at most {1 << 22} records here", "64 bits hold no more")
        noise = discrete_gaussian(self.query._sigma, 5 * count, rng=resolve_rng(rng))
        return np.array(totals) + noise.reshape(count, 5)

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The exact log-probability of noisy moments, one for each row."""
        away = np.asarray(output) - np.array(self.query.moments(data)[0])
        return np.asarray(discrete_gaussian_log_prob(away, self.query._sigma).sum(axis=-1))


def _rounded(total: int, bits: int) -> int:
    """The whole number nearest to total/2^bits."""
    return (total + (1 << (bits - 1))) >> bits
