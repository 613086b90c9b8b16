"""A lock on an open file itself, shared by readers and exclusive for writers.

The lock belongs to the file (its inode), not to its name: hard links, symbolic links and bind mounts of one file
exclude each other. It belongs to one opening of the file, so two ledgers in one process exclude each other as well, and
closing another descriptor of the same file does not drop it, as it would with POSIX record locks. The kernel drops it
when the process dies.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["locked"]

_SHORTEST, _LONGEST = 0.0002, 0.01  # seconds between two attempts

if sys.platform == "win32":
    import msvcrt
    import os
    from contextlib import suppress

    _FAR = 2**62  # locks bind on Windows: lock a byte that nobody reads

    def _try_lock(descriptor: int, exclusive: bool) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        with suppress(PermissionError):  # it was not held
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int, exclusive: bool) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def locked(descriptor: int, *, exclusive: bool, timeout: float) -> Iterator[None]:
    """Hold the lock; raises :class:`BlockingIOError` if others hold it for longer than ``timeout`` seconds."""
    deadline, pause = time.monotonic() + timeout, _SHORTEST
    try:  # from here on: an interrupt may strike between the lock and the next line
        while True:
            try:
                _try_lock(descriptor, exclusive)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST)
        yield
    finally:
        _unlock(descriptor)
