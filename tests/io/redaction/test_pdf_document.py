"""PDFs: what is redacted is in the new file in no form, and a gap does not tell how wide it was."""

from __future__ import annotations

import io
import re
import shutil
import subprocess

import pytest

from sfumato.errors import InputError
from sfumato.io.redaction.edit import Edit
from sfumato.io.redaction.pdf_document import PdfDocument
from sfumato.io.redaction.pdf_fonts import read_font
from sfumato.io.redaction.pdf_search import search_pdf

pikepdf = pytest.importorskip("pikepdf")
pytest.importorskip("pypdfium2")
pytest.importorskip("fontTools")

NAME = "Thandiwe Mokoena"
PARTS = ("Thandiwe", "Mokoena")


def base_pdf(content: bytes, **resources: object) -> pikepdf.Pdf:
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    pdf.add_blank_page(page_size=(400, 400))
    page = pdf.pages[0]
    page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font), **resources)
    page.obj.Contents = pdf.make_stream(content)
    return pdf


def saved(pdf: pikepdf.Pdf) -> bytes:
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def redact(content: bytes, *values: str) -> bytes:
    document = PdfDocument("a.pdf", content)
    edits = [
        [Edit(m.start(), m.end(), "") for m in re.finditer("|".join(map(re.escape, values)), text)]
        for text in document.texts
    ]
    assert any(edits)
    return document.rewrite(edits)


def everything(content: bytes) -> bytes:
    """The bytes of a PDF, its decoded streams and its strings."""
    parts = [content]
    with pikepdf.open(io.BytesIO(content)) as pdf:
        for one in pdf.objects:
            parts.append(one.unparse(resolved=True) if not isinstance(one, pikepdf.Stream) else one.read_bytes())
    return b"\n".join(parts)


SHOWN = {
    "one string": b"BT /F1 12 Tf 50 300 Td (Dear Thandiwe Mokoena, hello) Tj ET",
    "kerned": b"BT /F1 12 Tf 50 300 Td [(Dear Than) 20 (diwe Mo) -15 (koena, hello)] TJ ET",
    "two operators": b"BT /F1 12 Tf 50 300 Td (Dear Thandiwe ) Tj (Mokoena, hello) Tj ET",
    "placed word by word": b"BT /F1 12 Tf 1 0 0 1 50 300 Tm (Dear) Tj 1 0 0 1 80 300 Tm (Thandiwe) Tj "
    b"1 0 0 1 140 300 Tm (Mokoena) Tj 1 0 0 1 200 300 Tm (, hello) Tj ET",
    "in hexadecimal": b"BT /F1 12 Tf 50 300 Td (Dear ) Tj <5468616e64697765204d6f6b6f656e61> Tj (, hello) Tj ET",
    "invisible": b"BT /F1 12 Tf 3 Tr 50 300 Td (Dear Thandiwe Mokoena, hello) Tj ET",
    "quote operators": b"BT /F1 12 Tf 14 TL 50 300 Td (Dear) ' 1 0.5 (Thandiwe Mokoena) \" (hello) ' ET",
    "white under a picture": b"1 g BT /F1 12 Tf 50 300 Td (Dear Thandiwe Mokoena, hello) Tj ET 0 0 400 400 re f",
    "turned": b"BT /F1 12 Tf 0 1 -1 0 100 100 Tm (Dear Thandiwe Mokoena, hello) Tj ET",
    "with its text beside it": b"/Span <</ActualText (Thandiwe Mokoena)>> BDC BT /F1 12 Tf 50 300 Td "
    b"(Dear Thandiwe Mokoena, hello) Tj ET EMC",
}


