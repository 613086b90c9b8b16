"""Checks that every registered mechanism, attack and utility goes through.

A new one passes them by being registered; one of your own passes them in your tests in one line::

    from sfumato.study.conformance import check
    from sfumato.auditor import AuditCase

    def test_my_mechanism():
        check(AuditCase(mechanism=MyMechanism(epsilon=1.0), pairs=[(0.0, 1.0)], bad=[float("nan")]))

or one test a check, which tells more::

    @pytest.mark.parametrize("one", yield_checks(CASE), ids=str)
    def test_my_mechanism(one):
        one.run()
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sfumato.auditor import AuditCase
from sfumato.errors import bad_input
from sfumato.study.conformance.measures import ATTACK_CHECKS, UTILITY_CHECKS, Example
from sfumato.study.conformance.mechanism import MECHANISM_CHECKS
from sfumato.study.conformance.parameters import SHAPE_CHECKS, CheckError

__all__ = [
    "Check",
    "CheckError",
    "Example",
    "check",
    "collect_attacks",
    "collect_cases",
    "collect_utilities",
    "yield_checks",
]


@dataclass(frozen=True)
class Check:
    """One check of one thing."""

    name: str
    subject: str
    function: Callable[[Any], None] = field(repr=False)
    target: Any = field(repr=False)

    def run(self) -> None:
        """Raise :class:`CheckError` with what is wrong; whatever else goes wrong on the way is wrong too."""
        try:
            self.function(self.target)
        except CheckError:
            raise
        except Exception as error:
            raise CheckError(f"raises {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"


def yield_checks(target: Any) -> Iterator[Check]:
    """All checks that apply to a mechanism (an :class:`AuditCase`), an attack or a utility (an :class:`Example`)."""
    if isinstance(target, AuditCase):
        subject, checked = target.label, target.mechanism
        own: tuple[Callable[[Any], None], ...] = MECHANISM_CHECKS
    elif isinstance(target, Example):
        subject, checked = target.label, target.subject
        own = ATTACK_CHECKS if hasattr(checked, "attack") else UTILITY_CHECKS
    else:
        raise bad_input("target", target, "an AuditCase or an Example")
    for shape in SHAPE_CHECKS:
        yield Check(_title(shape), subject, shape, checked)
    for special in own:
        yield Check(_title(special), subject, special, target)


def check(target: Any) -> None:
    """Run all checks of one thing and raise :class:`CheckError` with everything that is wrong with it."""
    wrong = []
    for one in yield_checks(target):
        try:
            one.run()
        except CheckError as error:
            wrong.append(f"{one}: {error}")
    if wrong:
        raise CheckError("\n".join(wrong))


def collect_cases(room: str | None = None) -> list[AuditCase]:
    """The audit cases of the textbook mechanisms and of every room, or of one room."""
    from sfumato.study import find_room, find_rooms

    if room == "mechanism":
        return list(importlib.import_module("sfumato.auditor.examples").audit_cases())
    if room is not None:
        return list(find_room(room).audits())
    cases = list(importlib.import_module("sfumato.auditor.examples").audit_cases())
    return cases + [case for found in find_rooms().values() for case in found.audits()]


def collect_attacks() -> list[Example]:
    """An example of every attack of every room."""
    from sfumato.study import find_rooms

    return [Example.of(*example) for room in find_rooms().values() for example in room.attacks()]


def collect_utilities() -> list[Example]:
    """An example of every utility of every room."""
    from sfumato.study import find_rooms

    return [Example.of(*example) for room in find_rooms().values() for example in room.utilities()]


def _title(function: Callable[..., None]) -> str:
    return function.__name__.removeprefix("check_").replace("_", " ")
