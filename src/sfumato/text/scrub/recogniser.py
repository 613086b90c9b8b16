"""The interface of recognisers: objects that find personal items in texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from sfumato.errors import bad_input
from sfumato.text.scrub.span import Span

__all__ = ["Recogniser", "check_recognisers"]


@runtime_checkable
class Recogniser(Protocol):
    """Finds spans in texts: one list of spans for each text, in any order, overlapping or not."""

    def find(self, texts: Sequence[str]) -> list[list[Span]]: ...


def check_recognisers(name: str, value: Any) -> None:
    """Refuse anything but one or more recognisers. A string has a ``find`` too, but finds no spans."""
    several = isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0
    if not several:
        raise bad_input(name, type(value).__name__, "a sequence of recognisers", "(Cascade(),)")
    for recogniser in value:
        if isinstance(recogniser, (str, bytes)) or not isinstance(recogniser, Recogniser):
            raise bad_input(name, type(recogniser).__name__, "recognisers: objects with find(texts) → spans")
