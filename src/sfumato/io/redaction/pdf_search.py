"""Search a PDF for strings that should not be in it, the way somebody would who wants them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sfumato.io.redaction.pdf_images import image_extras

__all__ = ["pdf_extras", "search_pdf"]

_SHORT = 4
"""Shorter strings are found anywhere by chance."""
_SURE = 7
"""Bytes that do not stand in compressed data by chance."""


def search_pdf(content: bytes, strings: Iterable[str]) -> dict[str, str]:
    """Where strings can still be found in a PDF.

    Looked into are the bytes of the file, all decoded streams and strings of all objects (in Latin-1, UTF-8 and
    UTF-16), and the text of the pages as another reader sees it, which decodes fonts by itself.

    Returns
    -------
    dict of str to str
        For each string that was found, where.
    """
    import pikepdf
    import pypdfium2

    wanted = {string.strip() for string in strings if len(re.sub(r"\W", "", string)) >= _SHORT}
    found: dict[str, str] = {}
    document = pypdfium2.PdfDocument(content)
    pages = [page.get_textpage() for page in document]
    # all letters by their count: without it older versions leave out what stands beyond the edge of the page
    read = " ".join(page.get_text_range(0, page.count_chars()) for page in pages)
    seen, tight = " ".join(read.split()).casefold(), "".join(read.split()).casefold()
    for string in wanted:
        words = re.escape(" ".join(string.split()).casefold())
        squeezed = "".join(string.split()).casefold()
        if re.search(rf"(?<!\w){words}(?!\w)", seen) or (len(squeezed) >= _SURE and squeezed in tight):
            found[string] = "the text of a page"
    with pikepdf.open(io.BytesIO(content)) as pdf:
        blocks = [*_decoded(pdf), content]
    for string in wanted - set(found):
        if len(string) < _SURE:
            continue
        for encoding in ("utf-8", "latin-1", "utf-16-be"):
            try:
                raw = string.encode(encoding)
            except UnicodeEncodeError:
                continue
            if any(raw in block for block in blocks):
                found[string] = "the objects of the file"
    return found


def pdf_extras(content: bytes) -> list[str]:
    """What a PDF says about itself besides its pages: information, metadata, attachments, and the same in images."""
    import pikepdf

    with pikepdf.open(io.BytesIO(content)) as pdf:
        found = ["/Info"] if "/Info" in pdf.trailer else []
        found += [key for key in ("/Metadata", "/Names", "/Outlines", "/AcroForm", "/AF") if key in pdf.Root]
        for one in pdf.objects:
            if isinstance(one, (pikepdf.Stream, pikepdf.Dictionary)):
                found += [key for key in ("/Metadata", "/PieceInfo") if key in one]
            if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image" and image_extras(one):
                found.append("/Image")
    return found


def _decoded(pdf: Any) -> Iterator[bytes]:
    """The decoded streams, those of fonts and images excepted, and the strings of all objects."""
    import pikepdf

    for one in pdf.objects:
        if isinstance(one, pikepdf.Stream):
            is_data = one.get("/Subtype") == "/Image" or "/Length1" in one or "/Length2" in one
            if not is_data:
                try:
                    yield one.read_bytes()
                except pikepdf.PdfError:  # a filter that only images use
                    yield one.read_raw_bytes()
        yield from _strings(one, set())


def _strings(one: Any, seen: set[int]) -> Iterator[bytes]:
    import pikepdf

    if isinstance(one, pikepdf.String):
        yield bytes(one)
    elif isinstance(one, (pikepdf.Dictionary, pikepdf.Array, pikepdf.Stream)):
        values = one if isinstance(one, pikepdf.Array) else [value for _, value in one.items()]
        for value in values:
            if not (hasattr(value, "is_indirect") and value.is_indirect):
                yield from _strings(value, seen)
