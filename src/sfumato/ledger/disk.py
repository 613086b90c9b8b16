"""What must reach the disk: a new ledger, and every commit."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.ledger.line import FORMAT, seal

__all__ = ["VERSION", "create_file", "new_header", "to_disk"]

VERSION = 2


def create_file(path: Path) -> None:
    """Make an empty ledger at ``path`` unless another process was faster.

    It is made beside and linked into place complete, so an empty or foreign file is never taken for a new ledger.
    """
    if not path.parent.is_dir():
        raise bad_input("ledger", str(path), "a path in an existing folder", "create the folder first")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    except (OSError, ValueError) as error:
        raise bad_input("ledger", str(path), "a writable folder", f"{error}; choose another path") from error
    try:
        try:
            os.write(descriptor, new_header())
            to_disk(descriptor)
        finally:
            os.close(descriptor)
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    except OSError as error:
        raise bad_input("ledger", str(path), "a local disk with hard links", f"{error.strerror}; move it") from error
    finally:
        os.unlink(name)
    if sys.platform != "win32":  # the name must survive a power cut as well
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def new_header() -> bytes:
    """The first line of a new ledger; no two are equal."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return seal({"format": FORMAT, "version": VERSION, "made": made, "ledger": secrets.token_hex(16)})[0]


def to_disk(descriptor: int) -> None:
    """Return when everything written to the file is on the disk."""
    if sys.platform == "darwin":  # fsync alone does not reach the disk there
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    elif sys.platform == "win32":
        os.fsync(descriptor)
    else:
        os.fdatasync(descriptor)
