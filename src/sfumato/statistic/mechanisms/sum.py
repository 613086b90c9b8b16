"""Private sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.promise import Assumption
from sfumato.promise.calibration import laplace_scale
from sfumato.statistic.core.column import Outside, bounded, check_bounds, grid_steps, on_grid, read_numbers
from sfumato.statistic.core.one_pass import grid_total
from sfumato.statistic.mechanisms.totals import Floats, Ints, TotalsMechanism, log_laplace_between
from sfumato.validate import choice, finite_array

__all__ = ["BoundedMechanism", "Sum"]


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundedMechanism(TotalsMechanism):
    """A mechanism on one column of numbers with public bounds.

    Parameters
    ----------
    bounds : pair of float
        (low, high), known without looking at the data: bounds taken from the data void the promise.
    outside : {"reject", "clip"}
        What becomes of a value outside the bounds: an error, or the nearest bound.
    """

    bounds: tuple[float, float]
    outside: Outside = "reject"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        choice("outside", self.outside, ("reject", "clip"))

    @property
    def _assumptions(self) -> tuple[Assumption, ...]:
        return (Assumption("bounds"),)

    @property
    def span(self) -> float:
        return self.bounds[1] - self.bounds[0]

    @property
    def extremes(self) -> tuple[float, float]:
        """The bounds."""
        return self.bounds

    def values(self, data: Any) -> Floats:
        """The checked, bounded numbers."""
        values = bounded(read_numbers(data, self.column), self.bounds, self.outside)
        if self.public_size and len(values) == 0:
            raise bad_input("data", "no records", "at least one record", "with add-remove neighbours n may be 0")
        return values

    def steps(self, data: Any) -> Ints:
        """The numbers in grid steps above the lower bound: 0 … 2^30."""
        return on_grid(self.values(data), self.bounds)

    def step_total(self, data: Any) -> tuple[int, int]:
        """The sum of :meth:`steps`, and how many there are."""
        total = grid_total(data, self.bounds, self.outside)
        if total is not None:
            return total, len(data)
        steps = self.steps(data)
        return int(steps.sum()), len(steps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sum(BoundedMechanism):
    """Private sum of bounded numbers; noise scale Δ/ε.

    Δ = high − low if a record is replaced, and max(|low|, |high|) if it is added or removed. Each number is rounded to
    a grid of 2^30 steps over Δ; the sum is exact from there.

    Parameters
    ----------
    epsilon : float
    bounds : pair of float
    outside : {"reject", "clip"}

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> total = Sum(epsilon=1.0, bounds=(0, 100), outside="clip").release(np.full(1000, 30.0), rng=seeded_rng(0))
    >>> abs(total - 30_000) < 2_000
    True
    """

    def noise_step(self, size: int) -> float:
        if self.public_size:
            return self.span / grid_steps()
        return max(abs(bound) for bound in self.bounds) / grid_steps()

    def totals(self, data: Any) -> tuple[Ints, int]:
        if self.public_size:
            total, size = self.step_total(data)
            return np.array([total]), size
        steps = np.rint(self.values(data) / self.noise_step(0)).astype(np.int64)
        return np.array([np.clip(steps, -grid_steps(), grid_steps()).sum()]), 0

    def scales(self, size: int) -> Floats:
        return np.array([laplace_scale(self.epsilon, float(grid_steps()))])

    def finish(self, totals: Ints, size: int) -> Floats:
        return np.asarray(size * self.bounds[0] + totals[..., 0] * self.noise_step(size), float)

    def answer(self, data: Any) -> float:
        """The exact sum of the (clipped) values."""
        return float(self.values(data).sum())

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of each released sum (up to sums of 2^53 grid steps, where doubles end)."""
        totals, size = self.totals(data)
        noisy = np.rint((finite_array("output", output) - size * self.bounds[0]) / self.noise_step(0))
        return log_laplace_between(noisy - totals[0], noisy - totals[0], self.scales(size)[0])
