"""Syntactic promises on the classes of a table, each able to check itself.

A class is a set of records that look alike to an attacker who knows their quasi-identifiers. A promise here says
something of every class (:class:`ClassPromise`) or of all of them together (:class:`TablePromise`). All are syntactic:
they say what a table looks like, not what an attacker with other knowledge can learn.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.classes import Classes
from sfumato.validate import choice, integer, positive, probability

__all__ = [
    "AllOf",
    "ClassPromise",
    "DeltaPresence",
    "LDiversity",
    "RecursiveDiversity",
    "ReidentificationRisk",
    "TCloseness",
    "TablePromise",
    "flatten",
    "least_population",
    "least_size",
]

Bools = NDArray[np.bool_]
SLACK = 1e-12  # rounding of sums of frequencies; far below any frequency of a table


@dataclass(frozen=True)
class ClassPromise(Guarantee):
    """A promise on every class by itself."""

    @abstractmethod
    def holds(self, classes: Classes) -> Bools:
        """For each class, whether it keeps the promise."""

    @property
    def syntactic(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.statement} (syntactic, per class of records)"


@dataclass(frozen=True)
class LDiversity(ClassPromise):
    """At least l well-represented sensitive values in every class [P2, B2].

    Parameters
    ----------
    l : float
        A whole number for the distinct kind; any number ≥ 1 for the entropy kind.
    column : str
    kind : {"distinct", "entropy"}
        ``distinct``: |{s}| ≥ l. ``entropy``: −Σ p ln p ≥ ln l.

    >>> print(LDiversity(3, "illness"))
    distinct l = 3 for illness (syntactic, per class of records)
    """

    l: float  # noqa: E741 the name of the parameter in the field
    column: str
    kind: Literal["distinct", "entropy"] = "distinct"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("kind", self.kind, ("distinct", "entropy"))
        if self.kind == "distinct":
            integer("l", self.l)
        elif positive("l", self.l) < 1:
            raise bad_input("l", self.l, "a number ≥ 1")

    @property
    def statement(self) -> str:
        return f"{self.kind} l = {self.l:g} for {self.column}"

    def holds(self, classes: Classes) -> Bools:
        if self.kind == "distinct":
            return classes.distinct(self.column) >= self.l
        return classes.entropy(self.column) >= math.log(self.l) - SLACK


@dataclass(frozen=True)
class RecursiveDiversity(ClassPromise):
    """Recursive (c, l)-diversity and its positive- and negative-disclosure variants [P2].

    With the counts of a class in falling order r₁ ≥ r₂ ≥ …: r₁ < c·(r_l + … + r_q). Values in ``allowed`` may be
    disclosed (positive-disclosure recursion: the most frequent *other* value is bounded instead); every value in
    ``always`` must make up at least ``share`` of every class, so that nobody learns that it is excluded.

    Source: Machanavajjhala et al., "l-Diversity" (2007), definitions 3.4, 4.2 and 4.3.

    >>> print(RecursiveDiversity(2.0, 3, "illness"))
    recursive (c, l) = (2, 3) for illness (syntactic, per class of records)
    """

    c: float
    l: int  # noqa: E741
    column: str
    allowed: Sequence[str] = ()
    always: Sequence[str] = ()
    share: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("c", self.c)
        integer("l", self.l)
        probability("share", self.share, zero=True, one=True)
        object.__setattr__(self, "allowed", tuple(self.allowed))
        object.__setattr__(self, "always", tuple(self.always))
        if bool(self.always) != (self.share > 0):
            raise bad_input("share", self.share, "a share > 0 together with the values in always", "give both or none")

    @property
    def statement(self) -> str:
        more = f", may be disclosed: {', '.join(self.allowed)}" if self.allowed else ""
        more += f", at least {self.share:g} of each of {', '.join(self.always)}" if self.always else ""
        return f"recursive (c, l) = ({self.c:g}, {self.l}){more} for {self.column}"

    def holds(self, classes: Classes) -> Bools:
        return classes.recursive(self.column, self.c, self.l, self.allowed, self.always, self.share)


@dataclass(frozen=True)
class TCloseness(ClassPromise):
    """The sensitive values of every class are distributed as in the whole table, up to t [B3].

    EMD(class, table) ≤ t with the ground distance ``equal`` (½Σ|p−q|), ``ordered`` (|i−j|/(v−1)) or ``hierarchical``
    (height of the lowest common ancestor over the height of the tree). A *smaller* t is stricter.

    >>> print(TCloseness(0.2, "occupation"))
    t = 0.2 for occupation (equal distance) (syntactic, per class of records)
    """

    t: float
    column: str
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("t", self.t, zero=True, one=True)
        choice("distance", self.distance, ("equal", "ordered", "hierarchical"))

    @property
    def statement(self) -> str:
        return f"t = {self.t:g} for {self.column} ({self.distance} distance)"

    def holds(self, classes: Classes) -> Bools:
        return classes.closeness(self.column, self.distance) <= self.t + SLACK


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

    def holds(self, classes: Classes) -> Bools:
        presence = classes.sizes / classes.population
        return (presence >= self.low - SLACK) & (presence <= self.high + SLACK)


@dataclass(frozen=True)
class TablePromise(Guarantee):
    """A promise on the released classes together."""

    @abstractmethod
    def holds_together(self, classes: Classes) -> bool:
        """Whether the table keeps it."""

    @property
    @abstractmethod
    def enough(self) -> int:
        """A size that, if every class has it, surely keeps the promise."""

    @abstractmethod
    def of_whole(self, whole: Classes) -> str:
        """How close the table as one class comes, in words."""

    @property
    def syntactic(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.statement} (syntactic, over the whole table)"


@dataclass(frozen=True)
class ReidentificationRisk(TablePromise):
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

    def holds_together(self, classes: Classes) -> bool:
        there = classes.sizes > 0
        if not there.any():
            return True
        if self.attacker == "marketer":
            return bool(there.sum() / classes.sizes.sum() <= self.limit + SLACK)
        sizes = classes.sizes if self.attacker == "prosecutor" else classes.population
        return bool(1 / sizes[there].min() <= self.limit + SLACK)

    @property
    def enough(self) -> int:
        return math.ceil(1 / self.limit - SLACK)

    def of_whole(self, whole: Classes) -> str:
        size = whole.population[0] if self.attacker == "journalist" else whole.sizes[0]
        return f"{self.attacker} risk {1 / size:.3g}"


@dataclass(frozen=True)
class AllOf(Guarantee):
    """Several promises at once.

    >>> print(AllOf((KAnonymity(5), TCloseness(0.2, "occupation"))))
    k = 5 and t = 0.2 for occupation (equal distance) (syntactic, per class of records)
    """

    promises: tuple[Guarantee, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.promises:
            raise bad_input("promises", self.promises, "at least one promise")
        object.__setattr__(self, "promises", flatten(self.promises))

    @property
    def statement(self) -> str:
        return " and ".join(promise.statement for promise in self.promises)

    @property
    def syntactic(self) -> bool:
        return all(promise.syntactic for promise in self.promises)

    def __str__(self) -> str:
        return f"{self.statement} (syntactic, per class of records)"


def flatten(promises: Sequence[Guarantee]) -> tuple[Guarantee, ...]:
    """The promises without nesting; each must be one that a table can be checked for."""
    flat: list[Guarantee] = []
    for promise in promises:
        if isinstance(promise, AllOf):
            flat.extend(promise.promises)
        elif isinstance(promise, KAnonymity | ClassPromise | TablePromise):
            flat.append(promise)
        else:
            raise bad_input(
                "promise", promise, "KAnonymity, LDiversity, TCloseness or another promise of sfumato.table"
            )
    return tuple(flat)


def least_size(promises: Sequence[Guarantee]) -> int:
    """The smallest class that the promises allow: k, or ⌈1/risk⌉ for the prosecutor."""
    least = 1
    for promise in promises:
        if isinstance(promise, KAnonymity):
            least = max(least, promise.k)
        elif isinstance(promise, ReidentificationRisk) and promise.attacker == "prosecutor":
            least = max(least, promise.enough)
    return least


def least_population(promises: Sequence[Guarantee]) -> int:
    """The fewest members of the population that a released class may have: ⌈1/risk⌉ for the journalist."""
    return max(
        (p.enough for p in promises if isinstance(p, ReidentificationRisk) and p.attacker == "journalist"), default=1
    )
