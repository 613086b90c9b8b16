"""Pictures: what they carry besides their pixels."""

from __future__ import annotations

import struct

__all__ = ["WHITE_DOT", "clean_jpeg", "clean_jpeg2000", "clean_picture"]

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_BOXES = frozenset((b"jP  ", b"ftyp", b"jp2h", b"jp2c"))
"""The boxes of a JPEG 2000 file that make the picture."""
_PNG = b"\x89PNG\r\n\x1a\n"
_CHUNKS = frozenset((b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"pHYs", b"bKGD"))
"""The chunks of a PNG that make the picture."""
WHITE_DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63f80f00010101001bb6ee56"
    "0000000049454e44ae426082"
)
"""A PNG of one white dot, in the place of a picture that cannot be read."""


def clean_picture(raw: bytes) -> bytes | None:
    """A JPEG, PNG or GIF without what it says besides its pixels; ``None`` for anything else.

    >>> clean_picture(WHITE_DOT + b"Anna") == WHITE_DOT, clean_picture(b"<svg/>")
    (True, None)
    """
    if raw.startswith(b"\xff\xd8"):
        return clean_jpeg(raw)
    if raw.startswith(_PNG):
        return _clean_png(raw)
    return _clean_gif(raw) if raw[:6] in (b"GIF87a", b"GIF89a") else None


def clean_jpeg(raw: bytes) -> bytes | None:
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


def clean_jpeg2000(raw: bytes) -> bytes | None:
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


def _clean_png(raw: bytes) -> bytes | None:
    """The chunks that make the picture: no texts, no EXIF, no time, nothing after the end."""
    made, at = bytearray(_PNG), len(_PNG)
    while at + 12 <= len(raw):
        size, kind = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        if kind in _CHUNKS:
            made += raw[at : at + 12 + size]
        at += 12 + size
        if kind == b"IEND":
            return bytes(made) if at <= len(raw) else None
    return None


def _clean_gif(raw: bytes) -> bytes | None:
    """The frames and what controls them: no comments, no texts, no data of programs but the one that repeats."""
    if len(raw) < 13:
        return None
    at = 13 + (3 << (raw[10] & 7) + 1 if raw[10] & 0x80 else 0)
    made = bytearray(raw[:at])
    while at < len(raw):
        start, kind = at, raw[at]
        if kind == 0x3B:
            return bytes(made) + b";"
        if kind == 0x21 and at + 2 < len(raw):
            at += 2
        elif kind == 0x2C and at + 10 < len(raw):
            at += 10 + (3 << (raw[at + 9] & 7) + 1 if raw[at + 9] & 0x80 else 0) + 1
        else:
            return None
        while at < len(raw) and raw[at]:  # blocks of data, each after its length
            at += 1 + raw[at]
        at += 1
        if kind == 0x2C or raw[start + 1] == 0xF9 or raw[start + 3 : start + 14] == b"NETSCAPE2.0":
            made += raw[start:at]
    return None
