"""Plain text."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.io.documents import plain_text
from sfumato.io.formats.charset import Notes
from sfumato.io.redaction.edit import Document, Edit, edited

__all__ = ["PlainDocument"]


class PlainDocument(Document):
    """A text file; written as UTF-8.

    >>> PlainDocument("a.txt", b"Hi Anna!").rewrite([[Edit(3, 7, "[PERSON]")]])
    b'Hi [PERSON]!'
    """

    def __init__(self, shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> None:
        self.texts = [plain_text(shown, content, encoding, notes) if content else ""]
        self.remarks: list[str] = []

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The text with its edits."""
        return edited(self.texts[0], edits[0]).encode()
