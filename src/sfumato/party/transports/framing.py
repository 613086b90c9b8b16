"""Messages through a socket: each with its length in front, none longer than agreed, none awaited for ever."""

from __future__ import annotations

import contextlib
import math
import selectors
import socket
import ssl
import time
from typing import Any, Self

from sfumato.errors import PeerError, SfumatoError
from sfumato.party.core.machine import Machine
from sfumato.validate import integer, positive

__all__ = ["LIMIT", "SocketChannel", "drive"]

LIMIT = 1 << 28
"""The longest message, in bytes, where no other length was agreed."""

_MESSAGE, _FAREWELL = 0, 1
_LINGER = 1.0  # seconds for the last words of a connection that has failed
_REASONS = {
    1: "it found a fault in what it was sent",
    2: "it was given something that it cannot use",
    3: "it waited too long",
    4: "it was ended",
    5: "it could not agree on the parameters",
    6: "it does not know this peer",
}
"""All that a side ever says of its errors to the other: a number."""


class SocketChannel:
    """A connection that carries whole messages.

    Parameters
    ----------
    connection : socket
        Connected; plain between two processes of one machine, or with TLS.
    timeout : float
        Seconds that a whole message may take.
    limit : int
        The longest message in bytes; a longer one is refused before it is read.

    Attributes
    ----------
    deadline : float
        An instant (:func:`time.monotonic`) at which all patience ends, however many messages there are until then.
    """

    def __init__(self, connection: socket.socket, *, timeout: float = 60.0, limit: int = LIMIT) -> None:
        self.connection = connection
        self.timeout = positive("timeout", timeout)
        self.limit = integer("limit", limit, least=64)
        self.received = 0
        self.deadline = math.inf
        connection.setblocking(False)  # one deadline for a whole message, not one for each packet
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def secure(self) -> None:
        """Finish the TLS handshake, all of it within the timeout: a peer that sends it in drops is not waited for."""
        self._attempt(self._shake, self._until(), writing=False)

    def _shake(self) -> None:
        try:
            if isinstance(self.connection, ssl.SSLSocket):
                self.connection.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLCertVerificationError:
            raise PeerError("the peer has another certificate than the one expected") from None
        except OSError:
            raise PeerError("no secure connection: the peer speaks no TLS 1.3 or does not accept who we are") from None

    def send(self, data: bytes) -> None:
        """Send one message; if the peer is gone, say why it went if it said so."""
        try:
            self._write(len(data).to_bytes(4, "big") + bytes([_MESSAGE]) + data)
        except PeerError:
            self.timeout = min(self.timeout, _LINGER)
            self.receive()
            raise

    def receive(self) -> bytes:
        """The next message."""
        deadline = self._until()
        head = self._read(5, deadline)
        size, kind = int.from_bytes(head[:4], "big"), head[4]
        if kind == _FAREWELL and size == 1:
            code = self._read(1, deadline)[0]
            raise PeerError(f"the peer ended the protocol: {_REASONS.get(code, 'it did not say why')}")
        if kind != _MESSAGE or size > self.limit:
            raise PeerError(f"the peer announced a message of {size} bytes: expected at most {self.limit}")
        data = self._read(size, deadline)
        self.received += len(head) + size
        return data

    def farewell(self, error: BaseException) -> None:
        """Tell the peer that this side ends, by a number that says no more than why; then close."""
        code = getattr(error, "farewell", None) or (1 if isinstance(error, PeerError) else 2)
        if not isinstance(error, SfumatoError):
            code = 4
        with contextlib.suppress(PeerError, OSError):
            self.timeout = min(self.timeout, _LINGER)
            self._write((1).to_bytes(4, "big") + bytes([_FAREWELL, code]))
            # What the peer is still sending is read: closing on unread data would take the farewell back.
            self.connection.shutdown(socket.SHUT_WR)
            deadline = self._until()
            while self._attempt(lambda: self.connection.recv(1 << 16), deadline, writing=False):
                pass
        self.close()

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def _write(self, data: bytes) -> None:
        deadline, view = self._until(), memoryview(data)
        while view:
            sent = self._attempt(lambda rest=view: self.connection.send(rest[: 1 << 16]), deadline, writing=True)
            view = view[sent:]

    def _until(self) -> float:
        return min(time.monotonic() + self.timeout, self.deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        parts, missing = bytearray(), size
        while missing:
            part = self._attempt(lambda most=missing: self.connection.recv(min(most, 1 << 16)), deadline, writing=False)
            if not part:
                raise PeerError("the peer closed the connection in the middle of the protocol")
            parts += part
            missing -= len(part)
        return bytes(parts)

    def _attempt(self, step: Any, deadline: float, *, writing: bool) -> Any:
        """Do what a socket that does not block can do now, or wait until it can."""
        while True:
            try:
                return step()
            except BlockingIOError:
                event = selectors.EVENT_WRITE if writing else selectors.EVENT_READ
            except ssl.SSLWantReadError:
                event = selectors.EVENT_READ
            except ssl.SSLWantWriteError:
                event = selectors.EVENT_WRITE
            except ssl.SSLError:
                raise PeerError("the peer broke off the secure connection: it may not accept who we are") from None
            except OSError:
                raise PeerError("the connection to the peer is broken") from None
            rest = deadline - time.monotonic()
            if rest <= 0 or not self._ready(event, rest):
                late = PeerError(f"the peer did not answer within {self.timeout:g} seconds")
                late.farewell = 3  # type: ignore[attr-defined]
                raise late

    def _ready(self, event: int, rest: float) -> bool:
        with selectors.DefaultSelector() as watch:
            watch.register(self.connection, event)
            return bool(watch.select(rest))


def drive(machine: Machine[Any], channel: SocketChannel) -> Any:
    """Run one side of a protocol over a channel; if it fails, the other side is told that it did."""
    try:
        for data in machine.start():
            channel.send(data)
        while not machine.done:
            for data in machine.receive(channel.receive()):
                channel.send(data)
    except BaseException as error:
        channel.farewell(error)
        raise
    return machine.result
