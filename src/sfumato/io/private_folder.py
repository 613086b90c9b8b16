"""A folder for what must not outlive its process: only for its owner, and gone when the process is, however it ends."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

__all__ = ["PrivateFolder", "sweep"]

LOCK = "lock"

_WATCH = """
import os, shutil, sys
os.read(0, 1)  # returns when the last writer of the pipe is gone: the process ended, in whatever way
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""

if sys.platform == "win32":
    import msvcrt

    def _hold(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _hold(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class PrivateFolder:
    """A folder with mode 0700 that is removed at the end.

    It is removed by :meth:`close`; if the process is killed, by a small process that waits for its end (``watched``);
    and if that is killed as well, by the next process that makes one in the same place (:func:`sweep`), which finds the
    lock free. Only folders of this host are swept: locks on a network disk may not be seen from another.

    Parameters
    ----------
    parent : path
        Where it is made.
    prefix : str
        How its name begins; folders of this prefix that nobody holds are removed.
    watched : bool
        Whether a process waits for the end of this one.

    Examples
    --------
    >>> import tempfile
    >>> with PrivateFolder(tempfile.gettempdir(), prefix="sfumato-example-") as place:
    ...     (place.folder / "raw").write_bytes(b"age")
    3
    >>> place.folder.exists()
    False
    """

    def __init__(self, parent: str | Path, *, prefix: str, watched: bool = False) -> None:
        sweep(parent, prefix)
        self.folder = Path(parent) / f"{prefix}{secrets.token_hex(8)}"
        self.folder.mkdir(mode=0o700)
        self._lock = os.open(self.folder / LOCK, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600)
        with contextlib.suppress(OSError):  # a disk without locks: nobody else can get it either, and nothing is swept
            _hold(self._lock)
        os.write(self._lock, _here())  # only now: a folder without a host is not swept
        self._watcher = _watch(self.folder) if watched else None

    def close(self) -> None:
        """Remove the folder with everything in it."""
        with contextlib.suppress(OSError):
            os.close(self._lock)
        _remove(self.folder)
        if self._watcher is not None and self._watcher.stdin is not None:
            self._watcher.stdin.close()
            self._watcher.wait(timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sweep(parent: str | Path, prefix: str) -> list[Path]:
    """Remove the private folders whose processes are over; gives those that were removed."""
    gone = []
    for folder in Path(parent).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or (hasattr(os, "getuid") and folder.stat().st_uid != os.getuid()):
                continue
            descriptor = os.open(folder / LOCK, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
            try:
                _hold(descriptor)
                ours = os.read(descriptor, 1 << 10) == _here()
            finally:
                os.close(descriptor)
            if ours:
                _remove(folder)
                gone.append(folder)
    return gone


def _remove(folder: Path) -> None:
    """Remove everything, the lock last: what is left of an interrupted removal can be swept."""
    for child in folder.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child, ignore_errors=True)
        elif child.name != LOCK:
            child.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _here() -> bytes:
    return socket.gethostname().encode() or b"?"


def _watch(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C in the terminal is not for it
        cwd=folder.anchor,
    )
