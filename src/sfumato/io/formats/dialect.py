"""The dialect of a CSV file: its delimiter and its quotation mark, found from the header and the first records.

Every reader of CSV, in memory or by an engine, is told the dialect that is found here, so that a file is the same table
by every way.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.charset import Notes

__all__ = [
    "DELIMITERS",
    "SAMPLE",
    "Dialect",
    "beginning",
    "checked_delimiter",
    "find_dialect",
    "header_names",
    "plain_csv",
]

DELIMITERS = ",;\t|"
SAMPLE = 100_000
"""Bytes to look at; less than the longest field that the csv module takes."""
_LONGEST = 2**31 - 1
_BEFORE = (b"\xef", b"\r", b"\n")
"""What a byte order mark or a blank line before the header begins with."""
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}


@dataclass(frozen=True)
class Dialect:
    """How fields are told apart.

    Parameters
    ----------
    delimiter : str
    quote : str
        Around fields; doubled inside them.
    backslash : bool
        Whether a backslash stands before quotation marks inside fields, instead of a second mark.
    """

    delimiter: str = ","
    quote: str = '"'
    backslash: bool = False

    @property
    def plain(self) -> bool:
        """Whether fields are quoted as everybody quotes them; the delimiter may be any."""
        return self.quote == '"' and not self.backslash

    def rows(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        """The fields of each line that is not blank; ``strict`` refuses text after a closing mark."""
        reader = csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            doublequote=not self.backslash,
            escapechar="\\" if self.backslash else None,
            strict=strict,
        )
        return (row for row in reader if row)


def checked_delimiter(delimiter: str) -> str:
    """One character that can stand between fields.

    >>> checked_delimiter(r"\\t")
    '\\t'
    """
    if delimiter == "\\t":  # as shells pass it
        return "\t"
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise bad_input("delimiter", delimiter, "one ASCII character such as , ; | or a tab (\\t)")
    return delimiter


def find_dialect(start: str, shown: str, *, delimiter: str | None = None, notes: Notes = None) -> Dialect:
    r"""The dialect of a file from its beginning.

    The delimiter is one of ``, ; | tab`` that splits the header; of several, the one by which the most records have as
    many fields as the header, then the one with the most fields. A header that none splits is one column.

    >>> find_dialect("name;cost\nAda;1,5\nMax;2,5\n", "people.csv").delimiter
    ';'
    >>> find_dialect("'name','note'\n'Ada','a, b'\n", "people.csv").quote
    "'"
    """
    whole = start[: start.rfind("\n") + 1] if "\n" in start[1:] else start  # the last line may be cut
    told = None if delimiter is None else checked_delimiter(delimiter)
    best, best_score = Dialect(told or ","), (0.0, 1)
    for mark in told or DELIMITERS:
        for dialect in _quotings(whole, mark):
            score = _score(whole, dialect)
            if score[1] > 1 and score > best_score:
                best, best_score = dialect, score
    if told is None and notes is not None and best.delimiter != ",":
        notes(f"{shown} has {_NAMES[best.delimiter]} between fields; delimiter= says another")
    if not best.plain and notes is not None:
        marks = "quotation marks" if best.quote == '"' else "single quotation marks"
        how = f"a backslash before {marks}" if best.backslash else marks
        notes(f"{shown} has {how} in fields")
    return best


def header_names(start: str, dialect: Dialect, shown: str) -> list[str]:
    """The names of the columns."""
    try:
        names = next(dialect.rows(io.StringIO(start, newline="")), None)
    except csv.Error as error:
        raise InputError(f"{shown} has no readable header: {error}") from error
    if not names:
        raise InputError(f"{shown} is empty: expected a header with the names of the columns")
    return names


def plain_csv(lines: Iterable[str], dialect: Dialect, shown: str) -> Iterator[bytes]:
    """The same table with commas and double quotation marks, for readers that know no other quoting."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    before = csv.field_size_limit(_LONGEST)
    try:
        for row in dialect.rows(lines):
            writer.writerow(row)
            if text.tell() > SAMPLE:
                yield text.getvalue().encode()
                text.seek(0)
                text.truncate()
        yield text.getvalue().encode()
    except csv.Error as error:
        raise InputError(f"{shown} is not a CSV table: {error}") from error
    finally:
        csv.field_size_limit(before)


def beginning(content: bytes) -> str:
    """The header and the first records of a file in UTF-8: some bytes of it, or the first line if it is longer."""
    blank = len(content) - len(content.lstrip(b"\xef\xbb\xbf\r\n")) if content[:1] in _BEFORE else 0
    first = next((end + 1 for mark in (b"\n", b"\r") if (end := content.find(mark, blank)) >= 0), len(content))
    return content[blank : max(blank + SAMPLE, first)].decode("utf-8", "ignore")


def _quotings(start: str, delimiter: str) -> Iterator[Dialect]:
    """The ways of quoting to try: double marks, and others only where the header or the records show them."""
    header = start.partition("\n")[0].strip()
    single = all(len(name) > 1 and name[0] == name[-1] == "'" for name in header.split(delimiter))
    for quote in "'\"" if single else '"':
        doubled = Dialect(delimiter, quote)
        if f"\\{quote}" in start and _strays(start, doubled) and _backslashed(start, delimiter, quote):
            yield Dialect(delimiter, quote, backslash=True)
        else:
            yield doubled


def _strays(start: str, dialect: Dialect) -> bool:
    """Whether text follows a closing mark."""
    try:
        for _ in dialect.rows(io.StringIO(start, newline=""), strict=True):
            pass
    except csv.Error as error:
        return "unexpected end" not in str(error)
    return False


def _backslashed(start: str, delimiter: str, quote: str) -> bool:
    """Whether every field is bare and without marks, or within marks with a backslash before each one inside."""
    mark = re.escape(delimiter)
    field = rf"(?:{quote}(?:[^{quote}\\]|\\.)*{quote}|[^{quote}\r\n{mark}]*)(?:{mark}|\r?\n|\r|\Z)"
    cut = rf"{quote}(?:[^{quote}\\]|\\.)*\Z"  # by the end of the sample
    whole, part = re.compile(field, re.DOTALL), re.compile(cut, re.DOTALL)
    place = 0
    while place < len(start):
        found = whole.match(start, place) or part.match(start, place)
        if found is None:
            return False
        place = found.end()
    return True


def _score(start: str, dialect: Dialect) -> tuple[float, int]:
    """The share of records with as many fields as the header, and how many these are."""
    fields: list[int] = []
    try:
        for row in dialect.rows(io.StringIO(start, newline=""), strict=True):
            fields.append(len(row))
    except csv.Error as error:
        if "unexpected end" not in str(error):  # otherwise the sample ends within a field
            fields.append(0)
    if not fields:
        return 0.0, 0
    return sum(count == fields[0] for count in fields) / len(fields), fields[0]
