"""Many comparisons with a peer, piece by piece, continued where they broke off."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, PeerError, bad_input
from sfumato.party.core.holding import Role
from sfumato.party.core.paillier import PrivateKey
from sfumato.party.core.wire import Message
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.party.protocols.base import check_values
from sfumato.party.transports.framing import SocketChannel
from sfumato.party.transports.handshake import Agreement, Session, shake_hands

__all__ = ["Job"]

_FINISHED = Message(session=b"sfumato finished", number=0, parts=(("finished", b""),)).pack


@dataclass(eq=False, kw_only=True)
class Job:
    """One column of numbers in each home, compared row by row.

    After each piece its answers are on the disk, so that a broken connection or a killed process costs one piece:
    run the same job again and it continues where the slower of the two sides stands. The noise of a piece is on the
    disk before the piece begins and is used again, because fresh noise on the same answer would release it twice.

    Parameters
    ----------
    agreement : Agreement
        Its type must be one with a number in each home (PN-NP-…).
    role : {"alice", "bob"}
    values : list of int
        This side's numbers. They stay in memory; the journal holds a salted fingerprint of them.
    journal : path, optional
        The file that remembers what is done (mode 0600); without it nothing is remembered.
    noise : PrivateAnswers, optional
        On the answers that this side reveals.
    papers : str
        A text that is kept in the journal, such as the card of a release that has been paid.
    """

    agreement: Agreement
    role: Role
    values: Sequence[int] = field(repr=False)
    journal: Path | None = None
    noise: PrivateAnswers | None = None
    papers: str = ""
    answers: list[int] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if not self.agreement.type.upper().startswith("PN-NP-"):
            raise bad_input("type", self.agreement.type, "a number in each home: PN-NP-…")
        self.values = check_values("values", self.values, self.agreement.bits)
        if len(self.values) != self.agreement.count:
            raise bad_input("number of values", len(self.values), f"{self.agreement.count}, as agreed")
        if self.noise is not None and not self.agreement.plan.type.shows(self.role):
            raise bad_input("noise", self.noise, f"none: {self.role} shows no answer", "the peer may add its own")
        self._flips: dict[int, list[int]] = {}
        self._begun = self.journal is not None and self.journal.exists()
        if self._begun:
            self._remember()
        elif self.role == "alice" and not self.agreement.job:
            self.agreement = replace(self.agreement, job=secrets.token_hex(16))

    @property
    def done(self) -> int:
        """How many rows are compared."""
        return min(len(self.answers), self.agreement.count)

    @property
    def finished(self) -> bool:
        """Whether all rows are compared."""
        return self.done == self.agreement.count

    def run(
        self,
        channel: SocketChannel,
        *,
        key: PrivateKey | None = None,
        advance: Callable[[int], None] = lambda steps: None,
        pool: int = 0,
    ) -> list[int]:
        """Agree with the peer and compare what is left; gives this side's answers or shares, all of them.

        Parameters
        ----------
        key : PrivateKey, optional
            Made here if not given.
        advance : callable
            Told of each row that is done.
        pool : int
            How many encryptions of zero are made before the comparisons begin.
        """
        session = shake_hands(channel, self.agreement, self.role, key=key, done=self.done)
        try:
            self._adopt(session.agreement)
            for owner in session.agreement.plan.keys:
                session.side.pool(owner).fill(pool)
            start = min(self.done, session.peer_done)
            del self.answers[start:]
            advance(start)
            for at in range(start, self.agreement.count, self.agreement.chunk):
                self._piece(session, at, advance)
            self._farewell(channel)
        except BaseException as error:
            channel.farewell(error)
            raise
        return self.answers

    def _piece(self, session: Session, at: int, advance: Callable[[int], None]) -> None:
        rows = list(self.values[at : at + self.agreement.chunk])
        flips = self._noise(at, len(rows))
        x, y = (rows, None) if self.role == "alice" else (None, rows)
        found = session.compare(x, y, len(rows), flips=None if self.noise is None else lambda count: flips)
        # A side that gets nothing counts its rows all the same.
        self.answers += [-1] * len(rows) if found is None else [int(one) for one in found]
        self._write({"at": at, "got": self.answers[at:]})
        advance(len(rows))

    def _noise(self, at: int, count: int) -> list[int]:
        if self.noise is None:
            return []
        if at not in self._flips:
            self._flips[at] = [int(one) for one in self.noise.flips(count)]
            self._write({"at": at, "flips": self._flips[at]})
        return self._flips[at]

    def _farewell(self, channel: SocketChannel) -> None:
        """Both say that they have everything, so that neither forgets the job before the other is done."""
        channel.send(_FINISHED())
        if channel.receive() != _FINISHED():
            raise PeerError("the peer sent another message than 'finished'")

    # the journal

    def begin(self) -> None:
        """Write the journal's first line, if there is a journal and it has none."""
        if self.journal is None or self._begun:
            return
        salt = secrets.token_hex(16)
        head = {"agreement": asdict(self.agreement), "salt": salt, "values": self._fingerprint(salt)}
        epsilon = None if self.noise is None else self.noise.epsilon
        self._write({**head, "papers": self.papers, "role": self.role, "epsilon": epsilon}, first=True)
        self._begun = True

    def _adopt(self, agreement: Agreement) -> None:
        """A job has its name from whoever connects; the listener writes it down when it first hears it."""
        self.begin()
        if agreement.job != self.agreement.job:
            self.agreement = agreement
            self._write({"job": agreement.job})

    def _fingerprint(self, salt: str) -> str:
        return hashlib.sha256(f"{salt}:{','.join(map(str, self.values))}".encode()).hexdigest()

    def _write(self, line: dict[str, Any], *, first: bool = False) -> None:
        if self.journal is None:
            return
        mode = os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if first else 0)
        with os.fdopen(os.open(self.journal, mode, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _remember(self) -> None:
        """Read the journal; a last line that was cut off is forgotten."""
        lines = self._lines()
        head = lines[0] if lines else {}
        if not head or head.get("values") != self._fingerprint(str(head.get("salt"))):
            raise self._other("other numbers")
        if head.get("role") != self.role or head.get("epsilon") != (None if self.noise is None else self.noise.epsilon):
            raise self._other("another role or another ε")
        before = Agreement(**head["agreement"])
        if replace(before, job=self.agreement.job) != self.agreement:
            raise self._other("other parameters")
        self.agreement, self.papers = before, str(head["papers"])
        for line in lines[1:]:
            if "job" in line:
                self.agreement = replace(self.agreement, job=line["job"])
            elif "flips" in line:
                self._flips[line["at"]] = line["flips"]
            else:
                self.answers[line["at"] :] = line["got"]

    def _lines(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        text = (self.journal or Path()).read_text(encoding="utf-8")
        whole, _, rest = text.rpartition("\n")
        for line in whole.splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                raise self._other("something that is no journal") from None
        if rest and self.journal is not None:
            self.journal.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
        return found

    def _other(self, what: str) -> InputError:
        name = self.journal.name if self.journal is not None else ""
        return InputError(f"{name} is the journal of {what}: expected that of this job; remove it to begin anew")
