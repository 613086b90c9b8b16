"""PDF: text is taken out of the file, not covered; what could hold a copy of it goes as well."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.formats.csv_table import one_line
from sfumato.io.redaction.edit import Document, Edit, edited
from sfumato.io.redaction.pdf_fonts import Font
from sfumato.io.redaction.pdf_glyphs import Glyph, Matrix, Stream, read_stream
from sfumato.io.redaction.pdf_images import clean_image
from sfumato.io.redaction.pdf_layout import flowing, instructions_without, page_text, visual_order
from sfumato.io.redaction.pdf_search import search_pdf
from sfumato.io.redaction.pdf_subsets import forget_codes
from sfumato.validate import extra

__all__ = ["PdfDocument"]

_UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_SCANNED = 0.5
"""A page of which an image covers more than this share may be a scan."""
_ROOT = frozenset(("/Type", "/Pages", "/PageLayout", "/Version"))
_PAGE = frozenset(
    ("/Type", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox", "/Contents",
     "/Rotate", "/Group", "/UserUnit")
)  # fmt: skip
_RESOURCES = frozenset(("/Font", "/XObject", "/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/ProcSet"))
_COPIES = (
    "/Metadata", "/PieceInfo", "/LastModified", "/StructParents", "/StructParent", "/OPI", "/Alternates", "/OC", "/Ref",
    "/Measure", "/PtData", "/AF", "/Name", "/ID",
)  # fmt: skip
"""Entries of forms, images and fonts that may tell something and change nothing that is seen."""


class PdfDocument(Document):
    """A PDF whose text can be taken out.

    The texts are those of each page in the order they are drawn and, where it differs, in the order they are seen, so
    that a name is found in either. Annotations and filled forms become part of the page; information on the document,
    its outline, attachments, scripts, layers that are switched off, tags and all other entries that no page needs are
    not in the new file. Glyphs that cannot be read are taken out, since nobody can say that they are no name. Fonts
    forget the letters that only removed text used. Images lose what they say besides their pixels (camera, place,
    author); what they show is not looked into.
    """

    def __init__(self, shown: str, content: bytes) -> None:
        pikepdf = extra("pikepdf", "documents")
        extra("pypdfium2", "documents")
        extra("fontTools", "documents")
        self.shown = shown
        self.remarks: list[str] = []
        try:
            self._pdf = pikepdf.open(io.BytesIO(content))
            self._pdf.generate_appearance_streams()
            self._pdf.flatten_annotations("all")
            self._off = _layers_off(self._pdf)
            self._streams: dict[tuple[int, int], Stream] = {}
            self._pages: list[list[Glyph]] = []
            images = scanned = 0
            for page in self._pdf.pages:
                stream = read_stream(page, _resources(page.obj), _UNIT, self._draw, self._is_hidden)
                self._streams[page.obj.objgen] = stream
                glyphs = list(_glyphs(stream))
                # those that are never drawn are in the file all the same
                for form in _forms(_resources(page.obj), set()):
                    if form.get("/Subtype") != "/Image" and form.objgen not in self._streams:
                        inner = self._draw(form, _UNIT)
                        glyphs += list(_glyphs(inner)) if inner is not None else []
                self._pages.append(glyphs)
                areas = list(_areas(stream))
                images += len(areas)
                scanned += any(area >= _SCANNED * _page_area(page) for area in areas)
        except pikepdf.PasswordError as error:
            raise InputError(f"{shown} is locked by a password: unlock it first") from error
        except Exception as error:  # whatever a damaged file makes of the reader
            raise InputError(f"{shown} is not a PDF that can be redacted: {one_line(error)}") from error
        self.texts: list[str] = []
        self._owners: list[list[Glyph | None]] = []
        self._first: list[int] = []
        for glyphs in self._pages:
            self._first.append(len(self.texts))
            drawn = page_text(glyphs)
            seen = page_text(visual_order(glyphs))
            for text, owners in (drawn, seen) if seen[0].split() != drawn[0].split() else (drawn,):
                for reading in dict.fromkeys((text, flowing(text))):
                    self.texts.append(reading)
                    self._owners.append(owners)
        if images:
            pages = f", and {scanned} pages that are mostly an image, as scanned text is" if scanned else ""
            self.remarks.append(f"{shown} has {images} images{pages}: what they show is not read and not redacted")
        odd = sum(stream.odd for stream in self._streams.values())
        if odd:
            self.remarks.append(f"{shown} has {odd} images within its text that may say more than they show: taken out")
        unreadable = sum(glyph.text is None for glyphs in self._pages for glyph in glyphs)
        if unreadable:
            self.remarks.append(f"{shown} has {unreadable} glyphs that cannot be read: taken out")

    def signs(self, number: int) -> Sequence[object]:
        """The glyphs of a reading of a page; other readings of the page have the same."""
        return self._owners[number]

    def plain(self, edits: Sequence[Sequence[Edit]]) -> str:
        """The first reading of each page, without what any reading replaces."""
        written: dict[int, str] = {}
        for owners, changes in zip(self._owners, edits, strict=True):
            for edit in changes:
                for owner in owners[edit.start : edit.end]:
                    written.setdefault(id(owner), edit.written)
        pages: list[str] = []
        for number in self._first:
            text, owners, own = self.texts[number], self._owners[number], list(edits[number])
            taken = {at for edit in own for at in range(edit.start, edit.end)}
            at = 0
            while at < len(text):  # found in another reading only: a stretch of glyphs that goes
                end = at
                while end < len(text) and end not in taken and owners[end] is not None and id(owners[end]) in written:
                    end += 1
                if end > at:
                    own.append(Edit(at, end, written[id(owners[at])]))
                at = end + 1
            pages.append(edited(text, sorted(own, key=lambda edit: edit.start)))
        return "\n\n".join(pages)

    def _draw(self, form: Any, matrix: Matrix) -> Stream | None:
        if form.objgen in self._streams:
            return None  # one stream is rewritten once, wherever it is drawn
        self._streams[form.objgen] = Stream(owner=form, instructions=[])
        stream = read_stream(form, form.get("/Resources", _empty()), matrix, self._draw, self._is_hidden)
        self._streams[form.objgen] = stream
        return stream

    def _is_hidden(self, layer: Any) -> bool:
        if layer.objgen in self._off:
            return True
        members = layer.get("/OCGs", [])
        return any(one.objgen in self._off for one in ([members] if hasattr(members, "keys") else members))

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The PDF without what the edits replace; bars stand in its place.

        Raises
        ------
        InputError
            If what was taken out can still be found in the new file. Then nothing is written.
        """
        import pikepdf

        gone: set[str] = set()
        for text, owners, changes in zip(self.texts, self._owners, edits, strict=True):
            for edit in changes:
                gone.add(text[edit.start : edit.end])
                for owner in owners[edit.start : edit.end]:
                    if owner is not None:
                        owner.removed = True
        for glyphs in self._pages:
            for glyph in glyphs:
                glyph.removed = glyph.removed or glyph.text is None
        for stream in self._streams.values():
            content = pikepdf.unparse_content_stream(
                [(operands, pikepdf.Operator(operator)) for operands, operator in instructions_without(stream)]
            )
            if isinstance(stream.owner, pikepdf.Page):
                stream.owner.obj.Contents = self._pdf.make_stream(content)
            else:
                stream.owner.write(content)
        self._forget()
        _strip(self._pdf)
        out = io.BytesIO()
        self._pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        made = out.getvalue()
        left = search_pdf(made, gone)
        if left:
            raise InputError(
                f"{self.shown} cannot be redacted: {len(left)} of {len(gone)} items can still be found in "
                f"{', '.join(sorted(set(left.values())))}; print it to a new PDF and try again"
            )
        return made

    def _forget(self) -> None:
        """Take letters that nobody sees any more out of the fonts, and what images say besides their pixels."""
        import pikepdf

        fonts: dict[Any, tuple[Font, set[int]]] = {}
        for stream in self._streams.values():
            for run in stream.runs.values():
                for glyph in run.glyphs:
                    key = glyph.font.resource.objgen if glyph.font.resource.is_indirect else id(glyph.font)
                    _, used = fonts.setdefault(key, (glyph.font, set()))
                    if not glyph.removed and run.place not in stream.hidden:
                        used.add(int.from_bytes(glyph.raw, "big"))
        whole = sum(not forget_codes(self._pdf, font, used) for font, used in fonts.values())
        if whole:
            self.remarks.append(
                f"{self.shown} has {whole} fonts that could not be opened: they may tell which letters were taken out"
            )
        unread = 0
        for one in self._pdf.objects:
            if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image" and not clean_image(one):
                unread += 1
                one.write(b"\xff")  # one white dot
                one.Width, one.Height, one.BitsPerComponent, one.ColorSpace = 1, 1, 8, pikepdf.Name.DeviceGray
                for key in ("/Decode", "/DecodeParms", "/SMask", "/Mask", "/ImageMask", "/SMaskInData"):
                    if key in one:
                        del one[key]
        if unread:
            self.remarks.append(f"{self.shown} has {unread} images that cannot be read: taken out")


