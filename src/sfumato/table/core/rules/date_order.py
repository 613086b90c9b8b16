"""Dates as people write them: ISO, day first or month first, and columns where nobody can tell."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from sfumato.errors import bad_input

__all__ = ["ORDERS", "DateOrder", "date_orders", "parse_date"]

DateOrder = Literal["iso", "day-first", "month-first"]
ORDERS: tuple[DateOrder, ...] = ("iso", "day-first", "month-first")
"""How the parts of a date are written: 1994-05-17, 17.05.1994 (17/05/1994), 05/17/1994."""

_ISO = re.compile(r"(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:[T ].*)?")
_SHORT = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})(?:[T ].*)?")


def parse_date(word: str, order: DateOrder) -> dt.date | None:
    """The day that a word names, or None. A year has four digits: 05 may be 1905 or 2005.

    >>> parse_date("17.05.1994", "day-first"), parse_date("17.05.1994", "month-first")
    (datetime.date(1994, 5, 17), None)
    """
    found = (_ISO if order == "iso" else _SHORT).fullmatch(word.strip())
    if found is None:
        return None
    first, second, third = (int(part) for part in found.groups())
    if order == "iso":
        year, month, day = first, second, third
    elif order == "day-first":
        day, month, year = first, second, third
    else:
        month, day, year = first, second, third
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def date_orders(words: Iterable[str]) -> list[DateOrder]:
    """The orders in which every word is a date; two if nobody can tell, none if they are no dates.

    >>> date_orders(["03/04/2024", "05/06/2024"]), date_orders(["03/04/2024", "25/06/2024"])
    (['day-first', 'month-first'], ['day-first'])
    """
    listed = list(words)
    if not listed:
        return []
    return [order for order in ORDERS if all(parse_date(word, order) is not None for word in listed)]


def require_date(word: str, order: DateOrder) -> dt.date:
    """The day that a word names, in its order or ISO, which cannot be mistaken; anything else is refused."""
    day = parse_date(word, order) or parse_date(word, "iso")
    if day is None:
        other = [one for one in ORDERS if parse_date(word, one) is not None]
        remedy = f'dates = "{other[0]}" reads it' if other else "list it under codes if it is no date"
        raise bad_input("date", word, f"a date written {order} with a year of four digits", remedy)
    return day


def levels_of(day: dt.date) -> Sequence[str]:
    """Month, quarter, year and decade of a day."""
    year = f"{day.year:04d}"
    return f"{year}-{day.month:02d}", f"{year}-Q{(day.month + 2) // 3}", year, f"{year[:3]}0s"
