"""What the tests of the commands of every kind of data share."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.study.rooms import command_name

__all__ = ["listed_as"]


def listed_as(kind: type, listed: Collection[str]) -> str:
    """The name under which a mechanism is listed: its own, or that of the nearest class it derives from.

    So a mechanism that ``sfumato new mechanism`` wrote is called like the one it derives from, until it has a line of
    its own.
    """
    names = [command_name(base) for base in kind.__mro__]
    found = next((name for name in names if name in listed), None)
    assert found is not None, f"{names[0]} is not tested from file to file: give it a line in COMMANDS"
    return found
