"""Many people with a budget each, in one account: who is on the roll, and what each of them has spent.

A line for each person and release would be gigabytes for a million people. Instead a line ``enrol`` holds the digests
of those who joined, and a line ``spend`` one bit for each person: charged or not. People who have spent the same are on
one *level*; a charge moves some of them to another level. So amounts are added exactly, once a level, and people are
moved as whole arrays. Now and then a line also holds the level of everybody, so that few lines must be read to know how
everybody stands. All of this is in the hashed body of ordinary lines.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.ledger.line import STRANGE, DamagedError, Line, Ref
from sfumato.promise import Cost

__all__ = ["AT_ONCE", "MOST_PEOPLE", "Roll", "digests_of", "follow", "inherited", "load_roll", "remember"]

AT_ONCE: Final = 1 << 20
"""How many people join by one line: 22 MB of text."""
MOST_PEOPLE: Final = 1 << 24
"""How many people one roll may have."""
_EVERY: Final = 64
"""After so many lines without the levels of everybody, the next one holds them."""
_WIDTH: Final = 16


@dataclass(frozen=True, eq=False)
class Roll:
    """The people of a roll in the order in which they joined, and the level of each; level 0 has spent nothing."""

    members: NDArray[np.bytes_]
    levels: NDArray[np.int64]
    totals: tuple[Cost, ...] = (Cost(),)
    """What each level has spent."""
    age: int = 0
    """How many lines ago the levels of everybody were written down."""

    @classmethod
    def empty(cls) -> Roll:
        return cls(np.zeros(0, f"S{_WIDTH}"), np.zeros(0, np.int64))

    @cached_property
    def most(self) -> Cost:
        """The most that anyone has spent, of each amount."""
        names = sorted({name for total in self.totals for name in total.amounts})
        return Cost({name: max(total[name] for total in self.totals) for name in names})

    @cached_property
    def counts(self) -> list[int]:
        """How many people are on each level."""
        return np.bincount(self.levels, minlength=len(self.totals)).tolist()

    def places(self, people: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The places of people on the roll, and whether they are on it."""
        if not len(self.members):
            return np.zeros(len(people), np.int64), np.zeros(len(people), bool)
        order = self._order
        at = np.searchsorted(self.members, people, sorter=order)
        places = order[np.minimum(at, len(order) - 1)]
        return places, self.members[places] == people

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.members, kind="stable")

    def joined(self, people: NDArray[np.bytes_]) -> Roll:
        """The roll with new people, who have spent nothing."""
        members = np.concatenate([self.members, people])
        return Roll(members, np.concatenate([self.levels, np.zeros(len(people), np.int64)]), self.totals)

    def charged(self, places: NDArray[np.int64], cost: Cost) -> Roll:
        """The roll after these people have paid."""
        moved = [total.plus(cost) for total in self.totals]
        known = {total: level for level, total in enumerate(self.totals)}
        for total in moved:
            known.setdefault(total, len(known))
        target = np.array([known[total] for total in moved])
        levels = self.levels.copy()
        levels[places] = target[levels[places]]
        used = np.bincount(levels, minlength=len(known)) > 0
        used[0] = True  # for those who join
        number = np.cumsum(used) - 1
        totals = tuple(total for total, keep in zip(known, used, strict=True) if keep)
        roll = Roll(self.members, number[levels], totals, self.age + 1)
        roll.__dict__["_order"] = self._order  # the people are the same
        return roll

    def over(self, places: NDArray[np.int64], cost: Cost, limit: Cost) -> tuple[int, Cost]:
        """How many of these people could not pay, and the most that one of them has spent."""
        here = np.bincount(self.levels[places], minlength=len(self.totals)).tolist()
        poor = [(total, n) for total, n in zip(self.totals, here, strict=True) if n and total.plus(cost).exceeds(limit)]
        names = {name for total, _ in poor for name in total.amounts}
        return sum(n for _, n in poor), Cost({name: max(total[name] for total, _ in poor) for name in sorted(names)})

    # As the fields of a line

    def join_fields(self, people: NDArray[np.bytes_]) -> dict[str, Any]:
        """What the line says by which ``people`` came to this roll."""
        return {
            "size": len(self.members),
            "count": len(people),
            "joined": b64encode(people.tobytes()).decode(),
            **self._snapshot(),
        }

    def charge_fields(self, places: NDArray[np.int64]) -> dict[str, Any]:
        """What the line says by which ``places`` were charged; every now and then with everybody's level."""
        bits = np.zeros(len(self.members), bool)
        bits[places] = True
        packed = zlib.compress(np.packbits(bits, bitorder="little").tobytes())
        fields = {"size": len(bits), "count": int(bits.sum()), "charged": b64encode(packed).decode()}
        return fields | (self._snapshot() if self.age >= _EVERY else {})

    @property
    def written(self) -> Roll:
        """The same roll after its line was written."""
        return self if self.age < _EVERY else replace(self, age=0)

    def _snapshot(self) -> dict[str, Any]:
        levels = zlib.compress(self.levels.astype(_level_type(len(self.totals))).tobytes())
        totals = [{name: str(amount) for name, amount in total.amounts.items()} for total in self.totals]
        return {"levels": b64encode(levels).decode(), "totals": totals}


