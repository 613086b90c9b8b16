"""Private things that belong to a ledger: what was drawn once for a person and may never be drawn again.

The entries of a ledger can be shown; the middle of a zone or the coefficients of a noise cannot. They are kept in a
folder beside the ledger that only its owner can read, one file each. The ledger has an entry with the hash of each, so
that a file that is lost or edited is noticed: to draw again would be a second, unpaid release.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.ledger.chain_table import shown
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.location import is_server
from sfumato.promise import Guarantee

__all__ = ["Vault"]

_MARK = "kept in the vault"


class Vault:
    """The private folder of a ledger.

    Parameters
    ----------
    ledger : path
        The ledger's file, which must exist. The folder is its name with ``.private``, mode 0700; files are 0600.

    Examples
    --------
    >>> import tempfile
    >>> from sfumato.promise import NoGuarantee
    >>> folder = tempfile.TemporaryDirectory()
    >>> Ledger(f"{folder.name}/budget.db").close()
    >>> vault = Vault(f"{folder.name}/budget.db")
    >>> vault.keep("ann", "zone of home", {"centre": [52.5, 13.4]}, NoGuarantee("an example"))
    {'centre': [52.5, 13.4]}
    >>> vault.keep("ann", "zone of home", {"centre": [0.0, 0.0]}, NoGuarantee("an example"))  # what was kept stays
    {'centre': [52.5, 13.4]}
    >>> folder.cleanup()
    """

    def __init__(self, ledger: str | os.PathLike[str]) -> None:
        if is_server(ledger):
            raise bad_input(
                "ledger", shown(str(ledger)), "a ledger in a file", "what is drawn once is kept in a folder beside it"
            )
        self.ledger = Path(ledger)
        if not self.ledger.exists():
            raise bad_input("ledger", str(ledger), "a ledger", "make one with sfumato budget set, or Ledger(path)")
        self.folder = self.ledger.with_name(self.ledger.name + ".private")

    def keep(self, subject: str, name: str, content: Mapping[str, Any], promise: Guarantee) -> dict[str, Any]:
        """Keep something for ever, unless something of that name is kept already; gives back what is kept.

        The ledger records it with its hash. Of two processes that do this at the same time, one is first.
        """
        known = self.find(subject, name)
        if known is not None:
            return known
        sealed = {"subject": subject, "name": name, "salt": secrets.token_hex(32), "content": dict(content)}
        self._create(self._path(subject, name), json.dumps(sealed, sort_keys=True).encode())
        stored = self._stored(subject, name)
        with Ledger(self.ledger, create=False) as book:
            if self._entry(book, subject, name) is None:
                book.record(subject, promise, note=self._note(name, stored))
        found = self.find(subject, name)
        assert found is not None
        return found

    def find(self, subject: str, name: str) -> dict[str, Any] | None:
        """What is kept under a name; None if nothing ever was. Refuses a file that is lost or was edited."""
        with Ledger(self.ledger, create=False) as book:
            noted = self._entry(book, subject, name)
        stored = self._stored(subject, name)  # after the entry, which is written after the file
        if stored is None:
            if noted is not None:
                raise InputError(
                    f"what was drawn for {subject!r} ({name}) is missing from {self.folder}: restore it from a copy; "
                    "to draw again would tell more than was promised"
                )
            return None
        if noted is not None and noted != self._note(name, stored):
            raise InputError(f"what was drawn for {subject!r} ({name}) was edited: its hash is not that of the ledger")
        return dict(json.loads(stored)["content"])

    def names(self, subject: str) -> list[str]:
        """The names of all that is kept for a subject, in the order of the ledger."""
        with Ledger(self.ledger, create=False) as book:
            notes = [entry.note for entry in book.releases(subject)]
        found = [note.partition(f" {_MARK}")[0] for note in notes if _MARK in note]
        return list(dict.fromkeys(found))

    def file(self, subject: str, name: str, ending: str) -> Path:
        """Where a larger file of a subject is kept, such as a release that is handed out again."""
        return self.folder / f"{_digest(subject)}-{_digest(name)}{ending}"

    def files(self, subject: str, ending: str) -> list[Path]:
        """All files of a subject with this ending."""
        return sorted(self.folder.glob(f"{_digest(subject)}-*{ending}"))

    def write_file(self, path: Path, content: bytes) -> None:
        """Write such a file, for its owner's eyes; one that is there already stays."""
        self._create(path, content)

    def _path(self, subject: str, name: str) -> Path:
        return self.file(subject, name, ".json")

    def _create(self, path: Path, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(beside, path)  # whole or not at all, and never over another
        finally:
            os.unlink(beside)

    def _stored(self, subject: str, name: str) -> bytes | None:
        path = self._path(subject, name)
        return path.read_bytes() if path.exists() else None

    def _entry(self, book: Ledger, subject: str, name: str) -> str | None:
        """The note of the ledger about it."""
        notes = [entry.note for entry in book.releases(subject)]
        return next((note for note in notes if note.startswith(f"{name} {_MARK}")), None)

    def _note(self, name: str, stored: bytes | None) -> str:
        return f"{name} {_MARK}, sha256 {hashlib.sha256(stored or b'').hexdigest()}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
