"""How one subject stands in the file, and which entry may follow which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sfumato.ledger.entry import Balance, Entry
from sfumato.ledger.index import Way, way_to
from sfumato.ledger.line import DamagedError, Line, Ref, subject_key
from sfumato.ledger.roll import inherited
from sfumato.promise import Cost, Guarantee

__all__ = ["Account", "balance_of", "check_step", "entry_of", "load_account"]


@dataclass(frozen=True)
class Account:
    """A subject, its newest line, and the budget in force."""

    subject: str
    way: Way
    line: Line | None
    budget: Guarantee | None

    @property
    def spent(self) -> Cost:
        """What was spent so far."""
        return self.line.spent if self.line else Cost()

    @property
    def spends(self) -> int:
        """How many releases were paid for."""
        return self.line.spends if self.line else 0

    @property
    def unpaid(self) -> int:
        """How many releases were recorded without a payment."""
        return self.line.unpaid if self.line else 0

    @property
    def people(self) -> int | None:
        """How many people are on the roll; None if the subject is not one."""
        return self.line.people["size"] if self.line and self.line.people else None


def load_account(subject: str, newest: Ref | None, read: Callable[[Ref], Line]) -> Account:
    """Find a subject from the newest line of the ledger on, and check its last step."""
    way = way_to(subject_key(subject), newest, read)
    if way.found is None:
        return Account(subject, way, None, None)
    line = read(way.found)
    check_step(line, line.before, read(line.before) if line.before else None)
    source = line if line.action == "set" else read(line.budget_ref) if line.budget_ref else None
    return Account(subject, way, line, None if source is None else source.guarantee)


def check_step(line: Line, before_ref: Ref | None, before: Line | None) -> None:
    """Refuse a line that cannot follow the subject's previous one: every total is the last one plus its own cost."""
    spent, spends, unpaid, budget = Cost(), 0, 0, None
    if before is not None:
        spent, spends, unpaid = before.spent, before.spends, before.unpaid
        budget = before_ref if before.action == "set" else before.budget_ref
    if line.before != before_ref or (before is not None and before.subject != line.subject):
        raise DamagedError(f"entry {line.number} does not follow the last one of {line.subject!r:.80}")
    if line.action != "set" and line.budget_ref != budget:
        raise DamagedError(f"entry {line.number} names another budget than the one of {line.subject!r:.80}")
    if line.people is not None or (before is not None and before.people is not None):
        carried, people = inherited(before_ref, before), line.people or {}
        if any(people.get(name) != carried[name] for name in ("roster", "moved")):
            raise DamagedError(f"entry {line.number} loses the people of {line.subject!r:.80}")
    if line.action == "spend":
        if budget is None:
            raise DamagedError(f"entry {line.number} spends for {line.subject!r:.80}, which has no budget")
        limit, spends = spent.plus(line.cost), spends + 1
        # The most that anyone on a roll has spent grows by the cost at most; by how much exactly, the roll says.
        within = line.people is not None and not spent.exceeds(line.spent) and not line.spent.exceeds(limit)
        spent = line.spent if within else limit
    elif line.action == "record":
        unpaid += 1
    if (line.spent, line.spends, line.unpaid) != (spent, spends, unpaid):
        raise DamagedError(f"entry {line.number} has totals of {line.subject!r:.80} that do not match its entries")


def balance_of(budget: Guarantee, account: Account) -> Balance:
    """What an account has spent and has left of its budget."""
    left = budget.worth(budget.cost().minus(account.spent), left=True)
    spent = budget.worth(account.spent)
    return Balance(account.subject, budget, spent, left, account.spends, account.unpaid, account.people)


def entry_of(line: Line, digest: str, budget: Guarantee | None) -> Entry:
    """A line as it is shown."""
    return Entry(
        id=line.number,
        at=datetime.fromisoformat(line.at),
        subject=line.subject,
        action=line.action,
        promise=line.promise,
        note=line.note,
        cost=line.cost,
        release=line.release,
        hash=digest,
        budget=budget,
        total=line.spent,
        spends=line.spends,
        unpaid=line.unpaid,
        people=line.people.get("count") if line.people else None,
    )
