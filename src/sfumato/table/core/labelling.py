"""How a class writes the set or the range of values it publishes, and how that is read again."""

from __future__ import annotations

import csv
from collections.abc import Sequence

__all__ = ["range_label", "read_range", "read_set", "set_label"]


def _written(value: str) -> str:
    plain = value == value.strip() and not any(mark in value for mark in ',"')
    return value if plain and value else '"' + value.replace('"', '""') + '"'


def _read(inside: str) -> list[str]:
    return next(csv.reader([inside], skipinitialspace=True), [])


def set_label(values: Sequence[str]) -> str:
    """A single value as it is, several in braces; values with commas or quotes are quoted.

    >>> set_label(["single"]), set_label(["single", "married, apart"])
    ('single', '{single, "married, apart"}')
    """
    return values[0] if len(values) == 1 else "{" + ", ".join(map(_written, values)) + "}"


def read_set(label: str) -> list[str] | None:
    """The values of a set, or None if the label is no set.

    >>> read_set('{single, "married, apart"}')
    ['single', 'married, apart']
    """
    return _read(label[1:-1]) if label.startswith("{") and label.endswith("}") else None


def range_label(low: str, high: str) -> str:
    """A range of ordered values.

    >>> range_label("3", "3"), range_label("3", "7")
    ('3', '[3, 7]')
    """
    return low if low == high else f"[{_written(low)}, {_written(high)}]"


def read_range(label: str) -> tuple[str, str] | None:
    """The ends of a range, or None if the label is no range."""
    if not (label.startswith("[") and label.endswith("]")):
        return None
    ends = _read(label[1:-1])
    return (ends[0], ends[1]) if len(ends) == 2 else None
