"""What a document that can be rewritten offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Document", "Edit", "edited"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters ``start`` to ``end`` of a text become ``written``."""

    start: int
    end: int
    written: str


class Document(Protocol):
    """A document as a list of texts, each of which can be changed in its place.

    ``rewrite`` takes a list of edits for each text, in order and without overlaps, and gives the whole file. Whatever
    is in none of the texts is either free of text or not in the new file.
    """

    texts: list[str]
    remarks: list[str]

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The whole file with its edits."""
        ...

    def signs(self, number: int) -> Sequence[object] | None:
        """What stands behind each character of a text that may be another reading of the same place.

        ``None`` if the text is the only reading of its place.
        """
        return None

    def plain(self, edits: Sequence[Sequence[Edit]]) -> str:
        """All texts with their edits, as one."""
        return "\n\n".join(edited(text, own) for text, own in zip(self.texts, edits, strict=True))


def edited(text: str, edits: Sequence[Edit]) -> str:
    """A text with its edits.

    >>> edited("Hi Anna!", [Edit(3, 7, "[PERSON]")])
    'Hi [PERSON]!'
    """
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.written]
        at = edit.end
    return "".join([*parts, text[at:]])
