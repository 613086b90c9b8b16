"""How the people on a roll stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.errors import bad_input
from sfumato.ledger.entry import Balance
from sfumato.ledger.roll import Roll, digests_of
from sfumato.promise import Cost

__all__ = ["Crowd"]


@dataclass(frozen=True, eq=False)
class Crowd:
    """The people on a roll, by what they have spent.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = sf.Ledger(f"{folder.name}/budget.db")
    >>> ledger.set("patients", sf.PureDP(1.0, unit="person"))
    >>> ledger.enrol("patients", ["ann", "bob", "eve"])
    3
    >>> entry = ledger.spend("patients", sf.PureDP(0.9, unit="person"), people=["ann", "bob"])
    >>> crowd = ledger.crowd("patients")
    >>> [(level.spent.statement, level.people) for level in crowd.levels], crowd.near(0.8)
    ([('ε = 0', 1), ('ε = 0.9', 2)], 2)
    >>> crowd.of("ann").left.statement
    'ε = 0.1'
    >>> crowd.strangers(["ann", "joe"])
    1
    >>> ledger.close(); folder.cleanup()
    """

    whole: Balance
    """The balance of whoever has spent most; ``people`` is how many are on the roll."""
    roll: Roll = field(repr=False)
    salt: str = field(repr=False)

    @property
    def levels(self) -> list[Balance]:
        """A balance for each amount that somebody has spent, least used first; ``people`` is how many have."""
        pairs = zip(self.roll.totals, self.roll.counts, strict=True)
        found = [self._balance(total, people) for total, people in pairs if people]
        return sorted(found, key=lambda level: level.used)

    def near(self, share: float = 0.8) -> int:
        """How many people have used this share of their budget or more."""
        return sum(level.people or 0 for level in self.levels if level.used >= share)

    def of(self, person: str) -> Balance:
        """How one person stands."""
        places, found = self.roll.places(digests_of([person], self.salt))
        if not found.all():
            raise bad_input("person", person, f"somebody on the roll {self.whole.subject!r:.80}")
        return self._balance(self.roll.totals[self.roll.levels[places[0]]], 1)

    def strangers(self, people: Iterable[str]) -> int:
        """How many of these people are not on the roll."""
        return int(np.count_nonzero(~self.roll.places(digests_of(people, self.salt))[1]))

    def _balance(self, total: Cost, people: int) -> Balance:
        budget = self.whole.budget
        left = budget.worth(budget.cost().minus(total), left=True)
        return replace(self.whole, spent=budget.worth(total), left=left, people=people)
