"""HTML, mails and Word: the same file without what was replaced."""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile

import pytest

from sfumato.errors import InputError
from sfumato.io.redaction.edit import Document, Edit
from sfumato.io.redaction.open_document import open_document

NAMES = re.compile(r"(?i)anna|kowalska")


def without_names(document: Document) -> bytes:
    return document.rewrite(
        [
            [Edit(m.start(), m.end(), "X") for m in re.finditer(r"(?i)anna(?: kowalska)?|kowalska", t)]
            for t in document.texts
        ]
    )


def test_html_changes_text_and_attributes_and_nothing_else():
    page = (
        '<html><head><meta charset="latin-1"><title>F\u00fcr Anna</title><!-- Anna --><script>a="Anna"</script></head>'
        "<body>"
        '<p class="x">Dear <b>Anna</b> Kowal&shy;ska &amp; co</p>'
        "<a href=\"mailto:anna@example.org\" title='Anna'>mail</a>"
        '<img alt="Anna" src="data:image/png;base64,AAnnaA"></body></html>'
    )
    made = without_names(open_document("a.html", page.encode("latin-1"), "html")).decode()
    assert not NAMES.search(made.replace("AAnnaA", ""))
    assert '<p class="x">Dear <b>X</b> &amp; co</p><a href="mailto:X@example.org" title=\'X\'>mail</a>' in made
    assert 'charset="utf-8"' in made
    assert "Für X" in made


MAIL = (
    "From: Anna Kowalska <anna@example.org>\nTo: Bo <bo@example.org>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe_von_Anna?=\n"
    "Message-ID: <anna.1@example.org>\nReceived: from annas-host\nX-Originating-IP: 10.0.0.1\nDKIM-Signature: anna\n"
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n"
    "Content-Type: multipart/alternative; boundary=C\n\n"
    "--C\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOfZSwgQW5uYQo=\n"
    "--C\nContent-Type: text/html; charset=utf-8\n\n<p>Hi <i>Anna</i></p>\n--C--\n"
    '--B\nContent-Type: text/plain; name="anna.txt"\nContent-Disposition: attachment; filename="anna.txt"\n\n'
    "Anna again\n"
    '--B\nContent-Type: image/png\nContent-Disposition: attachment; filename="anna.png"\n\nAnna\n--B--\n'
)


def test_mail_keeps_what_people_read():
    document = open_document("a.eml", MAIL.encode(), "eml")
    made = without_names(document)
    message = email.message_from_bytes(made, policy=email.policy.default)
    assert set(message.keys()) == {"From", "To", "Subject", "MIME-Version", "Content-Type"}
    assert str(message["Subject"]) == "Grüße von X"
    parts = [part for part in message.walk() if not part.is_multipart()]
    texts = [
        part.get_content() if part.get_content_maintype() == "text" else part.get_payload(decode=True) for part in parts
    ]
    assert [part.get_filename() for part in parts] == [None, None, "attachment-2.txt"]
    assert str(texts[0]).strip() == "Grüße, X"
    assert texts[2] == b"X again"
    assert not any(NAMES.search(str(text)) for text in texts)
    assert not NAMES.search(made.decode())
    assert any("1 attachments of other kinds: taken out" in remark for remark in document.remarks)


def test_mailbox_has_the_same_mails():
    box = f"From anna@example.org Thu\n{MAIL}\nFrom b@example.org Fri\nFrom: Bo\nSubject: y\n\n>From here on, Anna\n"
    made = without_names(open_document("a.mbox", box.encode(), "mbox"))
    assert not NAMES.search(made.decode())
    again = open_document("b.mbox", made, "mbox")
    assert sum(text.startswith("From:") for text in again.texts) == 2
    assert any("From here on, X" in text for text in again.texts)


def word() -> bytes:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.core_properties.author = document.core_properties.title = "Anna Kowalska"
    paragraph = document.add_paragraph("Dear ")
    for piece in ("An", "na Kow", "alska", ", hello"):
        paragraph.add_run(piece)
    document.sections[0].header.paragraphs[0].text = "About Anna"
    document.add_table(1, 1).cell(0, 0).text = "Kowalska"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_part(content: bytes, name: str, part: bytes, into: str | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            body = old.read(one)
            if one == "word/document.xml" and into is not None:
                body = body.replace(b"<w:body>", b"<w:body>" + into.encode())
            new.writestr(one, body)
        new.writestr(name, part)
    return out.getvalue()


def test_word_changes_every_part():
    docx = pytest.importorskip("docx")
    tracked = (
        '<w:p><w:del w:id="1" w:author="Anna"><w:r><w:delText>gone Anna</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="Anna Kowalska"><w:r><w:t>here Anna</w:t></w:r></w:ins></w:p>'
    )
    content = with_part(word(), "word/embeddings/anna.bin", b"Anna", tracked)
    made = without_names(open_document("a.docx", content, "docx"))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert not any(
            NAMES.search(name) or NAMES.search(archive.read(name).decode("latin-1")) for name in archive.namelist()
        )
    again = docx.Document(io.BytesIO(made))
    assert [paragraph.text for paragraph in again.paragraphs][1] == "Dear X, hello"
    assert again.tables[0].cell(0, 0).text == "X"
    assert again.sections[0].header.paragraphs[0].text == "About X"
    assert again.core_properties.author == ""


def test_what_is_no_document_is_refused():
    with pytest.raises(InputError, match="not a mail"):
        open_document("a.eml", b"just text", "eml")
    with pytest.raises(InputError, match=r"a\.docx"):
        open_document("a.docx", b"PK no archive", "docx")
