"""Base of the promises on tables, k-anonymity among them, and several promises as one.

A class is a set of records that look alike to an attacker who knows their quasi-identifiers. A promise here says
something of every class (:class:`ClassPromise`) or of all of them together (:class:`WholePromise`). All are syntactic:
they say what a table looks like, not what an attacker with other knowledge can learn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.summary import Summary
from sfumato.table.promise.rule import Rule
from sfumato.validate import integer

__all__ = [
    "COMPARES",
    "AllOf",
    "ClassPromise",
    "ClassSize",
    "TablePromise",
    "WholePromise",
    "flatten",
    "table_promises",
]

COMPARES = "it compares with the population, which is not in the release"
"""Why some promises cannot be computed again."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TablePromise(Guarantee):
    """A promise on the released classes of a table.

    The answers here fit a promise that says nothing of single classes; a kind of promise overrides those that differ.
    """

    @property
    def syntactic(self) -> bool:
        return True

    @property
    def members(self) -> tuple[Guarantee, ...]:
        """The promises it consists of."""
        return (self,)

    @property
    def least_size(self) -> int:
        """The smallest class that it allows."""
        return 1

    @property
    def sizes_decide(self) -> bool:
        """Whether it holds as soon as every class has the least size."""
        return False

    @property
    def monotone(self) -> bool:
        """Whether it still holds after classes are merged."""
        return True

    @property
    def enough(self) -> int:
        """A size that, if every class has it, surely keeps what is promised of the classes together."""
        return 1

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its conditions on one class, beside the least size, for compiled code."""
        return ()

    @property
    def counted(self) -> str | None:
        """The column whose different values it counts, where it counts people instead of records."""
        return None

    @property
    def on_classes(self) -> bool:
        """Whether it says something of every class by itself."""
        return True

    def beside(self, earlier: tuple[str, ...], successors: bool = False) -> TablePromise:
        """The same promise, also for what the release shows together with earlier ones (their ids)."""
        return self

    def require(self, table: Summary) -> None:
        """Refuse a table that cannot keep it, whatever is done to it."""

    def broken(self, classes: Classes) -> Bools:
        """For each class, whether it breaks the promise by itself. A class without records breaks nothing."""
        return np.zeros(classes.number, np.bool_)

    def holds_together(self, classes: Classes) -> bool:
        """Whether the classes together keep it."""
        return True

    def holds_without(self, kept: Classes) -> bool:
        """Whether the classes keep it among themselves, when the records of all others are left out."""
        return True

    def kept_by(self, classes: Classes) -> bool:
        """Whether a table with these classes keeps it."""
        return not self.broken(classes).any() and self.holds_together(classes)

    def hidden_from_release(self, trees: Mapping[str, Hierarchy | None]) -> str:
        """Why a release does not tell by itself whether it is kept; empty if it does.

        ``trees`` are the hierarchies of the sensitive columns that are at hand.
        """
        return ""

    def reached(self, classes: Classes) -> float:
        """The level that a table with these classes reaches: 1 if the promise is kept and 0 if not."""
        return float(self.kept_by(classes))

    def of_whole(self, whole: Classes) -> str:
        """How close the table as one class comes, in words; empty if that says nothing new."""
        return ""


@dataclass(frozen=True)
class ClassPromise(TablePromise):
    """A promise on every class by itself."""

    @abstractmethod
    def levels(self, classes: Classes) -> Floats:
        """The level that each class reaches, in the unit of the promise's parameter."""

    @abstractmethod
    def holds(self, classes: Classes) -> Bools:
        """For each class, whether it keeps the promise."""

    def broken(self, classes: Classes) -> Bools:
        broken: Bools = (classes.sizes > 0) & ~self.holds(classes)
        return broken

    @property
    def scoped(self) -> str:
        return f"{self.statement} (syntactic, per class of records)"


@dataclass(frozen=True)
class WholePromise(TablePromise):
    """A promise on the released classes together."""

    @property
    def on_classes(self) -> bool:
        return False

    @abstractmethod
    def holds_together(self, classes: Classes) -> bool:
        """Whether the table keeps it."""

    @property
    @abstractmethod
    def enough(self) -> int:
        """A size that, if every class has it, surely keeps the promise."""

    @property
    def scoped(self) -> str:
        return f"{self.statement} (syntactic, over the whole table)"


