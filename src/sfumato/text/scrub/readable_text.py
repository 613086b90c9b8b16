"""A text as a reader sees it: ligatures, wide and styled letters as plain ones, nothing that shows nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sfumato.text.scrub.span import Span

__all__ = ["readable", "spans_in_original"]

_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_STYLED = "\ufb00-\ufb06\uff01-\uff5e\u24b6-\u24e9\U0001d400-\U0001d7ff"
_MARKS = "\u0300-\u036f"
_ODD = re.compile(rf"[{_UNSEEN}{_STYLED}{_MARKS}]")
_MIXED = re.compile(r"(?=[\w]*[A-Za-z])(?=[\w]*[\u0370-\u04ff])[\w]+")
_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕԁһАВЕКМНОРСТУХІЈЅ" + "αοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijsdhABEKMHOPCTYXIJS" + "aoABEZHIKMNOPTYX",
        strict=True,
    )
)
"""Letters of Greek and Cyrillic that look like Latin ones. They are read so only in words that have both."""


def readable(text: str) -> tuple[str, list[int]] | None:
    """The text as it is read, and for each of its characters where it stands in the original; ``None`` if it is that.

    A name must not escape because it is set with a ligature, in wide letters, with a hyphen that shows only at the end
    of a line, or with accents of their own.

    >>> readable("Gri\\ufb03th"), readable("plain")
    (('Griffith', [0, 1, 2, 3, 3, 3, 4, 5]), None)
    >>> readable("Kowal\\u00adska")[0], readable("Mu\\u0308ller")[0]
    ('Kowalska', 'Müller')
    """
    mixed = {} if text.isascii() else {
        at: _LOOKALIKES[text[at]]
        for match in _MIXED.finditer(text)
        for at in range(*match.span())
        if text[at] in _LOOKALIKES
    }  # fmt: skip
    if not mixed and (text.isascii() or not _ODD.search(text)):
        return None
    parts: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        if character in _UNSEEN:
            continue
        if unicodedata.combining(character) and parts:
            joined = unicodedata.normalize("NFC", parts[-1] + character)
            if len(joined) == 1:
                parts[-1] = joined
                continue
        plain = mixed.get(at, character)
        if _ODD.match(character):
            plain = unicodedata.normalize("NFKC", character)
        parts += plain
        places += [at] * len(plain)
    return "".join(parts), places


def spans_in_original(text: str, places: Sequence[int], spans: Sequence[Span]) -> list[Span]:
    """Spans of the readable text as spans of the original, with the marks and unseen characters that belong to them."""
    found = []
    for span in spans:
        start, end = places[span.start], places[span.end - 1] + 1
        while end < len(text) and (text[end] in _UNSEEN or unicodedata.combining(text[end])):
            end += 1
        found.append(Span(start, end, span.label, span.score, span.source))
    return found
