"""A limit on the estimated share of the population that is unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.risk import population_uniques
from sfumato.table.promise.base import WholePromise
from sfumato.validate import choice, integer, probability

__all__ = ["PopulationUniqueness"]


@dataclass(frozen=True)
class PopulationUniqueness(WholePromise):
    """The estimated share of the population that is unique stays at or below a limit.

    >>> print(PopulationUniqueness(0.01, population=100_000))
    population uniqueness ≤ 0.01 (auto model, population 100000) (syntactic, over the whole table)
    """

    limit: float
    population: int
    estimator: Literal["pitman", "zayatz", "auto"] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("limit", self.limit, zero=True)
        integer("population", self.population)
        choice("estimator", self.estimator, ("pitman", "zayatz", "auto"))
        if self.limit >= 1:
            raise bad_input("limit", self.limit, "a share below 1")

    @property
    def statement(self) -> str:
        return f"population uniqueness ≤ {self.limit:g} ({self.estimator} model, population {self.population})"

    @property
    def meaning(self) -> str:
        return f"By estimate, at most {self.limit:.3g} of the population is unique in what the table shows."

    def holds_together(self, classes: Classes) -> bool:
        there = classes.sizes[classes.sizes > 0]
        if not there.size:
            return True
        return population_uniques(there, self.population, self.estimator) / self.population <= self.limit

    @property
    def enough(self) -> int:
        return 2

    @property
    def monotone(self) -> bool:
        return False  # an estimate need not fall when classes are merged

    def of_whole(self, whole: Classes) -> str:
        return f"population uniqueness {float(whole.sizes[0] == 1):g}"
