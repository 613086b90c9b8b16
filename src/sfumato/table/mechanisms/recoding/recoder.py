"""Base of the mechanisms that recode quasi-identifiers until a target is met."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.lineage import plain_table
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, summarise
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.table.mechanisms.recoding.tuple_recoder import TupleRecoder
from sfumato.table.promise.base import AllOf, flatten, table_promises
from sfumato.table.promise.final_check import verify_classes
from sfumato.table.promise.people_anonymity import PeopleAnonymity

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Decision", "Recoder"]


@dataclass(frozen=True, eq=False)
class Decision:
    """What a recoder decided on a summary.

    Parameters
    ----------
    recoding : TupleRecoder
    levels : dict of str to int, or to (lowest, highest)
        The level of each column; for local recoding the range of levels (empty for published sets and ranges).
    information_loss : float
        By the measure that was minimised.
    suppressed : int
        Records that were suppressed.
    sizes : ndarray
        Records in each released class (the suppressed ones, if they stay as ``*``, are one of them).
    gap : float or None
        By which share of its information loss another choice of levels could be better, at most: 0 if this one is
        proved to be the best; ``None`` for classes with levels of their own, where no bound is known.
    evaluated, nodes : int
        Different lattice nodes looked at, of how many.
    """

    recoding: TupleRecoder
    levels: dict[str, Any]
    information_loss: float
    suppressed: int
    sizes: NDArray[np.int64]
    gap: float | None = None
    evaluated: int = 0
    nodes: int = 0

    @property
    def proved(self) -> bool:
        """Whether no other choice of levels is better."""
        return self.gap == 0

    def for_stream(self, table: Summary) -> TupleRecoder:
        """The recoding for records that stream past: as small as the levels allow."""
        levels = list(self.levels.values())
        whole = levels and all(isinstance(level, int) for level in levels)
        return self.recoding.at_labels(table, levels) if whole else self.recoding


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoder(TableMechanism):
    """Base of global and local recoding.

    Parameters
    ----------
    schema : Schema
    target : sequence of Guarantee
        Promises that the release keeps: :class:`KAnonymity`, :class:`LDiversity`, :class:`TCloseness`, …
    population : frame, optional
        The population that the table is a part of, for δ-presence and the journalist's risk.
    """

    draws = False
    technique = "generalization"

    target: Sequence[Guarantee]
    population: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.schema.quasi:
            raise bad_input("schema.quasi", {}, "at least one quasi-identifier")
        object.__setattr__(self, "target", tuple(self._of_people(one) for one in flatten(self.target)))
        if not self.target:
            raise bad_input("target", (), "at least one promise", "k=5 is a common one")

    def _of_people(self, promise: Guarantee) -> Guarantee:
        """k-anonymity counts people where the schema says whose record it is."""
        name, least = promise.level
        if self.schema.person is None or name != "k":
            return promise
        return PeopleAnonymity(int(least), self.schema.person)

    @property
    def guarantee(self) -> Guarantee:
        """The target, which a release meets or is not made."""
        promise = self.target[0] if len(self.target) == 1 else AllOf(tuple(self.target))
        return promise.assuming(Assumption("hierarchy"))

    def fitted_to(self, *tables: pa.Table) -> Self:
        everyone = () if self.population is None else (plain_table(self.population),)
        return super().fitted_to(*tables, *everyone)

    @property
    def k(self) -> int:
        """The smallest class that the target allows."""
        return max(promise.least_size for promise in table_promises(self.target))

    def decide(self, table: Summary, lattice: Lattice | None = None) -> Decision:
        """Decide what each tuple publishes. The classes that come of it are checked once more against the target.

        ``lattice`` keeps what does not depend on the target from one decision on ``table`` to the next.
        """
        if lattice is not None and lattice.table is not table:
            raise bad_input("lattice", "that of another table", "Lattice(table) of the table that is decided on")
        lattice = lattice if self.population is None else None
        table = self.beside_population(table)
        decision = self._decide(table, lattice)
        verify_classes(self.target, decision.recoding.classes(table), complete=decision.recoding.dropped is None)
        return decision

    def beside_population(self, table: Summary) -> Summary:
        """The table that is decided on: with the counts of the population, where there is one."""
        if self.population is None:
            return table
        return table.with_population(summarise(plain_table(self.population), Schema(quasi=self.schema.quasi))[0])

    @abstractmethod
    def _decide(self, table: Summary, lattice: Lattice | None) -> Decision: ...

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        return self.decide(summarise(table, self.schema)[0]).recoding.table(table)
