"""Texts from documents, folders and tables."""

from __future__ import annotations

import mailbox
import sys
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.zip_files import make_zip
from sfumato.errors import InputError, MissingExtraError
from sfumato.io import read_texts, write_table
from sfumato.io.formats import archives
from sfumato.io.texts import sniff_document

LETTER = "Dear Ada,\nit is Thursday in Köln.\n"


def texts(path: Path, **told: Any) -> dict[str, str]:
    table = read_texts(path, **told)
    assert table.column_names == ["file", "text"]
    return dict(zip(table["file"].to_pylist(), table["text"].to_pylist(), strict=True))


def mail(subject: str | None = "Hello", body: str = LETTER, html: str | None = None) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "secret@example.org"
    if subject is not None:
        message["Subject"] = subject
    message.set_content(body)
    if html is not None:
        message.add_alternative(html, subtype="html")
    return message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_plain_text(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(LETTER.encode(encoding))
    assert texts(tmp_path / "a.txt") == {"a.txt": LETTER}
    said: list[str] = []
    texts(tmp_path / "a.txt", notes=said.append)
    assert ["a guess" in one for one in said] == ([True] if encoding == "latin-1" else [False] * (encoding != "utf-8"))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>one &amp; two<p>three<br/>four", "one & two\nthree\nfour"),
        ("<html><head><title>T</title><style>p {}</style></head><body><b>a</b>b</body>", "T\nab"),
        ("<script>secret()</script>seen<!-- secret --><template>secret</template>", "seen"),
        ("<ul><li>a</li><li>b</li></ul><td>c</td><td>d</td>", "a\nb\nc\nd"),
        ("a\n  b\t c&nbsp;d", "a b c d"),
        ("no tags at all", "no tags at all"),
        ("<p>cut", "cut"),
    ],
)
def test_html(tmp_path: Path, page: str, expected: str) -> None:
    (tmp_path / "a.html").write_text(page)
    assert texts(tmp_path / "a.html") == {"a.html": expected}


def test_a_page_names_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_bytes('<meta charset="windows-1251"><p>Привет'.encode("cp1251"))
    assert texts(tmp_path / "a.htm") == {"a.htm": "Привет"}


def test_mail_is_subject_and_body(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(bytes(mail("Grüße")))
    (tmp_path / "b.eml").write_bytes(bytes(mail(None, html="<p>not this")))
    page = EmailMessage()
    page["Subject"] = "Page"
    page.set_content("<p>one<p>two é", subtype="html")
    page.add_attachment(b"secret", maintype="application", subtype="pdf", filename="secret.pdf")
    (tmp_path / "c.eml").write_bytes(bytes(page))
    said: list[str] = []
    found = texts(tmp_path, notes=said.append)
    assert found == {
        "a.eml": f"Grüße\n\n{LETTER.strip()}",
        "b.eml": LETTER.strip(),
        "c.eml": "Page\n\none\ntwo é",
    }
    assert said == [f"{tmp_path / 'c.eml'} has 1 attachments: not read"]


def test_mail_of_an_unknown_encoding(tmp_path: Path) -> None:
    content = b"Subject: x\nContent-Type: text/plain; charset=no-such\nContent-Transfer-Encoding: 8bit\n\nM\xfcller\n"
    (tmp_path / "a.eml").write_bytes(content)
    assert texts(tmp_path / "a.eml") == {"a.eml": "x\n\nMüller"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    bodies=st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"])), min_size=1, max_size=4
    )
)
def test_a_mailbox_as_python_writes_it(tmp_path: Path, bodies: list[str]) -> None:
    path = tmp_path / "in.mbox"
    path.unlink(missing_ok=True)
    box = mailbox.mbox(path)
    for body in bodies:
        box.add(mail("s", f"one\n\nFrom here on\n{body}\n"))
    box.close()
    assert list(texts(path)) == [f"in.mbox#{number}" for number in range(1, len(bodies) + 1)]
    assert list(texts(path).values()) == [f"s\n\none\n\nFrom here on\n{body}".strip() for body in bodies]


def word(path: Path) -> Path:
    docx = pytest.importorskip("docx", reason="pip install 'sfumato[documents]'")
    document = docx.Document()
    document.core_properties.author = "secret"
    document.sections[0].header.paragraphs[0].text = "Letterhead"
    document.add_paragraph("Dear Ada,")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    last = document.add_paragraph("the\tend")
    last.add_run("\nof it")
    document.save(path)
    return path


