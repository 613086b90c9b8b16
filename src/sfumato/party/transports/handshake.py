"""What two parties agree on before they compare: all of it public, and all of it checked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sfumato.errors import InputError, PeerError, bad_input
from sfumato.party.core.holding import ComparisonType, Role
from sfumato.party.core.machine import Machine
from sfumato.party.core.paillier import KEY_BITS, PrivateKey, PublicKey
from sfumato.party.core.side import Side
from sfumato.party.core.wire import SESSION_BYTES, Message
from sfumato.party.protocols.base import Comparator, check_values
from sfumato.party.protocols.bitwise_comparator import BitwiseComparator
from sfumato.party.protocols.boolean_comparator import BooleanComparator
from sfumato.party.protocols.comparison import Comparison, Flips
from sfumato.party.protocols.dgk_comparator import DgkComparator
from sfumato.party.protocols.router import Plan, Shares, plan
from sfumato.party.protocols.tree_comparator import TreeComparator
from sfumato.party.transports.framing import SocketChannel, drive
from sfumato.validate import choice, extra, integer

__all__ = ["COMPARATORS", "Agreement", "Session", "shake_hands"]

COMPARATORS: dict[str, Comparator] = {
    one.name: one for one in (TreeComparator(), BitwiseComparator(), DgkComparator(), BooleanComparator())
}
_OFFER_LIMIT = 1 << 14


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The public parameters of a session; both sides must ask for the same.

    Parameters
    ----------
    type : str
        Such as ``"PN-NP-PP"``.
    bits : int
        ℓ: numbers are in [0, 2^ℓ).
    count : int
        How many comparisons there will be.
    chunk : int
        How many at a time.
    shares : {"bits", "additive"}
    comparator : {"tree", "bitwise", "dgk", "boolean"}
    key_bits : int
        Length of the keys; below 2048 only for comparison with printed figures.
    job : str
        The name of a piece of work that can be continued later; empty if it cannot.
    """

    type: str = "PN-NP-PP"
    bits: int = 32
    count: int = 1
    chunk: int = 64
    shares: Shares = "bits"
    comparator: str = "tree"
    key_bits: int = 2048
    job: str = ""

    def __post_init__(self) -> None:
        ComparisonType.parse(self.type)
        check_values("values", (), self.bits)
        integer("count", self.count)
        integer("chunk", self.chunk, most=1 << 16)
        choice("shares", self.shares, ("bits", "additive"))
        choice("comparator", self.comparator, tuple(COMPARATORS))
        choice("key_bits", self.key_bits, KEY_BITS, "2048 or more protect something")
        if not isinstance(self.job, str) or len(self.job) > 64:
            raise bad_input("job", "a longer text", "a name of at most 64 letters")

    @property
    def plan(self) -> Plan:
        """How it is computed."""
        return plan(self.type, shares=self.shares)

    @property
    def longest(self) -> int:
        """More bytes than any message of the session can have."""
        per_comparison = self.plan.ciphertexts(self.bits, COMPARATORS[self.comparator]) + 8
        return 4096 + min(self.chunk, self.count) * per_comparison * (self.key_bits // 4 + 1)


@dataclass(eq=False)
class Session:
    """An agreement with a peer over a channel, and the parties' keys."""

    channel: SocketChannel = field(repr=False)
    side: Side
    agreement: Agreement
    name: bytes = field(repr=False)
    peer_done: int = 0
    messages: int = 0

    def compare(
        self, x: Sequence[Any] | None, y: Sequence[Any] | None, count: int, *, flips: Flips | None = None
    ) -> Any:
        """Compare the next ``count`` numbers; what this side holds of each, and noise on what it reveals."""
        chosen = COMPARATORS[self.agreement.comparator]
        made = Comparison(plan=self.agreement.plan, bits=self.agreement.bits, count=count, comparator=chosen)
        steps = made.steps(self.side, x, y, flips=flips)
        self.messages += 1
        name = hashlib.sha256(self.name + self.messages.to_bytes(8, "big")).digest()[:SESSION_BYTES]
        return drive(Machine(steps, name), self.channel)


def shake_hands(
    channel: SocketChannel, agreement: Agreement, role: Role, *, key: PrivateKey | None = None, done: int = 0
) -> Session:
    """Agree with the peer on the parameters and exchange public keys.

    Parameters
    ----------
    agreement : Agreement
        What this side wants.
    role : {"alice", "bob"}
    key : PrivateKey, optional
        Made here if the type of comparison needs one and none is given.
    done : int
        How many comparisons of the job this side has already.
    """
    if role in agreement.plan.keys:
        key = key or PrivateKey.generate(agreement.key_bits)
        if key.public.bits != agreement.key_bits:
            raise bad_input("key", f"{key.public.bits} bits", f"{agreement.key_bits} bits, as agreed")
    else:
        key = None
    modulus = key.public.n.to_bytes(key.public.residue_width, "big") if key is not None else b""
    own = _pack(agreement, role, done, modulus)
    channel.limit = min(channel.limit, _OFFER_LIMIT)
    try:
        channel.send(Message(session=bytes(SESSION_BYTES), number=0, parts=(("offer", own),)).pack())
        message = Message.parse(channel.receive())
        if [label for label, _ in message.parts] != ["offer"]:
            raise PeerError("the peer sent another message than 'offer'")
        other = message.parts[0][1]
        theirs, their_role, their_done, their_modulus = _unpack(other)
        agreement = _compare(agreement, theirs)
        if their_role == role:
            raise _disagreement(f"both sides want to be {role}: one has to listen and one to connect")
        peer = _public_key(their_modulus, agreement, their_role)
    except BaseException as error:
        channel.farewell(error)
        raise
    channel.limit = agreement.longest
    offers = (own, other) if role == "alice" else (other, own)
    name = hashlib.sha256(b"sfumato party 1" + b"".join(hashlib.sha256(one).digest() for one in offers)).digest()
    return Session(channel, Side(role, key, peer), agreement, name, peer_done=their_done)


def _pack(agreement: Agreement, role: Role, done: int, modulus: bytes) -> bytes:
    values = [getattr(agreement, one.name) for one in fields(agreement)]
    return bytes(extra("msgpack", "party").packb([values, role, done, modulus], use_bin_type=True))


def _unpack(data: bytes) -> tuple[Agreement, Role, int, bytes]:
    try:
        values, role, done, modulus = extra("msgpack", "party").unpackb(data, max_map_len=0, max_ext_len=0)
        names = [one.name for one in fields(Agreement)]
        theirs = Agreement(**dict(zip(names, values, strict=True)))
        choice("role", role, ("alice", "bob"))
        integer("done", done, least=0, most=theirs.count)
        if not isinstance(modulus, bytes):
            raise InputError("a modulus: expected bytes")
    except Exception:
        raise PeerError("the peer made an offer that cannot be understood") from None
    return theirs, role, done, modulus


def _compare(mine: Agreement, theirs: Agreement) -> Agreement:
    """The agreement, if both want the same; a job that one side begins may have its name from the other."""
    for one in fields(Agreement):
        own, other = getattr(mine, one.name), getattr(theirs, one.name)
        if own != other and not (one.name == "job" and not (own and other)):
            raise _disagreement(f"the peer wants {one.name} = {other!r}, this side {own!r}: agree on one")
    return mine if mine.job else theirs


def _public_key(data: bytes, agreement: Agreement, owner: Role) -> PublicKey | None:
    if (owner in agreement.plan.keys) != bool(data):
        raise PeerError("the peer sent a key that is not needed, or none where one is")
    if not data:
        return None
    number = int.from_bytes(data, "big")
    if number.bit_length() != agreement.key_bits or len(data) != (agreement.key_bits + 7) // 8:
        raise PeerError(f"the peer sent a key of {number.bit_length()} bits: expected {agreement.key_bits}")
    try:
        return PublicKey(number)
    except InputError:
        raise PeerError("the peer sent a key that is not of the right form") from None


def _disagreement(words: str) -> PeerError:
    error = PeerError(words)
    error.farewell = 5  # type: ignore[attr-defined]
    return error