@pytest.mark.parametrize("content", SHOWN.values(), ids=SHOWN)
def test_text_is_taken_out_however_it_is_shown(content):
    made = redact(saved(base_pdf(content)), NAME)
    raw = everything(made)
    assert not any(part.encode() in raw for part in PARTS)
    assert search_pdf(made, [NAME, *PARTS]) == {}
    assert "hello" in PdfDocument("b.pdf", made).texts[0]
    if shutil.which("pdftotext"):
        done = subprocess.run(["pdftotext", "-", "-"], input=made, capture_output=True, check=True)
        assert b"hello" in done.stdout
        assert not any(part.encode() in done.stdout for part in PARTS)


def test_the_gap_does_not_tell_the_name():
    """The new files of names of any width are the same, byte for byte, in a justified line."""
    made = set()
    empty = base_pdf(b"")
    font = read_font(empty.pages[0].obj.Resources.Font.F1)
    for name in ("Jo Li", NAME, "Wilhelmina Featherstonehaugh"):
        width = sum(one for _, _, one, _ in font.decode(f"Dear {name}".encode())) * 12
        spacing = (250 - width) / 30  # a justified line: its spacing depends on what it holds
        line = f"BT /F1 12 Tf {spacing:.3f} Tw 50 300 Td (Dear {name}, hello there) Tj ET".encode()
        placed = f"BT /F1 12 Tf 0 Tw 50 250 Td (Dear {name}) Tj {width:.3f} 0 Td (, hello) Tj ET".encode()
        centred = f"BT /F1 12 Tf {210 - width / 40:.3f} 200 Td ({name}) Tj ET".encode()
        content = redact(saved(base_pdf(line + b"\n" + placed + b"\n" + centred)), name)
        with pikepdf.open(io.BytesIO(content)) as pdf:
            made.add(pdf.pages[0].Contents.read_bytes())
    assert len(made) == 1


def test_forms_annotations_layers_and_papers_go():
    pdf = base_pdf(
        b"/OC /L1 BDC BT /F1 12 Tf 50 50 Td (Hidden Mokoena) Tj ET EMC /X1 Do BT /F1 9 Tf 9 9 Td (hello) Tj ET"
    )
    page = pdf.pages[0]
    layer = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Notes on Mokoena"))
    pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))
    form = pdf.make_stream(b"BT /F1 12 Tf 10 10 Td (Form of Thandiwe Mokoena) Tj ET")
    form.Type, form.Subtype, form.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, [0, 0, 400, 400]
    form.Resources = pikepdf.Dictionary(Font=page.obj.Resources.Font)
    unused = pdf.make_stream(b"BT /F1 12 Tf 10 10 Td (Unused Thandiwe Mokoena) Tj ET")
    unused.Type, unused.Subtype, unused.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, [0, 0, 400, 400]
    unused.Resources = form.Resources
    page.obj.Resources.Properties = pikepdf.Dictionary(L1=layer)
    page.obj.Resources.XObject = pikepdf.Dictionary(X1=form, X2=unused)
    page.obj.Annots = pikepdf.Array(
        [
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[0, 0, 9, 9], Contents=NAME, T=NAME
            )
        ]
    )
    page.obj.PieceInfo = pikepdf.Dictionary(Editor=pikepdf.Dictionary(Private=NAME))
    pdf.docinfo["/Author"] = NAME
    with pdf.open_metadata() as meta:
        meta["dc:title"] = NAME
    pdf.attachments["Mokoena.txt"] = b"Thandiwe Mokoena"
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem(NAME, 0))
    pdf.Root.StructTreeRoot = pikepdf.Dictionary(K=pikepdf.Dictionary(Alt=NAME))
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[pikepdf.Dictionary(FT=pikepdf.Name.Tx, T="name", V=NAME)])
    made = redact(saved(pdf), NAME)
    raw = everything(made)
    assert not any(part.encode() in raw for part in PARTS)
    assert "Mokoena".encode("utf-16-be") not in raw
    with pikepdf.open(io.BytesIO(made)) as after:
        assert not set(after.Root.keys()) - {"/Type", "/Pages"}
        assert "/Info" not in after.trailer
    assert "hello" in PdfDocument("b.pdf", made).texts[0]