def _areas(stream: Stream) -> Iterator[float]:
    yield from stream.images
    for one in stream.order:
        if isinstance(one, Stream):
            yield from _areas(one)


def _page_area(page: Any) -> float:
    left, bottom, right, top = (float(value) for value in page.mediabox)
    return abs((right - left) * (top - bottom))


def _empty() -> Any:
    import pikepdf

    return pikepdf.Dictionary()


def _resources(page: Any) -> Any:
    """The resources of a page, its own or inherited."""
    while page is not None:
        if "/Resources" in page:
            return page.Resources
        page = page.get("/Parent")
    return _empty()


def _glyphs(stream: Stream) -> Iterator[Glyph]:
    for one in stream.order:
        if isinstance(one, Stream):
            yield from _glyphs(one)
        elif one.place not in stream.hidden:
            yield from one.glyphs


def _named(resources: Any, kind: str) -> list[Any]:
    """What a page can call by name, of one kind; the dictionaries of older versions of pikepdf have no ``values``."""
    return [value for _, value in resources.get(kind, _empty()).items()]


def _forms(resources: Any, seen: set[tuple[int, int]]) -> Iterator[Any]:
    """All streams that a page can draw: forms, images, patterns, masks, and those of fonts that are drawings."""
    found = [*_named(resources, "/XObject"), *_named(resources, "/Pattern")]
    for state in _named(resources, "/ExtGState"):
        mask = state.get("/SMask")
        if hasattr(mask, "keys") and "/G" in mask:
            found.append(mask.G)
    for font in _named(resources, "/Font"):
        if font.get("/Subtype") == "/Type3" and "/Resources" in font and font.objgen not in seen:
            seen.add(font.objgen)
            yield from _forms(font.Resources, seen)
    for one in found:
        if not hasattr(one, "read_bytes") or one.objgen in seen:
            continue
        seen.add(one.objgen)
        yield one
        if "/Resources" in one:
            yield from _forms(one.Resources, seen)


