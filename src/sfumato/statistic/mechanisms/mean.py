"""Private mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from sfumato.promise.amount import less
from sfumato.promise.calibration import laplace_scale
from sfumato.statistic.core.column import GRID_BITS, grid_steps
from sfumato.statistic.mechanisms.sum import BoundedMechanism
from sfumato.statistic.mechanisms.totals import Floats, Ints, log_laplace_between
from sfumato.validate import finite_array, probability

__all__ = ["Mean"]

_HALF = 1 << (GRID_BITS - 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mean(BoundedMechanism):
    """Private mean of bounded numbers.

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
    ε = 1 per record (replace-one neighbours, central model), provided that the bounds are public
    >>> abs(private.release(ages, rng=seeded_rng(0)) - 40) < 1
    True
    """

    count_share: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("count_share", self.count_share)

    def totals(self, data: Any) -> tuple[Ints, int]:
        total, size = self.step_total(data)
        return (np.array([total]), size) if self.public_size else (np.array([total - size * _HALF, size]), 0)

    def scales(self, size: int) -> Floats:
        if self.public_size:
            return np.array([laplace_scale(self.epsilon, float(grid_steps()))])
        for_count = self.count_share * self.epsilon
        return np.array([laplace_scale(less(self.epsilon, for_count), float(_HALF)), laplace_scale(for_count)])

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
        """The exact log-probability of each released mean; for a private n, summed over the counts."""
        index = np.rint((finite_array("output", output) - self.bounds[0]) * (grid_steps() / self.span))
        totals, size = self.totals(data)
        scales = self.scales(size)
        if self.public_size:
            return _log_quotient(index, size, totals[0], scales[0])
        rows = np.atleast_1d(index - _HALF)
        law = _log_ratio_law(rows, float(totals[0]), int(totals[1]), float(scales[0]), float(scales[1]))
        return np.asarray(law.reshape(index.shape))


@njit(cache=True)
def _log_ratio_term(index: float, c: int, total: float, count: int, scale: float, count_scale: float) -> float:
    """log Pr[noisy count = c]·Pr[nearest(noisy total/c) = index], where all counts up to one act as one."""
    ratio = math.exp(-1 / count_scale)
    away = c - count
    if c > 1:
        log_count = math.log(math.tanh(0.5 / count_scale)) - abs(away) / count_scale
    elif away < 0:
        log_count = away / count_scale - math.log1p(ratio)
    else:
        log_count = math.log1p(-math.exp(-(away + 1) / count_scale) / (1 + ratio))
    first = index * c - c // 2 - total
    last = first + c - 1
    if first >= 0:
        log_total = -first / scale + math.log(-math.expm1(-c / scale))
    elif last <= 0:
        log_total = last / scale + math.log(-math.expm1(-c / scale))
    else:  # from first to −1, and from 0 to last
        log_total = math.log(-math.exp(-1 / scale) * math.expm1(first / scale) - math.expm1(-(last + 1) / scale))
    return log_count + log_total - math.log1p(math.exp(-1 / scale))


@njit(cache=True)
def _log_ratio_law(index: Floats, total: float, count: int, scale: float, count_scale: float) -> Floats:
    """The log of the sum of the terms over all counts.

    A term is concave in the count, with kinks where the noise on the count or on the total is zero. So the sum starts
    at the largest of them, or at 2, and goes outwards until a term is e^-50 of the largest.
    """
    result = np.empty(len(index))
    for i in range(len(index)):
        start, best = 2, _log_ratio_term(index[i], 2, total, count, scale, count_scale)
        crossing = total / index[i] if index[i] != 0 else 0.0
        for kink in (max(count, 2), int(min(max(crossing, 2.0), 2.0 * count + 100 * count_scale + 2))):
            term = _log_ratio_term(index[i], kink, total, count, scale, count_scale)
            if term > best:
                start, best = kink, term
        top = _log_ratio_term(index[i], 1, total, count, scale, count_scale)
        scaled = 1.0
        for direction in (-1, 1):
            c = start if direction < 0 else start + 1
            while c > 1:
                term = _log_ratio_term(index[i], c, total, count, scale, count_scale)
                if term > top:
                    scaled = scaled * math.exp(top - term) + 1.0
                    top = term
                else:
                    scaled += math.exp(term - top)
                    if term < top - 50:
                        break
                c += direction
        result[i] = top + math.log(scaled)
    return result


def _nearest(total: Ints, count: Ints) -> Ints:
    """total/count rounded to the nearest whole number, halves up, in whole numbers throughout."""
    return np.asarray((2 * total + count) // (2 * count))


def _log_quotient(index: Floats, count: int, total: np.int64, scale: float) -> Floats:
    """log Pr[nearest((total + z)/count) = index]: z runs from index·count − ⌊count/2⌋ − total over ``count`` values."""
    first = index * count - count // 2 - float(total)
    return log_laplace_between(first, first + count - 1, scale)
