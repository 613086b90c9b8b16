"""What a ledger gives back: entries, balances and anchors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from sfumato.errors import bad_input
from sfumato.promise import Cost, Guarantee
from sfumato.promise.amount import round_up

__all__ = ["Anchor", "Balance", "Entry"]


@dataclass(frozen=True)
class Anchor:
    """The head of a ledger: how many entries it has and the hash of the last. Store it where the ledger is not.

    >>> anchor = Anchor.parse("3:" + "0f" * 32)
    >>> anchor.count
    3
    >>> Anchor.parse(str(anchor)) == anchor
    True
    """

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The anchor that ``str(anchor)`` and ``sfumato budget anchor`` wrote."""
        found = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text.strip()) if isinstance(text, str) else None
        if found is None:
            raise bad_input("anchor", text, "count:hash, as in 3:0f…", "`sfumato budget anchor` prints it")
        return cls(int(found[1]), found[2])


@dataclass(frozen=True)
class Balance:
    """How a subject stands: ``spent`` rounded up, ``left`` rounded down.

    ``spends`` counts the releases that were paid for, ``unpaid`` those that were recorded without a payment. Of a roll,
    ``budget`` is that of each person, ``spent`` the most that anyone has spent, and ``people`` how many are on it.
    """

    subject: str
    budget: Guarantee
    spent: Guarantee
    left: Guarantee
    spends: int
    unpaid: int = 0
    people: int | None = None

    @property
    def used(self) -> float:
        """The larger share spent of ε (or ρ) and δ."""
        limits, left = self.budget.cost(), self.left.cost()
        shares = ((limit - left[name]) / limit for name, limit in limits.amounts.items() if limit)
        return max(map(float, shares), default=1.0)


@dataclass(frozen=True)
class Entry:
    """A line of the ledger.

    Its action is ``"set"`` (a budget was given or changed), ``"spend"`` (a release was paid for), ``"record"`` (a
    release that cannot be paid for was noted) or ``"enrol"`` (people joined a roll). The number ``id`` never changes;
    ``hash`` depends on this entry and on all before it.
    """

    id: int
    at: datetime
    subject: str
    action: str
    promise: str
    note: str
    cost: Cost
    release: str
    """The id of the release that it belongs to; empty if none was named."""
    hash: str
    budget: Guarantee | None
    """The subject's budget at that time; None if it had none."""
    total: Cost
    """What the subject had spent, this entry included, exactly; of a roll, the most that anyone on it had spent."""
    spends: int
    unpaid: int
    people: int | None = None
    """Of a roll: how many people paid or joined."""

    @property
    def paid(self) -> bool:
        """Whether a release was paid for."""
        return self.action == "spend"

    @property
    def spent(self) -> Guarantee | None:
        """What the subject had spent with this entry, rounded up; None without a budget."""
        return None if self.budget is None else self.budget.worth(self.total)

    @property
    def left(self) -> Guarantee | None:
        """What the subject had left after this entry, rounded down; None without a budget."""
        return None if self.budget is None else self.budget.worth(self.budget.cost().minus(self.total), left=True)

    @property
    def earlier(self) -> int:
        """How many releases of the same subject came before this one, paid or not."""
        return self.spends + self.unpaid - self.leaves

    @property
    def leaves(self) -> bool:
        """Whether it stands for a release, paid or not."""
        return self.action in ("spend", "record")

    @property
    def notice(self) -> str:
        """A sentence for whoever releases the same people again; empty for the first release."""
        if not self.earlier or not self.leaves:
            return ""
        times = "once" if self.earlier == 1 else f"{self.earlier} times"
        unpaid = self.unpaid - (self.action == "record")
        text = f"{self.subject!r} was released {times} before this"
        if not self.paid or unpaid:
            text += "; not all of these releases could be paid, so no budget bounds what they tell together"
        return text

    @property
    def epsilon(self) -> float | None:
        """ε, rounded up; None where the budget is kept in something else."""
        return self._amount("epsilon")

    @property
    def delta(self) -> float | None:
        """δ, rounded up; None where the budget has none."""
        return self._amount("delta")

    @property
    def rho(self) -> float | None:
        """ρ, rounded up; None where the budget is kept in something else."""
        return self._amount("rho")

    def _amount(self, name: str) -> float | None:
        return round_up(self.cost[name]) if name in self.cost.amounts else None
