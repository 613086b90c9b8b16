"""Lines that are added to a ledger together: all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sfumato.ledger.account import Account, load_account
from sfumato.ledger.chain import Chain, Tail
from sfumato.ledger.line import Line, Ref
from sfumato.ledger.roll import Roll, inherited, load_roll, remember
from sfumato.promise import Cost

__all__ = ["Commit"]


class Commit:
    """Collects ``size`` lines after ``tail`` and writes them at once."""

    def __init__(self, chain: Chain, tail: Tail, size: int = 1) -> None:
        self._chain, self._tail, self._more = chain, tail, size
        self._end, self._newest, self._line = tail.end, tail.newest, tail.line
        self._texts: list[bytes] = []
        self._pending: dict[int, Line] = {}

    def expect(self, size: int) -> None:
        """So many lines will be added."""
        self._more = size

    def account(self, subject: str) -> Account:
        """How a subject stands, the lines collected so far included."""
        return load_account(subject, self._newest, self._read)

    def add(
        self,
        account: Account,
        action: str,
        promise: str,
        cost: Cost,
        note: str,
        *,
        release: str = "",
        budget: Mapping[str, Any] | None = None,
        roll: Roll | None = None,
        people: Mapping[str, Any] | None = None,
    ) -> tuple[Line, str]:
        """One more line for the subject of ``account``; gives it back with its hash.

        ``people`` says who joined or was charged, and ``roll`` is what came of it.
        """
        self._more -= 1
        before, found = account.line, account.way.found
        spent = account.spent if roll is None else roll.most
        if people is not None or account.people is not None:
            people = inherited(found, before) | dict(people or {})
        in_force = None if before is None else found if before.action == "set" else before.budget_ref
        line = Line(
            number=1 if self._line is None else self._line.number + 1,
            at=datetime.now(UTC).isoformat(timespec="microseconds"),
            previous=self._chain.header_hash if self._newest is None else self._newest.hash,
            action=action,
            subject=account.subject,
            promise=promise,
            cost=cost,
            note=note,
            release=release,
            spent=spent.plus(cost) if action == "spend" and roll is None else spent,
            spends=account.spends + (action == "spend"),
            unpaid=account.unpaid + (action == "record"),
            budget=budget,
            budget_ref=None if action == "set" else in_force,
            before=found,
            others=account.way.others,
            more=self._more,
            people=people,
        )
        text, digest = line.seal()
        self._pending[self._end] = line
        self._newest, self._line = Ref(self._end, digest), line
        if roll is not None:
            remember(self._chain.rolls, self._newest, roll.written)
        self._texts.append(text)
        self._end += len(text)
        return line, digest

    def roll(self, account: Account) -> Roll:
        """The people of a roll and what each has spent."""
        return load_roll(account.way.found, self._read, self._chain.rolls) if account.way.found else Roll.empty()

    def write(self) -> None:
        """Put the lines on the disk."""
        if self._texts and self._newest is not None and self._line is not None:
            self._chain.commit(self._tail, self._texts, self._newest, self._line)

    def _read(self, ref: Ref) -> Line:
        return self._pending[ref.offset] if ref.offset in self._pending else self._chain.read(ref)
