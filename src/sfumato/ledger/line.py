"""One line of a ledger file: an entry as canonical JSON with its hash, read with suspicion.

A line is ``{"size":N,"entry":BODY,"hash":"H"}``. BODY is the entry as JSON with sorted keys and without spaces, and H
is the SHA-256 of exactly these bytes. The body names the hash of the line before it, so that a line cannot be changed,
removed or put in without changing every line after it. N is the length of the line: what a killed process left of it is
shorter, which tells it from a line that was damaged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sfumato.errors import InputError
from sfumato.promise import Cost, Guarantee

__all__ = [
    "FORMAT",
    "STRANGE",
    "DamagedError",
    "Line",
    "Ref",
    "parse_header",
    "parse_line",
    "seal",
    "subject_key",
    "unfinished",
]

_ACTIONS: Final = ("set", "spend", "record", "enrol")
_LONG: Final = 1 << 16
FORMAT: Final = "sfumato ledger"
_HEAD, _MIDDLE, _TAIL = b'{"size":%10d,"entry":', b',"hash":"', b'"}\n'
_BODY_AT = len(_HEAD % 0)
_HASH_AT = -len(_TAIL) - 64
_BODY_END = _HASH_AT - len(_MIDDLE)
# What strange content of a line can raise while it is taken apart.
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
STRANGE = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)


class DamagedError(Exception):
    """A line that is not what a ledger writes; the text says in which way. Never leaves this package."""


class Ref(NamedTuple):
    """Where a line stands in the file, and its hash."""

    offset: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """The content of one line: the entry itself, the subject's totals after it, and references to earlier lines."""

    number: int
    at: str
    previous: str
    action: str
    subject: str
    promise: str
    cost: Cost
    note: str
    release: str
    spent: Cost
    """What the subject has spent, this line included."""
    spends: int
    unpaid: int
    """How many releases of the subject were recorded without a payment, this line included."""
    budget: Mapping[str, Any] | None
    """The promise that a ``set`` gave as budget."""
    budget_ref: Ref | None
    """The line that set the budget in force; none in a ``set`` itself and without a budget."""
    before: Ref | None
    """The subject's previous line."""
    others: tuple[Ref | None, ...]
    """The way to the other subjects: see :mod:`sfumato.ledger.index`."""
    more: int
    """How many lines of the same commit follow. A commit whose last lines are missing never took place."""
    people: Mapping[str, Any] | None = None
    """Of a subject that is a roll: who joined or was charged (:mod:`sfumato.ledger.roll`). Others lack the field."""

    @cached_property
    def guarantee(self) -> Guarantee:
        """The budget that a ``set`` wrote down, as a promise."""
        try:
            budget = Guarantee.from_dict(self.budget or {})
            sound = not budget.budget_obstacle and self.cost == budget.cost()
        except STRANGE as error:
            reason = str(error) if isinstance(error, InputError) else type(error).__name__
            raise DamagedError(f"the budget of {self.subject!r:.80} cannot be read ({reason})") from error
        if not sound:
            raise DamagedError(f"entry {self.number} sets a budget of {self.subject!r:.80} that is none")
        return budget

    @cached_property
    def key(self) -> int:
        """The hash of the subject, which decides the way to it."""
        return subject_key(self.subject)

    def seal(self) -> tuple[bytes, str]:
        """The line as bytes, and its hash."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.people is None:
            del values["people"]
        text, digest = seal({**values, "cost": _amounts(self.cost), "spent": _amounts(self.spent)})
        _remember(text, (self, digest))
        return text, digest


def subject_key(subject: str) -> int:
    """256 bits that stand for a subject.

    >>> subject_key("clinic").bit_length() <= 256
    True
    """
    return int.from_bytes(sha256(subject.encode()).digest())


def canonical(values: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys and without spaces: one text for one content.

    >>> canonical({"b": [1, None], "a": "ε"}).decode()
    '{"a":"ε","b":[1,null]}'
    """
    return _encode(values).encode()


def seal(values: Mapping[str, Any]) -> tuple[bytes, str]:
    """A line with these values, and its hash."""
    body = canonical(values)
    digest = sha256(body).hexdigest()
    size = _BODY_AT + len(body) - _BODY_END
    return b"".join((_HEAD % size, body, _MIDDLE, digest.encode(), _TAIL)), digest


