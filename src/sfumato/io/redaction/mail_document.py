"""Mails: the headers people read, every text in them, and attachments of a kind that can be rewritten."""

from __future__ import annotations

import email
import email.charset
import email.encoders
import email.policy
import re
from collections.abc import Callable, Sequence
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


class MailDocument:
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
        gone = 0
        for number, part in enumerate(part for part in message.walk() if not part.is_multipart()):
            kind = part.get_content_type()
            attached = part.is_attachment() or part.get_filename()
            opened: Document | None = None
            if not attached and kind in ("text/plain", "text/html"):
                text = decoded_part(shown, part).replace("\r\n", "\n")
                opened = opener("part.html" if kind == "text/html" else "part.txt", text.encode())
            elif attached:
                opened = opener(str(part.get_filename() or ""), bytes(part.get_payload(decode=True) or b""))
            if opened is None:
                gone += 1
                continue
            ending = "" if not attached else re.search(r"\.\w{1,6}$", str(part.get_filename()))
            self._parts.append((f"attachment-{number}{ending[0]}" if ending else kind, opened))
            self.texts += opened.texts
            self.remarks += opened.remarks
        if gone:
            self.remarks.append(f"{shown} has {gone} attachments of other kinds: taken out")

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The mail with its edits: its texts and attachments, one after the other."""
        at = len(self._headers)
        made: list[Any] = []
        for kind, part in self._parts:
            content = part.rewrite(edits[at : at + len(part.texts)])
            at += len(part.texts)
            made.append(_part(kind, content))
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
        for name, text, own in zip(self._headers, self.texts, edits, strict=False):
            value = edited(text, own).removeprefix(f"{name}: ")
            written = value if value.isascii() else Header(value, "utf-8").encode()
            head += f"{name}: {written}\n".encode()
        body = whole.as_bytes()
        if b"--part" in body.replace(b"\n--part", b"", len(made) + 1):
            body = whole_with_boundary(whole)
        return head + body


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


class MailboxDocument:
    """An mbox file: its mails, each after a line that names nobody."""

    def __init__(self, shown: str, content: bytes, opener: Opener) -> None:
        self._mails = [
            MailDocument(f"{shown}, mail {number}", mail, opener)
            for number, mail in enumerate(mailbox_parts(shown, content), 1)
        ]
        self.texts = [text for mail in self._mails for text in mail.texts]
        self.remarks = [remark for mail in self._mails for remark in mail.remarks]

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The mailbox with its edits."""
        at, made = 0, []
        for mail in self._mails:
            content = mail.rewrite(edits[at : at + len(mail.texts)])
            at += len(mail.texts)
            quoted = re.sub(rb"(?m)^(>*From )", rb">\1", content)
            made.append(b"From - Thu Jan  1 00:00:00 1970\n" + quoted.rstrip(b"\n") + b"\n\n")
        return b"".join(made)
