"""The folder of a session: only for its owner, and gone when the session is, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["Workspace", "sweep"]

PREFIX = "sfumato-studio-"
LOCK = "lock"

_WATCH = """
import os, shutil, sys
os.read(0, 1)  # returns when the last writer of the pipe is gone: the server ended, in whatever way
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


class Workspace:
    """A folder with mode 0700 that holds what a session has on the disk, and is removed at its end.

    It is removed by :meth:`close`; if the server is killed, by a small process that waits for its end; and if that is
    killed as well, by the next session (:func:`sweep`), which finds the lock free.

    Parameters
    ----------
    parent : path, optional
        Where it is made; by default the user's run-time folder, or that of temporary files.

    Examples
    --------
    >>> with Workspace() as place:
    ...     (place.folder / "upload").write_bytes(b"age")
    3
    >>> place.folder.exists()
    False
    """

    def __init__(self, parent: str | Path | None = None) -> None:
        home = Path(parent) if parent is not None else session_parent()
        sweep(home)
        self.folder = home / f"{PREFIX}{secrets.token_hex(8)}"
        self.folder.mkdir(mode=0o700)
        self._lock = os.open(self.folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WATCH, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C in the terminal is not for it
            cwd="/",
        )

    def private_file(self, name: str) -> Path:
        """A path in the folder, whose file is there, empty and readable by the owner only."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return path

    def close(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self._lock)
        if self._watcher.stdin is not None:
            self._watcher.stdin.close()
        self._watcher.wait(timeout=10)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def session_parent() -> Path:
    """The user's run-time folder, which other users cannot read, or that of temporary files."""
    run = os.environ.get("XDG_RUNTIME_DIR")
    if run and os.path.isdir(run) and os.access(run, os.W_OK):
        return Path(run)
    return Path(tempfile.gettempdir())


def sweep(parent: Path) -> list[Path]:
    """Remove the folders of sessions that are over; gives those that were removed.

    A session that lives holds the lock in its folder.
    """
    gone = []
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
            finally:
                os.close(descriptor)
    return gone