def unseal(line: bytes) -> tuple[dict[str, Any], str]:
    """The values of a line and its hash; raises :class:`DamagedError` unless the hash is that of the content."""
    if not line.startswith(_HEAD % len(line)) or not line.endswith(_TAIL) or line[_BODY_END:_HASH_AT] != _MIDDLE:
        raise DamagedError("it is not a line of a ledger")
    body, digest = line[_BODY_AT:_BODY_END], line[_HASH_AT : -len(_TAIL)]
    if sha256(body).hexdigest().encode() != digest:
        raise DamagedError("its hash does not match its content: it was changed")
    try:
        values = json.loads(body)
        if not isinstance(values, dict) or canonical(values) != body:
            raise DamagedError("it is not canonical JSON")
    except STRANGE as error:
        raise DamagedError("it is not canonical JSON") from error
    return values, digest.decode()


# Lines that were taken apart or written lately, by their whole text: nothing that changed on the disk is overlooked.
_known: dict[bytes, tuple[Line, str]] = {}


def _remember(text: bytes, parsed: tuple[Line, str]) -> None:
    if len(_known) >= 512:
        _known.clear()
    if len(text) < _LONG:  # a line with a million people is not kept twice
        _known[text] = parsed


def parse_line(line: bytes) -> tuple[Line, str]:
    """The content of a line and its hash; raises :class:`DamagedError` for anything a ledger would not write."""
    known = _known.get(line)
    if known is not None:
        return known
    values, digest = unseal(line)
    try:
        parsed = _checked(values), digest
    except STRANGE as error:
        raise DamagedError(f"its content is not that of an entry ({type(error).__name__})") from error
    _remember(line, parsed)
    return parsed


def parse_header(line: bytes) -> tuple[int, str] | None:
    """Version and hash of the first line of a ledger; None if it is not one."""
    try:
        values, digest = unseal(line)
    except DamagedError:
        return None
    if values.get("format") != FORMAT or type(values.get("version")) is not int:
        return None
    return values["version"], digest


def unfinished(rest: bytes) -> bool:
    """Whether bytes after the last end of line can be what a killed process or a power cut left of one more line.

    >>> line, _ = seal({"a": 1})
    >>> unfinished(line[:-1]), unfinished(line[:5] + bytes(7)), unfinished(line[:-1] + b"?"), unfinished(b"?")
    (True, True, False, False)
    """
    text = rest.rstrip(b"\0")  # a power cut may leave zeros where bytes did not reach the disk
    if len(text) < _BODY_AT:
        return (_HEAD % 0)[:8].startswith(text[:8])
    head, size = text[:_BODY_AT], text[8:18]
    return size.strip().isdigit() and head == _HEAD % int(size) and len(text) < int(size) and b"\0" not in text


def _checked(values: dict[str, Any]) -> Line:
    known = set(Line.__dataclass_fields__)
    if values.keys() | {"people"} != known:
        raise DamagedError("its fields are not those of an entry")
    for name in ("at", "previous", "action", "subject", "promise", "note", "release"):
        if not isinstance(values[name], str):
            raise DamagedError(f"its {name} is not a text")
    for name, least in (("number", 1), ("spends", 0), ("unpaid", 0), ("more", 0)):
        if type(values[name]) is not int or values[name] < least:
            raise DamagedError(f"its {name} is not a whole number ≥ {least}")
    if values["action"] not in _ACTIONS:
        raise DamagedError(f"its action {values['action']!r:.40} is unknown")
    if not isinstance(values["budget"], dict | None) or (values["budget"] is None) == (values["action"] == "set"):
        raise DamagedError("a budget is in it, or missing, against its action")
    if not isinstance(values.get("people"), dict | None) or ("people" in values and values["people"] is None):
        raise DamagedError("its people are none")
    if datetime.fromisoformat(values["at"]).tzinfo is None:
        raise DamagedError("its time has no zone")
    read = dict(values)
    for name in ("cost", "spent"):
        read[name] = _cost(name, values[name])
    for name in ("budget_ref", "before"):
        read[name] = _ref(values[name])
    read["others"] = tuple(_ref(one) for one in values["others"])
    return Line(**read)


def _cost(name: str, amounts: Any) -> Cost:
    read = {key: Decimal(amount) for key, amount in amounts.items()}
    for key, amount in read.items():
        if not isinstance(amounts[key], str) or not amount.is_finite() or amount < 0:
            raise DamagedError(f"its {name} has {key} = {amounts[key]!r:.40}, not a finite number ≥ 0")
    return Cost(read)


def _amounts(cost: Cost) -> dict[str, str]:
    return {name: str(amount) for name, amount in cost.amounts.items()}


def _ref(value: Any) -> Ref | None:
    if value is None:
        return None
    offset, digest = value
    if type(offset) is not int or offset <= 0 or not isinstance(digest, str):
        raise DamagedError("a reference in it points nowhere")
    return Ref(offset, digest)