def test_word(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx")
    assert texts(path) == {"a.docx": "Letterhead\nDear Ada,\nleft\nright\nthe\tend\nof it"}


def test_tracked_changes(tmp_path: Path) -> None:
    """What was inserted is there, what was deleted or moved away is not."""
    path = word(tmp_path / "a.docx")
    part = "word/document.xml"
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    changed = (
        b"<w:p %b><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>secret</w:delText></w:r></w:del>"
        b"<w:moveFrom><w:r><w:t>secret</w:t></w:r></w:moveFrom></w:p>" % space
    )
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    parts[part] = parts[part].replace(b"<w:body>", b"<w:body>" + changed)
    with zipfile.ZipFile(path, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    assert texts(path)["a.docx"].startswith("Letterhead\nnew\nDear Ada,")


def pdf(path: Path, *lines: str, password: str | None = None) -> Path:
    pypdf = pytest.importorskip("pypdf", reason="pip install 'sfumato[documents]'")
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    for line in lines:
        page = writer.add_blank_page(300, 300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({line}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


def test_pdf(tmp_path: Path) -> None:
    assert texts(pdf(tmp_path / "a.pdf", "page one", "page two")) == {"a.pdf": "page one\npage two"}
    with pytest.raises(InputError, match="has no text: scanned pages need text recognition first"):
        read_texts(pdf(tmp_path / "b.pdf", ""))
    with pytest.raises(InputError, match="is locked by a password"):
        read_texts(pdf(tmp_path / "c.pdf", "secret", password="x"))


def test_a_folder_in_the_order_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b/2.txt", "b.md", "a.TXT", ".hidden/x.txt", ".x.txt", "picture.png", "empty.txt"):
        (tmp_path / name).write_text("" if name == "empty.txt" else name)
    said: list[str] = []
    assert texts(tmp_path, notes=said.append) == {
        "a.TXT": "a.TXT", "b.md": "b.md", "b/2.txt": "b/2.txt", "empty.txt": ""
    }  # fmt: skip
    assert said == [
        f"{tmp_path} has 3 files of other kinds or hidden: not read",
        f"{tmp_path} has 1 files without text; a scanned page has none",
    ]
    (tmp_path / "c.html").write_text("<p>page")
    assert texts(tmp_path, format="html") == {"c.html": "page"}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "feather"])
def test_tables_of_texts(tmp_path: Path, ending: str) -> None:
    table = pa.table({"author": ["a", "b"], "body": ["one", "two\nlines"], "n": [1, 2]})
    path = tmp_path / f"t.{ending}"
    write_table(table, path)
    assert read_texts(path, column="body").to_pydict() == table.to_pydict()
    with pytest.raises(InputError, match=r"t\..* has no column 'text': expected one of"):
        read_texts(path)
    with pytest.raises(InputError, match=r"column 'n' = 'int64': expected texts"):
        read_texts(path, column="n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "has no text: expected a text"),
        ("a.eml", b"secret", "is not a mail"),
        ("a.mbox", b"Subject: secret\n\nsecret", "is not a mailbox"),
        ("a.docx", b"secret", "is not a whole Word document"),
        ("a.docx", make_zip(part=b"secret"), "is not a Word document that can be read"),
        ("a.docx", make_zip(**{"part.xml": b"<!DOCTYPE x><x>secret</x>"}), "declares a document type"),
        ("a.pdf", b"secret", "is not a PDF that can be read"),
        ("a.pdf", b"%PDF-1.7\nsecret", "is not a PDF that can be read"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_bad_documents(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    for module in {"a.docx": ["docx"], "a.pdf": ["pypdf"]}.get(name, []):
        pytest.importorskip(module, reason="pip install 'sfumato[documents]'")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_texts(tmp_path / name)
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")
    assert "\n" not in str(caught.value)


def test_bad_folders_and_options(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no texts: expected files that end in"):
        read_texts(tmp_path)
    (tmp_path / "a.txt").touch()
    with pytest.raises(InputError, match="has no text in 1 files"):
        read_texts(tmp_path)
    with pytest.raises(InputError, match=r"nowhere\.txt does not exist"):
        read_texts(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="format = 'doc'"):
        read_texts(tmp_path, format="doc")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match="delimiter = ';': expected none for a document"):
        read_texts(tmp_path / "a.txt", delimiter=";")
    with pytest.raises(InputError, match="the column file has the names"):
        read_texts(tmp_path / "a.txt", column="file")
    (tmp_path / "b.txt").write_bytes(b"M\xfcller")
    with pytest.raises(InputError, match=r"b\.txt, line 1, is not UTF-8"):
        read_texts(tmp_path, encoding="utf-8")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = word(tmp_path / "a.docx")
    monkeypatch.setattr(archives, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="unpacks to more than 0 MiB"):
        read_texts(path)


@pytest.mark.parametrize(("module", "name"), [("docx", "z.docx"), ("pypdf", "z.pdf")])
def test_the_missing_extra_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """The first file of the folder is broken, and nobody has read it."""
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "a.eml").write_bytes(b"broken")
    (tmp_path / name).touch()
    for path in (tmp_path, tmp_path / name):
        with pytest.raises(MissingExtraError, match=rf"{module} is not installed; pip install 'sfumato\[documents\]'"):
            read_texts(path)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"PK\x03\x04...word/document.xml", "docx"),
        (b"PK\x03\x04...xl/workbook.xml", None),
        (b"\n<!DOCTYPE html><p>Hi", "html"),
        (bytes(mail()), "eml"),
        (b"From a@b Mon Jan  1 10:00:00 2024\n" + bytes(mail()), "mbox"),
        (LETTER.encode(), "txt"),
        (LETTER.encode("utf-16"), "txt"),
        (b"\xef\xbb\xbf" + LETTER.encode(), "txt"),
        (b"Yes.\n", "txt"),
        (b"Dear Ada,\nyours, Bob\n", "txt"),  # two fields in each line, but the first has no names
        (b"One sentence; with a semicolon.\nAnother one; of that kind; and more.\n", "txt"),
        (b"age;town\n31;Linz\n47;Wels\n", None),
        (b"name\tage\nAda Lovelace\t36\n", None),
        (b'name,note\nAda,"It is Thursday, and it rains."\n', None),
        (b"age\n31\n47\n", None),
        (b"name\nAda Lovelace\nBob Hope\n", None),
        (b"a,b\n", None),
        (b'{"a": 1}\n', None),
        (b"<gpx></gpx>", None),
        (b"\x00\x01\x02", None),
        (b"", None),
    ],
)
def test_what_a_file_shows_by_its_content(content: bytes, found: str | None) -> None:
    assert sniff_document(content) == found
