"""How a room makes itself known.

A room is a sub-package of :mod:`sfumato` with a module ``room`` that defines ``ROOM``; a package outside registers
one under the entry-point group ``sfumato.rooms``. The command line, the demo, the auditor and the checks all find
rooms here, so that a new room adds no line elsewhere.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato import registry
from sfumato.auditor import AuditCase
from sfumato.errors import bad_input

__all__ = ["Recipe", "Room", "command_name", "find_room", "find_rooms"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A ready study.

    Parameters
    ----------
    name, summary : str
    build : callable
        Makes the :class:`~sfumato.study.Study`; its keyword arguments are the options a study file may set.
    demo : bool
        Whether ``sfumato demo`` runs it (shipped data only, under a minute).
    """

    name: str
    summary: str
    build: Callable[..., Any]
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
    examples : str
        The module, loaded only when asked for, that has ``audit_cases()`` (the cases of the room's mechanisms),
        ``attack_examples()`` and ``utility_examples()`` (one of every attack and utility for the generic checks, each
        as object, data, release and, for an attack that needs it, mechanism).
    own : str
        ``"module:function"`` that makes the study of a user's own file (:mod:`sfumato.study.own.own_file`); empty if
        there is none.
    """

    name: str
    summary: str
    recipes: Iterable[Recipe]
    commands: Mapping[str, str]
    examples: str
    own: str = ""

    def audits(self) -> Iterable[AuditCase]:
        """The audit cases of the room's mechanisms."""
        return self._of_examples("audit_cases")

    def mechanisms(self) -> dict[str, type]:
        """The mechanisms by the name they have on the command line (``von-mises-fisher``), from the audit cases.

        What is audited but releases nothing by itself, such as a way of training, is none.
        """
        kinds = [case.part_of or type(case.mechanism) for case in self.audits() if case.expected == "holds"]
        return {command_name(kind): kind for kind in kinds if hasattr(kind, "release")}

    def attacks(self) -> Iterable[tuple[Any, ...]]:
        """An example of every attack of the room."""
        return self._of_examples("attack_examples")

    def utilities(self) -> Iterable[tuple[Any, ...]]:
        """An example of every utility of the room."""
        return self._of_examples("utility_examples")

    def _of_examples(self, name: str) -> Iterable[Any]:
        found: Iterable[Any] = getattr(importlib.import_module(self.examples), name)()
        return found


def command_name(kind: type) -> str:
    """The name of a class on the command line; capitals at the end belong to the word before them.

    A class that is known by another word says so itself, as ``called``; classes that derive from it do not inherit it.

    >>> class GreedyKMember: ...
    >>> class SynTF: ...
    >>> command_name(GreedyKMember), command_name(SynTF)
    ('greedy-k-member', 'syntf')
    """
    called = vars(kind).get("called")
    if called is not None:
        return str(called)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z](?![A-Z]*$))|(?<=[A-Z])(?=[A-Z][a-z])", "-", kind.__name__)
    return words.lower()


def find_rooms() -> dict[str, Room]:
    """All rooms by name, in alphabetical order; one that cannot be loaded is left out with a warning."""
    rooms = {}
    for name in registry.rooms():
        try:
            rooms[name] = find_room(name)
        except Exception as error:
            reason = " ".join(str(error).split())
            warnings.warn(f"{name} could not be loaded and is left out: {type(error).__name__}: {reason}", stacklevel=2)
    return rooms


def find_room(name: str) -> Room:
    """The room called ``name``; no other room is imported."""
    known = registry.rooms()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        raise bad_input(
            "room", name, "one of " + (", ".join(known) or "none"), f"did you mean {near[0]}?" if near else ""
        )
    for entry in importlib.metadata.entry_points(group="sfumato.rooms", name=name):
        room = entry.load()
        break
    else:
        room = importlib.import_module(f"sfumato.{name}.room").ROOM
    if not isinstance(room, Room) or room.name != name:
        raise bad_input(f"ROOM of {name}", room, f"a Room with name={name!r}")
    return room
