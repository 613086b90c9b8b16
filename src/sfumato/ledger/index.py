"""The way from the last line of a ledger to the last line of any subject.

The file is only ever added to, so an index cannot be a page that is rewritten. Instead every line carries the branches
that lead away from it. Take the hash of each subject as a path of 256 bits, and all subjects as a binary tree of such
paths. ``line.others[d]`` is the newest line of a subject that shares the first d bits with this one and then turns the
other way. So the newest line of all is the root of a tree, and another subject is found in about log₂(subjects) steps,
however long the history is. References hold hashes: the last line vouches for the standing of every subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from sfumato.ledger.line import Ref

__all__ = ["Branching", "Way", "newest_lines", "way_to"]

BITS = 256


class Branching(Protocol):
    """What the search needs of a line."""

    @property
    def key(self) -> int: ...

    @property
    def others(self) -> tuple[Ref | None, ...]: ...


L = TypeVar("L", bound=Branching)


class Way(NamedTuple):
    """Where a subject was last written, if ever, and the branches that its next line carries."""

    found: Ref | None
    others: tuple[Ref | None, ...]


def way_to(key: int, newest: Ref | None, read: Callable[[Ref], Branching]) -> Way:
    """Search a subject from the newest line on.

    Invariant of the loop: ``at`` is the newest line among the subjects that share their first ``len(others)`` bits with
    ``key``, and ``others`` holds the branches above it.
    """
    others: list[Ref | None] = []
    at = newest
    while at is not None:
        line = read(at)
        if line.key == key:
            return Way(at, (*others, *line.others[len(others) :]))
        shared = BITS - (line.key ^ key).bit_length()
        above = line.others[len(others) : shared]
        others += [*above, *[None] * (shared - len(others) - len(above)), at]
        at = line.others[shared] if shared < len(line.others) else None
    return Way(None, tuple(others))


def newest_lines(newest: Ref | None, read: Callable[[Ref], L]) -> Iterator[L]:
    """The newest line of every subject, in no particular order."""
    branches = [(newest, 0)]  # a line, and how many of its first bits the way to it has used up
    while branches:
        at, depth = branches.pop()
        if at is not None:
            line = read(at)
            yield line
            branches += [(other, bit + 1) for bit, other in enumerate(line.others) if bit >= depth]