def digests_of(people: Iterable[str], salt: str) -> NDArray[np.bytes_]:
    """128 bits for each person, sorted, each once. They shorten names; they do not hide them from who can guess them.

    >>> len(digests_of(["ann", "bob", "ann"], "a ledger"))
    2
    """
    if isinstance(people, str):
        raise bad_input("people", people, "several people", "a list of their ids")
    start = sha256(salt.encode() + b"\0")

    def digest(person: str) -> bytes:
        state = start.copy()
        state.update(person.encode())
        return state.digest()[:_WIDTH]

    try:
        found = b"".join([digest(person) for person in people])
    except (AttributeError, UnicodeEncodeError) as error:
        raise bad_input("people", "something else", "ids that are texts", "write numbers as texts") from error
    return np.unique(np.frombuffer(found, f"S{_WIDTH}"))


def follow(roll: Roll | None, line: Line) -> Roll | None:
    """The roll after one more line of its subject; raises :class:`DamagedError` if the line does not say so itself."""
    if line.people is None:
        if roll is not None:
            raise DamagedError(f"entry {line.number} forgets the people of {line.subject!r:.80}")
        return None
    if roll is None and line.action != "enrol":
        raise DamagedError(f"entry {line.number} is about people of {line.subject!r:.80}, which has none")
    roll = roll or Roll.empty()
    try:
        if line.action == "enrol":
            people = _joined(line.people)
            _check(line, len(people) == line.people["count"] and len(np.unique(people)) == len(people))
            _check(line, not roll.places(people)[1].any())
            roll = roll.joined(people)
        elif line.action == "spend":
            places = _charged(line.people, len(roll.members))
            _check(line, len(places) == line.people["count"])
            roll = roll.charged(places, line.cost)
        _check(line, line.people["size"] == len(roll.members) and line.spent == roll.most)
        if "levels" in line.people:
            levels, totals = _read_snapshot(line.people)
            _check(line, totals == roll.totals and bool(np.array_equal(levels, roll.levels)))
            roll = replace(roll, age=0)
    except (*STRANGE, zlib.error) as error:
        raise DamagedError(f"entry {line.number} has people that cannot be read ({type(error).__name__})") from error
    return roll


