"""Two sides prove to each other that they know the same secret, without telling it (SPAKE2, by the library spake2).

**Why this is enough.** The connector is inside a TLS 1.3 connection with whoever holds the private key of the
certificate that it was shown; that key was made for this listener and never leaves its memory. SPAKE2 gives both sides
the same key K if and only if they used the same secret; a peer that does not know it learns nothing from a run but
whether one guess was right, so that not even a short phrase can be searched off-line. Each side then sends
HMAC(K, role, SHA-256 of the listener's certificate). Somebody in the middle has to show the connector a certificate of
its own, because it has no private key for the listener's. It can pass the SPAKE2 messages on, but the two sides then
confirm different certificates, and the codes do not match: the channel binding *tls-server-end-point* of RFC 5929.
A code cannot be sent back to where it came from, because it names the role. The connector confirms first, and the
listener says nothing more to one that is wrong.

The library computes in Python and not in constant time; a listener gives up after a few failed peers.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING

from sfumato.errors import InputError, PeerError
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.party.transports.framing import SocketChannel

__all__ = ["authenticate", "check_secret"]

_LEAST = 8
_NAMES = {"idA": b"sfumato party listener", "idB": b"sfumato party connector"}


def check_secret(secret: str) -> None:
    """Refuse a secret that can be guessed in a few attempts; the error does not show it."""
    if not isinstance(secret, str) or len(secret.strip()) < _LEAST:
        raise InputError(f"the shared secret: expected at least {_LEAST} characters")


def authenticate(channel: SocketChannel, secret: str, *, server: bool, binding: bytes) -> None:
    """Run SPAKE2 and confirm the key together with the certificate; an error if the peer has another secret."""
    spake2 = extra("spake2", "party")
    kind = spake2.SPAKE2_A if server else spake2.SPAKE2_B
    run = kind(secret.strip().encode("utf-8"), **_NAMES)
    channel.send(run.start())
    try:
        key = run.finish(channel.receive())
    except PeerError:
        raise
    except Exception:  # the library has no error of its own for what is not a point
        raise PeerError("the peer sent something that is no message") from None
    codes = {role: hmac.new(key, role + binding, sha256).digest() for role in (b"listener", b"connector")}
    own, other = (b"listener", b"connector") if server else (b"connector", b"listener")
    if not server:
        channel.send(codes[own])
    if not hmac.compare_digest(channel.receive(), codes[other]):
        raise PeerError("the peer has another secret, or somebody is between us")
    if server:
        channel.send(codes[own])
