"""From the words of the command line to a mechanism of this room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.frames import column as frame_column
from sfumato.io.frames import numbers
from sfumato.mechanism import Mechanism
from sfumato.statistic.core.column import Outside
from sfumato.validate import choice, integer

__all__ = ["QUERIES", "Question"]

QUERIES = ("count", "sum", "mean", "variance", "histogram", "quantile", "welch", "welch-test")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a table, as the commands take it."""

    query: str
    column: str
    epsilon: float
    low: float | None = None
    high: float | None = None
    delta: float | None = None
    neighbours: str = "replace-one"
    clip: bool = False
    bins: int = 10
    categories: Sequence[str] = ()
    quantiles: Sequence[float] = (0.5,)
    group: str = "group"
    deviation: float | None = None

    def __post_init__(self) -> None:
        choice("query", self.query, QUERIES)

    @property
    def bounds(self) -> tuple[float, float]:
        """The public bounds, which most questions need."""
        if self.low is None or self.high is None:
            raise bad_input(
                "--low, --high",
                (self.low, self.high),
                f"the public bounds of {self.column!r}",
                "never taken from the data",
            )
        return self.low, self.high

    @property
    def _counts_flags(self) -> bool:
        """Without bounds, a count is of what is true."""
        return self.query == "count" and self.low is None and self.high is None

    def exact(self, mechanism: Any, data: Any) -> Any:
        """The answer without noise, after all checks of the data."""
        if self.query in ("welch", "welch-test"):
            return mechanism.groups(data).statistic
        return mechanism.answer(data)

    def data(self, table: Any) -> Any:
        """The part of the table that is asked about."""
        if self.query in ("welch", "welch-test"):
            return table
        if (self.query == "histogram" and self.categories) or self._counts_flags:
            return frame_column(table, self.column)
        return numbers(table, self.column)

    def mechanism(self, table: Any) -> Mechanism:
        """The mechanism; of the table only the number of rows is used, and only where it is public."""
        from sfumato.statistic import Count, Histogram, Mean, PrivateWelch, Quantile, Sum, Variance, WelchTest

        common: dict[str, Any] = {"epsilon": self.epsilon, "neighbours": self.neighbours}
        outside: Outside = "clip" if self.clip else "reject"
        if self.query == "count":
            return Count(within=None if self._counts_flags else self.bounds, **common)
        if self.query == "histogram":
            if self.categories:
                return Histogram(categories=tuple(self.categories), **common)
            edges = np.linspace(*self.bounds, integer("--bins", self.bins) + 1)
            return Histogram(edges=edges.tolist(), outside=outside, **common)
        if self.query == "quantile":
            levels = self.quantiles[0] if len(self.quantiles) == 1 else tuple(self.quantiles)
            return Quantile(q=levels, bounds=self.bounds, outside=outside, **common)
        if self.query in ("welch", "welch-test"):
            return self._welch(table, PrivateWelch, WelchTest)
        make = {"sum": Sum, "mean": Mean, "variance": Variance}[self.query]
        return make(bounds=self.bounds, outside=outside, **common)

    def _welch(self, table: Any, private: Any, test: Any) -> Mechanism:
        low, high = self.bounds
        if low != 0:
            raise bad_input("--low", low, "0 for a t-test", "subtract it from the values first")
        if self.neighbours != "replace-one":
            raise bad_input("--neighbours", self.neighbours, "replace-one for a t-test")
        if self.delta is None:
            raise bad_input("--delta", None, "a δ for a t-test, such as 1e-6")
        common: dict[str, Any] = {"epsilon": self.epsilon, "delta": self.delta, "upper": high, "dummies": (0.0, high)}
        columns = {"group": self.group, "value": self.column}
        if self.query == "welch":
            return private(**common, **columns)
        if self.deviation is None:
            raise bad_input("--deviation", None, "a public guess of the standard deviation", "it sets the public noise")
        return test.planned(size=len(table), deviation=self.deviation, **common, **columns)

    def parts(self, mechanism: Any) -> list[str]:
        """What each released number is."""
        if self.query == "histogram":
            if self.categories:
                return list(self.categories)
            edges = mechanism.edges
            return [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
        if self.query == "quantile":
            return [f"{level:g}" for level in self.quantiles]
        return [""]
