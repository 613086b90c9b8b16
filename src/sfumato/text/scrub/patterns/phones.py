"""Phone numbers by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.text.scrub.locales.languages import phrase_before, phrases_of_all
from sfumato.text.scrub.patterns.dates import NUMERIC_DATE
from sfumato.text.scrub.patterns.find import Find
from sfumato.text.scrub.patterns.identifiers import PLAIN_ID

__all__ = ["is_announced", "phone_candidates", "phones"]

_PHONE = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏ_+.,/$€£¥\-])(?:\+|\(\+?)?\d(?:[ .()/\-–\u00a0]{0,3}\d){5,14}(?![\d]"
    r"|[.,:]\d|[ ]?(?:%|€|\$|£|¥|EUR|USD|GBP))"
    r"(?:\s?(?:ext\.?|x|Durchwahl|poste|int\.?)\s?\d{1,5})?"
)
_SHAPE = re.compile(r"1?[ .\-]?\(?\d{3}\)?[ .\-]\d{3}[ .\-]\d{4}|\d{3}-\d{4}")
_NO_PHONE = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}|(?:19|20)\d\d ?[\-–/] ?(?:19|20)?\d\d|\d{1,3}\.\d{1,2}\.\d{2,6}(?:\.\d{1,4})?"
)
"""Addresses of machines, spans of years, versions."""
_BETWEEN = frozenset(
    "me us him her them at on is the my our your new number under or and a after before am unter ist le"
    " la au el al il nummer".split()
)


def is_announced(text: str, at: int) -> bool:
    """Whether the words before a place say that a phone number follows."""
    return phrase_before(text, at, phrases_of_all("phone_words"), skipped=_BETWEEN, reach=40)


def phone_candidates(text: str) -> Iterator[re.Match[str]]:
    """Rows of digits that are long enough and are no date, id or address of a machine."""
    for match in _PHONE.finditer(text):
        number = match.group()
        if not (NUMERIC_DATE.fullmatch(number) or PLAIN_ID.fullmatch(number) or _NO_PHONE.fullmatch(number)):
            yield match


def phones(text: str) -> Iterator[Find]:
    """Numbers with a country code, in a usual form, or after a word that says so."""
    for match in phone_candidates(text):
        number = match.group()
        digits = sum(c.isdigit() for c in number)
        written = number.startswith(("+", "(", "00")) or (number[0] == "0" and digits >= 8)
        told = is_announced(text, match.start())
        if digits < 7 and not told:
            continue
        if written or _SHAPE.fullmatch(number):
            yield match.start(), match.end(), 0.8, "phone"
        elif told:
            yield match.start(), match.end(), 0.6, "phone"
