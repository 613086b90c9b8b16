"""Stable keyed pseudonyms."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import reading

__all__ = ["Pseudonyms"]

_FIRST = "sfumato pseudonym key"
_SIZE = 32


@dataclass(frozen=True, repr=False)
class Pseudonyms:
    """The same pseudonym for the same person in every delivery, and no way back without the key.

    A pseudonym is HMAC-SHA256(key, value), cut to 128 bits. Without the key it is a random number to any attacker who
    cannot break HMAC; a plain hash of a patient number is undone by trying all numbers. Two different values get the
    same pseudonym with a chance of n²/2¹²⁹. Pseudonyms *link* the records of a person, which is what they are for: the
    promise of a release with pseudonyms counts everything that is linked (see :func:`~sfumato.table.protect`).

    Parameters
    ----------
    key : bytes
        32 random bytes. Keep it where the raw data are; whoever has it can look people up.

    Examples
    --------
    >>> names = Pseudonyms(bytes(32))
    >>> names.of(["patient 7", "patient 8", "patient 7"])
    ['sjg3j5422gsggphsy4hiquxmvu', 'pdjxdvvppyllxqeviydm56ck54', 'sjg3j5422gsggphsy4hiquxmvu']
    """

    key: bytes = field(default_factory=lambda: secrets.token_bytes(_SIZE))

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != _SIZE:
            raise InputError(f"pseudonym key: expected {_SIZE} random bytes; Pseudonyms() draws them")

    def __repr__(self) -> str:
        return "Pseudonyms(private)"

    def of(self, values: Iterable[str]) -> list[str]:
        """The pseudonym of each value."""
        known: dict[str, str] = {}
        found = []
        for value in values:
            if value not in known:
                known[value] = _word(hmac.digest(self.key, value.encode(), hashlib.sha256)[:16])
            found.append(known[value])
        return found

    @staticmethod
    def fresh(count: int) -> list[str]:
        """Random words that look like pseudonyms and are nobody's."""
        return [_word(secrets.token_bytes(16)) for _ in range(count)]

    def write(self, path: str | Path) -> None:
        """Write the key to a new file that only its owner can read (mode 0600)."""
        text = f"{_FIRST}\n{self.key.hex()}\n"
        try:
            place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise bad_input(
                "pseudonym key", str(path), "a file that is not there yet", "a key that is lost cannot be made again"
            ) from error
        except OSError as error:
            raise bad_input("pseudonym key", str(path), f"a place that can be written ({error.strerror})") from error
        with os.fdopen(place, "w", encoding="ascii") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())

    @classmethod
    def read(cls, path: str | Path) -> Pseudonyms:
        """The key in a file; one that others can read is refused."""
        with reading(path):
            text, mode = Path(path).read_bytes(), os.stat(path).st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise bad_input("pseudonym key", f"{path}, mode {stat.S_IMODE(mode):04o}", "mode 0600", f"chmod 600 {path}")
        lines = text.split(b"\n")
        try:
            if lines[0].decode() != _FIRST:
                raise ValueError
            return cls(bytes.fromhex(lines[1].decode()))
        except (ValueError, IndexError, InputError) as error:
            raise InputError(f"{path} is not a pseudonym key: expected the file that sfumato wrote") from error

    @classmethod
    def read_or_make(cls, path: str | Path) -> Pseudonyms:
        """The key in a file, which is made if it is not there."""
        if Path(path).exists():
            return cls.read(path)
        made = cls()
        made.write(path)
        return made


def _word(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()
