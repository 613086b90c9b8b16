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
from sfumato.io.redaction.pdf_search import pdf_extras, search_pdf

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
    "in the names of marks": b"/Mokoena BMC BT /F1 12 Tf 50 300 Td (Dear Thandiwe Mokoena, hello) Tj ET EMC "
    b"/Mokoena MP /X <</Q (Mokoena)>> DP % Mokoena",
    "in a picture within the text": b"BT /F1 12 Tf 50 300 Td (Dear Thandiwe Mokoena, hello) Tj ET "
    b"BI /W 1 /H 1 /BPC 8 /CS /G /Mokoena (Mokoena) ID x EI",
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
        centred = f"BT /F1 12 Tf {200 - width / 2:.3f} 200 Td ({name}) Tj ET".encode()
        twice = f"BT /F1 12 Tf {200 - width / 2:.3f} 180 Td ({name}) Tj ET".encode()
        right = f"BT /F1 12 Tf {350 - width:.3f} 160 Td ({name}) Tj ET".encode()
        content = redact(saved(base_pdf(b"\n".join((line, placed, centred, twice, right)))), name)
        with pikepdf.open(io.BytesIO(content)) as pdf:
            made.add(pdf.pages[0].Contents.read_bytes())
    assert len(made) == 1


@pytest.mark.parametrize("place", ["{0:.3f} 200", "{1:.3f} 200"], ids=["centred", "at the right"])
def test_a_line_alone_on_its_page_does_not_tell_where_it_began(place):
    made = set()
    empty = base_pdf(b"")
    font = read_font(empty.pages[0].obj.Resources.Font.F1)
    for name in ("Jo Li", NAME, "Wilhelmina Featherstonehaugh"):
        width = sum(one for _, _, one, _ in font.decode(name.encode())) * 12
        shown = f"BT /F1 12 Tf {place.format(200 - width / 2, 350 - width)} Td ({name}) Tj ET".encode()
        with pikepdf.open(io.BytesIO(redact(saved(base_pdf(shown)), name))) as pdf:
            made.add(pdf.pages[0].Contents.read_bytes())
    assert len(made) == 1


def test_a_bar_stands_on_its_line_in_a_stream_that_is_upside_down():
    shown = b"1 0 0 -1 0 400 cm BT /F1 12 Tf 1 0 0 -1 50 100 Tm (Dear Mokoena, hello) Tj ET"
    made = redact(saved(base_pdf(shown)), "Mokoena")
    with pikepdf.open(io.BytesIO(made)) as pdf:
        drawn = [
            float(one.operands[1]) for one in pikepdf.parse_content_stream(pdf.pages[0]) if str(one.operator) in "ml"
        ]
    assert min(drawn) == pytest.approx(100 - 0.75 * 12)
    assert max(drawn) == pytest.approx(100 + 0.2 * 12)


def test_drawn_letters_go_with_their_names():
    pdf = base_pdf(b"BT /F3 12 Tf 50 300 Td (ab) Tj 0 -20 Td (c) Tj ET")
    pdf.pages[0].obj.Resources.Font.F3 = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type3,
        FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
        FontBBox=[0, 0, 500, 500],
        CharProcs=pikepdf.Dictionary({f"/{one}": pdf.make_stream(b"0 0 9 9 re f") for one in "abc"}),
        Encoding=pikepdf.Dictionary(Differences=[97, *(pikepdf.Name(f"/{one}") for one in "abc")]),
        FirstChar=97,
        LastChar=99,
        Widths=[500, 510, 520],
    )
    with pikepdf.open(io.BytesIO(redact(saved(pdf), "c"))) as made:
        font = made.pages[0].Resources.Font.F3
        assert set(font.CharProcs.keys()) == {"/a", "/b"}
        assert [int(one) for one in font.Widths] == [500, 510, 0]


