"""One call of ``compare`` or ``listen``: from a number or a column to answers with their papers."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, PeerError, SfumatoError, bad_input
from sfumato.io.files import check_table_output
from sfumato.io.frames import column as column_of
from sfumato.party.comparison_papers import comparison_release, issue_comparison
from sfumato.party.core.holding import Holding, Role
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.party.transports.batch import Job
from sfumato.party.transports.framing import SocketChannel
from sfumato.party.transports.handshake import Agreement
from sfumato.party.transports.tls import Certificates, Security, SharedSecret, connect, serve
from sfumato.release import Card, Terms
from sfumato.study.console import notes, progress_bar, screen
from sfumato.study.door import Dialect, say
from sfumato.validate import choice, extra

__all__ = ["SECRET_VARIABLE", "Task", "split_address"]

SECRET_VARIABLE = "SFUMATO_PARTY_SECRET"
ATTEMPTS = 5
"""How many peers that cannot prove who they are a listener bears with: each is one guess at the secret."""

_TYPES = {
    "both": ("PN-NP-PP", "PN-NP-PP"),
    "me": ("PN-NP-PN", "PN-NP-NP"),
    "peer": ("PN-NP-NP", "PN-NP-PN"),
    "shares": ("PN-NP-SS", "PN-NP-SS"),
}
"""Who gets the answers, as whoever connects and as whoever listens says it."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What the options of ``compare`` and ``listen`` say.

    Parameters
    ----------
    value : str, optional
        One number; ``-`` reads it from standard input, where no list of processes shows it.
    input, column : str, optional
        A file and its column of whole numbers, instead of one.
    out : str, optional
        Where answers to a column go.
    """

    value: str | None = None
    input: str | None = None
    column: str | None = None
    out: str | None = None
    answer: str = "both"
    bits: int = 32
    key_bits: int = 2048
    comparator: str = "tree"
    chunk: int = 64
    pool: int = 0
    epsilon: float | None = None
    timeout: float = 60.0
    secret: Path | None = None
    certificate: Path | None = None
    private_key: Path | None = None
    peer_certificate: Path | None = None
    terms: Terms = field(default_factory=Terms)
    dialect: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        for module in ("gmpy2", "cryptography", "msgpack", "spake2"):
            extra(module, "party")  # before anything is read, paid or connected
        choice("--answer", self.answer, tuple(_TYPES))
        if (self.value is None) == (self.input is None):
            raise InputError("expected one number with --value, or a file and its --column")
        if self.input is not None:
            if self.column is None:
                raise bad_input("--column", None, "the column with the numbers")
            if self.gets_answers and self.out is None:
                raise bad_input("--out", None, "where the answers go")
        if self.out is not None:
            if self.value is not None or not self.gets_answers:
                raise bad_input("--out", self.out, "a column of numbers whose answers come here")
            check_table_output(self.out, str(self.input))
        _ = self.security

    @property
    def gets_answers(self) -> bool:
        """Whether this side has answers or shares in the end."""
        return self.answer != "peer"

    @cached_property
    def security(self) -> Security:
        """How both sides know each other."""
        files = (self.certificate, self.private_key, self.peer_certificate)
        if all(files):
            if self.secret is not None:
                raise InputError("expected certificates or a shared secret, not both")
            return Certificates(certificate=files[0], key=files[1], peer=files[2])  # type: ignore[arg-type]
        if any(files):
            raise InputError("certificates: expected --certificate, --private-key and --peer-certificate together")
        text = os.environ.get(SECRET_VARIABLE, "")
        if self.secret is not None:
            try:
                text = self.secret.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                raise bad_input("--secret", self.secret.name, "a text file that can be read") from None
        if not text.strip():
            raise InputError(
                "nothing says who the peer is: expected --secret FILE (or the variable "
                f"{SECRET_VARIABLE}), or --certificate, --private-key and --peer-certificate"
            )
        return SharedSecret(secret=text.strip())

    @cached_property
    def values(self) -> list[int]:
        """The numbers of this side."""
        if self.value is not None:
            text = sys.stdin.readline().strip() if self.value == "-" else self.value
            try:
                return [int(text)]
            except ValueError:
                raise InputError(f"--value: expected a whole number from 0 to 2^{self.bits} − 1") from None
        found = [_whole(one) for one in column_of(self.dialect.read(str(self.input)), str(self.column))]
        if not found:
            raise InputError(f"column {self.column!r} is empty: expected whole numbers")
        return found

    def agreement(self, role: Role) -> Agreement:
        """What this side proposes."""
        return Agreement(
            type=_TYPES[self.answer][role == "bob"],
            bits=self.bits,
            count=len(self.values),
            chunk=self.chunk,
            comparator=self.comparator,
            key_bits=self.key_bits,
        )

    @property
    def journal(self) -> Path | None:
        """Where a batch remembers what is done."""
        if self.input is None:
            return None
        return Path(f"{self.out or self.input}.party.partial")

    def compare(self, address: str) -> None:
        """Connect and compare."""
        host, port = split_address(address)
        job = self._job("alice")
        try:
            channel = connect(host, port, self.security, timeout=self.timeout)
        except PeerError as error:
            if not job.finished:
                raise
            notes.print(f"all rows are done; {error}", markup=False, soft_wrap=True)  # the peer may have ended before
        else:
            with channel:
                self._run(job, channel)
        self._end(job)

    def listen(self, host: str, port: int, wait: float | None) -> None:
        """Wait for a peer and compare; of a batch, until it is done."""
        job = self._job("bob")
        with serve(host, port, self.security) as listener:
            notes.print(f"listening on {host}:{listener.port}", markup=False, soft_wrap=True)
            strangers, last = 0, time.monotonic()
            while True:
                rest = None if wait is None else max(0.0, wait - (time.monotonic() - last))
                try:
                    channel = listener.accept(timeout=self.timeout, wait=rest)
                except PeerError as error:
                    strangers += 1
                    if strangers == ATTEMPTS or (wait is not None and time.monotonic() - last >= wait):
                        raise
                    notes.print(f"a peer was turned away: {error}", markup=False, soft_wrap=True)
                    continue
                try:
                    with channel:
                        self._run(job, channel)
                    break
                except PeerError as error:
                    if self.journal is None:
                        raise
                    done = f"{job.done} of {len(self.values)} rows are done"
                    notes.print(f"{done}; {error}", markup=False, soft_wrap=True)
                    last = time.monotonic()
        self._end(job)

    def _job(self, role: Role) -> Job:
        """The job, new or from its journal. What it will show is paid before a peer is called.

        A single number has no journal that remembers a payment: it is paid when the peer has proved who it is.
        """
        noise = None if self.epsilon is None else PrivateAnswers(epsilon=self.epsilon)
        agreement = self.agreement(role)
        if noise is not None and not agreement.plan.type.shows(role):
            raise bad_input("--epsilon", self.epsilon, "none: this side shows no answer to its peer", "leave it out")
        job = Job(agreement=agreement, role=role, values=self.values, journal=self.journal, noise=noise)
        if self.journal is not None:
            self._pay(job)
        return job

    def _pay(self, job: Job) -> None:
        """Pay once for a job, and put its card into it."""
        if not job.papers:
            card, _ = issue_comparison(job.agreement, job.role, noise=job.noise, terms=self.terms)
            job.papers = card.to_json()
        job.begin()

    def _run(self, job: Job, channel: SocketChannel) -> None:
        try:
            self._pay(job)
        except SfumatoError as error:
            channel.farewell(error)
            raise
        with progress_bar("comparing", len(self.values)) as advance:
            job.run(channel, advance=advance, pool=self.pool)

    def _end(self, job: Job) -> None:
        card = Card.from_json(job.papers)
        if self.out is not None:
            card = comparison_release(card, job.answers).write(self.out)
        elif self.gets_answers:
            shown = str(job.answers[0]) if job.agreement.plan.type.answer is Holding.SS else _words(job)
            screen.print(shown, markup=False)
        else:
            notes.print("the peer has the answer", markup=False)
        if job.journal is not None:
            job.journal.unlink(missing_ok=True)
        say(card)


def split_address(text: str) -> tuple[str, int]:
    """Host and port.

    >>> split_address("bidder.example:7917")
    ('bidder.example', 7917)
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise bad_input("--peer", text, "HOST:PORT, such as bidder.example:7917")
    return host.strip("[]"), int(port)


def _words(job: Job) -> str:
    return "yes" if job.answers[0] else "no"


def _whole(value: Any) -> int:
    """A whole number of a column; a secret, so that an error does not show it."""
    try:
        if value is None or isinstance(value, bool) or value != int(value):
            raise ValueError
        return int(value)
    except (ValueError, TypeError, OverflowError):
        raise InputError("the column: expected whole numbers and none missing") from None
