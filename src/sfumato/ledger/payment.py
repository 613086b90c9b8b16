"""What a ledger checks before it writes: texts, costs, and whether a budget has room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, InputError, bad_input
from sfumato.ledger.account import Account
from sfumato.ledger.commit import Commit
from sfumato.ledger.line import Line
from sfumato.ledger.roll import AT_ONCE, MOST_PEOPLE, Roll
from sfumato.promise import Cost, Guarantee
from sfumato.promise.guarantee import check_promise

__all__ = ["check_budget", "check_record", "check_text", "enrol", "pay", "sound_cost", "unknown_subject"]

Digests = NDArray[np.bytes_]


def pay(
    commit: Commit, subject: str, guarantee: Guarantee, note: str, release: str, people: Digests | None = None
) -> tuple[Line, str, Guarantee]:
    """Add a spend to a commit: the line, its hash, and the budget it is paid from.

    If the subject is a roll, ``people`` pay, or everybody on it.
    """
    check_text("subject", subject, empty=False)
    account = commit.account(subject)
    budget = account.budget
    if budget is None:
        raise unknown_subject(subject)
    cost, limit = sound_cost("guarantee", guarantee, budget.price(guarantee)), budget.cost()
    if account.people is not None:
        return *_pay_each(commit, account, guarantee, cost, note, release, people), budget
    if people is not None:
        raise bad_input("people", f"{len(people)} of {subject!r}", "a roll of people", "enrol them first")
    if account.spent.plus(cost).exceeds(limit):
        rest = limit.minus(account.spent)
        left, asked = budget.worth(rest, left=True).statement, budget.worth(cost).statement
        if asked == left:  # a statement may leave the numbers out, as that of a Rényi curve does
            name = next(name for name, amount in cost.amounts.items() if amount > rest[name])
            asked, left = f"{name} {cost[name]:g}", f"{rest[name]:g}"
        raise BudgetError(
            f"subject {subject!r:.80}: asked for {asked}, but only {left} of {budget.statement} is left; "
            "nothing was spent; ask for less, or raise the budget (sfumato budget set)"
        )
    return *commit.add(account, "spend", str(guarantee), cost, note, release=release), budget


def _pay_each(
    commit: Commit, account: Account, guarantee: Guarantee, cost: Cost, note: str, release: str, people: Digests | None
) -> tuple[Line, str]:
    """Charge people on a roll, all of them or none."""
    roll, budget = commit.roll(account), account.budget
    assert budget is not None
    if people is None:
        places = np.arange(len(roll.members))
    else:
        if not len(people):
            raise bad_input("people", "nobody", "at least one person", "leave it out to charge everybody on the roll")
        places, found = roll.places(people)
        strangers = int(np.count_nonzero(~found))
        if strangers:
            raise bad_input(
                "people",
                f"{strangers:,} of {len(people):,}",
                f"people on the roll {account.subject!r:.80}",
                "enrol them",
            )
    poor, spent = roll.over(places, cost, budget.cost())
    if poor:
        left, asked = budget.worth(budget.cost().minus(spent), left=True).statement, budget.worth(cost).statement
        raise BudgetError(
            f"roll {account.subject!r:.80}: asked for {asked} of {len(places):,} people, but {poor:,} of them have not "
            f"that much left of {budget.statement}, the poorest {left}; nothing was spent of anyone; ask for less, or "
            "leave them out by a rule that does not look at the data"
        )
    after = roll.charged(places, cost)
    return commit.add(
        account,
        "spend",
        str(guarantee),
        cost,
        note,
        release=release,
        roll=after,
        people=after.charge_fields(places),
    )


def enrol(commit: Commit, subject: str, people: Digests, note: str) -> int:
    """Put those of ``people`` on a roll who are not yet on it; gives their number. Nobody's spends are forgotten."""
    account = commit.account(subject)
    if account.budget is None:
        raise unknown_subject(subject)
    if account.people is None and account.spends:
        raise bad_input("roll", subject, "a subject that has paid for nothing yet", "name a new one")
    if not len(people):
        raise bad_input("people", "nobody", "at least one person")
    roll = commit.roll(account) if account.people is not None else Roll.empty()
    new = people[~roll.places(people)[1]]
    if len(roll.members) + len(new) > MOST_PEOPLE:
        raise bad_input(
            "people", len(roll.members) + len(new), f"at most {MOST_PEOPLE:,} on a roll", "use several rolls"
        )
    parts = [new[start : start + AT_ONCE] for start in range(0, len(new), AT_ONCE)]
    commit.expect(len(parts))
    for part in parts:
        roll = roll.joined(part)
        said = f"{len(part):,} people"
        commit.add(account, "enrol", said, Cost(), note, roll=roll, people=roll.join_fields(part))
        account = commit.account(subject)
    return len(new)


def check_budget(subject: str, budget: Guarantee, note: str) -> Cost:
    """Refuse what cannot be the budget of a subject; gives back its amounts."""
    check_text("subject", subject, empty=False)
    check_text("note", note)
    check_promise("budget", budget)
    if budget.budget_obstacle:
        raise bad_input("budget", str(budget), "a promise that releases add up in", budget.budget_obstacle)
    limit = sound_cost("budget", budget, budget.cost())
    if not all(limit.amounts.values()):
        raise bad_input("budget", budget.statement, "more than 0", "a subject without a budget can spend nothing")
    return limit


def check_record(subject: str, guarantee: Guarantee, note: str, release: str) -> None:
    """Refuse a record that cannot be written, or of a promise that has to be paid for."""
    check_text("subject", subject, empty=False)
    check_text("note", note)
    check_text("release", release)
    check_promise("guarantee", guarantee)
    if not guarantee.budget_obstacle:
        raise bad_input("guarantee", str(guarantee), "one that cannot be paid for", "pay for it: spend")


def sound_cost(name: str, promise: Guarantee, cost: Cost) -> Cost:
    """Refuse losses that are negative or not finite, whatever promise they come from."""
    for key, amount in cost.amounts.items():
        if not amount.is_finite() or amount < 0:
            raise bad_input(name, str(promise), f"finite losses ≥ 0, not {key} = {amount}", "nothing is ever paid back")
    return cost


def unknown_subject(subject: str) -> InputError:
    """The error for a subject that has no budget."""
    return bad_input("subject", subject, "a subject with a budget", "give it one with set() or `sfumato budget set`")


def check_text(name: str, value: object, *, empty: bool = True) -> None:
    """Refuse what is not a text that a file can hold."""
    if not isinstance(value, str) or not (value or empty):
        raise bad_input(name, value, "a text" if empty else "a text that is not empty")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise bad_input(name, value, "a text that can be written as UTF-8") from error
