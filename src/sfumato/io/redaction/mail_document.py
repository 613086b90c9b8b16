"""Mails: the headers people read, every text in them, and attachments of a kind that can be rewritten."""

from __future__ import annotations

import base64
import email
import email.charset
import email.encoders
import email.policy
import quopri
import re
from collections.abc import Callable, Iterator, Sequence
from email.header import Header
from email.message import Message
from typing import Any

from sfumato.errors import InputError
from sfumato.io.documents import decoded_part, mailbox_parts
from sfumato.io.redaction.edit import Document, Edit, edited

__all__ = ["MailDocument", "MailboxDocument"]

_HEADERS = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date", "Subject")
"""The headers that stay, each a text. Message ids, paths, programs and signatures do not."""
_READABLE = email.charset.Charset("utf-8")
_READABLE.body_encoding = email.charset.QP
Opener = Callable[[str, bytes], Document | None]


class MailDocument(Document):
    """One mail.

    Parameters
    ----------
    opener : callable
        Opens an attachment by its name and content; ``None`` for a kind that cannot be rewritten, which is taken out.
    """

    def __init__(self, shown: str, content: bytes, opener: Opener) -> None:
        message = email.message_from_bytes(content, policy=email.policy.default)
        if not message.keys():
            raise InputError(f"{shown} is not a mail: expected headers such as Subject before the text")
        self.remarks: list[str] = []
        self.texts: list[str] = []
        self._headers: list[str] = []
        for name in _HEADERS:
            for value in message.get_all(name, []):
                self._headers.append(name)
                self.texts.append(f"{name}: {' '.join(str(value).split())}")
        self._parts: list[tuple[str, Document]] = []
        gone = encoded = 0
        for number, part in enumerate(_leaves(message)):
            kind = part.get_content_type()
            attached = part.is_attachment() or part.get_filename()
            opened: Document | None = None
            if not attached and kind in ("text/plain", "text/html"):
                text, blocks = _ENCODED.subn("", decoded_part(shown, part).replace("\r\n", "\n"))
                encoded += blocks
                opened = opener("part.html" if kind == "text/html" else "part.txt", text.encode())
            elif attached:
                try:
                    opened = opener(str(part.get_filename() or ""), bytes(part.get_payload(decode=True) or b""))
                except InputError as error:  # a locked or damaged attachment goes, the mail stays
                    self.remarks.append(f"{error}: this attachment is taken out")
                    continue
            if opened is None:
                gone += 1
                continue
            ending = "" if not attached else re.search(r"\.\w{1,6}$", str(part.get_filename()))
            self._parts.append((f"attachment-{number}{ending[0]}" if ending else kind, opened))
            self.texts += opened.texts
            self.remarks += opened.remarks
        if encoded:
            self.remarks.append(f"{shown} has {encoded} files written into its text: taken out")
        if gone:
            self.remarks.append(f"{shown} has {gone} attachments of other kinds: taken out")

    def signs(self, number: int) -> Sequence[object] | None:
        """Those of the attachment that the text is in."""
        number -= len(self._headers)
        for _, part in self._parts:
            if 0 <= number < len(part.texts):
                return part.signs(number)
            number -= len(part.texts)
        return None

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The mail with its edits: its texts and attachments, one after the other."""
        at = len(self._headers)
        made: list[Any] = []
        for kind, part in self._parts:
            told, own = len(part.remarks), edits[at : at + len(part.texts)]
            at += len(part.texts)
            try:
                made.append(_part(kind, part.rewrite(own)))
                self.remarks += part.remarks[told:]  # what was known only now
            except InputError as error:  # what cannot be redacted does not leave
                self.remarks.append(f"{error}; this attachment is taken out")
        whole: Message[str, str]
        if len(made) == 1 and made[0].get_content_maintype() == "text":
            whole = made[0]
        else:
            whole = Message(policy=email.policy.compat32)
            whole["MIME-Version"] = "1.0"
            texts = {part.get_content_type() for part in made}
            subtype = "alternative" if texts == {"text/plain", "text/html"} and len(made) == 2 else "mixed"
            whole["Content-Type"] = f'multipart/{subtype}; boundary="part"'
            whole.set_payload(made)
        head = b""
        for name, text, changes in zip(self._headers, self.texts, edits, strict=False):
            value = edited(text, changes).removeprefix(f"{name}: ")
            written = value if value.isascii() else Header(value, "utf-8").encode()
            head += f"{name}: {written}\n".encode()
        body = whole.as_bytes()
        if b"--part" in body.replace(b"\n--part", b"", len(made) + 1):
            body = whole_with_boundary(whole)
        return head + body


_ENCODED = re.compile(r"(?ms)^begin [0-7]{3,4} .*?^end *$\n?|^=ybegin .*?^=yend .*?$\n?")
"""Files that old programs wrote into the text of a mail (uuencode, yEnc)."""


def _leaves(message: Any) -> Iterator[Any]:
    """The parts of a mail that hold something, those of mails within it too, however they are packed."""
    packed = str(message.get("Content-Transfer-Encoding", "")).strip().lower()
    if message.get_content_maintype() == "message" and packed in ("base64", "quoted-printable"):
        # against the standard, but programs write it; the parser takes the code for the text of the inner mail
        inner = message.get_payload()
        code = inner[0].get_payload() if isinstance(inner, list) else inner
        raw = (base64.b64decode if packed == "base64" else quopri.decodestring)(str(code).encode("ascii", "replace"))
        yield from _leaves(email.message_from_bytes(raw, policy=email.policy.default))
    elif message.is_multipart():
        for part in message.get_payload():
            yield from _leaves(part)
    else:
        yield message


def whole_with_boundary(whole: Any) -> bytes:
    """The mail with a boundary that its texts do not contain."""
    import secrets

    whole.set_boundary(secrets.token_hex(16))
    return bytes(whole.as_bytes())


def _part(kind: str, content: bytes) -> Message[str, str]:
    part: Message[str, str] = Message(policy=email.policy.compat32)
    if kind.startswith("text/"):
        part.set_type(kind)
        part.set_payload(content.decode(), _READABLE)
        return part
    part["Content-Type"] = "application/octet-stream"
    part["Content-Disposition"] = f'attachment; filename="{kind}"'
    part.set_payload(content)
    email.encoders.encode_base64(part)
    return part


class MailboxDocument(Document):
    """An mbox file: its mails, each after a line that names nobody."""

    def __init__(self, shown: str, content: bytes, opener: Opener) -> None:
        self._mails = [
            MailDocument(f"{shown}, mail {number}", mail, opener)
            for number, mail in enumerate(mailbox_parts(shown, content), 1)
        ]
        self.texts = [text for mail in self._mails for text in mail.texts]
        self.remarks = [remark for mail in self._mails for remark in mail.remarks]

    def signs(self, number: int) -> Sequence[object] | None:
        """Those of the mail that the text is in."""
        for mail in self._mails:
            if number < len(mail.texts):
                return mail.signs(number)
            number -= len(mail.texts)
        return None

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The mailbox with its edits."""
        at, made = 0, []
        for mail in self._mails:
            told, own = len(mail.remarks), edits[at : at + len(mail.texts)]
            content = mail.rewrite(own)
            self.remarks += mail.remarks[told:]
            at += len(mail.texts)
            quoted = re.sub(rb"(?m)^(>*From )", rb">\1", content)
            made.append(b"From - Thu Jan  1 00:00:00 1970\n" + quoted.rstrip(b"\n") + b"\n\n")
        return b"".join(made)
