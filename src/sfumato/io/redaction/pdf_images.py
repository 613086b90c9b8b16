"""Images in a PDF: what they carry besides their pixels."""

from __future__ import annotations

import struct
from typing import Any

__all__ = ["clean_image", "image_extras"]

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_BOXES = frozenset((b"jP  ", b"ftyp", b"jp2h", b"jp2c"))
"""The boxes of a JPEG 2000 file that make the picture."""


def clean_image(stream: Any) -> bool:
    """Take out what an image says besides its pixels: camera, place, author, comments, thumbnails, what follows it.

    Returns
    -------
    bool
        Whether it could be cleaned. One that cannot be read has to go.
    """
    import pikepdf

    filters = _filters(stream)
    if "/DCTDecode" not in filters and "/JPXDecode" not in filters:
        return True  # pixels and nothing else
    if len(filters) == 1:
        made = (_jpeg if filters == ["/DCTDecode"] else _jpeg2000)(stream.read_raw_bytes())
        if made is None:
            return False
        stream.write(made, filter=pikepdf.Name(filters[0]), decode_parms=stream.get("/DecodeParms"))
        return True
    try:  # packed twice: the pixels themselves are written
        stream.write(stream.read_bytes(decode_level=pikepdf.StreamDecodeLevel.all))
    except pikepdf.PdfError:
        return False
    return True


def image_extras(stream: Any) -> bool:
    """Whether an image says something besides its pixels."""
    filters = _filters(stream)
    if filters not in (["/DCTDecode"], ["/JPXDecode"]):
        return False
    raw = stream.read_raw_bytes()
    return (_jpeg if filters == ["/DCTDecode"] else _jpeg2000)(raw) != raw


def _filters(stream: Any) -> list[str]:
    import pikepdf

    found = stream.get("/Filter", [])
    return [str(found)] if isinstance(found, pikepdf.Name) else [str(one) for one in found]


def _jpeg(raw: bytes) -> bytes | None:
    """The segments that make the picture, up to its end; None if it is no JPEG.

    Kept are the tables and scans, the colour profile, Adobe's colour transform and the header without its thumbnail.
    """
    if raw[:2] != bytes((0xFF, _START)):
        return None
    made, at = bytearray(raw[:2]), 2
    while at + 4 <= len(raw):
        if raw[at] != 0xFF:
            return None
        marker = raw[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == _END:
            return bytes(made) + raw[at : at + 2]
        size = int.from_bytes(raw[at + 2 : at + 4], "big")
        body = raw[at + 4 : at + 2 + size]
        if marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) >= 14:
            made += struct.pack(">BBH", 0xFF, marker, 16) + body[:12] + b"\0\0"
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE) or _colours(marker, body):
            made += raw[at : at + 2 + size]
        at += 2 + size
        if marker == _SCAN:
            stop = _scan_end(raw, at)
            made += raw[at:stop]
            at = stop
    return bytes(made) + bytes((0xFF, _END)) if raw[at : at + 2] == bytes((0xFF, _END)) else None


def _colours(marker: int, body: bytes) -> bool:
    return (marker == 0xE2 and body.startswith(b"ICC_PROFILE\0")) or (marker == 0xEE and body.startswith(b"Adobe"))


def _scan_end(raw: bytes, at: int) -> int:
    """Where the coded pixels end: at a marker that is neither a stuffed byte nor a restart."""
    while True:
        at = raw.find(b"\xff", at)
        if at < 0 or at + 1 >= len(raw):
            return len(raw)
        if raw[at + 1] != 0 and not 0xD0 <= raw[at + 1] <= 0xD7:
            return at
        at += 2


def _jpeg2000(raw: bytes) -> bytes | None:
    """The boxes that make the picture; a bare code stream has none."""
    if raw[:2] == b"\xff\x4f":
        return raw
    made, at = bytearray(), 0
    while at + 8 <= len(raw):
        size, kind = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        if size == 1:
            size = int.from_bytes(raw[at + 8 : at + 16], "big")
        elif size == 0:
            size = len(raw) - at
        if size < 8 or at + size > len(raw):
            return None
        if kind in _BOXES:
            made += raw[at : at + size]
        at += size
    return bytes(made) if b"jp2c" in made else None