def shifted(to_unicode: bool) -> bytes:
    """A font whose codes are those of the letters, shifted by one."""
    pdf = base_pdf(b"")
    text = f"Dear {NAME}, hello"
    codes = bytes(ord(c) + 1 for c in text)
    font = pdf.pages[0].obj.Resources.Font.F1
    font.Encoding = pikepdf.Dictionary(Differences=[32, *(pikepdf.Name(f"/g{c}") for c in range(32, 127))])
    if to_unicode:
        lines = "".join(f"<{ord(c) + 1:02x}> <{ord(c):04x}>\n" for c in sorted(set(text)))
        font.ToUnicode = pdf.make_stream(f"1 beginbfchar\n{lines}endbfchar".encode())
    shown = b"".join(b"\\%03o" % c for c in codes)
    pdf.pages[0].obj.Contents = pdf.make_stream(b"BT /F1 12 Tf 50 300 Td (" + shown + b") Tj ET")
    return saved(pdf)


def test_shifted_codes_are_read_by_their_map():
    made = redact(shifted(True), NAME)
    assert bytes(ord(c) + 1 for c in "Thandiwe") not in everything(made)
    assert "hello" in PdfDocument("b.pdf", made).texts[0]


def test_codes_that_nobody_can_read_are_taken_out():
    document = PdfDocument("a.pdf", shifted(False))
    assert any("cannot be read" in remark for remark in document.remarks)
    made = document.rewrite([[] for _ in document.texts])
    assert bytes(ord(c) + 1 for c in "Thandiwe") not in everything(made)


def test_an_earlier_version_of_the_file_is_not_in_the_new_one():
    first = saved(base_pdf(SHOWN["one string"]))
    with pikepdf.open(io.BytesIO(first)) as pdf:
        offset = int(re.findall(rb"startxref\s+(\d+)", first)[-1])
        number = pdf.pages[0].obj.Contents.objgen[0]
    change = (
        b"\n%d 0 obj\n<< /Length 42 >>\nstream\nBT /F1 12 Tf 50 300 Td (Dear hello now) Tj ET\nendstream\nendobj\n"
        % number
    )
    at = len(first) + change.index(b"%d 0 obj" % number)
    update = b"xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size 9 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF" % (
        number, at, offset, len(first) + len(change),
    )  # fmt: skip
    both = first + change + update
    made = redact(both, "now")
    assert b"Thandiwe" not in everything(made)


def test_a_search_finds_what_was_only_covered():
    covered = saved(base_pdf(SHOWN["one string"] + b" 0 g 40 290 200 30 re f"))
    assert search_pdf(covered, [NAME]) == {NAME: "the text of a page"}


def test_two_columns_are_read_in_either_order():
    lines = b"".join(
        b"BT /F1 9 Tf 50 %d Td (left %d) Tj ET BT /F1 9 Tf 200 %d Td (right %d) Tj ET "
        % (300 - 12 * k, k, 300 - 12 * k, k)
        for k in range(3)
    )
    texts = PdfDocument("a.pdf", saved(base_pdf(lines))).texts
    assert any("left 0 right 0" in " ".join(text.split()) for text in texts)


@pytest.mark.parametrize("content", [b"", b"no pdf", b"%PDF-1.4\n1 0 obj\n<<"], ids=["nothing", "a text", "cut off"])
def test_what_is_no_pdf_is_refused(content):
    with pytest.raises(InputError, match=r"a\.pdf"):
        PdfDocument("a.pdf", content)


def test_locked_files_are_refused():
    out = io.BytesIO()
    base_pdf(SHOWN["one string"]).save(out, encryption=pikepdf.Encryption(user="secret", owner="secret"))
    with pytest.raises(InputError, match="locked by a password"):
        PdfDocument("a.pdf", out.getvalue())
