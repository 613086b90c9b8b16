"""Accounts of single people beside the account of all (Fischer B6): a release costs only those whose data it used."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from sfumato.promise.accountant import Accountant

__all__ = ["PersonalAccountant"]


class PersonalAccountant:
    """A global account and one for each person.

    Who takes part in a release must be decided without looking at the data (by roster, by consent, by date): the
    account of someone who was chosen *because of* their data would itself tell about them. Nobody's account exceeds the
    global one.

    Parameters
    ----------
    blank : Accountant
        The empty account that everybody starts with; it fixes method, unit, neighbours and model.

    Examples
    --------
    >>> accounts = PersonalAccountant(Accountant(unit="user"))
    >>> accounts.charge(lambda account: account.laplace(2.0), users=["ann", "bob"])
    >>> accounts.charge(lambda account: account.laplace(1.0), users=["ann"])
    >>> [round(accounts.of(user).epsilon(1e-9), 3) for user in ("ann", "bob", "eve")]
    [1.5, 0.5, 0.0]
    >>> round(accounts.everyone.epsilon(1e-9), 3)
    1.5
    """

    def __init__(self, blank: Accountant | None = None) -> None:
        self._base = blank or Accountant(unit="user")
        self._own: dict[Hashable, Accountant] = {}
        self.everyone = self._base
        """The account of all releases, whoever took part: the bound for each single person."""

    def charge(self, step: Callable[[Accountant], Accountant], users: Iterable[Hashable] | None = None) -> None:
        """Record a release for the given users, or for everybody.

        ``step`` adds the release to an account, for instance ``lambda account: account.gaussian(1.0)``.
        """
        everyone = step(self.everyone)  # first: an invalid step changes nothing
        if users is None:
            self._base = step(self._base)
            self._own = {user: step(account) for user, account in self._own.items()}
        else:
            self._own |= {user: step(self.of(user)) for user in set(users)}
        self.everyone = everyone

    def of(self, user: Hashable) -> Accountant:
        """The account of one person; of someone never named, that of the releases that used everybody."""
        return self._own.get(user, self._base)

    def worst(self, delta: float) -> float:
        """The largest personal ε at this δ."""
        return max(account.epsilon(delta) for account in {self._base, *self._own.values()})
