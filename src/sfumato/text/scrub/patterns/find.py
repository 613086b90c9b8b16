"""What all finders share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["Find", "Finder", "has_digit", "with_digit"]

Find = tuple[int, int, float, str]
"""Start, end, score, and what it is in one word."""
Finder = Callable[[str], Iterator[Find]]

_DIGIT = re.compile(r"\d")


def has_digit(text: str) -> bool:
    """Whether there is any digit."""
    return _DIGIT.search(text) is not None


def with_digit(finder: Finder) -> Finder:
    """The finder, which skips texts without any digit."""

    def find(text: str) -> Iterator[Find]:
        return finder(text) if has_digit(text) else iter(())

    return find
