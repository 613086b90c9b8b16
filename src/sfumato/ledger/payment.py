"""What a ledger checks before it writes: texts, costs, and whether a budget has room."""

from __future__ import annotations

from sfumato.errors import BudgetError, InputError, bad_input
from sfumato.ledger.commit import Commit
from sfumato.ledger.line import Line
from sfumato.promise import Cost, Guarantee

__all__ = ["check_text", "pay", "sound_cost", "unknown_subject"]


def pay(commit: Commit, subject: str, guarantee: Guarantee, note: str, release: str) -> tuple[Line, str, Guarantee]:
    """Add a spend to a commit: the line, its hash, and the budget it is paid from."""
    check_text("subject", subject, empty=False)
    account = commit.account(subject)
    budget = account.budget
    if budget is None:
        raise unknown_subject(subject)
    cost, limit = sound_cost("guarantee", guarantee, budget.price(guarantee)), budget.cost()
    if account.spent.plus(cost).exceeds(limit):
        left = budget.worth(limit.minus(account.spent), left=True).statement
        asked = budget.worth(cost).statement
        raise BudgetError(
            f"subject {subject!r:.80}: asked for {asked}, but only {left} of {budget.statement} is left; "
            "nothing was spent; ask for less, or raise the budget (sfumato budget set)"
        )
    return *commit.add(account, "spend", str(guarantee), cost, note, release=release), budget


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
