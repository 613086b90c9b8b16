"""The mean of bounded numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.privacy.calibrate import laplace_scale
from sfumato.statistic.sum import BoundedMechanism
from sfumato.statistic.totals import Floats, Ints, log_laplace_between
from sfumato.statistic.values import GRID_BITS, grid_steps
from sfumato.validate import finite_array, probability

__all__ = ["Mean"]

_HALF = 1 << (GRID_BITS - 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mean(BoundedMechanism):
    """The mean of bounded numbers.

    With replace-one neighbours n is public and the noise on the mean has scale (high − low)/(n·ε). With add-remove
    neighbours the mean pays for n: the sum of the distances from the middle of the bounds (Δ = (high − low)/2) takes
    (1 − count_share)·ε, the count (Δ = 1) takes count_share·ε, and their ratio is released.

    The result is a multiple of (high − low)/2^30. It is not clipped to the bounds: a mean outside says that ε is too
    small for so few records.

    Parameters
    ----------
    epsilon : float
    bounds : pair of float
    outside : {"reject", "clip"}
    count_share : float
        With add-remove neighbours, the part of ε that the count takes.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> ages = np.tile([20.0, 40.0, 60.0], 1000)
    >>> private = Mean(epsilon=1.0, bounds=(0, 120))
    >>> print(private.guarantee)
    ε = 1 per record (replace-one neighbours, central model)
    >>> abs(private.release(ages, rng=seeded_rng(0)) - 40) < 1
    True
    """

    count_share: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("count_share", self.count_share)

    def totals(self, data: Any) -> tuple[Ints, int]:
        steps = self.steps(data)
        if self.public_size:
            return np.array([steps.sum()]), len(steps)
        return np.array([(steps - _HALF).sum(), len(steps)]), 0

    def scales(self, size: int) -> Floats:
        if self.public_size:
            return np.array([laplace_scale(self.epsilon, float(grid_steps()))])
        for_count = self.count_share * self.epsilon
        return np.array([laplace_scale(self.epsilon - for_count, float(_HALF)), laplace_scale(for_count)])

    def noise_step(self, size: int) -> float:
        return self.span / grid_steps() / size if self.public_size else super().noise_step(size)

    def finish(self, totals: Ints, size: int) -> Floats:
        if self.public_size:
            index = _nearest(totals[..., 0], np.asarray(size))
        else:
            index = _HALF + _nearest(totals[..., 0], np.maximum(totals[..., 1], 1))
        return np.asarray(self.bounds[0] + index * (self.span / grid_steps()), float)

    def answer(self, data: Any) -> float:
        """The exact mean of the (clipped) values."""
        values = self.values(data)
        return float(values.mean()) if len(values) else sum(self.bounds) / 2

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of each released mean; for a private n, summed over all counts that matter."""
        index = np.rint((finite_array("output", output) - self.bounds[0]) * (grid_steps() / self.span))
        totals, size = self.totals(data)
        scales = self.scales(size)
        if self.public_size:
            return _log_quotient(index, size, totals[0], scales[0])
        reach = int(np.ceil(60 * scales[1])) + 1  # beyond lies e^-60 of the count's probability
        counts = np.arange(max(totals[1] - reach, 1), totals[1] + reach + 1)
        counts = np.union1d(counts, [1])
        log_count = log_laplace_between(counts - totals[1], counts - totals[1], scales[1])
        log_count[0] = log_laplace_between(-np.inf, 1 - totals[1], scales[1])  # all counts up to one act as one
        rows = np.atleast_1d(index - _HALF)[:, None]
        terms = _log_quotient(rows, counts, totals[0], scales[0]) + log_count
        return np.asarray(np.logaddexp.reduce(terms, axis=1).reshape(index.shape))


def _nearest(total: Ints, count: Ints) -> Ints:
    """total/count rounded to the nearest whole number, halves up, in whole numbers throughout."""
    return np.asarray((2 * total + count) // (2 * count))


def _log_quotient(index: ArrayLike, count: ArrayLike, total: np.int64, scale: float) -> Floats:
    """log Pr[nearest((total + z)/count) = index]: z runs from index·count − ⌊count/2⌋ − total over ``count`` values."""
    count = np.asarray(count, float)
    first = np.asarray(index, float) * count - np.floor(count / 2) - float(total)
    return log_laplace_between(first, first + count - 1, scale)