def load_roll(newest: Ref, read: Callable[[Ref], Line], known: dict[Ref, Roll]) -> Roll:
    """The roll as it stands after the line ``newest``.

    Lines are read back to one that holds the levels of everybody, or whose roll is in ``known``; what follows is added
    and checked. A reference holds a hash, and with it everything before: what is known of it stays true.
    """
    steps: list[Line] = []
    at: Ref | None = newest
    while at is not None and at not in known:
        line = read(at)
        if line.people is not None and "levels" in line.people:
            known[at] = _from_snapshot(line, read)
            break
        steps.append(line)
        at = _ref((line.people or {}).get("moved"))
    roll = None if at is None else known[at]
    for line in reversed(steps):
        roll = follow(roll, line)
    if roll is None:
        raise DamagedError("a roll has no people")
    remember(known, newest, roll)
    return roll


def remember(known: dict[Ref, Roll], at: Ref, roll: Roll) -> None:
    """Keep a few rolls in memory."""
    known.pop(at, None)
    known[at] = roll
    while len(known) > 4:
        del known[next(iter(known))]


def _from_snapshot(line: Line, read: Callable[[Ref], Line]) -> Roll:
    """The roll that a line writes down: its levels, and the people of all lines by which somebody joined."""
    people = line.people
    assert people is not None
    parts: list[NDArray[np.bytes_]] = []
    try:
        levels, totals = _read_snapshot(people)
        if line.action == "enrol":
            parts.append(_joined(people))
        at = _ref(people["roster"])
        while at is not None:
            before = read(at).people
            assert before is not None
            parts.append(_joined(before))
            at = _ref(before["roster"])
        members = np.concatenate(parts[::-1])
        roll = Roll(members, levels, totals)
        _check(line, people["size"] == len(members) == len(levels) and line.spent == roll.most)
    except (*STRANGE, zlib.error, AssertionError) as error:
        raise DamagedError(f"entry {line.number} has people that cannot be read ({type(error).__name__})") from error
    return roll


def inherited(at: Ref | None, line: Line | None) -> dict[str, Any]:
    """What the next line of a roll carries on: its size, and where people last joined and last moved.

    So the newest line leads to those that matter, however many others stand between.
    """
    if at is None or line is None or line.people is None:
        return {"size": 0, "roster": None, "moved": None}
    return {
        "size": line.people["size"],
        "roster": list(at) if line.action == "enrol" else line.people["roster"],
        "moved": list(at) if line.action in ("enrol", "spend") else line.people["moved"],
    }


def _ref(value: Any) -> Ref | None:
    return None if value is None else Ref(*value)


def _check(line: Line, sound: bool) -> None:
    if not sound:
        raise DamagedError(f"entry {line.number} has people or totals of {line.subject!r:.80} that do not match")


def _joined(people: Mapping[str, Any]) -> NDArray[np.bytes_]:
    return np.frombuffer(b64decode(people["joined"], validate=True), f"S{_WIDTH}")


def _charged(people: Mapping[str, Any], size: int) -> NDArray[np.int64]:
    packed = _unpacked(people["charged"], -(-size // 8))
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
    if bits[size:].any():
        raise DamagedError("it charges people who are not on the roll")
    return np.flatnonzero(bits)


def _read_snapshot(people: Mapping[str, Any]) -> tuple[NDArray[np.int64], tuple[Cost, ...]]:
    totals = tuple(Cost({name: Decimal(amount) for name, amount in one.items()}) for one in people["totals"])
    kind = _level_type(len(totals))
    levels = np.frombuffer(_unpacked(people["levels"], people["size"] * kind.itemsize), kind).astype(np.int64)
    if len(levels) and levels.max() >= len(totals):
        raise DamagedError("a level in it has no total")
    return levels, totals


def _unpacked(text: str, size: int) -> bytes:
    """Exactly ``size`` bytes, or :class:`DamagedError`; a line cannot make us unpack more."""
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(b64decode(text, validate=True), size + 1)
    if len(found) != size or not unpacking.eof:
        raise DamagedError("people in it are missing or too many")
    return found


def _level_type(levels: int) -> np.dtype[Any]:
    return np.dtype("<u1" if levels <= 1 << 8 else "<u2" if levels <= 1 << 16 else "<u4")
