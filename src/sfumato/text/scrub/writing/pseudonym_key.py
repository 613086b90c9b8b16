"""The file that pseudonyms are made and undone with. Private."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.text.scrub.writing.find_replacement import LEAST_KEY

__all__ = ["PseudonymKey"]


@dataclass(frozen=True, kw_only=True)
class PseudonymKey:
    """A secret, and what its pseudonyms stand for.

    Parameters
    ----------
    secret : bytes
    originals : mapping of str to str
        For each pseudonym the fullest form of what was replaced.

    Examples
    --------
    >>> key = PseudonymKey(originals={"[PERSON-ABCDEFGHIJ]": "Anna"})
    >>> len(key.secret), "Anna" in repr(key)
    (32, False)
    """

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    originals: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) < LEAST_KEY:
            raise bad_input("secret", "fewer bytes", f"at least {LEAST_KEY} secret bytes")

    def with_originals(self, more: Mapping[str, str]) -> PseudonymKey:
        """The same secret with more pseudonyms; of two forms of one thing the longer is kept."""
        merged = dict(self.originals)
        for token, value in more.items():
            if len(value) > len(merged.get(token, "")):
                merged[token] = value
        return PseudonymKey(secret=self.secret, originals=merged)

    def write(self, path: str | Path) -> None:
        """Write the key so that only its owner can read it."""
        content = json.dumps({"secret": self.secret.hex(), "originals": dict(self.originals)}, ensure_ascii=False)
        with atomic_path(path) as beside:
            os.chmod(beside, 0o600)
            beside.write_text(content, encoding="utf-8")
        os.chmod(path, 0o600)

    @classmethod
    def read(cls, path: str | Path) -> PseudonymKey:
        """A key that was written."""
        with reading(path):
            content = Path(path).read_bytes()
        try:
            held = json.loads(content.decode("utf-8"))
            return cls(secret=bytes.fromhex(held["secret"]), originals=held["originals"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is no key of pseudonyms: expected one that scrub --key-file wrote") from error
