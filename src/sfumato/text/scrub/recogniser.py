"""The interface of recognisers: objects that find personal items in texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from sfumato.errors import bad_input
from sfumato.text.scrub.span import Span

__all__ = ["Recogniser", "check_recognisers", "checked_find"]


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


def checked_find(recogniser: Recogniser, texts: Sequence[str]) -> list[list[Span]]:
    """What a recogniser finds, if every span lies in its text; a wrong one would leave something readable.

    Raises
    ------
    InputError
        If there is not one list for each text, or a span is none, is empty, or leaves the text.
    """
    found = recogniser.find(texts)
    who = type(recogniser).__name__
    if len(found) != len(texts):
        raise bad_input(who, f"{len(found)} lists", f"one list of spans for each of the {len(texts)} texts")
    for number, (text, spans) in enumerate(zip(texts, found, strict=True)):
        for span in spans:
            if not isinstance(span, Span):
                raise bad_input(who, type(span).__name__, "spans", "Span(start, end, label, score)")
            places = isinstance(span.start, int) and isinstance(span.end, int)
            if not places or not 0 <= span.start < span.end <= len(text):
                raise bad_input(
                    who, f"a span from {span.start} to {span.end} in text {number}", f"places in 0 … {len(text)}"
                )
            if not isinstance(span.label, str) or not span.label or not 0 < span.score <= 1:
                raise bad_input(who, f"label {span.label!r}, score {span.score}", "a label and a score in (0, 1]")
    return found
