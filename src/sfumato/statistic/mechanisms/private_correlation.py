"""Pearson's correlation under differential privacy, with dummy records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.discrete import discrete_gaussian
from sfumato.promise import ApproxDP, Assumption
from sfumato.promise.smooth_noise import SmoothNoise, tuned_smooth_noise
from sfumato.statistic.core.column import check_bounds
from sfumato.statistic.core.two_columns import BITS, farthest_rows, grid_columns
from sfumato.statistic.mechanisms.private_welch import FINENESS, LEAST_NOISE, ROUNDING
from sfumato.validate import finite_array, integer, positive, probability

__all__ = ["PrivateCorrelation"]

_GRID_BITS = 45
_CORNERS = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], np.int64) << BITS


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateCorrelation(Mechanism):
    r"""Pearson's correlation of two bounded columns with dummy records, plus Gaussian noise scaled to a smooth bound.

    Without dummies one record can turn the correlation from −1 to 1 where the rest has no spread, as it can Welch's t
    (Mimoto §3.1.4, §7.1). The dummies are ``corners`` records at each corner of the box of both bounds. They have no
    correlation themselves: they draw it a little towards 0.

    **Sensitivity.** In units of the bounds let X = Σ(x − x̄)², Y = Σ(y − ȳ)², C = Σ(x − x̄)(y − ȳ), dummies included,
    N records. With the other records' means a, b, a record adds (N−1)/N·(x − a)(y − b) to C, so that replacing one
    moves X, Y and C by less than 1 each. Sums of squares do not fall when records are added, so X, Y ≥ w for w dummies
    at each corner, and after k + 1 replacements X ≥ A_k = max(X − k − 1, w), likewise B_k for Y. For neighbours at a
    distance of at most k + 1 with P = √(XY) ≤ P′,

        |C/P − C′/P′| ≤ |C − C′|/P + |C′|/P′·(P′/P − 1) ≤ 1/√(A_k·B_k) + (1 + 1/(2A_k))(1 + 1/(2B_k)) − 1 =: U_k.

    **Theorem.** S = max_k e^{−βk}·min(U_k, 2) is β-smooth: X of a neighbour is at least X − 1, so U_k(D) ≤ U_{k+1}(D′).
    Hence r + (S/α)·N(0, 1) is (ε, δ)-DP with α, β of :func:`~sfumato.promise.tuned_smooth_noise`; a neighbour replaces
    one record, the number of records is public.

    The noise falls as 1/N. The output lies on a public grid with exact discrete noise; it can leave [−1, 1].

    Parameters
    ----------
    epsilon, delta : float
    bounds_x, bounds_y : pair of float
        Public bounds of the two columns; values outside are refused.
    corners : int
        Dummy records at each corner. More of them lower the noise where columns fill little of their bounds, and draw
        the correlation further towards 0: by about corners over the spread X.
    beta : float, optional
        The smoothness, chosen without looking at the data.

    References
    ----------
    Mimoto (2022), §3.1.4 (dummy records for queries that diverge); Nissim, Raskhodnikova and Smith (2007).

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> x = seeded_rng(1).normal(0.5, 0.15, 20_000).clip(0, 1)
    >>> y = (x + seeded_rng(2).normal(0, 0.15, 20_000)).clip(0, 1)
    >>> private = PrivateCorrelation(epsilon=1.0, delta=1e-6, bounds_x=(0, 1), bounds_y=(0, 1))
    >>> data = np.stack([x, y], axis=1)
    >>> round(private.answer(data), 2), round(private.noise_scale(data), 2)
    (0.69, 0.02)
    """

    epsilon: float
    delta: float
    bounds_x: tuple[float, float]
    bounds_y: tuple[float, float]
    corners: int = 10
    beta: float | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        for name in ("bounds_x", "bounds_y"):
            object.__setattr__(self, name, check_bounds(getattr(self, name)))
        integer("corners", self.corners)
        _ = self.noise

    @cached_property
    def guarantee(self) -> ApproxDP:
        return ApproxDP(self.epsilon, self.delta).assuming(Assumption("bounds"), Assumption("dummies"))

    @cached_property
    def noise(self) -> SmoothNoise:
        """The α and β in use."""
        alpha, beta = tuned_smooth_noise(self.epsilon, self.delta, self.beta, step=FINENESS)
        alpha, _ = tuned_smooth_noise(self.epsilon, self.delta, beta + 2 * ROUNDING, step=FINENESS)
        return SmoothNoise(alpha, beta)

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return farthest_rows(data, self.bounds_x, self.bounds_y)

    def answer(self, data: Any) -> float:
        """The correlation with the dummies. It is not private."""
        spread_x, spread_y, joint = self._spreads(data)
        return joint / math.sqrt(spread_x * spread_y)

    def smooth_bound(self, data: Any) -> float:
        """S. It depends on the data: do not publish it."""
        spread_x, spread_y, _ = self._spreads(data)
        return self._bound(spread_x, spread_y)

    def expected_error(self, size: int, deviation: float) -> float:
        """About how far the release is off for ``size`` records: from public things alone.

        It is the root of the mean square of noise and pull for r = ±1, the most there is, if both columns have the
        standard deviation ``deviation`` in units of their bounds and means in the middle.
        """
        spread = integer("size", size) * positive("deviation", deviation) ** 2
        pull = self.corners / (spread + self.corners)
        return math.hypot(self._bound(spread + self.corners, spread + self.corners) / self.noise.alpha, pull)

    def _bound(self, spread_x: float, spread_y: float) -> float:
        k = np.arange(math.ceil(max(spread_x, spread_y)) + 2, dtype=np.float64)
        a, b = (np.maximum(spread - k - 1, self.corners) for spread in (spread_x, spread_y))
        each = 1 / np.sqrt(a * b) + (1 + 0.5 / a) * (1 + 0.5 / b) - 1
        return float((np.exp(-self.noise.beta * k) * np.minimum(each, 2.0)).max())

    def _spreads(self, data: Any) -> tuple[float, float, float]:
        """X, Y and C from whole numbers: exact up to the last rounding of each."""
        scaled = grid_columns(data, self.bounds_x, self.bounds_y)
        x, y = (np.concatenate([np.repeat(_CORNERS[:, i], self.corners), scaled[i]]) for i in (0, 1))
        n, sum_x, sum_y = len(x), int(x.sum()), int(y.sum())
        sums = ((x, x, sum_x, sum_x), (y, y, sum_y, sum_y), (x, y, sum_x, sum_y))
        spreads = [(n * int((p * q).sum()) - s * t) / (n << (2 * BITS)) for p, q, s, t in sums]
        return spreads[0], spreads[1], spreads[2]

    @cached_property
    def grid(self) -> float:
        """The step of the output grid: 2^-45 of the largest noise there can be."""
        return 2.0 ** (math.ceil(math.log2(2 / self.noise.alpha + LEAST_NOISE)) - _GRID_BITS)

    def _steps(self, data: Any) -> float:
        """The standard deviation of the noise in grid steps."""
        bound = self.smooth_bound(data) * (1 + ROUNDING) + 2 * self.grid
        return max(bound / self.noise.alpha / self.grid, 1 / FINENESS)

    def noise_scale(self, data: Any) -> float:
        """The standard deviation S/α of the noise. It depends on the data: do not publish it."""
        return self._steps(data) * self.grid

    def release(self, data: Any, *, rng: Rng | None = None) -> float:
        """The noisy correlation."""
        return float(self.sample(data, 1, rng)[0])

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent releases, for experiments and audits; each of them costs (ε, δ)."""
        noise = discrete_gaussian(self._steps(data), count, rng=resolve_rng(rng))
        return np.asarray((round(self.answer(data) / self.grid) + noise) * self.grid)

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of a grid point divided by the grid step: a Gaussian density, to all digits."""
        scale = self.noise_scale(data)
        away = (finite_array("output", output) - round(self.answer(data) / self.grid) * self.grid) / scale
        return np.asarray(-away * away / 2 - math.log(scale * math.sqrt(2 * math.pi)))
