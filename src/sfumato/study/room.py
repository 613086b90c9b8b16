"""How a room makes itself known.

A room is a sub-package of :mod:`sfumato` with a module ``recipe`` that defines ``ROOM``; a package outside registers
one under the entry-point group ``sfumato.rooms``. The command line, the demo, the auditor and the checks all find
rooms here, so that a new room adds no line elsewhere.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sfumato
from sfumato.errors import bad_input
from sfumato.privacy import AuditCase
from sfumato.study.shapes import Study

__all__ = ["Recipe", "Room", "find_room", "find_rooms"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A ready study.

    Parameters
    ----------
    name, summary : str
    build : callable
        Makes the study; its keyword arguments are the options a study file may set.
    demo : bool
        Whether ``sfumato demo`` runs it (shipped data only, under a minute).
    """

    name: str
    summary: str
    build: Callable[..., Study]
    demo: bool = False


@dataclass(frozen=True, kw_only=True)
class Room:
    """One kind of data.

    Parameters
    ----------
    name, summary : str
    recipes : iterable of Recipe
    commands : mapping of str to str
        Sub-commands of ``sfumato NAME`` as ``"module:function"``; at least protect, attack and measure. The functions
        carry typer annotations and load only when called.
    audits : callable
        Returns the audit cases of the room's mechanisms.
    attacks, utilities : callable
        Return an example of every attack and utility of the room for the generic checks, each as
        (object, data, release).
    """

    name: str
    summary: str
    recipes: Iterable[Recipe]
    commands: Mapping[str, str]
    audits: Callable[[], Iterable[AuditCase]]
    attacks: Callable[[], Iterable[tuple[Any, Any, Any]]] = field(default=tuple)
    utilities: Callable[[], Iterable[tuple[Any, Any, Any]]] = field(default=tuple)


def find_rooms() -> dict[str, Room]:
    """All rooms by name, in alphabetical order."""
    rooms: dict[str, Room] = {}
    for module in pkgutil.iter_modules(sfumato.__path__, "sfumato."):
        if module.ispkg and importlib.util.find_spec(f"{module.name}.recipe") is not None:
            room = importlib.import_module(f"{module.name}.recipe").ROOM
            rooms[room.name] = room
    for entry in importlib.metadata.entry_points(group="sfumato.rooms"):
        room = entry.load()
        rooms[room.name] = room
    return dict(sorted(rooms.items()))


def find_room(name: str) -> Room:
    """The room called ``name``."""
    rooms = find_rooms()
    if name not in rooms:
        raise bad_input("room", name, "one of " + ", ".join(rooms))
    return rooms[name]
