"""The text of one document: plain text, HTML, mail, Word, PDF. Text only: no layout, no metadata, no attachments."""

from __future__ import annotations

import email
import email.message
import email.policy
import io
import re
from html.parser import HTMLParser
from typing import Any

from sfumato.errors import InputError
from sfumato.io.formats.archives import check_archive
from sfumato.io.formats.charset import Notes, chunks, find_encoding, named_encoding, to_utf8
from sfumato.io.formats.csv_table import one_line
from sfumato.validate import extra

__all__ = [
    "decoded_part",
    "html_source",
    "html_text",
    "mail_text",
    "mailbox_parts",
    "pdf_text",
    "plain_text",
    "word_text",
]

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOT_SHOWN = (
    *(f"{_WORD}{name}" for name in ("del", "moveFrom", "pPr")),  # tracked changes; tab stops
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",  # a second copy of a text box
)
_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption",
     "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol",
     "option", "p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul")
)  # fmt: skip
_UNSEEN = frozenset(("script", "style", "template"))
_MARKED = re.compile(rb"^>(>*From )", re.MULTILINE)
_FROM = re.compile(rb"^From [^\n]*\n", re.MULTILINE)


def plain_text(shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> str:
    """A text in any encoding; a guess is said."""
    if encoding is not None:
        found = named_encoding(encoding)
    else:
        found = find_encoding(lambda: chunks(content), shown)
        found.tell(shown, notes)
    return b"".join(to_utf8(chunks(content), found, shown)).decode()


def html_text(shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> str:
    """What a browser would show as text, a line for each block. The page may name its encoding."""
    return _page(html_source(shown, content, encoding, notes))


def html_source(shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> str:
    """The source of a page, which may name its encoding."""
    if encoding is None:
        said = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9._-]+)", content[:4096], re.IGNORECASE)
        marked = content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
        encoding = said[1].decode() if said and not marked else None
    return plain_text(shown, content, encoding, notes)


def _page(text: str) -> str:
    page = _Page()
    page.feed(text)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _Page(HTMLParser):
    """Collects the text between tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.unseen = max(0, self.unseen - (tag in _UNSEEN))
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(data.replace("\n", " "))


def mail_text(shown: str, content: bytes, notes: Notes = None) -> str:
    """The subject and the body of a mail. Who wrote it, when, and attachments are not read."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    if not message.keys():
        raise InputError(f"{shown} is not a mail: expected headers such as Subject before the text")
    body = _body(message)
    text = "" if body is None else decoded_part(shown, body)
    if body is not None and body.get_content_type() == "text/html":
        text = _page(text)
    attached = sum(1 for part in message.walk() if part.is_attachment())
    if attached and notes is not None:
        notes(f"{shown} has {attached} attachments: not read")
    subject = " ".join(str(message.get("Subject", "")).split())
    return "\n\n".join(part for part in (subject, text.replace("\r\n", "\n").strip()) if part)


def _body(message: Any) -> Any:
    """The part that is the text of the mail: plain before HTML; ``None`` if it has none."""
    try:
        found = message.get_body(preferencelist=("plain", "html"))
    except (AttributeError, KeyError, ValueError):  # a broken structure: the first part that is a text
        found = next((part for part in message.walk() if part.get_content_maintype() == "text"), None)
    return found if found is None or found.get_content_maintype() == "text" else None


def decoded_part(shown: str, part: Any) -> str:
    """The text of a part of a mail."""
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError):  # an encoding that does not exist
        return plain_text(shown, part.get_payload(decode=True) or b"")


def mailbox_parts(shown: str, content: bytes) -> list[bytes]:
    """The mails of an mbox file: each begins after a line ``From …`` that is the first or follows a blank one.

    A line of a mail that begins so has a ``>`` before it in the file, which is removed.
    """
    starts = [
        found
        for found in _FROM.finditer(content)
        if found.start() == 0 or content[max(0, found.start() - 4) : found.start()].endswith((b"\n\n", b"\n\r\n"))
    ]
    if not starts or starts[0].start() != 0:
        raise InputError(f"{shown} is not a mailbox: expected a first line that begins with 'From '")
    ends = [found.start() for found in starts[1:]] + [len(content)]
    mails = (content[found.end() : end] for found, end in zip(starts, ends, strict=True))
    return [_MARKED.sub(rb"\1", mail) for mail in mails]


def word_text(shown: str, content: bytes) -> str:
    """The text of a .docx file, a line for each paragraph; headers and footers come first.

    Text that was deleted with changes tracked is not there, text that was inserted is. Comments and footnotes are not
    read.
    """
    docx = extra("docx", "documents")
    check_archive(shown, content, "Word document")
    try:
        document = docx.Document(io.BytesIO(content))
        parts = [
            part._element
            for section in document.sections
            for part in (section.header, section.footer)
            if not part.is_linked_to_previous
        ]
        text = "".join(_walk(part) for part in [*parts, document.element.body])
    except Exception as error:  # whatever a damaged file makes of the reader
        raise InputError(f"{shown} is not a Word document that can be read: save it as .docx again") from error
    return text.strip("\n")


def _walk(element: Any) -> str:
    """The text under an element of a Word document, in its order."""
    parts: list[str] = []
    for child in element:
        if child.tag == f"{_WORD}t":
            parts.append(child.text or "")
        elif child.tag == f"{_WORD}tab":
            parts.append("\t")
        elif child.tag in (f"{_WORD}br", f"{_WORD}cr"):
            parts.append("\n")
        elif child.tag not in _NOT_SHOWN:
            parts.append(_walk(child))
            if child.tag == f"{_WORD}p":
                parts.append("\n")
    return "".join(parts)


def pdf_text(shown: str, content: bytes) -> str:
    """The text of a .pdf file, page after page; empty for pages that were scanned."""
    pypdf = extra("pypdf", "documents")
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        locked = reader.is_encrypted and not reader.decrypt("")
        text = "" if locked else "\n".join(page.extract_text() for page in reader.pages)
    except Exception as error:  # whatever a damaged file makes of the reader
        raise InputError(f"{shown} is not a PDF that can be read: {one_line(error)}") from error
    if locked:
        raise InputError(f"{shown} is locked by a password: unlock it first")
    return text.strip()