def test_cells_of_a_table_do_not_run_into_each_other():
    shown = b"".join(
        f"BT /F1 12 Tf 50 {y} Td ({left}) Tj {300 - 6 * len(right)} 0 Td ({right}) Tj ET\n".encode()
        for y, left, right in (
            (300, "Name and rank", "total"),
            (280, "A clerk of the court", NAME),
            (260, "Nobody", "0"),
        )
    )
    made = PdfDocument("b.pdf", redact(saved(base_pdf(shown)), NAME))
    places = {glyph.text: glyph.device[4] for glyph in made._pages[0] if 279 < glyph.device[5] < 281}
    assert places["A"] == pytest.approx(50)  # the cell that loses nothing stays
    assert not set("Mokoena") & set(places) - set("A clerk of the court")


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


def embedded(text: str, hidden: str) -> bytes:
    """Text in a subset of a font that has the letters of ``text`` alone; ``hidden`` is drawn as well."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    letters = sorted(set(text + hidden))
    names = [".notdef", *(f"letter{ord(one)}" for one in letters)]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(one): f"letter{ord(one)}" for one in letters})
    outlines = {}
    for at, name in enumerate(names):
        pen = TTGlyphPen(None)
        for point in ((0, 0), (0, 100 + at), (400, 100 + at), (400, 0)):
            (pen.moveTo if point == (0, 0) else pen.lineTo)(point)
        pen.closePath()
        outlines[name] = pen.glyph()
    builder.setupGlyf(outlines)
    builder.setupHorizontalMetrics({name: (500 + at, 0) for at, name in enumerate(names)})
    builder.setupHorizontalHeader()
    builder.setupPost()
    program = io.BytesIO()
    builder.save(program)
    pdf = base_pdf(b"")
    codes = {one: 1 + at for at, one in enumerate(letters)}
    lines = "".join(f"<{code:04x}> <{ord(one):04x}>\n" for one, code in codes.items())
    descriptor = pikepdf.Dictionary(
        Type=pikepdf.Name.FontDescriptor,
        FontName=pikepdf.Name("/ABCDEF+Test"),
        CIDSet=pdf.make_stream(b"\xff\xff"),
        FontFile2=pdf.make_stream(program.getvalue()),
    )
    below = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.CIDFontType2,
        BaseFont=pikepdf.Name("/ABCDEF+Test"),
        CIDToGIDMap=pikepdf.Name.Identity,
        CIDSystemInfo=pikepdf.Dictionary(
            Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0
        ),
        FontDescriptor=pdf.make_indirect(descriptor),
        W=[1, [500 + at for at in range(1, len(names))]],
    )
    pdf.pages[0].obj.Resources.Font.F2 = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type0,
            BaseFont=pikepdf.Name("/ABCDEF+Test"),
            Encoding=pikepdf.Name("/Identity-H"),
            DescendantFonts=[pdf.make_indirect(below)],
            ToUnicode=pdf.make_stream(f"{len(codes)} beginbfchar\n{lines}endbfchar".encode()),
        )
    )
    shown = "".join(f"{codes[one]:04x}" for one in text).encode()
    more = "".join(f"{codes[one]:04x}" for one in hidden).encode()
    pdf.pages[0].obj.Contents = pdf.make_stream(
        b"BT /F2 12 Tf 50 300 Td <" + shown + b"> Tj 0 -20 Td <" + more + b"> Tj ET"
    )
    return saved(pdf)


def test_a_font_forgets_the_letters_of_what_was_taken_out():
    from fontTools.ttLib import TTFont

    document = PdfDocument("a.pdf", embedded("hello over there", "Xqz"))
    edits = [[Edit(m.start(), m.end(), "") for m in re.finditer("Xqz", text)] for text in document.texts]
    made = document.rewrite(edits)
    assert not document.remarks
    with pikepdf.open(io.BytesIO(made)) as pdf:
        font = pdf.pages[0].Resources.Font.F2
        known = read_font(font)
        assert not set("Xqz") & set(known.characters.values())
        assert set("helo") <= set(known.characters.values())
        descriptor = font.DescendantFonts[0].FontDescriptor
        assert "/CIDSet" not in descriptor
        face = TTFont(io.BytesIO(descriptor.FontFile2.read_bytes()))
        left = {name for name in face.getGlyphOrder() if face["glyf"][name].numberOfContours}
        assert len(left) == 1 + len(set("hello over there"))
        assert len(known.widths) == len(set("hello over there"))
        assert not any(f"letter{ord(one)}" in name for one in "Xqz" for name in left)
    if shutil.which("pdftotext"):
        done = subprocess.run(["pdftotext", "-", "-"], input=made, capture_output=True, check=True)
        assert b"hello over there" in done.stdout


def jpeg(*segments: bytes, after: bytes = b"") -> bytes:
    def segment(marker: int, body: bytes) -> bytes:
        return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body

    frame = segment(0xC0, b"\x08\x00\x01\x00\x01\x01\x01\x11\x00")
    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\x34\xff\xd0\x56"
    return b"\xff\xd8" + b"".join(segments) + frame + scan + b"\xff\xd9" + after


def with_image(content: bytes, filters: object, *, scale: int = 100) -> bytes:
    pdf = base_pdf(b"q %d 0 0 %d 20 20 cm /I1 Do Q BT /F1 12 Tf 50 300 Td (Dear Mokoena) Tj ET" % (scale, scale))
    image = pdf.make_stream(content)
    image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
    image.Width = image.Height = 1
    image.ColorSpace, image.BitsPerComponent, image.Filter = pikepdf.Name.DeviceGray, 8, filters
    pdf.pages[0].obj.Resources.XObject = pikepdf.Dictionary(I1=image)
    return saved(pdf)


def the_image(content: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        return pdf.pages[0].Resources.XObject.I1.read_raw_bytes()


def test_images_keep_their_pixels_and_nothing_else():
    profile = b"\xff\xe2\x00\x10ICC_PROFILE\x00\x01\x01"
    comments = (
        b"\xff\xe1\x00\x12Exif\x00\x00Mokoena ba",
        b"\xff\xe1\x00\x0ehttp://ns.ad",
        b"\xff\xfe\x00\x09Mokoena",
        b"\xff\xed\x00\x09Mokoena",
    )
    raw = jpeg(profile, *comments, after=b"Thandiwe Mokoena, once more")
    before = with_image(raw, pikepdf.Name.DCTDecode)
    assert pdf_extras(before)
    made = redact(before, "Mokoena")
    assert the_image(made) == jpeg(profile)
    assert not pdf_extras(made)


def test_images_that_cannot_be_read_go():
    document = PdfDocument("a.pdf", with_image(b"Mokoena is no picture", pikepdf.Name.DCTDecode))
    made = document.rewrite([[] for _ in document.texts])
    assert any("1 images that cannot be read" in remark for remark in document.remarks)
    assert b"Mokoena is" not in everything(made)


def test_boxes_of_a_new_kind_of_image():
    def box(kind: bytes, body: bytes) -> bytes:
        return (len(body) + 8).to_bytes(4, "big") + kind + body

    parts = [
        box(b"jP  ", b"\r\n\x87\n"),
        box(b"ftyp", b"jp2 "),
        box(b"xml ", b"<by>Mokoena</by>"),
        box(b"jp2c", b"\xff\x4f"),
    ]
    made = redact(with_image(b"".join(parts), pikepdf.Name.JPXDecode), "Mokoena")
    assert the_image(made) == b"".join(parts[:2] + parts[3:])


def test_images_are_counted_and_scans_are_named():
    small = PdfDocument("a.pdf", with_image(jpeg(), pikepdf.Name.DCTDecode))
    large = PdfDocument("a.pdf", with_image(jpeg(), pikepdf.Name.DCTDecode, scale=360))
    assert [remark for remark in small.remarks if "1 images:" in remark]
    assert [remark for remark in large.remarks if "1 images, and 1 pages that are mostly an image" in remark]
    inline = base_pdf(b"q 9 0 0 9 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q BT /F1 12 Tf 9 9 Td (hello) Tj ET")
    assert any("1 images" in remark for remark in PdfDocument("a.pdf", saved(inline)).remarks)
