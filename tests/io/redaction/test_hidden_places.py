"""Names in places that nobody looks at: each is changed, taken out, or the file is refused."""

from __future__ import annotations

import base64
import email
import email.policy
import html
import io
import re
import zipfile
from urllib.parse import unquote

import pytest

from sfumato.io.redaction.edit import Document, Edit
from sfumato.io.redaction.open_document import open_document
from sfumato.io.redaction.pictures import WHITE_DOT, clean_picture

NAME = "Anna Kowalska"
FOUND = re.compile(r"(?i)anna kowalska|kowalska|anna")


def without_names(document: Document) -> bytes:
    return document.rewrite([[Edit(m.start(), m.end(), "X") for m in FOUND.finditer(t)] for t in document.texts])


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


PAGES = {
    "title": f"<title>{NAME}</title>",
    "meta": f'<meta name="author" content="{NAME}">',
    "data attribute": f'<p data-name="{NAME}" data-k=Kowalska>q</p>',
    "name of an attribute": "<p data-kowalska=1 kowalska>q</p>",
    "name of a tag": "<anna-kowalska>q</anna-kowalska>",
    "class and id": '<p class="kowalska" id=kowalska>q</p>',
    "hidden": f"<p hidden>{NAME}</p><template>{NAME}</template><noscript>{NAME}</noscript>",
    "comment": f"<!-- {NAME} --><!--[if mso]>{NAME}<![endif]--><![if !mso]>z<![endif]>",
    "open comment": f"<!-- {NAME}",
    "open script": f'<script>var a="{NAME}"',
    "handler": f"<p onclick=\"alert('{NAME}')\">q</p><a href=\"java\nscript:x('{NAME}')\">z</a>",
    "section": f"<![CDATA[{NAME}]]>",
    "instruction": f'<?php echo "{NAME}" ?>',
    "kind of document": f'<!DOCTYPE html SYSTEM "{NAME}">',
    "style": f'<style>p:before{{content:"{NAME}"}}</style>',
    "form": f'<textarea>{NAME}</textarea><input value="{NAME}" placeholder=Kowalska>',
    "data": f"<a href=\"data:text/plain;base64,{coded(NAME)}\">q</a><img src='data:image/svg+xml,<svg>{NAME}</svg>'>",
    "page in the page": '<iframe srcdoc="&lt;b&gt;Kowal&lt;/b&gt;ska"></iframe>',
    "drawing": f"<svg><desc>{NAME}</desc><text>{NAME}</text></svg>",
    "references": "<p>&#75;owalska &#x4b;owalska Kowal&#115;ka K<b>o</b>w<i>alska</i> Kowal&shy;ska</p>",
    "coded address": '<a href="https://example.org/?n=%4bowalska">q</a>',
    "picture": f'<img src="data:image/png;base64,{base64.b64encode(WHITE_DOT + NAME.encode()).decode()}">',
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_html(page):
    made = without_names(open_document("a.html", f"<p>q</p>{page}".encode(), "html")).decode()
    seen = unquote(html.unescape(made))
    seen += re.sub(r"<[^>]*>|\u00ad", "", seen)
    for block in re.findall(r"[A-Za-z0-9+/=]{12,}", made):
        seen += base64.b64decode(block + "===").decode("latin-1")
    assert not re.search("(?i)kowalska", seen)
    assert made.startswith("<p>q</p>")


def test_pictures_in_a_page_stay():
    page = f'<p>q</p><img alt="x" src="data:image/png;base64,{base64.b64encode(WHITE_DOT + b"Anna").decode()}">'
    document = open_document("a.html", page.encode(), "html")
    assert base64.b64encode(WHITE_DOT).decode() in without_names(document).decode()
    assert document.remarks == ["a.html has 1 pictures: what they show is not redacted"]


HEAD = f"From: {NAME} <anna.kowalska@example.org>\nSubject: hi\nMIME-Version: 1.0\n"
INNER = f"From: {NAME} <a@example.org>\nSubject: inner {NAME}\n\nDear {NAME}, body\n"


def mixed(*parts: str, head: str = HEAD) -> str:
    return head + "Content-Type: multipart/mixed; boundary=B\n\n" + "".join(f"--B\n{p}\n" for p in parts) + "--B--\n"


TEXT = f"Content-Type: text/plain\n\nDear {NAME}\n"
MAILS = {
    "base64": f"{HEAD}Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{coded(f'Dear {NAME}')}\n",
    "quoted": f"{HEAD}Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
    "Anna Kow=\nalska =4bowalska\n",
    "utf-16": f"{HEAD}Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n"
    f"{base64.b64encode(NAME.encode('utf-16')).decode()}\n",
    "mail in the mail": mixed(TEXT, f"Content-Type: message/rfc822\n\n{INNER}"),
    "coded mail in the mail": mixed(
        TEXT, f"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{coded(INNER)}"
    ),
    "mail in a mail in the mail": mixed(f"Content-Type: message/rfc822\n\n{mixed(TEXT).replace('B', 'C')}"),
    "attachment": mixed(
        TEXT,
        'Content-Type: application/x; name="kowalska.xls"\nContent-Disposition: attachment; filename="=?utf-8?b?'
        f'{coded("kowalska.xls")}?="\nContent-Description: {NAME}\n\n{NAME}',
    ),
    "calendar": mixed(TEXT, f"Content-Type: text/calendar\n\nORGANIZER;CN={NAME}:mailto:k@example.org"),
    "folded": f'From: Anna\n Kowalska\n <k@example.org>\nTo: "Kowalska,\n\tAnna" <k@example.org>\n'
    f"Subject: =?utf-8?q?Kowal?=\n =?utf-8?q?ska?= =?iso-8859-2?b?{coded(NAME)}?=\nX-Name: {NAME}\n\nq\n",
    "before and after": mixed(TEXT).replace("\n\n--B", f"\n\n{NAME}\n--B", 1) + NAME,
    "report": mixed(TEXT, "Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; kowalska@example.org\n"),
    "file in the text": f"{HEAD}\nDear all\nbegin 644 kowalska.txt\n#0V%T\nend\nbye\n",
    "locked attachment": mixed(
        TEXT, f"Content-Type: application/pdf\nContent-Disposition: attachment; filename=kowalska.pdf\n\n{NAME}"
    ),
}


@pytest.mark.parametrize("mail", MAILS.values(), ids=MAILS)
def test_mails(mail):
    made = without_names(open_document("a.eml", mail.encode(), "eml"))
    seen = made.decode()
    message = email.message_from_bytes(made, policy=email.policy.default)
    seen += " ".join(str(value) for value in message.values())
    for part in message.walk():
        if not part.is_multipart():
            body = part.get_payload(decode=True)
            seen += body.decode()
            for block in re.findall(rb"[A-Za-z0-9+/=]{12,}", body):
                seen += base64.b64decode(block + b"===").decode("latin-1")
    assert not re.search("(?i)kowalska", seen)
    assert "From" in message


def test_what_goes_of_a_mail_is_said():
    def remarks(name: str) -> str:
        document = open_document("a.eml", MAILS[name].encode(), "eml")
        return " ".join(document.remarks)

    assert "1 attachments of other kinds: taken out" in remarks("attachment")
    assert "1 files written into its text: taken out" in remarks("file in the text")
    assert "not a PDF that can be redacted" in remarks("locked attachment")


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = {
    "tracked changes": f'<w:p><w:del w:id="1" w:author="{NAME}"><w:r><w:delText>{NAME}</w:delText></w:r></w:del>'
    f'<w:ins w:id="2" w:author="{NAME}" w:date="2024-01-01T00:00:00Z"><w:r><w:t>Kowal</w:t></w:r></w:ins>'
    "<w:r><w:t>ska</w:t></w:r></w:p>",
    "moved": f'<w:p><w:moveFrom w:id="1" w:author="{NAME}"><w:r><w:t>{NAME}</w:t></w:r></w:moveFrom></w:p>',
    "hidden": f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{NAME}</w:t></w:r></w:p>",
    "bookmark": '<w:p><w:bookmarkStart w:id="5" w:name="Kowalska"/><w:bookmarkEnd w:id="5"/></w:p>',
    "fields": f'<w:p><w:r><w:instrText>AUTHOR "{NAME}"</w:instrText></w:r>'
    '<w:fldSimple w:instr="AUTHOR Kowalska"/></w:p>',
    "controls": f'<w:sdt><w:sdtPr><w:alias w:val="{NAME}"/><w:tag w:val="Kowalska"/>'
    '<w:dataBinding w:xpath="/Kowalska"/><w:placeholder><w:docPart w:val="Kowalska"/></w:placeholder></w:sdtPr>'
    "<w:sdtContent><w:p/></w:sdtContent></w:sdt>",
    "style": '<w:p><w:pPr><w:pStyle w:val="Kowalska"/></w:pPr></w:p>',
    "smart tag": f'<w:p><w:smartTag><w:smartTagPr><w:attr w:name="n" w:val="{NAME}"/></w:smartTagPr></w:smartTag>'
    "</w:p>",
    "split": "<w:p><w:r><w:t>Ko</w:t></w:r><w:proofErr/><w:r><w:softHyphen/><w:t>walska</w:t></w:r></w:p>",
    "comment of XML": f"<!-- {NAME} --><?x {NAME}?><w:p/>",
    "after an element": f"<w:p><w:r><w:x/>{NAME}</w:r></w:p>",
}
PARTS = {
    "custom data": ("customXml/item9.xml", f"<r>{NAME}</r>"),
    "properties": ("docProps/custom.xml", f"<r>{NAME}</r>"),
    "footnotes": ("word/footnotes.xml", f"<w:footnotes {W}><w:p><w:r><w:t>{NAME}</w:t></w:r></w:p></w:footnotes>"),
    "comments": (
        "word/comments.xml",
        f'<w:comments {W}><w:comment w:id="1" w:author="akowal" w:initials="AK"><w:p><w:r><w:t>{NAME}</w:t></w:r></w:p>'
        "</w:comment></w:comments>",
    ),
    "people": ("word/people.xml", f"<r>{NAME}</r>"),
    "template": ("word/glossary/document.xml", f"<w:glossaryDocument {W}>{NAME}</w:glossaryDocument>"),
    "chart": ("word/charts/chart1.xml", f'<c:chart xmlns:c="x"><c:v>{NAME}</c:v></c:chart>'),
    "embedded": ("word/embeddings/kowalska.bin", NAME),
    "page": ("word/afchunk.htm", NAME),
    "font": ("word/fonts/f.odttf", NAME),
    "drawing": ("word/media/kowalska.svg", f"<svg>{NAME}</svg>"),
    "picture": ("word/media/kowalska.png", WHITE_DOT + NAME.encode()),
    "name of a part": ("word/Kowalska.xml", "<a/>"),
}


def word(into: str, more: tuple[str, str | bytes] | None) -> bytes:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("Dear all")
    whole, out = io.BytesIO(), io.BytesIO()
    document.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w") as new:
        new.comment = NAME.encode()
        for one in old.namelist():
            body = old.read(one)
            if one == "word/document.xml":
                body = body.replace(b"<w:body>", b"<w:body>" + into.encode())
            elif one == "word/settings.xml":
                extra = f'<w:docVars><w:docVar w:name="K" w:val="{NAME}"/></w:docVars></w:settings>'
                body = body.replace(b"</w:settings>", extra.encode())
            elif one == "word/_rels/document.xml.rels" and more is not None and "media" in more[0]:
                link = f'<Relationship Id="rId99" Type="x/image" Target="{more[0].removeprefix("word/")}"/>'
                body = body.replace(b"</Relationships>", f"{link}</Relationships>".encode())
            new.writestr(one, body)
        if more is not None:
            new.writestr(*more)
    return out.getvalue()


@pytest.mark.parametrize(
    ("into", "more"), [*((one, None) for one in BODY.values()), *(("", one) for one in PARTS.values())],
    ids=[*BODY, *PARTS],
)  # fmt: skip
def test_word(into, more):
    docx = pytest.importorskip("docx")
    made = without_names(open_document("a.docx", word(into, more), "docx"))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert not archive.comment
        for name in archive.namelist():
            content = archive.read(name).decode("latin-1")
            assert not re.search("(?i)kowal", name + content + re.sub("<[^>]*>", "", content))
        if more is not None and "media" in more[0]:
            assert archive.read("word/media/image1.png") == WHITE_DOT
            assert b"/word/media/image1.png" in archive.read("word/_rels/document.xml.rels")
    assert "Dear all" in [paragraph.text for paragraph in docx.Document(io.BytesIO(made)).paragraphs]


def test_authors_of_changes_are_numbers():
    pytest.importorskip("docx")
    made = without_names(open_document("a.docx", word(BODY["tracked changes"], None), "docx"))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        body = archive.read("word/document.xml").decode()
    assert 'w:author="author 1"' in body
    assert "2024-01-01" not in body


def test_pictures_keep_their_pixels():
    gif = bytes.fromhex("47494638396101000100800000000000ffffff") + bytes.fromhex("21fe05") + b"Anna!" + bytes.fromhex(
        "002c00000000010001000002024401003b"
    )  # fmt: skip
    made = clean_picture(gif + b"Anna")
    assert made is not None
    assert b"Anna" not in made
    assert made.endswith(bytes.fromhex("2c00000000010001000002024401003b"))
    chunk = b"\0\0\0\4tEXtAnna\0\0\0\0"
    assert clean_picture(WHITE_DOT[:33] + chunk + WHITE_DOT[33:]) == WHITE_DOT
    assert clean_picture(WHITE_DOT[:40]) is None
