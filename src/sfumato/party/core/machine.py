"""One side of a protocol as a machine: it is given messages and gives messages, and knows nothing of connections."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sfumato.errors import PeerError
from sfumato.party.core.wire import SESSION_BYTES, Ciphertexts, Field, Message

__all__ = ["Expect", "Machine", "Send", "Steps", "Tally", "expect", "send"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Send:
    """A step that gives values to the other side."""

    label: str
    field: Field
    values: Sequence[Any]


@dataclass(frozen=True)
class Expect:
    """A step that waits for values of the other side."""

    label: str
    field: Field


Steps = Generator[Send | Expect, Any, Result]
"""The steps of one side: ``yield from`` joins protocols into larger ones."""


def send(label: str, form: Field, values: Sequence[Any]) -> Steps[None]:
    """Give values to the other side."""
    yield Send(label, form, values)


def expect(label: str, form: Field) -> Steps[list[Any]]:
    """Wait for values of the other side."""
    found: list[Any] = yield Expect(label, form)
    return found


@dataclass
class Tally:
    """What one side sent: messages, ciphertexts, and bytes with and without their envelopes."""

    messages: int = 0
    ciphertexts: int = 0
    payload: int = 0
    bytes: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.messages + other.messages,
            self.ciphertexts + other.ciphertexts,
            self.payload + other.payload,
            self.bytes + other.bytes,
        )


@dataclass(eq=False)
class Machine(Generic[Result]):
    """Runs the steps of one side.

    What a side sends in a row travels in one message; what it expects in a row is read from one message. A message of
    another session, out of order, sent twice, with another label or of another length is refused.

    Parameters
    ----------
    steps : generator
    session : bytes
        Sixteen bytes that both sides know, from the handshake.
    """

    steps: Steps[Result] = field(repr=False)
    session: bytes = bytes(SESSION_BYTES)
    sent: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._outgoing: list[tuple[str, bytes]] = []
        self._incoming: deque[tuple[str, bytes]] = deque()
        self._numbers = [0, 0]  # of the next message out and in
        self._wanted: Expect | None = None
        self._result: list[Result] = []
        self._failed = False

    @property
    def done(self) -> bool:
        """Whether the last step is done."""
        return bool(self._result)

    @property
    def result(self) -> Result:
        """What this side has in the end."""
        if not self._result:
            raise PeerError("the protocol has not ended")
        return self._result[0]

    def start(self) -> list[bytes]:
        """Run until the first message is needed; gives the messages to send."""
        return self._run(None)

    def receive(self, data: bytes) -> list[bytes]:
        """Take one message; gives the messages to send."""
        if self.done or self._failed or self._wanted is None:
            raise PeerError("the peer sent a message that nobody waits for")
        try:
            message = Message.parse(data)
            if message.session != self.session:
                raise PeerError("the peer sent a message of another session")
            if message.number != self._numbers[1]:
                raise PeerError("the peer sent a message twice, or out of order")
            self._numbers[1] += 1
            self._incoming.extend(message.parts)
            return self._run(self._read(self._wanted))
        except BaseException:
            self._failed = True
            raise

    def _run(self, values: list[Any] | None) -> list[bytes]:
        out: list[bytes] = []
        self._wanted = None
        try:
            while True:
                step = self.steps.send(values)
                values = None
                if isinstance(step, Send):
                    self._put(step)
                elif self._incoming:
                    values = self._read(step)
                else:
                    self._wanted = step
                    return out + self._flush()
        except StopIteration as end:
            if self._incoming:
                raise PeerError("the peer sent more than the protocol has") from None
            self._result.append(end.value)
            return out + self._flush()

    def _put(self, step: Send) -> None:
        if self._incoming:
            raise PeerError("the peer sent more than the protocol has")
        body = step.field.encode(step.values)
        self._outgoing.append((step.label, body))
        self.sent.payload += len(body)
        if isinstance(step.field, Ciphertexts):
            self.sent.ciphertexts += len(step.values)

    def _read(self, step: Expect) -> list[Any]:
        label, body = self._incoming.popleft()
        if label != step.label:
            raise PeerError(f"the peer sent another message than {step.label!r}")
        if len(body) != step.field.size:
            raise PeerError(f"the peer sent {len(body)} bytes for {step.label!r}: expected {step.field.size}")
        return step.field.decode(body)

    def _flush(self) -> list[bytes]:
        if not self._outgoing:
            return []
        data = Message(session=self.session, number=self._numbers[0], parts=tuple(self._outgoing)).pack()
        self._outgoing = []
        self._numbers[0] += 1
        self.sent.messages += 1
        self.sent.bytes += len(data)
        return [data]
