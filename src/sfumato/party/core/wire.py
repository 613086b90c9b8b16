"""Messages on the wire: versioned, numbered, and of a length that is known before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato.errors import PeerError
from sfumato.party.core.cores import gmp
from sfumato.party.core.paillier import PublicKey
from sfumato.validate import extra

__all__ = ["VERSION", "Bits", "Ciphertexts", "Field", "Message", "Octets", "Residues"]

VERSION = 1
SESSION_BYTES = 16
_MOST_PARTS = 64
_LONGEST_LABEL = 24


class Field(Protocol):
    """How one part of a message is written; both sides know how many values it has."""

    @property
    def size(self) -> int:
        """Its exact number of bytes."""

    def encode(self, values: Sequence[Any]) -> bytes: ...

    def decode(self, data: bytes) -> list[Any]: ...


class CiphertextSpace(Protocol):
    """A public key, as far as its ciphertexts travel."""

    @property
    def width(self) -> int:
        """Bytes of a ciphertext."""

    def check(self, ciphertexts: Sequence[Any]) -> None:
        """Refuse what is none."""


@dataclass(frozen=True)
class Ciphertexts:
    """``count`` ciphertexts under a key, each of the width of N² (or of N), all of them units."""

    key: CiphertextSpace
    count: int

    @property
    def size(self) -> int:
        return self.count * self.key.width

    def encode(self, values: Sequence[Any]) -> bytes:
        return b"".join(int(value).to_bytes(self.key.width, "big") for value in values)

    def decode(self, data: bytes) -> list[Any]:
        width = self.key.width
        found = [gmp().mpz(int.from_bytes(data[at : at + width], "big")) for at in range(0, len(data), width)]
        self.key.check(found)
        return found


@dataclass(frozen=True)
class Residues:
    """``count`` numbers modulo N."""

    key: PublicKey
    count: int

    @property
    def size(self) -> int:
        return self.count * self.key.residue_width

    def encode(self, values: Sequence[int]) -> bytes:
        return b"".join(int(value).to_bytes(self.key.residue_width, "big") for value in values)

    def decode(self, data: bytes) -> list[int]:
        width = self.key.residue_width
        found = [int.from_bytes(data[at : at + width], "big") for at in range(0, len(data), width)]
        if any(value >= self.key.n for value in found):
            raise PeerError("the peer sent a share that is not below N")
        return found


@dataclass(frozen=True)
class Bits:
    """``count`` bits, eight in a byte."""

    count: int

    @property
    def size(self) -> int:
        return (self.count + 7) // 8

    def encode(self, values: Sequence[int]) -> bytes:
        packed = 0
        for place, bit in enumerate(values):
            packed |= bit << place
        return packed.to_bytes(self.size, "little")

    def decode(self, data: bytes) -> list[int]:
        packed = int.from_bytes(data, "little")
        if packed >> self.count:
            raise PeerError("the peer sent more bits than were agreed")
        return [packed >> place & 1 for place in range(self.count)]


@dataclass(frozen=True)
class Octets:
    """Up to ``most`` bytes, for a handshake."""

    most: int

    @property
    def size(self) -> int:
        return self.most

    def encode(self, values: Sequence[bytes]) -> bytes:
        return values[0]

    def decode(self, data: bytes) -> list[bytes]:
        return [data]


@dataclass(frozen=True)
class Message:
    """One message: which session, which number in its direction, and labelled parts.

    The form is MessagePack: ``[version, session, number, [[label, bytes], …]]``. Nothing in it is ever executed or
    turned into an object of another kind.

    Examples
    --------
    >>> sent = Message(session=bytes(16), number=0, parts=(("points", b"12"),))
    >>> Message.parse(sent.pack()) == sent
    True
    """

    session: bytes
    number: int
    parts: tuple[tuple[str, bytes], ...]

    def pack(self) -> bytes:
        """The message as bytes."""
        parts = [[label, body] for label, body in self.parts]
        return bytes(extra("msgpack", "party").packb([VERSION, self.session, self.number, parts], use_bin_type=True))

    @classmethod
    def parse(cls, data: bytes) -> Message:
        """The message in ``data``, or :class:`~sfumato.PeerError`. Memory is bounded by the length of the data."""
        msgpack = extra("msgpack", "party")
        most = len(data)
        unread: Any = None
        try:
            unread = msgpack.unpackb(
                data,
                raw=False,
                use_list=True,
                max_bin_len=most,
                max_str_len=_LONGEST_LABEL,
                max_array_len=_MOST_PARTS,
                max_map_len=0,
                max_ext_len=0,
            )
        except Exception:  # whatever a parser says of hostile bytes, it is the peer's fault
            unread = None
        if not isinstance(unread, list) or not unread or not isinstance(unread[0], int):
            raise PeerError("the peer sent something that is no message")
        if unread[0] != VERSION:
            raise PeerError(f"the peer speaks another version: expected {VERSION}; install the same release of sfumato")
        if len(unread) != 4 or not _well_formed(*unread[1:]):
            raise PeerError("the peer sent a message of another form")
        return cls(session=unread[1], number=unread[2], parts=tuple((label, body) for label, body in unread[3]))


def _well_formed(session: Any, number: Any, parts: Any) -> bool:
    return (
        isinstance(session, bytes)
        and len(session) == SESSION_BYTES
        and type(number) is int
        and 0 <= number < 2**32
        and isinstance(parts, list)
        and 0 < len(parts) <= _MOST_PARTS
        and all(
            isinstance(part, list) and len(part) == 2 and isinstance(part[0], str) and isinstance(part[1], bytes)
            for part in parts
        )
    )