@dataclass(frozen=True)
class ClassSize(ClassPromise):
    """k-anonymity as a promise on classes: at least k records in each.

    :class:`~sfumato.promise.KAnonymity` is what a release states; this is what its classes are checked for.
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)

    @property
    def statement(self) -> str:
        return f"k = {self.k}"

    @property
    def meaning(self) -> str:
        return KAnonymity(self.k).meaning

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def sizes_decide(self) -> bool:
        return True

    def require(self, table: Summary) -> None:
        if self.k > table.rows:
            raise bad_input("k", self.k, f"at most the {table.rows} records of the table", "lower k")

    def levels(self, classes: Classes) -> Floats:
        return classes.sizes.astype(np.float64)

    def holds(self, classes: Classes) -> Bools:
        return classes.sizes >= self.k

    def reached(self, classes: Classes) -> float:
        return float(classes.sizes[classes.sizes > 0].min())


@dataclass(frozen=True)
class AllOf(TablePromise):
    """Several promises at once.

    >>> from sfumato.table import TCloseness
    >>> print(AllOf((KAnonymity(5), TCloseness(0.2, "occupation"))))
    k = 5 and t = 0.2 for occupation (equal distance) (syntactic, per class of records)
    """

    promises: tuple[Guarantee, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.promises:
            raise bad_input("promises", self.promises, "at least one promise")
        # written down, a promise is a mapping (to_dict)
        read = [Guarantee.from_dict(one) if isinstance(one, Mapping) else one for one in self.promises]
        object.__setattr__(self, "promises", flatten(read))

    @property
    def statement(self) -> str:
        return " and ".join(promise.statement for promise in self.promises)

    @property
    def meaning(self) -> str:
        return " ".join(promise.meaning for promise in self.promises)

    @property
    def members(self) -> tuple[Guarantee, ...]:
        return self.promises

    @property
    def _parts(self) -> tuple[TablePromise, ...]:
        return table_promises(self.promises)

    @property
    def least_size(self) -> int:
        return max(part.least_size for part in self._parts)

    @property
    def sizes_decide(self) -> bool:
        return all(part.sizes_decide for part in self._parts)

    @property
    def monotone(self) -> bool:
        return all(part.monotone for part in self._parts)

    @property
    def enough(self) -> int:
        return max(part.enough for part in self._parts)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for part in self._parts for rule in part.rules)

    def require(self, table: Summary) -> None:
        for part in self._parts:
            part.require(table)

    def broken(self, classes: Classes) -> Bools:
        broken: Bools = np.any([part.broken(classes) for part in self._parts], axis=0)
        return broken

    def holds_together(self, classes: Classes) -> bool:
        return all(part.holds_together(classes) for part in self._parts)

    def holds_without(self, kept: Classes) -> bool:
        return all(part.holds_without(kept) for part in self._parts)

    def of_whole(self, whole: Classes) -> str:
        return ", ".join(filter(None, (part.of_whole(whole) for part in self._parts)))

    @property
    def scoped(self) -> str:
        return f"{self.statement} (syntactic, per class of records)"


def flatten(promises: Sequence[Guarantee]) -> tuple[Guarantee, ...]:
    """The promises without nesting; each must be one that a table can be checked for."""
    return tuple(member for promise in promises for member in _split(promise))


def _split(promise: Guarantee) -> tuple[Guarantee, ...]:
    if isinstance(promise, TablePromise):
        return promise.members
    if isinstance(promise, KAnonymity):
        return (promise,)
    raise bad_input("promise", promise, "KAnonymity, LDiversity, TCloseness or another promise of sfumato.table")


def table_promises(promises: Sequence[Guarantee]) -> tuple[TablePromise, ...]:
    """The promises without nesting, each as one that classes can be asked for."""
    return tuple(ClassSize(one.k) if isinstance(one, KAnonymity) else one for one in flatten(promises))  # type: ignore[misc]
