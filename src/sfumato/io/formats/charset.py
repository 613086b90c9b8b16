"""The encoding of a text file: found, or as told, and the text as UTF-8.

The rule, in this order: what the caller says; a byte order mark; valid UTF-8; UTF-16 without a mark (every second byte
zero); otherwise a guess, which is always said. A file that is UTF-8 but for a few bytes is damaged, and is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sfumato.errors import InputError, bad_input

__all__ = ["Encoding", "Notes", "chunks", "find_encoding", "guess_encoding", "named_encoding", "not_text", "to_utf8"]

Notes = Callable[[str], None] | None
"""Is told each remark about a file, one sentence at a time; ``None`` is told nothing."""

_CHUNK = 1 << 22
_SAMPLE = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LATIN = ("cp1252", "cp1250", "cp1254", "cp1257")
_OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp932", "gb18030", "big5", "euc_jp", "euc_kr"]
_WITHIN = "’·"
_OPENS = "“„‘‚«»‹›°§–—…¿¡€"
_SURE = 0.9
_DAMAGED = 10
"""So many more good than bad sequences make a damaged UTF-8 file, not one in another encoding."""


@dataclass(frozen=True)
class Encoding:
    """How the bytes of a file are read as text.

    Parameters
    ----------
    name : str
        A codec of Python; a byte order mark is not part of the text.
    mark : bool
        Whether the file begins with a byte order mark.
    guessed : bool
    """

    name: str
    mark: bool = False
    guessed: bool = False

    @property
    def codec(self) -> str:
        """The codec that also removes a byte order mark."""
        return "utf-8-sig" if self.name == "utf-8" else self.name

    @property
    def plain(self) -> bool:
        """Whether the file is UTF-8 already; a mark may stand before it."""
        return self.name == "utf-8"

    def tell(self, shown: str, notes: Notes) -> None:
        """Say what is worth knowing."""
        if notes is None:
            return
        if self.mark:
            notes(f"{shown} begins with a byte order mark ({self.name}), which is not part of the first name")
        if self.guessed:
            notes(f"{shown} is not UTF-8: read as {self.name}, a guess; encoding= says another")


def named_encoding(name: str) -> Encoding:
    """The encoding that the caller names.

    >>> named_encoding("Latin-1").name
    'iso8859-1'
    """
    try:
        found = codecs.lookup(name)
        "".encode(name)  # base64 and its like are codecs, too, but not of text
    except LookupError as error:
        raise bad_input("encoding", name, "the name of an encoding such as utf-8, latin-1, cp1252, utf-16") from error
    return Encoding("utf-8" if found.name == "utf-8-sig" else found.name)


def chunks(content: bytes) -> Iterator[bytes]:
    """The content in pieces."""
    for start in range(0, len(content), _CHUNK):
        yield content[start : start + _CHUNK]


def find_encoding(pieces: Callable[[], Iterable[bytes]], shown: str) -> Encoding:
    """The encoding of a file; ``pieces`` reads it from its beginning.

    >>> find_encoding(lambda: [b"name\\nAda\\n"], "people.csv").name
    'utf-8'
    >>> find_encoding(lambda: ["Müller\\n".encode("latin1")], "people.csv").name
    'cp1252'
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    mark, good, offset, piece = False, 0, 0, b""
    for piece in pieces():
        if offset == 0:
            name = next((name for start, name in _MARKS if piece.startswith(start)), None)
            if name not in (None, "utf-8"):
                return Encoding(str(name), mark=True)
            mark = name == "utf-8"
            wide = _wide(piece)
            if wide is not None:
                return Encoding(wide, guessed=True)
        held = decoder.getstate()[0]
        if held or not piece.isascii():
            try:
                good += len(piece) - len(decoder.decode(piece))
            except UnicodeDecodeError as error:
                return _other(pieces, held + piece, good, mark, shown, offset - len(held) + error.start)
        offset += len(piece)
    held = decoder.getstate()[0]
    if held:  # the file ends within a character
        return _other(pieces, piece, good, mark, shown, offset - len(held))
    return Encoding("utf-8", mark=mark)


