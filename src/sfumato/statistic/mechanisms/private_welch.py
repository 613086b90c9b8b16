"""Welch's t under differential privacy: the noisy statistic."""

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
from sfumato.statistic.core.neighbours import group_neighbours
from sfumato.statistic.core.two_groups import LABELS, TwoGroups, check_dummies, check_labels, public_labels
from sfumato.statistic.core.welch_sensitivity import smooth_bound
from sfumato.validate import finite_array, positive, probability

__all__ = ["PrivateWelch"]

ROUNDING = 1e-9
"""Relative allowance for the floating-point error of S, whose bound is 1e-10."""

LEAST_NOISE = 2.0**-7
"""No less noise than this is added: it is invisible beside t's own deviation of 1, and keeps the grid fine."""

FINENESS = 2.0**-16
"""A grid step is at most this part of the noise scale; what it adds to δ is paid for."""

_GRID_BITS = 45


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateWelch(Mechanism):
    """Welch's t of two groups with dummy records, plus Gaussian noise scaled to a smooth bound of its sensitivity.

    Releases t(D ∪ r) + (S(D)/α)·N(0, 1), where S is the β-smooth bound of
    :mod:`~sfumato.statistic.core.welch_sensitivity` and (α, β) are those of
    :func:`~sfumato.promise.tuned_smooth_noise`: (ε, δ)-DP for every ε, with neighbours that change one record's value
    or group or both; the number of records is public, the sizes of the groups are not.

    The output lies on a grid that depends on public things only, and the noise is an exact discrete Gaussian on it;
    what rounding adds to sensitivity and δ is paid for. The noise scale depends on the data and is itself private: to
    *test* with the result, use :class:`~sfumato.statistic.WelchTest`.

    Parameters
    ----------
    epsilon, delta : float
    upper : float
        Values lie in [0, upper]; others are refused.
    dummies : pair of float
        r₁ ≠ r₂ in [0, upper], added to both groups, chosen without looking at the data. Far apart they keep the noise
        of small data sets low; they bias t towards 0 (larger variances), and for groups of unequal size towards
        (μ − r̄)·(2/n_B − 2/n_A).
    beta : float, optional
        The smoothness, any number chosen without looking at the data; by default that of the source theorem.
    group, value : str
        Columns, if the data is a frame.
    labels : pair
        What the groups are called in the column ``group``, the first first. Public: declared, not read from records.

    References
    ----------
    Mimoto (2022), ch. 7, with the sensitivity corrected; Nissim, Raskhodnikova and Smith (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> private = PrivateWelch(epsilon=5.0, delta=1e-5, upper=200.0, dummies=(0.0, 200.0))
    >>> print(private.guarantee)
    ε = 5, δ = 1e-05 per record (replace-one neighbours, central model),
    provided that the upper bound and the dummies are public
    >>> a, b = seeded_rng(1).normal([[100.0], [103.0]], 14.0, (2, 5000))
    >>> round(private.noise_scale((a, b)), 1)
    0.7
    """

    epsilon: float
    delta: float
    upper: float
    dummies: tuple[float, float]
    beta: float | None = None
    group: str = "group"
    value: str = "value"
    labels: tuple[str, str] = LABELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", check_labels(self.labels))
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        object.__setattr__(self, "dummies", check_dummies(self.upper, self.dummies))
        _ = self.noise

    @cached_property
    def guarantee(self) -> ApproxDP:
        public = (Assumption("upper bound"), Assumption("dummies"), *public_labels(self.labels))
        return ApproxDP(self.epsilon, self.delta).assuming(*public)

    @cached_property
    def noise(self) -> SmoothNoise:
        """The α and β in use."""
        alpha, beta = tuned_smooth_noise(self.epsilon, self.delta, self.beta, step=FINENESS)
        alpha, _ = tuned_smooth_noise(self.epsilon, self.delta, beta + 2 * ROUNDING, step=FINENESS)
        return SmoothNoise(alpha, beta)

    def groups(self, data: Any) -> TwoGroups:
        """The checked data with the dummies."""
        columns = {"group": self.group, "value": self.value, "labels": self.labels}
        return TwoGroups.of(data, upper=self.upper, dummies=self.dummies, **columns)

    def farthest_neighbours(self, data: Any) -> tuple[Any, Any]:
        """Two neighbours of ``data`` that differ as much as one record can."""
        return group_neighbours(data, self.upper, group=self.group, value=self.value, labels=self.labels)

    def grid(self, size: int) -> float:
        """The step of the output grid for ``size`` records: 2^-45 of the largest noise there can be."""
        largest = most_sensitive(size, self.upper, self.dummies) / self.noise.alpha + LEAST_NOISE
        return 2.0 ** (math.ceil(math.log2(largest)) - _GRID_BITS)

    def noise_scale(self, data: Any) -> float:
        """The standard deviation S/α of the noise. It depends on the data: do not publish it."""
        groups = self.groups(data)
        return self._steps(groups) * self.grid(groups.size)

    def _steps(self, groups: TwoGroups) -> float:
        """The standard deviation of the noise in grid steps.

        The statistic is rounded to the grid, which moves it by half a step, and is known to less than another half.
        """
        grid = self.grid(groups.size)
        bound = smooth_bound(groups, self.noise.beta) * (1 + ROUNDING) + 2 * grid
        return max(bound / self.noise.alpha / grid, LEAST_NOISE / grid, 1 / FINENESS)

    def release(self, data: Any, *, rng: Rng | None = None) -> float:
        """The noisy t."""
        return float(self.sample(data, 1, rng)[0])

    def sample(self, data: Any, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent releases, for experiments and audits; each of them costs (ε, δ)."""
        groups = self.groups(data)
        grid = self.grid(groups.size)
        noise = discrete_gaussian(self._steps(groups), count, rng=resolve_rng(rng))
        return np.asarray((round(groups.statistic / grid) + noise) * grid)

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of a grid point divided by the grid step: a Gaussian density, to all digits."""
        groups = self.groups(data)
        grid = self.grid(groups.size)
        scale = self._steps(groups) * grid
        away = (finite_array("output", output) - round(groups.statistic / grid) * grid) / scale
        return np.asarray(-away * away / 2 - math.log(scale * math.sqrt(2 * math.pi)))


def most_sensitive(size: int, upper: float, dummies: tuple[float, float]) -> float:
    """The largest S that ``size`` records can have: 2m/√Q where all variance but the dummies' is gone."""
    largest = size + 2
    least_variance = (dummies[0] - dummies[1]) ** 2 / (largest * (largest - 1))
    return 2 * upper / math.sqrt(least_variance)
