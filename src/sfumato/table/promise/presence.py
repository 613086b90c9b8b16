"""δ-presence: whether a member of the population is in the table stays uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import COMPARES, Bools, ClassPromise, Floats
from sfumato.table.promise.rule import Kind, Rule, at_least, at_most
from sfumato.validate import probability

__all__ = ["DeltaPresence", "presence_within"]


@njit(cache=True)
def presence_within(size, population, low, high):  # type: ignore[no-untyped-def]
    """Whether the share of the population that is in the table stays within bounds; true of an empty population."""
    return population == 0 or (at_least(size / population, low) and at_most(size / population, high))


@njit(cache=True)
def _presence_within(sizes, population, low, high, good):  # type: ignore[no-untyped-def]
    for i in range(sizes.shape[0]):
        good[i] = presence_within(sizes[i], population[i], low, high)


@dataclass(frozen=True)
class DeltaPresence(ClassPromise):
    """Whether a member of the population is in the table stays uncertain.

    In every class, low ≤ records in the table / members of the population ≤ high.

    >>> print(DeltaPresence(0.1, 0.5))
    presence within [0.1, 0.5] (syntactic, per class of records)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("low", self.low, zero=True, one=True)
        probability("high", self.high, zero=True, one=True)
        if self.low > self.high:
            raise bad_input("low", self.low, f"at most high = {self.high}")

    @property
    def statement(self) -> str:
        return f"presence within [{self.low:g}, {self.high:g}]"

    @property
    def meaning(self) -> str:
        return f"A member of the population is in the table with a chance between {self.low:.0%} and {self.high:.0%}."

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (Rule(Kind.PRESENCE, self.low, factor=self.high),)

    def require(self, table: Summary) -> None:
        if table.population is None:
            raise bad_input("population", None, "the table of the population", "δ-presence compares with it")

    def levels(self, classes: Classes) -> Floats:
        """The share of the population of each class that is in the table."""
        return classes.sizes / np.maximum(classes.population, 1)

    def holds(self, classes: Classes) -> Bools:
        good = np.empty(classes.number, np.bool_)
        _presence_within(classes.sizes, classes.population, self.low, self.high, good)
        return good

    def broken(self, classes: Classes) -> Bools:
        """A class without records counts too: it tells that its members of the population are not in the table."""
        return ~self.holds(classes)

    def hidden_from_release(self, trees: Mapping[str, Hierarchy | None]) -> str:
        return COMPARES

    def of_whole(self, whole: Classes) -> str:
        return f"presence {self.levels(whole)[0]:.4g}"
