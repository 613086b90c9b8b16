"""Classes of letters for patterns: capitals and small letters of every script that has both."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["CAPITAL", "SMALL", "is_capitalised"]

_WITH_CASE = (range(0x41, 0x588), range(0x10A0, 0x1100), range(0x13A0, 0x13FE), range(0x1C80, 0x2000))
"""Where letters with case are: Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee and their extensions."""


def _ranges(points: Iterable[int]) -> str:
    """Code points as ranges of a character class."""
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in runs)


def _of(*categories: str) -> str:
    return _ranges(point for block in _WITH_CASE for point in block if unicodedata.category(chr(point)) in categories)


CAPITAL = f"[{_of('Lu', 'Lt')}]"
"""A capital letter."""
SMALL = f"[{_of('Ll')}\u0300-\u036f]"
"""A small letter, or an accent that stands as a character of its own."""


def is_capitalised(word: str) -> bool:
    """Whether a word begins with a capital.

    >>> is_capitalised("Łucja"), is_capitalised("Δημήτρης"), is_capitalised("de")
    (True, True, False)
    """
    return word[:1].isupper() or word[:1].istitle()
