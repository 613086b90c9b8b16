"""A durable budget for each subject or data set, shared by processes."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sfumato.errors import SfumatoError, bad_input
from sfumato.ledger.account import balance_of, entry_of, load_account
from sfumato.ledger.chain import Chain, Tail
from sfumato.ledger.chain_file import ChainFile
from sfumato.ledger.chain_table import ChainTable
from sfumato.ledger.commit import Commit
from sfumato.ledger.crowd import Crowd
from sfumato.ledger.disk import create_file
from sfumato.ledger.entry import Anchor, Balance, Entry
from sfumato.ledger.index import newest_lines
from sfumato.ledger.line import Line
from sfumato.ledger.location import is_server
from sfumato.ledger.payment import check_budget, check_record, check_text, enrol, pay, unknown_subject
from sfumato.ledger.proof import check_chain
from sfumato.ledger.roll import digests_of, load_roll
from sfumato.ledger.shown import history_table, ledger_html
from sfumato.mechanism.base import Mechanism
from sfumato.notebook import definitions
from sfumato.promise import Cost, Guarantee
from sfumato.promise.guarantee import check_promise
from sfumato.validate import integer, positive

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Ledger"]


class Ledger:
    """Budgets in a file: what each subject may still give away, and what was released of it.

    A spend is on the disk before :meth:`spend` returns and before :meth:`release` computes anything, so a process that
    is killed at any moment has paid for everything it handed out. Checking and spending are one step under a lock on
    the file itself, so processes cannot overspend together, under whatever names they opened it. Amounts add up
    exactly: ten spends of 0.1 fit a budget of 1, and no more. Entries are chained by hashes: see :meth:`verify`.

    Parameters
    ----------
    path
        The file, on a local disk; there is nothing beside it. Or a PostgreSQL server for several hosts, as in
        ``"postgresql://user@host/database"`` (extra ``postgres``).
    create : bool
        Make the ledger if there is none.
    timeout : float
        Seconds to wait for another process that is writing.

    Examples
    --------
    >>> import tempfile
    >>> from sfumato.promise import KAnonymity, PureDP
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger(f"{folder.name}/budget.db")
    >>> ledger.set("clinic", PureDP(1.0))
    >>> entry = ledger.spend("clinic", PureDP(0.7), note="histogram of ages")
    >>> print(ledger.left("clinic"))
    ε = 0.3 per record (replace-one neighbours, central model)
    >>> ledger.spend("clinic", PureDP(0.5))
    Traceback (most recent call last):
    sfumato.errors.BudgetError: subject 'clinic': asked for ε = 0.5, but only ε = 0.3 of ε = 1 is left;
        nothing was spent; ask for less, or raise the budget (sfumato budget set)

    What does not add up cannot be paid; it is recorded, and the next release of the same people is told of it:

    >>> ledger.record("clinic", KAnonymity(5)).notice
    "'clinic' was released once before this; not all of these releases could be paid,
        so no budget bounds what they tell together"
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, timeout: float = 30.0) -> None:
        self.path: Path | str = str(path) if is_server(path) else Path(path)
        self._timeout = positive("timeout", timeout, zero=True)
        self._lock = threading.RLock()
        self._closed = False
        check_text("ledger", str(self.path))
        if "\0" in str(self.path):
            raise bad_input("ledger", str(self.path), "a path without NUL")
        self._chain = self._opened(create=create)
        self._shown = str(self.path) if isinstance(self.path, Path) else self._chain.name
        _open_ledgers.add(self)

    def _opened(self, *, create: bool) -> Chain:
        if isinstance(self.path, str):
            return ChainTable(self.path, self._timeout, create=create)
        if create and not os.path.exists(self.path):
            create_file(self.path)
        return ChainFile(Path(os.path.abspath(self.path)), self._timeout)  # wherever the process goes

    # Giving and paying

    def set(self, subject: str, budget: Guarantee, *, note: str = "") -> None:
        """Give a subject a budget, or change it. What was spent stays spent.

        A budget can be raised or lowered, but not below what is spent; its kind, unit, neighbours and model are fixed
        once something was spent.
        """
        limit = check_budget(subject, budget, note)
        with self._writing(1) as commit:
            known = commit.account(subject)
            if known.budget is not None and known.spends:
                if not known.budget.same_currency(budget):
                    raise bad_input(
                        "budget", str(budget), f"the kind of the budget in use: {known.budget}", "name a new subject"
                    )
                if known.spent.exceeds(limit):
                    spent = known.budget.worth(known.spent).statement
                    raise bad_input("budget", budget.statement, f"at least what is spent: {spent}")
            commit.add(known, "set", str(budget), limit, note, budget=budget.to_dict())

    def enrol(self, roll: str, people: Iterable[str], *, note: str = "") -> int:
        """Put people on a roll, a subject whose budget each of them has; gives how many were not on it before.

        Only digests of their ids are kept. Those who are on it already keep what they have spent.
        """
        check_text("roll", roll, empty=False)
        check_text("note", note)
        digests = digests_of(people, self._chain.header_hash)
        with self._writing(0) as commit:
            return enrol(commit, roll, digests, note)

    def spend(
        self,
        subject: str,
        guarantee: Guarantee,
        *,
        people: Iterable[str] | None = None,
        note: str = "",
        release: str = "",
    ) -> Entry:
        """Pay for one release, durably, or raise :class:`BudgetError` and pay nothing.

        ``release`` is the id of the release that is paid for, to find it again. If the subject is a roll, everybody on
        it pays, or only those in ``people``: whose data the release uses, which must be known without looking at it.
        """
        if people is None:
            return self.spend_all([subject], guarantee, note=note, release=release)[0]
        check_text("note", note)
        check_text("release", release)
        digests = digests_of(people, self._chain.header_hash)
        with self._writing(1) as commit:
            return entry_of(*pay(commit, subject, guarantee, note, release, digests))

    def spend_all(
        self, subjects: Iterable[str], guarantee: Guarantee, *, note: str = "", release: str = ""
    ) -> list[Entry]:
        """Pay for one release that uses several subjects: all of them, or none. One commit for all."""
        check_text("note", note)
        check_text("release", release)
        if isinstance(subjects, str):
            raise bad_input("subjects", subjects, "several subjects", "spend() takes one")
        subjects = list(subjects)  # before the lock: a slow source must not hold up other processes
        with self._writing(len(subjects)) as commit:
            return [entry_of(*pay(commit, subject, guarantee, note, release)) for subject in subjects]

    def record(self, subject: str, guarantee: Guarantee, *, note: str = "", release: str = "") -> Entry:
        """Note a release that no budget can pay for, such as a k-anonymous table; the subject needs no budget.

        What such releases tell does not add up to a number. That they happened is kept, so that the next release of the
        same people is told of it (:attr:`Entry.notice`). A promise that can be paid for is refused: see :meth:`charge`.
        """
        check_record(subject, guarantee, note, release)
        with self._writing(1) as commit:
            account = commit.account(subject)
            return entry_of(
                *commit.add(account, "record", str(guarantee), Cost(), note, release=release), account.budget
            )

    def charge(self, subject: str, guarantee: Guarantee, *, note: str = "", release: str = "") -> Entry:
        """Pay for a release if its promise adds up, and record it otherwise: :meth:`spend` or :meth:`record`."""
        check_promise("guarantee", guarantee)
        book = self.record if guarantee.budget_obstacle else self.spend
        return book(subject, guarantee, note=note, release=release)

    def release(
        self,
        mechanism: Mechanism,
        data: Any,
        *,
        subject: str,
        rng: np.random.Generator | None = None,
        note: str | None = None,
    ) -> Any:
        """Pay for ``mechanism.guarantee``, then compute and return ``mechanism.release(data)``.

        The spend is committed first; it stays even if the mechanism then refuses the data, since a refusal that depends
        on the data tells something about it.
        """
        guarantee = mechanism.guarantee
        self.spend(subject, guarantee, note=type(mechanism).__name__ if note is None else note)
        return mechanism.release(data, rng=rng)

    # Looking

    def budget(self, subject: str) -> Guarantee:
        """The whole budget of a subject."""
        return self.balance(subject).budget

    def spent(self, subject: str) -> Guarantee:
        """What the subject's releases promise together."""
        return self.balance(subject).spent

    def left(self, subject: str) -> Guarantee:
        """The largest promise that can still be paid (for an (ε, δ) budget with no δ left: a pure one)."""
        return self.balance(subject).left

    def balance(self, subject: str) -> Balance:
        """Budget, spent and left of one subject; of a roll, of whoever has spent most."""
        check_text("subject", subject, empty=False)
        with self._reading() as tail:
            account = load_account(subject, tail.newest, self._chain.read)
        if account.budget is None:
            raise unknown_subject(subject)
        return balance_of(account.budget, account)

    def is_roll(self, subject: str) -> bool:
        """Whether the subject has people on it who pay each on their own."""
        check_text("subject", subject, empty=False)
        with self._reading() as tail:
            return load_account(subject, tail.newest, self._chain.read).people is not None

    def crowd(self, roll: str) -> Crowd:
        """How the people on a roll stand: each amount that somebody has spent, and how many have."""
        check_text("roll", roll, empty=False)
        with self._reading() as tail:
            account = load_account(roll, tail.newest, self._chain.read)
            if account.budget is None or account.people is None or account.way.found is None:
                raise bad_input("roll", roll, "a subject with people on it", "enrol() them, or see balance()")
            found = load_roll(account.way.found, self._chain.read, self._chain.rolls)
            return Crowd(balance_of(account.budget, account), found, self._chain.header_hash)

    def balances(self) -> list[Balance]:
        """All subjects that have a budget, by name."""
        with self._reading() as tail:
            names = sorted(line.subject for line in newest_lines(tail.newest, self._chain.read))
            accounts = [load_account(name, tail.newest, self._chain.read) for name in names]
        return [balance_of(account.budget, account) for account in accounts if account.budget is not None]

    def subjects(self) -> list[str]:
        """The names of all subjects, also of those that were only recorded, by name."""
        with self._reading() as tail:
            return sorted(line.subject for line in newest_lines(tail.newest, self._chain.read))

    def history(self, subject: str | None = None) -> list[Entry]:
        """Every budget set, every spend and every record, oldest first, of one subject or of all."""
        if subject is None:
            with self._reading() as tail:
                return [self._entry(line, ref.hash) for ref, line in self._chain.lines(tail)]
        entries = self._entries_of(subject)
        if not entries:
            raise unknown_subject(subject)
        return entries

    def releases(self, subject: str) -> list[Entry]:
        """The earlier releases of a subject, paid and unpaid, oldest first; none for a subject never heard of."""
        return [entry for entry in self._entries_of(subject) if entry.leaves]

    def entry(self, id: int) -> Entry:
        """The entry with this number; found without reading the whole file."""
        integer("entry", id)
        with self._reading() as tail:
            found = self._chain.find(id, tail)
            if found is None:
                count = 0 if tail.line is None else tail.line.number
                raise bad_input(
                    "entry", id, f"a number from 1 to {count}, the last entry of {os.path.basename(self._shown)}"
                )
            return self._entry(found[1], found[0].hash)

    def table(self, subject: str | None = None) -> pyarrow.Table:
        """The history as an Arrow table."""
        return history_table(self.history(subject))

    # Checking

    def anchor(self) -> Anchor:
        """The head of the chain: store it elsewhere, and :meth:`verify` finds what was taken back since."""
        with self._reading() as tail:
            return self._anchor(tail)

    def verify(self, anchor: Anchor | str | None = None) -> Anchor:
        """Check the whole file and give back its head; raises :class:`InputError` that says what is wrong.

        Every entry must have its own hash and follow the one before, every total must be the sum of its entries and
        within its budget. With an ``anchor``, the ledger must also contain the entry that was anchored. Without one, a
        ledger that was cut short, replaced by an older copy, or rewritten from some entry on cannot be told from an
        honest one: nothing in a file can prove that it is the newest.
        """
        wanted = Anchor.parse(anchor) if isinstance(anchor, str) else anchor
        with self._reading() as tail:
            check_chain(self._chain, tail, wanted)
            return self._anchor(tail)

    # Opening and closing

    def close(self) -> None:
        """Close the file; everything that was returned is already in it."""
        with self._lock:
            self._closed = True
            self._chain.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self._shown!r})"

    def _repr_html_(self) -> str:
        try:
            with self._usable():
                balances, head = self.balances(), self.anchor()
                others = len(self.subjects()) - len(balances)
        except SfumatoError as error:
            return definitions(f"Ledger {self._shown}", {"cannot be shown": str(error)})
        return ledger_html(self._shown, head, balances, others)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self._chain.place, "timeout": self._timeout}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"], create=False, timeout=state["timeout"])  # type: ignore[misc]

    @contextmanager
    def _reading(self) -> Iterator[Tail]:
        with self._usable(), self._chain.reading() as tail:
            yield tail

    @contextmanager
    def _writing(self, size: int) -> Iterator[Commit]:
        """Check and write in one step: nobody else writes in between, and all is on the disk at the end."""
        with self._usable(), self._chain.writing() as tail:
            commit = Commit(self._chain, tail, size)
            yield commit
            commit.write()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise bad_input("ledger", self._shown, "an open ledger", "it was closed; make a new Ledger(path)")
            yield

    def _entries_of(self, subject: str) -> list[Entry]:
        check_text("subject", subject, empty=False)
        with self._reading() as tail:
            at, entries = load_account(subject, tail.newest, self._chain.read).way.found, []
            while at is not None:
                line = self._chain.read(at)
                entries.append(self._entry(line, at.hash))
                at = line.before
        return entries[::-1]

    def _entry(self, line: Line, digest: str) -> Entry:
        source = line if line.action == "set" else self._chain.read(line.budget_ref) if line.budget_ref else None
        return entry_of(line, digest, None if source is None else source.guarantee)

    def _anchor(self, tail: Tail) -> Anchor:
        if tail.line is None or tail.newest is None:
            return Anchor(0, self._chain.header_hash)
        return Anchor(tail.line.number, tail.newest.hash)


_open_ledgers: weakref.WeakSet[Ledger] = weakref.WeakSet()
_held_over_fork: list[Ledger] = []


def _before_fork() -> None:
    """Close every file: a lock on an opening that parent and child share would not keep them apart."""
    for ledger in list(_open_ledgers):
        ledger._lock.acquire()  # no other thread is inside a transaction now
        _held_over_fork.append(ledger)
        ledger._chain.close()


def _after_fork() -> None:
    while _held_over_fork:
        _held_over_fork.pop()._lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