def to_utf8(pieces: Iterable[bytes], encoding: Encoding, shown: str) -> Iterator[bytes]:
    """The text in UTF-8 without a byte order mark, piece by piece."""
    decoder = codecs.getincrementaldecoder(encoding.codec)()
    offset, line, held = 0, 1, 0
    piece = b""
    try:
        for piece in pieces:
            held = len(decoder.getstate()[0])
            text = decoder.decode(piece)
            line += text.count("\n")
            offset += len(piece)
            yield text.encode()
        held, piece = len(decoder.getstate()[0]), b""
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        start = max(error.start, 0)
        before = error.object[:start].decode(encoding.name, "replace")
        raise not_text(shown, encoding.name, line + before.count("\n"), offset - held + start) from error
    except UnicodeError as error:  # UTF-16 that does not say its order
        raise not_text(shown, encoding.name, 1, 0) from error


def not_text(shown: str, encoding: str, line: int, offset: int, where: str = "in the file") -> InputError:
    """The error of text in another encoding."""
    if encoding == "utf-8":
        return InputError(
            f"{shown}, line {line}, is not UTF-8 (byte {offset} {where}): say the encoding, or save it as UTF-8"
        )
    return InputError(
        f"{shown}, line {line}, is not {encoding} (byte {offset} {where}): say another encoding, or leave it out to "
        "have it recognised"
    )


def _wide(piece: bytes) -> str | None:
    """UTF-16 without a mark: of plain letters every second byte is zero. No other text has zero bytes."""
    start = piece[:_SAMPLE]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < len(start) // 4 or min(even, odd) > max(even, odd) // 10 or len(start) < 4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _other(
    pieces: Callable[[], Iterable[bytes]], piece: bytes, good: int, mark: bool, shown: str, offset: int
) -> Encoding:
    """The encoding of a file that is not UTF-8 at ``offset``, or the error that it is damaged UTF-8."""
    text = piece.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good += len(re.findall("[\x80-\ufffc\ufffe-\U0010ffff]", text))
    if mark or b"\0" in piece or good > _DAMAGED * bad:
        lines, seen = 1, 0
        for part in pieces():
            lines += part.count(b"\n", 0, offset - seen)
            seen += len(part)
            if seen >= offset:
                break
        raise not_text(shown, "utf-8", lines, offset)
    return Encoding(guess_encoding(piece), guessed=True)


def guess_encoding(piece: bytes) -> str:
    """The most likely encoding of text that is not UTF-8.

    Texts in Latin letters have single letters beyond ASCII between others; of the encodings that read them so, the
    first of Western, Central European, Turkish and Baltic is taken. What is left is told apart by charset-normalizer.
    """
    lines = [line for line in piece.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE]
    scores = {name: _latin(sample.decode(name, "replace")) for name in _LATIN}
    best = max(scores, key=scores.__getitem__)
    if scores[best] < _SURE:
        from charset_normalizer import from_bytes

        found = from_bytes(sample, cp_isolation=_OTHERS).best()
        if found is not None:
            return found.encoding
    try:
        piece.decode(best)
    except UnicodeDecodeError:
        return "iso8859-1"  # every byte has a meaning there
    return best


def _latin(text: str) -> float:
    """The share of characters beyond ASCII that stand where Latin texts have them.

    A letter stands in a word with plain letters, or alone (à). Any other sign stands at the end of a word, or before
    one if it opens it; never within.
    """
    fits = total = 0
    for found in re.finditer(r"[^\W\d_]+", text):
        word = found[0]
        beyond = sum(letter > "\x7f" for letter in word)
        total += beyond
        fits += beyond if len(word) == 1 or beyond < len(word) else 0
    for found in re.finditer(r"(.?)([^\x00-\x7f])(?=(.?))", text):
        before, sign, after = found.groups()
        if not sign.isalpha():
            total += 1
            fits += sign != "\ufffd" and (
                not after.isalpha() or sign in _WITHIN or (sign in _OPENS and not before.isalpha())
            )
    return fits / total if total else 1.0
