"""Personal items that have a recognisable form: addresses, numbers, dates, ids.

Every pattern starts where a token starts and repeats a bounded number of times, so that a megabyte without a space
takes time proportional to its length. Numbers with a check digit are checked.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.text.scrub.span import Span

__all__ = ["LABELS", "PatternRecogniser", "iban_is_valid", "luhn_is_valid"]

LABELS = ("EMAIL", "URL", "HEADER", "IBAN", "CARD", "IP", "PHONE", "DATE", "ADDRESS", "ID")
"""What the patterns find."""

_Finder = Callable[[str], Iterator[tuple[int, int, float]]]


def luhn_is_valid(digits: str) -> bool:
    """Whether the last digit is the check digit of a payment card (Luhn).

    >>> luhn_is_valid("4111111111111111"), luhn_is_valid("4111111111111112")
    (True, False)
    """
    total = sum(map(int, digits[-1::-2]))
    return (total + sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])) % 10 == 0


def iban_is_valid(code: str) -> bool:
    """Whether the check digits of an account number are right (ISO 13616: remainder 1 modulo 97).

    >>> iban_is_valid("DE89370400440532013000"), iban_is_valid("DE88370400440532013000")
    (True, False)
    """
    if not 15 <= len(code) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


_EMAIL = re.compile(
    r"(?<![\w.%+\-])[\w.%+\-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}"
)
_URL = re.compile(r"(?i)(?:\b(?:https?|ftp)://|(?<![\w@.])www\.)[^\s<>\"'()\[\]{}]{1,2048}")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![\d.,\-])[2-6]\d{3}(?:[ \-]?\d){8,15}(?!\d)")
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IPV4 = re.compile(rf"(?<![\d.\w])(?:{_OCTET}\.){{3}}{_OCTET}(?!\.?\d)")
_IPV6 = re.compile(r"(?<![:.\w])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![:\w])")
_PHONE = re.compile(
    r"(?<![\w+.,/$€£\-])(?:\+|\(\+?)?\d(?:[ .()/\-]{0,2}\d){5,14}(?![\d]|[.,:]\d)(?:\s?(?:ext\.?|x)\s?\d{1,5})?"
)
_PHONE_SHAPE = re.compile(r"1?[ .\-]?\(?\d{3}\)?[ .\-]\d{3}[ .\-]\d{4}|\d{3}-\d{4}")
_PHONE_WORD = re.compile(
    r"(?i)(?:phone|tel|call|cell|mobile|fax|reach|dial|number is|text|whatsapp)\W{0,3}\w{0,6}\W{0,3}\w{0,6}\W{0,4}$"
)
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_NUMERIC_DATE = re.compile(
    r"(?<![\d./\-])(?:(?:19|20)\d\d([\-/.])(?:1[0-2]|0?[1-9])\1(?:3[01]|[12]\d|0?[1-9])"
    r"|(?:3[01]|[12]\d|0?[1-9])([\-/.])(?:3[01]|[12]\d|0?[1-9])\2(?:(?:19|20)?\d\d))(?![\d/\-]|\.\d)"
)
_WORDED_DATE = re.compile(
    rf"(?<!\w){_DAY}(?: of)? {_MONTH}\.?(?:,? (?:19|20)\d\d)?(?!\w)|\b{_MONTH}\.? {_DAY}(?:,? (?:19|20)\d\d)?(?![\w:])"
)
_CAP = r"[A-ZÀ-ÖØ-Þ][\w'’.\-]{0,30}"
_ROAD = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Square|Sq|Place|Pl|Terrace|Close"
    r"|Crescent|Parkway|Pkwy|Highway|Hwy|Gardens|Row|Hill|Quay|Mews)"
)
_TOWN = rf"{_CAP}(?: {_CAP}){{0,2}}"
_UK_CODE = r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}"
_US_CODE = r"[A-Z]{2} \d{5}(?:-\d{4})?"
_ADDRESS = [
    re.compile(
        rf"(?<![\w.,])\d{{1,5}}[A-Za-z]? (?:{_CAP} ){{1,4}}{_ROAD}\b\.?"
        rf"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|#)\.? ?\w{{1,6}})?"
        rf"(?:,\s{{1,2}}{_TOWN}(?:,? (?:{_UK_CODE}|{_US_CODE}|\d{{5}}))?)?"
    ),
    re.compile(
        r"\b[A-ZÄÖÜ][\wäöüß\-]{1,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer) \d{1,4}[a-z]?"
        rf"(?:,\s{{1,2}}\d{{4,5}} {_CAP})?"
    ),
    re.compile(rf"\b{_TOWN},? {_US_CODE}(?!\w)"),
    re.compile(rf"\b(?:{_CAP} )?{_UK_CODE}(?!\w)"),
    re.compile(r"(?i)\bP\.? ?O\.? ?Box \d{1,6}\b"),
]
_LABELLED_ID = re.compile(
    r"(?i)\b(?:employee|customer|client|account|acct|passport|invoice|order|case|ticket|member(?:ship)?|patient|tax|personnel"
    r"|social security|licen[cs]e|policy|registration|staff|student|reference|ref|tracking|insurance|user)"
    r"[ \t]?(?:numbers?|no\.?|nr\.?|id|code|#)?(?: is)?[ \t]{0,2}[:#]?[ \t]{0,2}"
    r"([A-Z]{0,6}[\-/]?\d[A-Z0-9\-/]{2,24})(?!\w)"
)
_PLAIN_ID = re.compile(
    r"(?<![\w\-])(?:\d{3}-\d{2}-\d{4}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:[0-9A-Fa-f]{2}[:\-]){5}"
    r"[0-9A-Fa-f]{2}|[A-Z]{2,5}-\d{4,12})(?![\w\-])"
)
_REPLY = re.compile(
    r"(?m)^[ \t>]{0,12}(?:On|Am|Le)[ \t]([^\n]{8,200}(?:\n[ \t>]{0,12}[^\n]{1,120})?)[ \t\n]"
    r"(?:wrote|schrieb|a écrit)[^\n]{0,60}:"
)
_MESSAGE_ID = re.compile(
    r"(?im)^[ \t>]{0,12}(?:message-id|in-reply-to|references|x-origin|x-filename|x-folder):[ \t]{0,4}(\S[^\n]{0,400})"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternRecogniser:
    """Finds personal items by their form.

    They are e-mail and web addresses, phone, account and card numbers, IPs, dates, postal addresses, ids and the
    headers of quoted replies.

    Parameters
    ----------
    labels : collection of str
        Which of :data:`LABELS` to look for.

    Examples
    --------
    >>> found = PatternRecogniser().find(["Write to ann@example.org before 12 May 2024."])[0]
    >>> [(span.label, span.start, span.end) for span in found]
    [('EMAIL', 9, 24), ('DATE', 32, 43)]
    """

    labels: Collection[str] = LABELS

    def __post_init__(self) -> None:
        unknown = [label for label in self.labels if label not in LABELS]
        if isinstance(self.labels, str) or unknown or not self.labels:
            raise bad_input("labels", self.labels, "some of " + ", ".join(LABELS))

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text."""
        finders = [(label, finder) for label, finder in _FINDERS if label in self.labels]
        return [
            [
                Span(start, end, label, score, "pattern")
                for label, finder in finders
                for start, end, score in finder(text)
            ]
            for text in texts
        ]


