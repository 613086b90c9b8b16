"""A limit on the chance that a linked record is the right one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import COMPARES, Bools, WholePromise
from sfumato.table.promise.rule import SLACK, Kind, Rule, at_least, at_most
from sfumato.validate import choice, probability

__all__ = ["ReidentificationRisk"]


@dataclass(frozen=True)
class ReidentificationRisk(WholePromise):
    """The chance that a linked record is the right one stays at or below a limit.

    Parameters
    ----------
    limit : float
    attacker : {"prosecutor", "journalist", "marketer"}
        The prosecutor knows that the victim is in the table (worst 1/class), the journalist knows only the population
        (worst 1/class in the population), the marketer wants many matches (mean of 1/class = classes/records).

    >>> print(ReidentificationRisk(0.05, "marketer"))
    marketer risk ≤ 0.05 (syntactic, over the whole table)
    """

    limit: float
    attacker: Literal["prosecutor", "journalist", "marketer"] = "prosecutor"

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("limit", self.limit, one=True)
        choice("attacker", self.attacker, ("prosecutor", "journalist", "marketer"))

    @property
    def statement(self) -> str:
        return f"{self.attacker} risk ≤ {self.limit:g}"

    @property
    def meaning(self) -> str:
        which = "on average" if self.attacker == "marketer" else "at worst"
        return f"Who links released records to people is right with a chance of at most {self.limit:.3g} {which}."

    @property
    def enough(self) -> int:
        return math.ceil(1 / self.limit - SLACK)

    @property
    def least_size(self) -> int:
        return self.enough if self.attacker == "prosecutor" else 1

    @property
    def sizes_decide(self) -> bool:
        return self.attacker == "prosecutor"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (Rule(Kind.POPULATION, self.enough),) if self.attacker == "journalist" else ()

    def require(self, table: Summary) -> None:
        if self.least_size > table.rows:
            raise bad_input("k", self.least_size, f"at most the {table.rows} records of the table", "allow more risk")
        if self.attacker == "journalist" and table.population is None:
            raise bad_input("population", None, "the table of the population", "give population= or --population")

    def broken(self, classes: Classes) -> Bools:
        if self.attacker == "marketer":
            return super().broken(classes)
        members = classes.sizes if self.attacker == "prosecutor" else classes.population
        broken: Bools = (classes.sizes > 0) & ~at_least(members, self.enough)
        return broken

    def holds_together(self, classes: Classes) -> bool:
        there = classes.sizes > 0
        if not there.any():
            return True
        if self.attacker == "marketer":
            return bool(at_most(there.sum() / classes.sizes.sum(), self.limit))
        return not self.broken(classes).any()

    def hidden_from_release(self, trees: Mapping[str, Hierarchy | None]) -> str:
        return COMPARES if self.attacker == "journalist" else ""

    def of_whole(self, whole: Classes) -> str:
        size = whole.population[0] if self.attacker == "journalist" else whole.sizes[0]
        return f"{self.attacker} risk {1 / size:.3g}"
