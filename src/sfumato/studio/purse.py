"""The budget that pays for private answers: a ledger and a subject, always in view."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.ledger import Ledger, ledger_place
from sfumato.promise import Cost, Guarantee
from sfumato.release import Terms

__all__ = ["Balance", "Purse", "budget_for", "new_ledger", "opened_purse"]


@dataclass(frozen=True)
class Balance:
    """What the page shows of a budget."""

    subject: str
    budget_words: str
    left_words: str
    left: float


@dataclass(frozen=True)
class Purse:
    """The ledger that pays, and whose budget it is."""

    place: Path | str
    subject: str

    @property
    def terms(self) -> Terms:
        """The terms of a release that it pays."""
        return Terms(ledger=self.place, subject=self.subject)

    def shortage(self, promise: Guarantee) -> str:
        """What is missing to pay for a release with this promise, in words; empty if there is enough.

        A promise that a budget of this kind cannot pay for is refused (:class:`~sfumato.InputError`).
        """
        with Ledger(self.place, create=False) as ledger:
            found = ledger.balance(self.subject)
        price = found.budget.price(promise)
        if not price.exceeds(found.left.cost()):
            return ""
        return f"{found.budget.worth(price).statement} is asked for, and {found.left.statement} is left"

    @property
    def balance(self) -> Balance:
        """What there was and what is left, as the ledger says it now."""
        with Ledger(self.place, create=False) as ledger:
            found = ledger.balance(self.subject)
        left = getattr(found.left, "epsilon", 0.0)
        return Balance(self.subject, found.budget.statement, found.left.statement, float(left))


def opened_purse(ledger: str, subject: str) -> Purse:
    """The purse of a ledger that is there and knows the subject's budget."""
    place = ledger_place(ledger)
    if place is None or not subject:
        raise bad_input("subject", subject, "whose budget pays", "say --subject with --ledger")
    purse = Purse(place, subject)
    _ = purse.balance  # a ledger that is not there, or does not know the subject, is said now
    return purse


def budget_for(promise: Guarantee, releases: int) -> Guarantee:
    """A budget that pays for so many releases with this promise, and for nothing of another kind.

    >>> from sfumato.promise import PureDP
    >>> print(budget_for(PureDP(0.5, unit="answer", model="local"), 3))
    ε = 1.5 per answer (replace-one neighbours, local model)
    """
    return promise.worth(Cost({name: releases * amount for name, amount in promise.cost().amounts.items()}))


def new_ledger(root: Path, name: str, subject: str, budget: Guarantee) -> Purse:
    """A ledger below ``root``: a new one with a budget, or one that is there and knows the subject.

    A budget that is there is never changed from here.
    """
    home = root.resolve(strict=True)
    try:
        place = (home / name).resolve()
    except (OSError, ValueError) as error:
        raise bad_input("ledger", name, "a file in the folder of this session") from error
    if not name or not place.is_relative_to(home) or place == home or not place.parent.is_dir():
        raise bad_input("ledger", name, "a file in the folder of this session", "such as budget.db")
    if not subject:
        raise bad_input("subject", subject, "whose budget it is", "such as the name of the study")
    there = place.exists()
    if there and not place.is_file():
        raise bad_input("ledger", name, "a file")
    with Ledger(place) as ledger:
        known = {one.subject for one in ledger.balances()}
        if subject not in known:
            ledger.set(subject, budget, note="set in the studio")
        elif not there:
            raise InputError("the ledger is new and knows the subject: somebody else wrote it meanwhile")
    return Purse(place, subject)
