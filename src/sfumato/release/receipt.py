"""Paying for a release before anyone can see it."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.ledger import Ledger
from sfumato.promise import Guarantee
from sfumato.release.card import Payment
from sfumato.release.terms import Terms

__all__ = ["Receipt", "pay"]


@dataclass(frozen=True)
class Receipt:
    """What the ledger says: the payment, and earlier releases of the same subject."""

    payment: Payment | None = None
    earlier: tuple[str, ...] = ()


def pay(terms: Terms, guarantee: Guarantee, release: str, *, note: str = "") -> Receipt:
    """Charge the release to the subject's budget, or record it as unpaid where it promises nothing that adds up.

    The entry is on the disk when this returns. A promise that composes and does not fit the budget raises
    :class:`~sfumato.BudgetError`; one that does not compose (k-anonymity, a heuristic, a seeded run) is recorded, so
    that the next release of the same people is known to be their second.
    """
    if not terms.ledger or terms.subject is None:
        return Receipt()
    with Ledger(terms.ledger, create=False) as book:
        if not (guarantee.budget_obstacle or terms.enrolled) and book.is_roll(terms.subject):
            raise bad_input(
                "subject",
                terms.subject,
                "the column of people with a roll, each of whom must be on it",
                "name it with person= or --person, or charge a subject that is no roll",
            )
        earlier = tuple(entry.release for entry in book.releases(terms.subject) if entry.release)
        entry = book.charge(terms.subject, guarantee, release=release, note=note)
    payment = Payment(
        subject=terms.subject,
        entry=entry.id,
        entry_hash=entry.hash,
        paid=entry.paid,
        spent=entry.budget.worth(entry.cost).statement if entry.paid and entry.budget is not None else "",
        left=entry.left.statement if entry.paid and entry.left is not None else "",
        reason="" if entry.paid else guarantee.budget_obstacle,
        # Under a promise that covers all releases at once an earlier release takes nothing away from it.
        notice="" if guarantee.settled else entry.notice,
    )
    return Receipt(payment, earlier)
