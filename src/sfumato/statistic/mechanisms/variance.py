"""Private variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.promise.calibration import laplace_scale
from sfumato.statistic.core.column import GRID_BITS, grid_steps
from sfumato.statistic.mechanisms.sum import BoundedMechanism
from sfumato.statistic.mechanisms.totals import Floats, Ints

__all__ = ["Variance"]

_HALF = 1 << (GRID_BITS - 1)
_QUARTER_BITS = GRID_BITS - 2
_OUTPUT_BITS = 36


@dataclass(frozen=True, kw_only=True, eq=False)
class Variance(BoundedMechanism):
    """Private variance of bounded numbers.

    With replace-one neighbours (n public, at least 2) it is the unbiased variance; replacing one record changes the sum
    of squares around the mean by at most (n − 1)/n·(high − low)², hence s² by at most (high − low)²/n. With add-remove
    neighbours the count, the sum and the sum of squares around the middle of the bounds each take ε/3, and
    the mean of squares less the square of the mean is released.

    The result may come out negative where ε is too small for so few records. ``parts`` has the exact law.

    Parameters
    ----------
    epsilon : float
    bounds : pair of float
    outside : {"reject", "clip"}

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> ages = np.tile([20.0, 40.0, 60.0], 1000)
    >>> abs(Variance(epsilon=1.0, bounds=(0, 120)).release(ages, rng=seeded_rng(0)) - 267) < 50
    True
    """

    @property
    def adds_up(self) -> bool:
        """With a public n the one total is the rounded variance itself, which does not add up."""
        return not self.public_size

    def totals(self, data: Any) -> tuple[Ints, int]:
        steps = self.steps(data)
        n = len(steps)
        if not self.public_size:
            middle = steps - _HALF
            squares = np.rint(middle.astype(float) ** 2 / 2**_QUARTER_BITS).astype(np.int64)  # 0 … 2^30
            return np.array([middle.sum(), (squares - _HALF).sum(), n]), 0
        if n < 2:
            raise bad_input("data", f"{n} record", "at least 2 records", "a variance needs two")
        numerator, denominator = n * _sum_of_squares(steps) - int(steps.sum()) ** 2, n * (n - 1)
        # In units of span²/2^36, rounded: the rounding adds one unit to the sensitivity.
        unit = denominator << (2 * GRID_BITS - _OUTPUT_BITS)
        return np.array([(2 * numerator + unit) // (2 * unit)]), n

    def scales(self, size: int) -> Floats:
        if self.public_size:
            return np.array([laplace_scale(self.epsilon, -(-(1 << _OUTPUT_BITS) // size) + 1.0)])
        return np.array([laplace_scale(self.epsilon, 3.0 * change) for change in (_HALF, _HALF, 1)])

    def noise_step(self, size: int) -> float:
        return self.span**2 / 2**_OUTPUT_BITS if self.public_size else super().noise_step(size)

    def finish(self, totals: Ints, size: int) -> Floats:
        if self.public_size:
            return np.asarray(totals[..., 0] * self.noise_step(size), float)
        count = np.maximum(totals[..., 2], 1)
        mean = totals[..., 0] / count
        squares = (totals[..., 1] / count + _HALF) * 2**_QUARTER_BITS
        return (squares - mean**2) * (self.span / grid_steps()) ** 2

    def answer(self, data: Any) -> float:
        """The exact variance of the (clipped) values: unbiased if n is public, the plain mean of squares otherwise."""
        values = self.values(data)
        if self.public_size:
            if len(values) < 2:
                raise bad_input("data", f"{len(values)} record", "at least 2 records", "a variance needs two")
            return float(values.var(ddof=1))
        return float(values.var()) if len(values) else 0.0


def _sum_of_squares(steps: Ints) -> int:
    """Σ x² exactly: x = 2^15·a + b has parts whose squares add up within int64."""
    high, low = steps >> 15, steps & 0x7FFF
    return (int((high * high).sum()) << 30) + (int((high * low).sum()) << 16) + int((low * low).sum())
