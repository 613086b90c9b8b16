"""A durable budget for each subject or data set, shared by processes."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from sfumato.errors import BudgetError, bad_input
from sfumato.ledger.database import create_file, file_identity, one_line_errors, open_file
from sfumato.mechanism.base import Mechanism
from sfumato.promise import Cost, Guarantee
from sfumato.promise.amount import round_up
from sfumato.promise.guarantee import check_promise
from sfumato.validate import positive

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Balance", "Entry", "Ledger", "ledger_path"]


def ledger_path(given):
    return (
        Path(given)
        if given is not None
        else Path(os.environ["SFUMATO_LEDGER"])
        if os.environ.get("SFUMATO_LEDGER")
        else None
    )


@dataclass(frozen=True)
class Balance:
    """How a subject stands: ``spent`` rounded up, ``left`` rounded down."""

    subject: str
    budget: Guarantee
    spent: Guarantee
    left: Guarantee
    spends: int


@dataclass(frozen=True)
class Entry:
    """A line of the ledger: a budget that was set or a promise that was spent."""

    id: int
    at: datetime
    subject: str
    action: str
    promise: str
    note: str
    cost: Cost

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


class Ledger:
    """Budgets in a file: what each subject may still give away.

    A spend is on the disk before :meth:`spend` returns and before :meth:`release` computes anything, so a process that
    is killed at any moment has paid for everything it handed out. Checking and spending are one transaction, so
    processes cannot overspend together. Amounts add up exactly: ten spends of 0.1 fit a budget of 1, and no more.

    Parameters
    ----------
    path
        The file, on a local disk. It is a SQLite database with a write-ahead log (``path-wal``, ``path-shm``) beside it
        while it is in use: copy it only when no process has it open.
    create : bool
        Make the file if there is none.
    timeout : float
        Seconds to wait for another process that is writing.

    Examples
    --------
    >>> import tempfile
    >>> from sfumato.promise import PureDP
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
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, timeout: float = 30.0) -> None:
        self.path = Path(path)
        self._timeout = positive("timeout", timeout, zero=True)
        self._lock = threading.RLock()
        self._closed = False
        if create and not self.path.exists():
            create_file(self.path)
        self._connection: sqlite3.Connection | None = open_file(self.path, self._timeout)
        self._identity = file_identity(self.path)
        _open_ledgers.add(self)

    def set(self, subject: str, budget: Guarantee, *, note: str = "") -> None:
        """Give a subject a budget, or change it. What was spent stays spent.

        A budget can be raised or lowered, but not below what is spent; its kind, unit, neighbours and model are fixed
        once something was spent.
        """
        _check_text("subject", subject, empty=False)
        _check_text("note", note)
        check_promise("budget", budget)
        if budget.budget_obstacle:
            raise bad_input("budget", str(budget), "a promise that releases add up in", budget.budget_obstacle)
        limit = budget.cost()
        if not all(limit.amounts.values()):
            raise bad_input("budget", budget.statement, "more than 0", "a subject without a budget can spend nothing")
        with self._transaction() as connection:
            known = self._account(connection, subject)
            if known is not None and known[2]:
                before, spent, _ = known
                if not before.same_currency(budget):
                    raise bad_input(
                        "budget", str(budget), f"the kind of the budget in use: {before}", "name a new subject"
                    )
                if spent.exceeds(limit):
                    raise bad_input(
                        "budget", budget.statement, f"at least what is spent: {before.worth(spent).statement}"
                    )
            spent, spends = (known[1], known[2]) if known else (Cost(), 0)
            connection.execute(
                "INSERT OR REPLACE INTO budget VALUES (?, ?, ?, ?)",
                (subject, json.dumps(budget.to_dict(), ensure_ascii=False), spent.to_json(), spends),
            )
            self._write(connection, subject, "set", limit, str(budget), note)

    def spend(self, subject: str, guarantee: Guarantee, *, note: str = "") -> Entry:
        """Pay for one release, durably, or raise :class:`BudgetError` and pay nothing."""
        return self.spend_all([subject], guarantee, note=note)[0]

    def spend_all(self, subjects: Iterable[str], guarantee: Guarantee, *, note: str = "") -> list[Entry]:
        """Pay for one release that uses several subjects: all of them, or none. One commit for all."""
        _check_text("note", note)
        if isinstance(subjects, str):
            raise bad_input("subjects", subjects, "several subjects", "spend() takes one")
        subjects = list(subjects)  # before the transaction: a slow source must not hold up other processes
        with self._transaction() as connection:
            return [self._pay(connection, subject, guarantee, note) for subject in subjects]

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
        """Budget, spent and left of one subject."""
        with self._reading() as connection:
            known = self._account(connection, subject)
        if known is None:
            raise _unknown(subject)
        return _balance(subject, *known)

    def balances(self) -> list[Balance]:
        """All subjects, by name."""
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM budget ORDER BY subject").fetchall()
        return [_balance(row[0], *_parse(row)) for row in rows]

    def history(self, subject: str | None = None) -> list[Entry]:
        """Every budget set and every spend, oldest first, of one subject or of all."""
        where, values = ("", ()) if subject is None else ("WHERE subject = ?", (subject,))
        with self._reading() as connection:
            if subject is not None and self._account(connection, subject) is None:
                raise _unknown(subject)
            rows = connection.execute(f"SELECT * FROM entry {where} ORDER BY id", values).fetchall()
        return [_entry(*row) for row in rows]

    def table(self, subject: str | None = None) -> pyarrow.Table:
        """The history as an Arrow table."""
        import pyarrow as pa

        kinds = {"id": pa.int64(), "at": pa.timestamp("us", tz="UTC")}
        kinds |= dict.fromkeys(("subject", "action", "promise", "note"), pa.string())
        kinds |= dict.fromkeys(("epsilon", "delta", "rho"), pa.float64())
        entries = self.history(subject)
        return pa.table({name: pa.array([getattr(e, name) for e in entries], kind) for name, kind in kinds.items()})

    def verify(self) -> None:
        """Check the file and that every total is the sum of its entries; raises :class:`InputError` if not."""
        with self._transaction("DEFERRED") as connection:  # one state of the file, while others write on
            (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
            if verdict != "ok":
                raise bad_input("ledger", str(self.path), "an intact file", f"restore it from a copy ({verdict})")
            sums: dict[str, tuple[Cost, int]] = {}
            for subject, cost in connection.execute("SELECT subject, cost FROM entry WHERE action = 'spend'"):
                total, count = sums.get(subject, (Cost(), 0))
                sums[subject] = total.plus(Cost.from_json(cost)), count + 1
            for row in connection.execute("SELECT * FROM budget"):
                _, spent, spends = _parse(row)
                if (spent, spends) != sums.pop(row[0], (Cost(), 0)):
                    raise bad_input("ledger", str(self.path), f"a total of {row[0]!r} that matches its entries")
            if sums:
                raise bad_input("ledger", str(self.path), f"a budget for {next(iter(sums))!r}, which has entries")

    def close(self) -> None:
        """Close the file; everything that was returned is already in it."""
        with self._lock:
            self._closed = True
            self._disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "timeout": self._timeout}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"], create=False, timeout=state["timeout"])  # type: ignore[misc]

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, one_line_errors(self.path):
            if self._closed:
                raise bad_input("ledger", str(self.path), "an open ledger", "it was closed; make a new Ledger(path)")
            if file_identity(self.path) != self._identity:
                raise bad_input("ledger", str(self.path), "the file that was opened", "it was replaced; open it again")
            if self._connection is None:  # after a fork
                self._connection = open_file(self.path, self._timeout)
            yield self._connection

    @contextmanager
    def _transaction(self, begin: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Check and write in one step: no other process writes in between, and all is on the disk at the end."""
        with self._reading() as connection:
            connection.execute(f"BEGIN {begin}")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _pay(self, connection: sqlite3.Connection, subject: str, guarantee: Guarantee, note: str) -> Entry:
        known = self._account(connection, subject)
        if known is None:
            raise _unknown(subject)
        budget, spent, spends = known
        cost, limit = budget.price(guarantee), budget.cost()
        total = spent.plus(cost)
        if total.exceeds(limit):
            left = budget.worth(limit.minus(spent), left=True).statement
            asked = budget.worth(cost).statement
            raise BudgetError(
                f"subject {subject!r:.80}: asked for {asked}, but only {left} of {budget.statement} is left; "
                "nothing was spent; ask for less, or raise the budget (sfumato budget set)"
            )
        connection.execute(
            "UPDATE budget SET spent = ?, spends = ? WHERE subject = ?", (total.to_json(), spends + 1, subject)
        )
        return self._write(connection, subject, "spend", cost, str(guarantee), note)

    @staticmethod
    def _write(connection: sqlite3.Connection, subject: str, action: str, cost: Cost, promise: str, note: str) -> Entry:
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        line = (at, subject, action, cost.to_json(), promise, note)
        cursor = connection.execute("INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?)", line)
        return _entry(cursor.lastrowid or 0, *line)

    @staticmethod
    def _account(connection: sqlite3.Connection, subject: str) -> tuple[Guarantee, Cost, int] | None:
        _check_text("subject", subject, empty=False)
        row = connection.execute("SELECT * FROM budget WHERE subject = ?", (subject,)).fetchone()
        return None if row is None else _parse(row)


_open_ledgers: weakref.WeakSet[Ledger] = weakref.WeakSet()
_held_over_fork: list[Ledger] = []


def _before_fork() -> None:
    """Close every connection, which must not cross a fork: SQLite would lose its locks and delete a log in use."""
    for ledger in list(_open_ledgers):
        ledger._lock.acquire()  # no other thread is inside a transaction now
        _held_over_fork.append(ledger)
        ledger._disconnect()


def _after_fork() -> None:
    while _held_over_fork:
        _held_over_fork.pop()._lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def _parse(row: tuple[Any, ...]) -> tuple[Guarantee, Cost, int]:
    _, promise, spent, spends = row
    return Guarantee.from_dict(json.loads(promise)), Cost.from_json(spent), spends


def _balance(subject: str, budget: Guarantee, spent: Cost, spends: int) -> Balance:
    left = budget.worth(budget.cost().minus(spent), left=True)
    return Balance(subject, budget, budget.worth(spent), left, spends)


def _entry(id: int, at: str, subject: str, action: str, cost: str, promise: str, note: str) -> Entry:
    return Entry(id, datetime.fromisoformat(at), subject, action, promise, note, Cost.from_json(cost))


def _unknown(subject: str) -> Exception:
    return bad_input("subject", subject, "a subject with a budget", "give it one with set() or `sfumato budget set`")


def _check_text(name: str, value: object, *, empty: bool = True) -> None:
    if not isinstance(value, str) or not (value or empty):
        raise bad_input(name, value, "a text" if empty else "a text that is not empty")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise bad_input(name, value, "a text that can be written as UTF-8") from error
