"""Dates in the languages of the packs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from functools import cache

from sfumato.text.scrub.locales.languages import LANGUAGES
from sfumato.text.scrub.patterns.find import Find

__all__ = ["NUMERIC_DATE", "dates", "iso_date"]

_Y = r"(?:19|20)\d\d"
_D = r"(?:3[01]|[12]\d|0?[1-9])"
NUMERIC_DATE = re.compile(
    rf"(?<![\d./\-])(?:{_Y}([\-/.])(?:1[0-2]|0?[1-9])\1{_D}(?:T\d\d:\d\d(?::\d\d)?Z?)?"
    rf"|{_D}([\-/.]) ?{_D}\2 ?(?:(?:19|20)?\d\d))(?![\d/\-]|\.\d)"
)
"""Day, month and year in numbers, in any order that is used."""
_BARE = re.compile(
    rf"(?i)(?:born|dob|d\.o\.b\.|birth|geboren|née? le|nacid[oa]|nat[oa])\W{{0,3}}(?:on|am"
    rf"|le|el|il)?\W{{0,2}}({_Y}\d\d\d\d)(?!\d)"
)
_SHORT = re.compile(r"(?<!\w)(?:am|vom|bis|zum|ab|den|dem|seit) ((?:3[01]|[12]\d|0?[1-9])\.(?:1[0-2]|0?[1-9])\.)(?!\d)")
_TICKET = re.compile(rf"(?<!\w){_D}(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(?:\d\d)?(?!\w)")
_JAPANESE = re.compile(
    r"(?:(?:19|20)\d\d|(?:令和|平成|昭和|大正)(?:元|\d{1,2}))年\s?\d{1,2}月\s?\d{1,2}日|\d{1,2}月\s?\d{1,2}日"
)
_ERA = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911}


@cache
def _months() -> dict[str, int]:
    """The number of every name of a month; the first language that has a name decides."""
    numbers: dict[str, int] = {}
    for pack in LANGUAGES.values():
        for number, names in enumerate(pack.months, 1):
            for name in names.split():
                numbers.setdefault(name, number)
    return numbers


_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|ST|ND|RD|TH|er|º|ª|\.)?"
_LINK = r"(?:\s(?:of|de|del|di|OF|DE))?"
_WORD = r"[^\W\d_]{3,12}"
_WORDED = (
    # Any word where a month could be: looking it up afterwards is quicker than a hundred alternatives.
    # 12 May 2024, 12. Mai, 1er mai 2024, 12 de mayo de 2024, 12-May-24
    re.compile(
        rf"(?<![\w.,])(?={_DAY})(?:{_DAY}(?:\s?[\-–]\s?|\s(?:to|until|and|bis|und|au|et|al|t/m|tot|till|do)\s))?{_DAY}{_LINK}(?:\s|-|/)(?:the\s)?({_WORD})\b\.?"
        rf"(?:,?{_LINK}\s(?:{_Y}|['’]\d\d)|[\-/](?:{_Y}|\d\d)(?!\d))?(?![\w:]|\.\d)"
    ),
    # May 12, 2024
    re.compile(rf"(?<!\w)({_WORD})\.?\s{_DAY}(?:,?\s{_Y})?(?![\w:]|\.\d|\s?%)"),
)
_WORDS_FIRST = frozenset("mar set may out dic sept mars mei ago gen mag giu mai sep feb".split())
"""Months that are words as well: in small letters they need a year."""


def dates(text: str) -> Iterator[Find]:
    """Dates with a day."""
    for match in NUMERIC_DATE.finditer(text):
        first, second, _ = re.split(r"[\-/.] ?", match.group().partition("T")[0])
        if len(first) == 4 or int(first) <= 12 or int(second) <= 12:
            yield match.start(), match.end(), 0.7, "date"
    months = _months()
    for pattern in _WORDED:
        for match in pattern.finditer(text):
            name = match[1]
            if name.lower() not in months or (
                name.islower() and name in _WORDS_FIRST and not re.search(_Y, match.group())
            ):
                continue
            yield match.start(), match.end(), 0.9, "date"  # surer than the name Jan
    for pattern in (_BARE, _SHORT):
        for match in pattern.finditer(text):
            yield match.start(1), match.end(1), 0.6, "date"
    for match in _TICKET.finditer(text):
        yield match.start(), match.end(), 0.6, "date"
    if "月" in text:
        for match in _JAPANESE.finditer(text):
            yield match.start(), match.end(), 0.8, "date"


def iso_date(value: str) -> str | None:
    """The same for two spellings of one day: ``2024-05-12``; ``--05-12`` without a year, ``None`` if it cannot be read.

    Where the numbers do not say which is the day, the day is taken to come first.

    >>> iso_date("12 May 2024"), iso_date("May 12, 2024"), iso_date("12.05.2024"), iso_date("12 de mayo de 2024")
    ('2024-05-12', '2024-05-12', '2024-05-12', '2024-05-12')
    """
    value = value.strip().partition("T")[0] if re.match(r"\d{4}\D", value) else value.strip()
    japanese = re.fullmatch(r"(?:(\d{4})|(令和|平成|昭和|大正)(元|\d{1,2}))年\s?(\d{1,2})月\s?(\d{1,2})日", value)
    if japanese:
        year, era, count, m, d = japanese.groups()
        y = int(year) if year else _ERA[era] + (1 if count == "元" else int(count))
        return _iso(y, int(m), int(d))
    word = re.search(r"[^\W\d_]{3,}", re.sub(r"(?i)\b(?:of|the|del)\b", " ", value))
    numbers = [int(n) for n in re.findall(r"\d+", value)]
    if word and numbers:
        month = next((n for w in re.findall(r"[^\W\d_]+", value) if (n := _months().get(w.lower()))), None)
        years = [n for n in numbers if n > 31]
        days = [n for n in numbers if n <= 31]
        if month is None or not days:
            return None
        return _iso(years[0] if years else None, month, days[0])
    if len(numbers) != 3:
        return None
    a, b, c = numbers
    if a > 31:
        return _iso(a, b, c)
    year = c if c > 99 else c + (2000 if c < 50 else 1900)
    return _iso(year, b, a) if b <= 12 else _iso(year, a, b)


def _iso(year: int | None, month: int, day: int) -> str | None:
    try:
        found = datetime.date(year or 2000, month, day)
    except ValueError:
        return None
    return found.isoformat() if year else found.isoformat().replace("2000-", "--", 1)
