"""What a column of CSV means: codes with leading zeros, dates in other orders than ISO, decimal commas.

Nothing is changed that is not consistent through the whole column; what is changed, and what might be meant, is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.io.formats.charset import Notes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Orders", "keep_codes", "read_dates_and_decimals", "tell_lost_zeros"]

Orders = Callable[[str, str], None] | None
"""Is told the name of a column and how its dates were written: ``"day-first"`` or ``"month-first"``."""

_BLOCK = 1 << 17
_FEW = 100
_EXACT = 2.0**53
_CODE = r"^\s*0[0-9]"
_LONG = r"^\s*[+-]?[0-9]{16,}\s*$"
_DATE = (
    r"^\s*(?P<first>[0-9]{1,2})(?P<mark>[./-])(?P<second>[0-9]{1,2})[./-](?P<year>[0-9]{4})(?P<clock>[ T][0-9:.]+)?\s*$"
)
_DECIMAL = r"^\s*[+-]?[0-9]+(,[0-9]+)?\s*$"
_THOUSANDS = r"^\s*[+-]?[0-9]{1,3}(,[0-9]{3})*\s*$"
_NAMES_OF_CODES = re.compile(
    r"(^|[^a-z])(zip|plz|post_?(al|leit)?_?(code|zahl)?|cap|ssn|phone|tel(efon)?|fips|iban|isbn|ean|gtin|npi|icd)"
    r"($|[^a-z])",
    re.IGNORECASE,
)


def keep_codes(table: pa.Table, content: bytes, delimiter: str, as_text: Callable[[list[str]], pa.Table]) -> pa.Table:
    """The table with codes as text: columns of digits where a value has a leading zero, or too many digits.

    ``as_text`` reads columns anew as they are written. It is asked only if the file may have such a value.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    types = dict(zip(table.column_names, table.schema.types, strict=True))
    asked = [n for n, kind in types.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    long = [n for n in asked if pa.types.is_floating(types[n]) and _largest(table[n]) >= _EXACT]
    if not asked or not (long or _zero_leads(content, delimiter)):
        return table
    written = as_text(asked)
    for name in asked:
        pattern = f"{_CODE}|{_LONG}" if name in long else _CODE
        if pc.any(pc.match_substring_regex(written[name], pattern)).as_py():
            table = table.set_column(table.schema.get_field_index(name), name, written[name])
    return table


def read_dates_and_decimals(
    table: pa.Table, shown: str, *, decimals: bool, notes: Notes, orders: Orders = None
) -> pa.Table:
    """The table with dates such as 31.12.1999 as dates and, if asked, numbers such as 1,5 as numbers.

    A column of dates is read with the day first if no value allows the month first, and the other way round; where
    both are possible, or neither fits all values, it stays text. A column of decimal commas is read as numbers unless
    the commas may be thousands separators.
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        column = table.column(place)
        for looks, convert in ((_DATE, _dates), (_DECIMAL, _decimals)):
            if (convert is _dates or decimals) and _alike(column, looks):
                found, remark, order = convert(column)
                if remark and notes is not None:
                    notes(f"{shown}, column {field.name!r}: {remark}")
                if order and orders is not None:
                    orders(field.name, order)
                if found is not None:
                    table = table.set_column(place, field.name, found)
                    break
    return table


def tell_lost_zeros(table: pa.Table, shown: str, notes: Callable[[str], None]) -> None:
    """Say where a column of whole numbers has the name of a code and numbers of different lengths.

    >>> import pyarrow as pa
    >>> tell_lost_zeros(pa.table({"zip": [1067, 80331]}), "people.xlsx", print)
    people.xlsx, column 'zip': whole numbers of 4 to 5 digits; leading zeros are lost if these are codes
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for field in table.schema:
        if _NAMES_OF_CODES.search(field.name) and pa.types.is_integer(field.type):
            sizes = pc.min_max(pc.utf8_length(pc.abs(table[field.name]).cast(pa.string()))).as_py()
            if sizes["min"] is not None and sizes["min"] != sizes["max"]:
                notes(
                    f"{shown}, column {field.name!r}: whole numbers of {sizes['min']} to {sizes['max']} digits; "
                    "leading zeros are lost if these are codes"
                )


def _largest(column: Any) -> float:
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return max(abs(ends["min"] or 0.0), abs(ends["max"] or 0.0))


def _zero_leads(content: bytes, delimiter: str) -> bool:
    """Whether a zero with a digit after it stands anywhere at the beginning of a field; it may not be a number.

    Every byte is looked at with both its neighbours, since blocks overlap by two.
    """
    mark, zero = np.uint8(ord(delimiter)), np.uint8(ord("0"))
    below = np.uint8(ord("-"))  # blanks, line ends, quotation marks and commas; no sign, point or slash
    for start in range(0, len(content), _BLOCK):
        block = np.frombuffer(content, np.uint8, min(_BLOCK + 2, len(content) - start), start)
        found = block[1:-1] == zero
        found &= (block[:-2] < below) | (block[:-2] == mark) if mark >= below else block[:-2] < below
        found &= block[2:] - zero < 10
        if found.any():
            return True
    return False


def _missing() -> list[str]:
    from pyarrow import csv

    return list(csv.ConvertOptions().null_values)


def _alike(column: Any, pattern: str) -> bool:
    """Whether the first values all look so; the rest of the column is looked at only then."""
    seen = 0
    missing = set(_missing())
    for chunk in column.chunks:
        for value in chunk:
            word = value.as_py()
            if word is None or word in missing:
                continue
            if not re.match(pattern, word):
                return False
            seen += 1
            if seen == _FEW:
                return True
    return seen > 0


def _filled(column: Any) -> Any:
    """The column with what stands for a missing value as missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    absent = pc.is_in(column, value_set=pa.array(_missing()))
    return pc.if_else(absent, pa.scalar(None, pa.string()), column)


def _dates(column: Any) -> tuple[Any, str, str]:
    """The column as dates if one order fits all of it, what to say, and the order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _filled(column)
    parts = pc.extract_regex(pc.drop_null(column), _DATE)
    if parts.null_count:
        return None, "some values are dates such as 31.12.1999 and others are not; it stays text", ""
    first, second = (pc.max(pc.struct_field(parts, name).cast(pa.int64())).as_py() for name in ("first", "second"))
    if max(first, second) > 31 or min(first, second) > 12:
        return None, "dates in different orders, or no dates; it stays text", ""
    if max(first, second) <= 12:
        return None, "dates with the day or the month first, which cannot be told; it stays text; write 1999-12-31", ""
    day, month, said = ("first", "second", "day") if first > 12 else ("second", "first", "month")
    taken = pc.extract_regex(column, _DATE)
    texts = [pc.struct_field(taken, "year")]
    texts += [pc.utf8_lpad(pc.struct_field(taken, name), 2, "0") for name in (month, day)]
    clock = pc.struct_field(taken, "clock")
    timed = pc.any(pc.not_equal(clock, "")).as_py()
    try:
        found = pc.binary_join_element_wise(*texts, "-")
        if timed:
            found = pc.binary_join_element_wise(found, clock, "").cast(pa.timestamp("s"))
        else:
            found = found.cast(pa.date32())
    except pa.ArrowInvalid:
        return None, f"dates with the {said} first, and some that no calendar has; it stays text", ""
    return found, f"dates with the {said} first, read as such", f"{said}-first"


def _decimals(column: Any) -> tuple[Any, str, str]:
    """The column as numbers if all of it has decimal commas, what to say, and no order of dates."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _filled(column)
    if not pc.all(pc.match_substring_regex(column, _DECIMAL)).as_py():
        return None, "", ""
    if pc.all(pc.match_substring_regex(column, _THOUSANDS)).as_py():
        return None, "numbers with a comma for decimals or thousands, which cannot be told; it stays text", ""
    if pc.any(pc.match_substring_regex(column, _CODE + r"*$")).as_py():
        return None, "", ""  # codes
    numbers = pc.replace_substring(pc.utf8_trim_whitespace(column), ",", ".").cast(pa.float64())
    return numbers, "numbers with a decimal comma, read as such", ""
