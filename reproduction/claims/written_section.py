"""A section of the book as it stands there: its tables are rows that were kept."""

from __future__ import annotations

import re
from dataclasses import dataclass


def sections_of(book: str) -> dict[str, str]:
    """The sections between their marks."""
    return dict(re.findall(r"<!-- begin (\w+) -->\n(.*?)<!-- end \1 -->\n", book, flags=re.S))


@dataclass(frozen=True)
class WrittenSection:
    """The Markdown of one section."""

    name: str
    text: str

    def row(self, *begins: str, after: str = "") -> list[str]:
        """The cells behind the first ones of the row of a table that begins so, below a heading that has the words."""
        text = self._below(after)
        for line in text.splitlines():
            cells = _cells(line)
            if cells[: len(begins)] == list(begins):
                return cells[len(begins) :]
        raise LookupError(f"no row “{' | '.join(begins)}”")

    def rows(self, head: str, after: str = "") -> list[list[str]]:
        """The rows of the first table below the heading whose first line has these words."""
        lines = iter(self._below(after).splitlines())
        for line in lines:
            if line.startswith("|") and head in line:
                next(lines)
                found = []
                for row in lines:
                    if not row.startswith("|"):
                        break
                    found.append(_cells(row))
                return found
        raise LookupError(f"no table with “{head}”")

    def claim(self, says: str, after: str = "", column: str = "") -> tuple[str, dict[str, str]]:
        """The row of a table of claims that has these words, and its verdicts by the heads of their columns."""
        head: list[str] = []
        found: list[tuple[str, dict[str, str]]] = []
        for line in self._below(after).splitlines():
            cells = _cells(line)
            head = cells if cells and not head else head if cells else []
            place = next((i for i, cell in enumerate(cells[:-1]) if says in cell), None)
            if place is not None:
                told = dict(zip(head[place + 1 :], cells[place + 1 :], strict=False))
                found.append((cells[place], {name: cell for name, cell in told.items() if column in (name, "")}))
        if len(found) != 1:
            raise LookupError(f"{len(found) or 'no'} rows with “{says}”")
        if not found[0][1]:
            raise LookupError(f"no column “{column}”")
        return found[0]

    def numbers(self, pattern: str) -> list[float]:
        """The numbers that a sentence of the section gives, by a regular expression with groups."""
        found = re.search(pattern, self.text)
        if found is None:
            raise LookupError(f"no words like “{pattern}”")
        return [number(one) for one in found.groups()]

    def every(self, pattern: str) -> list[list[float]]:
        """The same of every place of the section that matches."""
        return [[number(one) for one in found.groups()] for found in re.finditer(pattern, self.text)]

    def _below(self, heading: str) -> str:
        if not heading:
            return self.text
        lines = self.text.splitlines()
        for place, line in enumerate(lines):
            if line.startswith("#") and heading in line:
                return "\n".join(lines[place + 1 :])
        raise LookupError(f"no heading with “{heading}”")


def number(cell: str) -> float:
    """The first number of a cell: ``**.034**`` is 0.034, ``93%`` is 0.93."""
    plain = cell.replace("*", "").replace("−", "-").strip()
    found = re.match(r"[-+×]?\s*((?:\d[\d,]*)?(?:\.\d+)?(?:e[-+]?\d+)?)(%?)", plain)
    if found is None or not found[1]:
        raise LookupError(f"no number in “{cell}”")
    return (-1 if plain.startswith("-") else 1) * float(found[1].replace(",", "")) / (100 if found[2] else 1)


def pair(cell: str) -> tuple[float, float]:
    """The two numbers of a cell ``printed / ours``."""
    first, second = cell.split(" / ")
    return number(first), number(second)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
