"""Private count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.promise.calibration import laplace_scale
from sfumato.statistic.core.column import read_column, read_numbers
from sfumato.statistic.mechanisms.totals import Floats, Ints, TotalsMechanism, log_laplace_between
from sfumato.validate import interval

__all__ = ["Count"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Count(TotalsMechanism):
    """Private count of the records that satisfy a condition (true, or within bounds); noise scale 1/ε.

    One record changes the count by at most one, whether it is replaced, added or removed. To count all records, give
    ``np.ones(n, bool)`` and add-remove neighbours.

    Parameters
    ----------
    epsilon : float
    within : pair of float, optional
        Count the numbers in [low, high]; without it the data must be true and false.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.noise import seeded_rng
    >>> Count(epsilon=1.0, within=(18, 65)).release(np.array([12, 30, 44, 71]), rng=seeded_rng(0)) in range(-20, 20)
    True
    """

    within: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.within is not None:
            interval("within", self.within)

    @property
    def extremes(self) -> tuple[Any, Any]:
        """A record that is not counted, and one that is."""
        return (False, True) if self.within is None else (self.within[1] + 1, self.within[0])

    def totals(self, data: Any) -> tuple[Ints, int]:
        if self.within is None:
            flags = read_column(data, self.column)
            if flags.dtype.kind != "b":
                raise bad_input(
                    "data",
                    flags.dtype,
                    "true and false",
                    "to count numbers, give the bounds (within=(low, high), --low and --high)",
                )
        else:
            values = read_numbers(data, self.column)
            flags = (values >= self.within[0]) & (values <= self.within[1])
        if self.public_size and len(flags) == 0:
            raise bad_input("data", "no records", "at least one record")
        return np.array([np.count_nonzero(flags)], np.int64), 0

    def scales(self, size: int) -> Floats:
        return np.array([laplace_scale(self.epsilon)])

    def noise_step(self, size: int) -> float:
        return 1.0

    def finish(self, totals: Ints, size: int) -> Ints:
        return totals[..., 0]

    def answer(self, data: Any) -> int:
        """The exact count."""
        return int(self.totals(data)[0][0])

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of each released count."""
        away = np.asarray(output) - self.answer(data)
        return log_laplace_between(away, away, self.scales(0)[0])
