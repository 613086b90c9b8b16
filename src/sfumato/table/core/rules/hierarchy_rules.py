"""Rules that make a hierarchy for any values, so that next month's file needs no new list."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, ClassVar

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import STAR, Hierarchy, cut_label, text
from sfumato.table.core.rules.date_order import ORDERS, DateOrder, levels_of, require_date
from sfumato.validate import choice, integer

__all__ = [
    "RULES",
    "Cuts",
    "Dates",
    "Flat",
    "Groups",
    "HierarchyRule",
    "Initials",
    "Intervals",
    "Prefixes",
    "rule_from",
]


@dataclass(frozen=True, kw_only=True)
class HierarchyRule(ABC):
    """Says the ancestors of any value. The labels depend on the rule alone, never on the other values of a table.

    Parameters
    ----------
    codes : sequence of str
        Values that are no dates or numbers, such as ``"unknown"``: each stands for itself up to the root.
    """

    word: ClassVar[str] = ""
    """Its key in ``table.toml``."""

    codes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.codes, str) or not all(isinstance(one, str) for one in self.codes):
            raise bad_input("codes", self.codes, 'a list of texts, such as ["unknown"]')
        object.__setattr__(self, "codes", tuple(self.codes))

    @property
    @abstractmethod
    def height(self) -> int:
        """Levels between the value and the root."""

    @abstractmethod
    def ancestors(self, value: str) -> Sequence[str]:
        """The labels of a value above level 0 and below the root, finest first."""

    def order(self, value: str) -> Any:
        """Where a value stands among others."""
        return value

    def of(self, values: Iterable[Any]) -> Hierarchy:
        """The hierarchy of some values, in their order."""
        words = list(dict.fromkeys(text(value) for value in values))
        named = sorted((word for word in words if word not in self.codes), key=self.order)
        rows = [[word, *self.ancestors(word), STAR] for word in named]
        rows += [[word] * (1 + self.height) + [STAR] for word in sorted(set(words) & set(self.codes))]
        return Hierarchy(rows or [["no value"] * (1 + self.height) + [STAR]])  # the number of levels is the rule's

    def settings(self) -> dict[str, Any]:
        """As ``table.toml`` holds it."""
        return {self.word: self._value()} | ({"codes": list(self.codes)} if self.codes else {})

    def _value(self) -> Any:
        return True


@dataclass(frozen=True, kw_only=True)
class Flat(HierarchyRule):
    """The value or ``*``."""

    word = "flat"

    @property
    def height(self) -> int:
        return 0

    def ancestors(self, value: str) -> Sequence[str]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Initials(HierarchyRule):
    """The word, its first letter, ``*``."""

    word = "initials"

    @property
    def height(self) -> int:
        return 1

    def ancestors(self, value: str) -> Sequence[str]:
        return (f"{value[:1].upper()}…",)


@dataclass(frozen=True)
class Prefixes(HierarchyRule):
    """Codes that lose one character a level: 12345 → 1234* → … → ``*``. No code is longer than ``length``.

    >>> Prefixes(3).of(["816", "99"]).rows
    (('816', '81*', '8**', '*'), ('99', '99*', '9**', '*'))
    """

    word = "prefixes"

    length: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("prefixes", self.length)

    @property
    def height(self) -> int:
        return self.length - 1

    def ancestors(self, value: str) -> Sequence[str]:
        if len(value) > self.length:
            raise bad_input("code", value, f"at most {self.length} characters", f"prefixes = {len(value)}")
        padded = value.ljust(self.length)
        return [padded[:keep] + STAR * (self.length - keep) for keep in range(self.length - 1, 0, -1)]

    def _value(self) -> Any:
        return self.length


@dataclass(frozen=True)
class Dates(HierarchyRule):
    """Dates: day → month → quarter → year → decade → ``*``.

    >>> Dates("day-first").of(["17.05.1994"]).rows
    (('17.05.1994', '1994-05', '1994-Q2', '1994', '1990s', '*'),)
    """

    word = "dates"

    written: DateOrder = "iso"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("dates", self.written, ORDERS)

    @property
    def height(self) -> int:
        return 4

    def ancestors(self, value: str) -> Sequence[str]:
        return levels_of(require_date(value, self.written))

    def order(self, value: str) -> Any:
        return require_date(value, self.written), value

    def _value(self) -> Any:
        return self.written


def _number(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        remedy = f"list it under codes if it is none: codes = [{value!r}]"
        if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", value):
            remedy = "a decimal comma is read in memory, without --engine; or write a point"
        raise bad_input("value", value, "a number", remedy)
    return found


@dataclass(frozen=True)
class Intervals(HierarchyRule):
    """Numbers in ever wider intervals, open at both ends. All from ``top`` on, and all below ``bottom``, are together.

    >>> Intervals([10, 20], top=90).of(["7", "93"]).rows
    (('7', '0-9', '0-19', '*'), ('93', '≥90', '≥90', '*'))
    """

    word = "intervals"

    widths: Sequence[int]
    bottom: int | None = field(default=None, kw_only=True)
    top: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.widths, str | Mapping) or not len(self.widths):
            raise bad_input("widths", self.widths, "widths of intervals, such as [5, 10, 20]")
        for before, width in zip([1, *self.widths], self.widths, strict=False):
            if integer("widths", width, least=1) % before:
                raise bad_input("widths", list(self.widths), "each a multiple of the one before", "or it is no tree")
        object.__setattr__(self, "widths", tuple(self.widths))
        for name, edge in (("bottom", self.bottom), ("top", self.top)):
            if edge is not None and integer(name, edge, least=-(2**62)) % max(self.widths) and name == "bottom":
                raise bad_input(name, edge, f"a multiple of the largest width, {max(self.widths)}", "or it is no tree")
        if self.bottom is not None and self.top is not None and self.top <= self.bottom:
            raise bad_input("top", self.top, f"more than bottom, {self.bottom}")

    @property
    def height(self) -> int:
        return len(self.widths)

    def ancestors(self, value: str) -> Sequence[str]:
        number = _number(value)
        if self.top is not None and number >= self.top:
            return [f"≥{self.top}"] * len(self.widths)
        if self.bottom is not None and number < self.bottom:
            return [f"<{self.bottom}"] * len(self.widths)
        return [self._label(math.floor(number / width) * width, width) for width in self.widths]

    def _label(self, start: int, width: int) -> str:
        end = start + width - 1 if self.top is None else min(start + width, self.top) - 1
        return f"{start}-{end}" if end > start else str(start)

    def order(self, value: str) -> Any:
        return _number(value), value

    def _value(self) -> Any:
        edges = {"bottom": self.bottom, "top": self.top}
        return {"widths": list(self.widths)} | {name: edge for name, edge in edges.items() if edge is not None}


@dataclass(frozen=True)
class Cuts(HierarchyRule):
    """Numbers between cut points, open at both ends; coarser levels last and made of cut points of the finer ones.

    >>> Cuts([[28, 36], [36]]).of(["20", "30.5", "40"]).rows[1]
    ('30.5', '[28, 36)', '<36', '*')
    """

    word = "cuts"

    levels: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            levels = tuple(tuple(sorted(float(cut) for cut in level)) for level in self.levels)
        except (TypeError, ValueError) as error:
            raise bad_input("cuts", self.levels, "lists of numbers, such as [[28, 36], [36]]") from error
        if not levels or not all(levels):
            raise bad_input("cuts", self.levels, "at least one cut point at each level")
        for finer, coarser in pairwise(levels):
            if not set(coarser) <= set(finer):
                raise bad_input("cuts", self.levels, "coarser levels made of cut points of the finer ones")
        object.__setattr__(self, "levels", levels)

    @property
    def height(self) -> int:
        return len(self.levels)

    def ancestors(self, value: str) -> Sequence[str]:
        number = _number(value)
        return [cut_label(edges, number) for edges in self.levels]

    def order(self, value: str) -> Any:
        return _number(value), value

    def _value(self) -> Any:
        return [list(level) for level in self.levels]


@dataclass(frozen=True)
class Groups(HierarchyRule):
    """Values in named groups; a value that is in none belongs to ``other``, or is refused without one.

    >>> Groups({"north": ["Linz", "Wels"]}, other="abroad").of(["Linz", "Rome"]).rows
    (('Linz', 'north', '*'), ('Rome', 'abroad', '*'))
    """

    word = "groups"

    groups: Mapping[str, Sequence[str]]
    other: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.groups, Mapping) or not all(
            isinstance(one, list | tuple) for one in self.groups.values()
        ):
            raise bad_input("groups", self.groups, '{north = ["Linz", "Wels"], south = ["Graz"]}')
        listed = [value for values in self.groups.values() for value in values]
        if len(set(listed)) < len(listed):
            twice = next(value for value in listed if listed.count(value) > 1)
            raise bad_input("groups: value", twice, "each value in one group")

    @property
    def height(self) -> int:
        return 1

    def ancestors(self, value: str) -> Sequence[str]:
        found = next((name for name, values in self.groups.items() if value in values), self.other)
        if found is None:
            raise bad_input(
                "value", value, "a value of one of the groups " + ", ".join(self.groups), 'say other = "other"'
            )
        return (found,)

    def order(self, value: str) -> Any:
        names = list(self.groups)
        return names.index(self.ancestors(value)[0]) if self.ancestors(value)[0] in names else len(names), value

    def settings(self) -> dict[str, Any]:
        more = {} if self.other is None else {"other": self.other}
        return super().settings() | more

    def _value(self) -> Any:
        return {name: list(values) for name, values in self.groups.items()}


RULES: dict[str, type[HierarchyRule]] = {
    kind.word: kind for kind in (Dates, Prefixes, Intervals, Cuts, Groups, Flat, Initials)
}
"""The rules by their key in ``table.toml``."""


def rule_from(word: str, value: Any, more: Mapping[str, Any]) -> HierarchyRule:
    """A rule as ``table.toml`` writes it: ``prefixes = 5``, ``intervals = {widths = [5, 10], top = 90}``.

    >>> rule_from("prefixes", 5, {}).height
    4
    """
    kind = RULES[word]
    known = {part.name for part in fields(kind) if part.kw_only} - {"bottom", "top"}
    extra = [key for key in more if key not in known]
    if extra:
        raise bad_input("key", extra[0], f"nothing beside {word} but " + ", ".join(sorted(known)))
    if kind in (Flat, Initials):
        if value is not True:
            raise bad_input(word, value, "true")
        return kind(**more)
    if kind is Intervals:
        if not isinstance(value, Mapping) or "widths" not in value or set(value) - {"widths", "bottom", "top"}:
            raise bad_input(
                "intervals", value, "{widths = [5, 10], top = 90} or {low = 0, high = 99, widths = [5, 10]}"
            )
        return Intervals(**value, **more)
    if kind is Dates and value is True:
        value = "iso"
    return kind(value, **more)  # type: ignore[call-arg]
