"""Fonts of a redacted PDF: letters that only removed text used must not be told by the font."""

from __future__ import annotations

import io
from typing import Any

from sfumato.io.redaction.pdf_fonts import Font

__all__ = ["forget_codes"]

_BLOCK = 100
_DROPPED = ("name", "post", "GSUB", "GPOS", "GDEF", "DSIG", "kern", "hdmx", "VDMX", "LTSH", "meta", "Zapf")
"""Tables of a font that tell names of glyphs or sizes for each, and that a page does not need."""


def forget_codes(pdf: Any, font: Font, used: set[int]) -> bool:
    """Leave in a font what the codes in ``used`` need: their characters, names, widths and outlines.

    Returns
    -------
    bool
        Whether the font program could be emptied, too. A font that is there as a whole tells nothing and stays.
    """
    import pikepdf

    resource = font.resource
    known = {code: text for code, text in font.characters.items() if code in used}
    if "/ToUnicode" in resource:
        resource.ToUnicode = pdf.make_stream(_map(known, font.size))
    encoding = resource.get("/Encoding")
    if isinstance(encoding, pikepdf.Dictionary) and "/Differences" in encoding:
        kept = pikepdf.Dictionary(encoding)
        kept.Differences = _differences(encoding.Differences, used)
        resource.Encoding = kept
    if "/CharProcs" in resource:  # a font of drawings: those of the other codes go
        names = {str(entry) for entry in resource.Encoding.Differences if isinstance(entry, pikepdf.Name)}
        resource.CharProcs = pikepdf.Dictionary(
            {name: drawing for name, drawing in resource.CharProcs.items() if name in names}
        )
        _forget_widths(resource, used, composite=False)
    composite = resource.get("/Subtype") == "/Type0"
    below = resource.DescendantFonts[0] if composite else resource
    descriptor = below.get("/FontDescriptor")
    if descriptor is None:
        return True
    for key in ("/CharSet", "/CIDSet"):
        if key in descriptor:
            del descriptor[key]
    subset = "+" in str(below.get("/BaseFont", ""))[:8]
    if not subset:
        return True
    direct = composite and str(resource.get("/Encoding")) in ("/Identity-H", "/Identity-V")
    if composite and not direct:
        return False
    _forget_widths(below, used, composite=composite)
    if "/FontFile2" not in descriptor:
        return not ("/FontFile" in descriptor or "/FontFile3" in descriptor)
    program = _emptied(descriptor.FontFile2.read_bytes(), below, used, known, composite)
    if program is None:
        return False
    descriptor.FontFile2 = pdf.make_stream(program, Length1=len(program))
    return True


def _map(known: dict[int, str], size: int) -> bytes:
    """A map of codes to characters."""
    digits = 2 * size
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        "/CMapName /A def /CMapType 2 def",
        f"1 begincodespacerange <{'0' * digits}> <{'F' * digits}> endcodespacerange",
    ]
    pairs = [f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in sorted(known.items())]
    for at in range(0, len(pairs), _BLOCK):
        block = pairs[at : at + _BLOCK]
        lines += [f"{len(block)} beginbfchar", *block, "endbfchar"]
    return "\n".join([*lines, "endcmap end end"]).encode()


def _differences(entries: Any, used: set[int]) -> Any:
    import pikepdf

    made: list[Any] = []
    code, following = 0, -1
    for entry in entries:
        if not isinstance(entry, pikepdf.Name):
            code = int(entry)
            continue
        if code in used:
            made += [entry] if code == following else [code, entry]
            following = code + 1
        code += 1
    return pikepdf.Array(made)


def _forget_widths(font: Any, used: set[int], *, composite: bool) -> None:
    """Widths of the codes that are shown; the others have none."""
    import pikepdf

    if not composite:
        first = int(font.get("/FirstChar", 0))
        font.Widths = pikepdf.Array(
            [width if first + place in used else 0 for place, width in enumerate(font.get("/Widths", []))]
        )
        return
    made: list[Any] = []
    entries, at = list(font.get("/W", [])), 0
    while at + 1 < len(entries):
        start = int(entries[at])
        if isinstance(entries[at + 1], pikepdf.Array):
            widths = dict(enumerate(entries[at + 1], start))
            at += 2
        else:
            widths = dict.fromkeys(range(start, min(int(entries[at + 1]), 0xFFFF) + 1), entries[at + 2])
            at += 3
        for code in sorted(used & set(widths)):
            made += [code, pikepdf.Array([widths[code]])]
    font.W = pikepdf.Array(made)


def _emptied(program: bytes, font: Any, used: set[int], known: dict[int, str], composite: bool) -> bytes | None:
    """A TrueType font whose other glyphs have no outline and no name; None if it cannot be read."""
    import pikepdf
    from fontTools.ttLib import TTFont, TTLibError
    from fontTools.ttLib.tables._g_l_y_f import Glyph

    try:
        face = TTFont(io.BytesIO(program), lazy=False)
        order, outlines = face.getGlyphOrder(), face["glyf"]
        if composite:
            places = font.get("/CIDToGIDMap")
            table = places.read_bytes() if isinstance(places, pikepdf.Stream) else None
            shown = {code if table is None else int.from_bytes(table[2 * code : 2 * code + 2], "big") for code in used}
            names = {order[place] for place in shown if place < len(order)}
        else:
            names = _named(face, used, known)
        names.add(order[0])
        waiting = list(names)
        while waiting:  # the parts that accented letters are made of
            glyph = outlines[waiting.pop()]
            parts = {one.glyphName for one in glyph.components} if glyph.isComposite() else set()
            waiting += parts - names
            names |= parts
        for name in order:
            if name not in names:
                outlines[name] = Glyph()
                face["hmtx"][name] = (0, 0)
        for table in face["cmap"].tables if "cmap" in face else ():
            table.cmap = {code: name for code, name in table.cmap.items() if name in names}
        for tag in _DROPPED:
            if tag in face and tag != "post":
                del face[tag]
        if "post" in face:
            face["post"].formatType = 3.0
        out = io.BytesIO()
        face.save(out)
    except (TTLibError, KeyError, AttributeError, AssertionError, ValueError, IndexError, TypeError):
        return None  # damaged or unusual: said, and left as it is
    return out.getvalue()


def _named(face: Any, used: set[int], known: dict[int, str]) -> set[str]:
    """The glyphs that the codes of a simple font may mean, by any of its tables."""
    wanted = {*used, *(0xF000 + code for code in used)} | {ord(text) for text in known.values() if len(text) == 1}
    return {
        name for table in (face["cmap"].tables if "cmap" in face else ()) for code, name in table.cmap.items()
        if code in wanted
    }  # fmt: skip