def _emails(text: str) -> Iterator[tuple[int, int, float]]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield match.start(), match.end(), 1.0


def _urls(text: str) -> Iterator[tuple[int, int, float]]:
    if "://" in text or "www." in text or "WWW." in text:
        for match in _URL.finditer(text):
            yield match.start(), match.start() + len(match.group().rstrip(".,;:!?")), 1.0


def _ibans(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _IBAN.finditer(text):
        code = match.group()
        while code and not iban_is_valid(code.replace(" ", "")):
            code = code.rpartition(" ")[0]  # the pattern may have taken a word in capitals that follows
        if code:
            yield match.start(), match.start() + len(code), 1.0


def _cards(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if 13 <= len(digits) <= 19 and luhn_is_valid(digits):
            yield match.start(), match.end(), 1.0


def _ips(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _IPV4.finditer(text):
        yield match.start(), match.end(), 0.9
    if "::" in text or text.count(":") >= 7:
        for match in _IPV6.finditer(text):
            try:
                ipaddress.IPv6Address(match.group())
            except ValueError:
                continue
            if any(c.isdigit() for c in match.group()):  # "a::b" is an address too, but hardly meant as one
                yield match.start(), match.end(), 0.9


def _phones(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _PHONE.finditer(text):
        number = match.group()
        digits = sum(c.isdigit() for c in number)
        written = number.startswith(("+", "(", "00")) or (number[0] == "0" and digits >= 8)
        if digits < 7 and not _PHONE_WORD.search(text, max(0, match.start() - 30), match.start()):
            continue
        if _NUMERIC_DATE.fullmatch(number) or _PLAIN_ID.fullmatch(number) or _IPV4.fullmatch(number):
            continue
        if written or _PHONE_SHAPE.fullmatch(number):
            yield match.start(), match.end(), 0.8
        elif _PHONE_WORD.search(text, max(0, match.start() - 30), match.start()):
            yield match.start(), match.end(), 0.6


def _dates(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _NUMERIC_DATE.finditer(text):
        first, second, _ = re.split(r"[\-/.]", match.group())
        if len(first) == 4 or int(first) <= 12 or int(second) <= 12:
            yield match.start(), match.end(), 0.7
    for match in _WORDED_DATE.finditer(text):
        yield match.start(), match.end(), 0.7


def _addresses(text: str) -> Iterator[tuple[int, int, float]]:
    for pattern in _ADDRESS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), 0.8


def _ids(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _LABELLED_ID.finditer(text):
        yield match.start(1), match.end(1), 0.6
    for match in _PLAIN_ID.finditer(text):
        yield match.start(), match.end(), 0.7


def _headers(text: str) -> Iterator[tuple[int, int, float]]:
    if "wrote" in text or "schrieb" in text or "écrit" in text:
        for match in _REPLY.finditer(text):
            yield match.start(1), match.end(1), 1.0
    if "-ID:" in text or "-To:" in text or "X-" in text or "eferences:" in text:
        for match in _MESSAGE_ID.finditer(text):
            yield match.start(1), match.end(1), 1.0


def _with_digit(finder: _Finder) -> _Finder:
    """Skip texts without any digit."""
    digit = re.compile(r"\d")

    def find(text: str) -> Iterator[tuple[int, int, float]]:
        return finder(text) if digit.search(text) else iter(())

    return find


_FINDERS: tuple[tuple[str, _Finder], ...] = (
    ("EMAIL", _emails),
    ("URL", _urls),
    ("HEADER", _headers),
    ("IBAN", _with_digit(_ibans)),
    ("CARD", _with_digit(_cards)),
    ("IP", _ips),
    ("PHONE", _with_digit(_phones)),
    ("DATE", _with_digit(_dates)),
    ("ADDRESS", _with_digit(_addresses)),
    ("ID", _with_digit(_ids)),
)
