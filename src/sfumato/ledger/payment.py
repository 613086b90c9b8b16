"""What a ledger checks before it writes: texts, costs, and whether a budget has room."""

from __future__ import annotations

from sfumato.errors import BudgetError, InputError, bad_input
from sfumato.ledger.commit import Commit
from sfumato.ledger.line import Line
from sfumato.promise import Cost, Guarantee
from sfumato.promise.guarantee import check_promise

__all__ = ["check_budget", "check_record", "check_text", "pay", "sound_cost", "unknown_subject"]


def pay(commit: Commit, subject: str, guarantee: Guarantee, note: str, release: str) -> tuple[Line, str, Guarantee]:
    """Add a spend to a commit: the line, its hash, and the budget it is paid from."""
    check_text("subject", subject, empty=False)
    account = commit.account(subject)
    budget = account.budget
    if budget is None:
        raise unknown_subject(subject)
    cost, limit = sound_cost("guarantee", guarantee, budget.price(guarantee)), budget.cost()
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
