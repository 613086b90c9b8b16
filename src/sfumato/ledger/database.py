"""The file of a ledger: SQLite, made so that what was committed stays.

- Write-ahead log with ``synchronous = FULL``: a commit returns after its bytes are on the disk, so that neither a
  killed process nor a power cut loses it.
- A new file is made beside and linked into place complete, so no other process ever sees half a ledger, and an empty or
  foreign file is never taken for a new one.
- Trouble with the file comes out as one line that says what to do.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import InputError, bad_input

__all__ = ["create_file", "file_identity", "one_line_errors", "open_file"]

APPLICATION = 0x5346554D  # "SFUM" in the header of the file
VERSION = 1
_SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE budget (
    subject TEXT PRIMARY KEY, promise TEXT NOT NULL, spent TEXT NOT NULL, spends INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, subject TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('set', 'spend')),
    cost TEXT NOT NULL, promise TEXT NOT NULL, note TEXT NOT NULL
);
CREATE INDEX entry_of_subject ON entry (subject, id);
"""


def create_file(path: Path) -> None:
    """Make an empty ledger at ``path`` unless another process was faster."""
    if not path.parent.is_dir():
        raise bad_input("ledger", str(path), "a path in an existing folder", "create the folder first")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    except OSError as error:
        raise bad_input("ledger", str(path), "a writable folder", f"{error.strerror}; choose another path") from error
    os.close(descriptor)
    try:
        with one_line_errors(path):
            connection = sqlite3.connect(name, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
                connection.execute("PRAGMA synchronous = FULL")
                connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            finally:
                connection.close()
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    except OSError as error:
        raise bad_input("ledger", str(path), "a local disk with hard links", f"{error.strerror}; move it") from error
    finally:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name + suffix)
    if sys.platform != "win32":  # the name must survive a power cut as well
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def open_file(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection to an existing ledger; refuses everything that is not one."""
    if path.is_dir():
        raise bad_input("ledger", str(path), "a file", "it is a folder")
    if not path.exists():
        raise bad_input("ledger", str(path), "an existing ledger", "sfumato budget set makes one")
    with one_line_errors(path):
        connection = sqlite3.connect(
            path.resolve().as_uri() + "?mode=rw",
            uri=True,
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if application != APPLICATION:
                raise bad_input(
                    "ledger", str(path), "a sfumato ledger", "this file is something else; choose another path"
                )
            if version != VERSION:
                raise bad_input("ledger", str(path), f"version {VERSION}, not {version}", "use the matching sfumato")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = 1")  # where fsync alone does not reach the disk (macOS)
            connection.execute("PRAGMA checkpoint_fullfsync = 1")
        except BaseException:
            connection.close()
            raise
    return connection


def file_identity(path: Path) -> tuple[int, int]:
    """Which file lies at ``path`` now."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise bad_input(
            "ledger", str(path), "the file that was opened", "it was moved or deleted; put it back"
        ) from error
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def one_line_errors(path: Path) -> Iterator[None]:
    """SQLite's complaints as an :class:`InputError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, error) from error


def _explained(path: Path, error: sqlite3.Error) -> InputError:
    text = str(error)
    for sign, expected, remedy in (
        ("full", "room on the disk", "free some space; nothing was spent"),
        ("readonly", "a writable file", "change its permissions or choose another path; nothing was spent"),
        ("locked", "a ledger that is free within the timeout", "another process holds it; try again"),
        ("unable to open", "a file and folder that can be written", "check the permissions"),
        ("not a database", "a sfumato ledger", "this file is something else; choose another path"),
        ("malformed", "an intact ledger", "restore it from a copy, then add what was spent since"),
        ("no such table", "an intact ledger", "restore it from a copy, then add what was spent since"),
        ("I/O", "a working disk", "check the disk; nothing was spent"),
    ):
        if sign in text:
            return bad_input("ledger", str(path), expected, f"{remedy} ({text})")
    return bad_input("ledger", str(path), "a usable ledger", text)