def _layers_off(pdf: Any) -> set[tuple[int, int]]:
    """The layers that are not shown when the file is opened."""
    properties = pdf.Root.get("/OCProperties")
    if properties is None:
        return set()
    default = properties.get("/D", _empty())
    off = {layer.objgen for layer in default.get("/OFF", [])}
    if default.get("/BaseState") == "/OFF":
        shown = {layer.objgen for layer in default.get("/ON", [])}
        off |= {layer.objgen for layer in properties.get("/OCGs", []) if layer.objgen not in shown}
    return off


def _strip(pdf: Any) -> None:
    """Take out everything that no page needs."""
    import pikepdf

    for key in list(pdf.trailer.keys()):
        if key not in ("/Root", "/Size", "/Prev"):
            del pdf.trailer[key]
    for key in list(pdf.Root.keys()):
        if key not in _ROOT:
            del pdf.Root[key]
    for page in pdf.pages:
        resources = _resources(page.obj)
        for key in list(page.obj.keys()):
            if key not in _PAGE:
                del page.obj[key]
        page.obj.Resources = pikepdf.Dictionary({key: value for key, value in resources.items() if key in _RESOURCES})
    for one in pdf.objects:
        if isinstance(one, (pikepdf.Stream, pikepdf.Dictionary)):
            if one.get("/Type") in ("/Page", "/Pages", "/Catalog"):
                continue
            for key in _COPIES:
                if key in one and not (key == "/Name" and one.get("/Type") == "/Encoding"):
                    del one[key]
            if "/Resources" in one and hasattr(one.Resources, "keys"):
                for key in list(one.Resources.keys()):
                    if key not in _RESOURCES:
                        del one.Resources[key]
