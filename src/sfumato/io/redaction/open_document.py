"""Open any document that can be rewritten."""

from __future__ import annotations

from pathlib import Path

from sfumato.io.formats.charset import Notes
from sfumato.io.redaction.edit import Document
from sfumato.io.redaction.html_document import HtmlDocument
from sfumato.io.redaction.mail_document import MailboxDocument, MailDocument
from sfumato.io.redaction.pdf_document import PdfDocument
from sfumato.io.redaction.plain_document import PlainDocument
from sfumato.io.redaction.word_document import WordDocument
from sfumato.io.texts import DocumentFormat, document_format

__all__ = ["open_document"]


def open_document(
    shown: str, content: bytes, kind: DocumentFormat, *, encoding: str | None = None, notes: Notes = None
) -> Document:
    """A document by its content.

    >>> open_document("a.html", b"<p>Hi <b>Anna</b> K.</p>", "html").texts
    ['\\nHi Anna K.\\n', 'p', 'b']
    """

    def attached(name: str, inner: bytes) -> Document | None:
        found = document_format(Path(name).name) if name else None
        return None if found is None else open_document(f"{shown}, {found} in it", inner, found, notes=notes)

    if kind == "pdf":
        return PdfDocument(shown, content)
    if kind == "docx":
        return WordDocument(shown, content)
    if kind == "eml":
        return MailDocument(shown, content, attached)
    if kind == "mbox":
        return MailboxDocument(shown, content, attached)
    if kind == "html":
        return HtmlDocument(shown, content, encoding, notes)
    return PlainDocument(shown, content, encoding, notes)
