"""The lines of a ledger in their order, wherever they are kept.

The place of a line is the number of bytes before it, as in one long text: a ledger is the same text in a file and in a
database, and its references mean the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from sfumato.ledger.line import DamagedError, Line, Ref, parse_line
from sfumato.ledger.roll import Roll

__all__ = ["RESTORE", "Chain", "Tail", "parsed"]

RESTORE = "restore it from a copy, check that with `sfumato budget verify --anchor`, and add what was spent since"


class Tail(NamedTuple):
    """The end of the last complete commit, and its last line, if there is any."""

    end: int
    newest: Ref | None
    line: Line | None


class Chain(ABC):
    """An open ledger: lines that are only ever added. Refuses everything that is not one."""

    place: Path | str
    """Where it is kept, as :class:`~sfumato.ledger.Ledger` takes it."""
    name: str
    """The same to be shown: without anything secret."""
    header_hash: str
    """The hash of the first line, which says what this is; the first entry follows it."""
    first: int
    """The place of the first entry."""

    def __init__(self) -> None:
        self._seen: Tail | None = None
        self._fresh: dict[Ref, Line] = {}  # what was read under the lock of the moment
        self.rolls: dict[Ref, Roll] = {}
        """Rolls as they stood after a line; what a hash stands for does not change."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Tail]:
        """The ledger as it is now. What ends there never changes, so it can be read on after the lock is given back."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Tail]:
        """The ledger as it is now; nobody else writes meanwhile. What was committed is safe when this is left."""

    @abstractmethod
    def commit(self, tail: Tail, lines: list[bytes], newest: Ref, line: Line) -> None:
        """Add lines after ``tail``, all of them or none."""

    @abstractmethod
    def find(self, number: int, tail: Tail) -> tuple[Ref, Line] | None:
        """The line with this number."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open; the next use opens it again."""

    @abstractmethod
    def _line_from(self, offset: int) -> bytes:
        """The line that starts at ``offset``."""

    @abstractmethod
    def _texts(self, offset: int, end: int) -> Iterator[bytes]:
        """The lines between two places, with little in memory at a time."""

    def read(self, ref: Ref) -> Line:
        """The line that a reference points to; raises :class:`DamagedError` if another one is there."""
        if ref in self._fresh:
            return self._fresh[ref]
        line, digest = parsed(self._line_from(ref.offset), "an entry that later ones refer to")
        if digest != ref.hash:
            raise DamagedError(f"entry {line.number} is not the one that later entries refer to")
        self._fresh[ref] = line
        return line

    def lines(self, tail: Tail) -> Iterator[tuple[Ref, Line]]:
        """Every line up to ``tail``, checked one by one: its own hash, and that it follows the one before."""
        previous, number, offset = self.header_hash, 0, self.first
        for text in self._texts(offset, tail.end):
            line, digest = parsed(text, f"entry {number + 1}")
            check_link(line, number, previous)
            yield Ref(offset, digest), line
            previous, number, offset = digest, line.number, offset + len(text)

    def _found(self, end: int, start: int, line: Line, digest: str) -> Tail:
        """Keep the last line of the ledger in mind: it must still be there next time."""
        newest = Ref(start, digest)
        self._seen, self._fresh[newest] = Tail(end, newest, line), line
        return self._seen


def check_link(line: Line, number: int, previous: str) -> None:
    """Refuse a line that does not follow the one with this number and hash."""
    if (line.number, line.previous) != (number + 1, previous):
        raise DamagedError(f"entry {line.number} does not follow entry {number}: one was put in or removed")


def parsed(text: bytes, called: str) -> tuple[Line, str]:
    """A line and its hash; what is wrong with it is said of ``called``."""
    try:
        return parse_line(text)
    except DamagedError as error:
        raise DamagedError(f"{called}: {error}") from error
