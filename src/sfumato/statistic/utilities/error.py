"""Error of a released statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.statistic.utilities.intervals import both, check_query
from sfumato.study.score import Score

__all__ = ["Error"]


@dataclass(frozen=True, kw_only=True)
class Error:
    """How far a released statistic is from the exact one: |release − exact|, averaged over bins or quantiles.

    Parameters
    ----------
    query : mechanism of this room
        Its ``answer`` is the exact statistic.
    relative : bool
        Divide by |exact| (by the mean |exact| of an array).

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.statistic import Mean
    >>> Error(query=Mean(epsilon=1.0, bounds=(0, 10))).measure(np.array([1.0, 3.0]), 2.5).value
    0.5
    """

    query: Any
    relative: bool = False
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        check_query(self.query)

    @property
    def name(self) -> str:
        return "relative error" if self.relative else "absolute error"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        exact, released = both(self.query, data, release)
        error = float(np.abs(released - exact).mean())
        if self.relative:
            size = float(np.abs(exact).mean())
            if size == 0:
                raise bad_input("exact answer", 0.0, "a statistic other than 0", "measure the absolute error")
            error /= size
        return Score(error, reference=0.0)
