"""The file of a ledger: lines that are only ever added, under a lock on the file itself.

- There is one file and nothing beside it. No journal, log or lock depends on the name under which it was opened, so
  one file under two names (a hard link, a bind mount) is one ledger. A database with a journal cannot do this: whoever
  opens it by the other name does not see the journal.
- A commit is one write and one ``fdatasync``: when it returns, its bytes are on the disk. What a killed process left
  half written has no end of line, or lacks lines of its commit; it was never handed out, and the next writer cuts it
  off.
- Trouble with the file comes out as one line that says what to do.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.ledger.chain import RESTORE, Chain, Tail, check_link, parsed
from sfumato.ledger.disk import VERSION, to_disk
from sfumato.ledger.line import DamagedError, Line, Ref, parse_header, unfinished
from sfumato.ledger.lock import locked

__all__ = ["ChainFile"]

_BLOCK = 1 << 16
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_LONGEST_HEADER = 4096
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe may be named
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


class ChainFile(Chain):
    """A ledger in a file."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__()
        self.path = self.place = path
        self.name = str(path)
        self._timeout = timeout
        self._descriptor: int | None = None
        self._held = False
        self._open()

    def close(self) -> None:
        """Give the file back; the next use opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Tail]:
        """The ledger as it is now. What ends there never changes, so it can be read on after the lock is given back."""
        with self._locked(exclusive=False):
            tail = self._tail()
        with self._explained():
            yield tail

    @contextlib.contextmanager
    def writing(self) -> Iterator[Tail]:
        """The ledger as it is now; nobody else writes or reads meanwhile."""
        with self._locked(exclusive=True):
            if not self._writable:
                raise bad_input("ledger", self.name, "a writable file", "change its permissions; nothing was spent")
            yield self._tail()

    def commit(self, tail: Tail, lines: list[bytes], newest: Ref, line: Line) -> None:
        """Add lines after ``tail``, all of them or none; they are on the disk when this returns."""
        descriptor, data = self._handle(), b"".join(lines)
        if os.fstat(descriptor).st_size > tail.end:
            os.ftruncate(descriptor, tail.end)  # what a killed process left half written
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            to_disk(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):  # if this fails too, the commit counts or the next writer cuts it off
                os.ftruncate(descriptor, tail.end)
            raise
        self._seen = Tail(tail.end + len(data), newest, line)

    def find(self, number: int, tail: Tail) -> tuple[Ref, Line] | None:
        """The line with this number, by bisection: numbers grow along the file."""
        if tail.line is None or not 1 <= number <= tail.line.number:
            return None
        low, high = self.first, tail.end
        while True:  # the line at low has a number ≤ the wanted one, every line from high on a larger one
            middle = self._next_start((low + high) // 2, high)
            if middle >= high:
                break
            line, _ = parsed(self._line_from(middle), f"an entry on the way to entry {number}")
            low, high = (middle, high) if line.number <= number else (low, middle)
        offset = low
        for text in self._texts(low, high):
            line, digest = parsed(text, f"an entry on the way to entry {number}")
            if line.number == number:
                return Ref(offset, digest), line
            offset += len(text)
        raise DamagedError(f"entry {number} is missing")

    def _open(self) -> None:
        if os.path.isdir(self.path):
            raise bad_input("ledger", self.name, "a file", "it is a folder")
        with self._explained():
            try:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | _FLAGS)
                self._writable = True
            except FileNotFoundError as error:
                raise bad_input("ledger", self.name, "an existing ledger", "sfumato budget set makes one") from error
            except OSError as error:
                if error.errno not in _READ_ONLY:
                    raise
                # to look at, and to verify
                self._descriptor, self._writable = os.open(self.path, os.O_RDONLY | _FLAGS), False
            try:
                self._check_header()
            except BaseException:
                self.close()
                raise

    def _check_header(self) -> None:
        status = os.fstat(self._handle())
        start = self._bytes(0, _LONGEST_HEADER) if stat.S_ISREG(status.st_mode) else b""
        header = parse_header(start[: start.find(b"\n") + 1])
        if header is None:
            raise bad_input("ledger", self.name, "a sfumato ledger", "this file is something else; choose another path")
        version, self.header_hash = header
        if version != VERSION:
            raise bad_input("ledger", self.name, f"version {VERSION}, not {version}", "use the matching sfumato")
        self.first = start.find(b"\n") + 1
        self._identity = status.st_dev, status.st_ino

    @contextlib.contextmanager
    def _locked(self, *, exclusive: bool) -> Iterator[None]:
        with self._explained():
            if self._held:  # in a signal handler, say: a second writer inside the first would undo its work
                raise bad_input("ledger", self.name, "one use at a time", "it is in use by this very thread")
            if self._descriptor is None:  # after a fork
                before = self._identity
                self._open()
                if self._identity != before:
                    raise self._replaced()
            self._check_place()
            with locked(self._handle(), exclusive=exclusive, timeout=self._timeout):
                self._fresh.clear()
                try:
                    self._held = True
                    yield
                finally:
                    self._held = False

    def _check_place(self) -> None:
        """The file must still stand under its name: what is written elsewhere would be lost to everybody else."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise bad_input(
                "ledger", self.name, "the file that was opened", "it was moved or deleted; put it back"
            ) from error
        if (status.st_dev, status.st_ino) != self._identity:
            raise self._replaced()

    def _replaced(self) -> InputError:
        return bad_input("ledger", self.name, "the file that was opened", "it was replaced; open it again")

    def _tail(self) -> Tail:
        end = os.fstat(self._handle()).st_size
        if self._seen is not None:
            self._check_seen(self._seen, end)
        size, end = end, self._line_end(end)
        if end < size and not unfinished(self._bytes(end, size - end)):
            raise DamagedError("its end is damaged")
        while end > self.first:
            start = self._line_end(end - 1)
            line, digest = parsed(self._bytes(start, end - start), "the last entry")
            if line.more == 0:
                if self._seen is None or self._seen.newest != Ref(start, digest):
                    self._check_link(start, line)
                return self._found(end, start, line, digest)
            end = start  # the commit was cut short
        self._seen = Tail(self.first, None, None)
        return self._seen

    def _check_link(self, start: int, line: Line) -> None:
        """The last line must follow the one that stands before it."""
        number, previous = 0, self.header_hash
        if start > self.first:
            offset = self._line_end(start - 1)
            before, previous = parsed(self._bytes(offset, start - offset), "the last entry but one")
            number = before.number
        check_link(line, number, previous)

    def _check_seen(self, seen: Tail, end: int) -> None:
        """What this process has seen in the file must still be there."""
        try:
            if end < seen.end:
                raise DamagedError("the file is shorter")
            if seen.newest is not None:
                self.read(seen.newest)
        except DamagedError as error:
            raise bad_input(
                "ledger", self.name, "the entries that were there before", f"they are gone or changed; {RESTORE}"
            ) from error

    def _line_end(self, end: int) -> int:
        """Just after the last end of line before ``end``."""
        while end > self.first:
            start = max(self.first, end - _BLOCK)
            found = self._bytes(start, end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return self.first

    def _next_start(self, offset: int, end: int) -> int:
        """The first start of a line after ``offset``, or ``end``."""
        while offset < end:
            block = self._bytes(offset, min(_BLOCK, end - offset))
            found = block.find(b"\n")
            if found >= 0:
                return offset + found + 1
            offset += len(block)
        return end

    def _line_from(self, offset: int) -> bytes:
        """The line that starts at ``offset``."""
        size = 2048
        while True:
            text = self._bytes(offset, size)
            found = text.find(b"\n")
            if found >= 0:
                return text[: found + 1]
            if len(text) < size:
                raise DamagedError("a reference in it points nowhere")
            size *= 4

    def _texts(self, offset: int, end: int) -> Iterator[bytes]:
        """The lines between two places, with little in memory at a time."""
        rest = b""
        while offset < end:
            block = self._bytes(offset, min(16 * _BLOCK, end - offset))
            if not block:
                raise DamagedError("the file became shorter")
            offset += len(block)
            *whole, rest = _split(rest + block)
            yield from whole

    def _bytes(self, offset: int, size: int) -> bytes:
        descriptor = self._handle()
        if sys.platform == "win32":
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)
        else:  # noqa: RET505 - a checker for one platform calls the rest unreachable
            return os.pread(descriptor, size, offset)

    def _handle(self) -> int:
        if self._descriptor is None:
            raise bad_input("ledger", self.name, "an open ledger", "it was closed; make a new Ledger(path)")
        return self._descriptor

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Trouble with the file as an :class:`InputError` that says what to do."""
        try:
            yield
        except DamagedError as error:
            raise bad_input("ledger", self.name, "an intact ledger", f"{error}; {RESTORE}") from error
        except OSError as error:
            if isinstance(error, BlockingIOError):
                expected, remedy = "a ledger that is free within the timeout", "another process holds it; try again"
            elif error.errno in _NO_ROOM:
                expected, remedy = "room on the disk", "free some space; nothing was spent"
            elif isinstance(error, PermissionError):
                expected, remedy = "a file that can be read and written", "check the permissions"
            else:
                expected, remedy = "a working local disk", "check the disk; nothing was spent"
            raise bad_input("ledger", self.name, expected, f"{remedy} ({error.strerror})") from error


def _split(text: bytes) -> list[bytes]:
    """Whole lines with their ends, and what follows the last of them."""
    *lines, rest = text.split(b"\n")
    return [*(line + b"\n" for line in lines), rest]
