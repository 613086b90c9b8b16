"""What the codes of a font in a PDF mean: characters and widths."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["Font", "read_font"]

_STANDARD = "Courier Helvetica Times Symbol ZapfDingbats"
_HEX = rb"<\s*([0-9A-Fa-f\s]*)>"
_PAIR = re.compile(_HEX + rb"\s*" + _HEX)
_RANGE = re.compile(_HEX + rb"\s*" + _HEX + rb"\s*(?:" + _HEX + rb"|\[([^\]]*)\])")
_CODESPACE = re.compile(rb"begincodespacerange\s*<\s*([0-9A-Fa-f]+)")


@dataclass(frozen=True, kw_only=True, eq=False)
class Font:
    """How strings in one font are read.

    Parameters
    ----------
    size : int
        Bytes of a code.
    characters : dict of int to str
        What codes mean. A code that is not in it cannot be read.
    widths : dict of int to float
        In thousandths of the font size; of the others ``width``.
    resource : pikepdf object
        The font in the file.
    """

    size: int
    characters: dict[int, str]
    widths: dict[int, float]
    width: float
    resource: Any

    def decode(self, content: bytes) -> Iterator[tuple[bytes, str | None, float, bool]]:
        """The codes of a string: bytes, characters (``None`` if unreadable), width in em, if word spacing applies."""
        for at in range(0, len(content), self.size):
            raw = content[at : at + self.size]
            code = int.from_bytes(raw, "big")
            yield raw, self.characters.get(code), self.widths.get(code, self.width) / 1000, raw == b" "


def read_font(font: Any) -> Font:
    """The font of a resource."""
    characters = _to_unicode(font)
    if font.get("/Subtype") == "/Type0":
        return _composite(font, characters)
    simple = _encoding(font)
    simple.update(characters)
    widths, default = _simple_widths(font)
    return Font(size=1, characters=simple, widths=widths, width=default, resource=font)


def _to_unicode(font: Any) -> dict[int, str]:
    import pikepdf

    stream = font.get("/ToUnicode")
    if not isinstance(stream, pikepdf.Stream):
        return {}
    content = stream.read_bytes()
    found: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", content, re.S):
        for code, meant in _PAIR.findall(block):
            found[int(code, 16)] = _utf16(meant)
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", content, re.S):
        for low, high, meant, several in _RANGE.findall(block):
            first, last = int(low, 16), int(high, 16)
            if last - first > 0xFFFF:
                continue
            if several:
                for code, one in zip(range(first, last + 1), re.findall(_HEX, several), strict=False):
                    found[code] = _utf16(one)
                continue
            start = _utf16(meant)
            for code in range(first, last + 1):
                found[code] = start[:-1] + chr(ord(start[-1]) + code - first) if start else ""
    return {code: text for code, text in found.items() if text}


def _utf16(digits: bytes) -> str:
    raw = bytes.fromhex(re.sub(rb"\s", b"", digits).decode())
    return raw.decode("utf-16-be", "ignore") if len(raw) > 1 else raw.decode("latin-1")


def _composite(font: Any, characters: dict[int, str]) -> Font:
    import pikepdf

    encoding = font.get("/Encoding")
    size = 2
    if isinstance(encoding, pikepdf.Stream):
        space = _CODESPACE.search(encoding.read_bytes())
        size = len(space[1]) // 2 if space else 2
    elif encoding is not None and any(name in str(encoding) for name in ("UCS2", "UTF16")):
        characters = {code: chr(code) for code in range(0x20, 0xD800)} | characters
    below = font.DescendantFonts[0]
    widths: dict[int, float] = {}
    entries = list(below.get("/W", []))
    at = 0
    while at + 1 < len(entries):
        first = int(entries[at])
        if isinstance(entries[at + 1], pikepdf.Array):
            for offset, width in enumerate(entries[at + 1]):
                widths[first + offset] = float(width)
            at += 2
        elif at + 2 < len(entries):
            widths.update(dict.fromkeys(range(first, min(int(entries[at + 1]), 0xFFFF) + 1), float(entries[at + 2])))
            at += 3
        else:
            break
    return Font(size=size, characters=characters, widths=widths, width=float(below.get("/DW", 1000)), resource=font)


def _encoding(font: Any) -> dict[int, str]:
    """The characters of a simple font without its ToUnicode: by the names of the glyphs."""
    import pikepdf
    from fontTools import agl
    from fontTools.encodings.StandardEncoding import StandardEncoding

    encoding = font.get("/Encoding")
    named = isinstance(encoding, pikepdf.Dictionary)
    base = str(encoding.get("/BaseEncoding", "") if named else encoding or "")
    flags = int(font.get("/FontDescriptor", {}).get("/Flags", 32))
    found: dict[int, str] = {}
    if base in ("/WinAnsiEncoding", "/MacRomanEncoding"):
        codec = "cp1252" if base == "/WinAnsiEncoding" else "mac_roman"
        found = {code: bytes([code]).decode(codec, "ignore") for code in range(32, 256)}
    elif not flags & 4 and font.get("/Subtype") != "/Type3":  # not a symbolic font: the standard encoding
        found = {code: agl.toUnicode(name) for code, name in enumerate(StandardEncoding) if name != ".notdef"}
    code = 0
    for entry in encoding.get("/Differences", []) if named else []:
        if isinstance(entry, pikepdf.Name):
            meant = agl.toUnicode(str(entry)[1:])
            found.pop(code, None)
            if meant:
                found[code] = meant
            code += 1
        else:
            code = int(entry)
    return {code: text for code, text in found.items() if text}


def _simple_widths(font: Any) -> tuple[dict[int, float], float]:
    scale = 1.0
    if font.get("/Subtype") == "/Type3":
        scale = 1000 * abs(float(font.get("/FontMatrix", [0.001])[0]))
    descriptor = font.get("/FontDescriptor", {})
    if "/Widths" in font:
        first = int(font.get("/FirstChar", 0))
        widths = {first + place: scale * float(width) for place, width in enumerate(font.Widths)}
        return widths, float(descriptor.get("/MissingWidth", 0)) or 500.0
    return _standard_widths(str(font.get("/BaseFont", "/Helvetica"))[1:]), 500.0


@cache
def _standard_widths(name: str) -> dict[int, float]:
    """The widths of one of the fonts that every reader has."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    known = name if any(name.startswith(one) for one in _STANDARD.split()) else "Helvetica"
    document = pypdfium2.PdfDocument.new()
    loaded = pdfium.FPDFText_LoadStandardFont(document.raw, known.encode())
    widths, value = {}, ctypes.c_float()
    for code in range(32, 256) if loaded else ():
        character = bytes([code]).decode("cp1252", "ignore")
        if character and pdfium.FPDFFont_GetGlyphWidth(loaded, ord(character), 1000.0, ctypes.byref(value)):
            widths[code] = value.value
    return widths
