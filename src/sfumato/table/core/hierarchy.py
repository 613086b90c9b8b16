"""Generalisation hierarchies: a tree over the values of one column, level 0 raw, the last level one root."""

from __future__ import annotations

import csv
import datetime as dt
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.validate import integer

__all__ = ["STAR", "Hierarchy", "cut_label", "text"]

STAR = "*"
"""The label of the root, and of a suppressed cell."""


def cut_label(edges: Sequence[float], number: float) -> str:
    """The piece of the line between sorted ``edges`` that a number lies in, open at both ends.

    >>> [cut_label([28, 36], age) for age in (20, 28, 40)]
    ['<28', '[28, 36)', '≥36']
    """
    at = int(np.searchsorted(edges, number, side="right"))
    if at == 0:
        return f"<{text(edges[0])}"
    return f"≥{text(edges[-1])}" if at == len(edges) else f"[{text(edges[at - 1])}, {text(edges[at])})"


def text(value: Any) -> str:
    """A value as the label it has in a hierarchy: whole floats lose their point, dates are ISO.

    >>> text(39), text(39.0), text("39"), text(True)
    ('39', '39', '39', 'true')
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))
    return value.isoformat() if isinstance(value, dt.date | dt.datetime) else str(value)


class NodeCover(Mapping[str, NDArray[np.bool_]]):
    """Which values each label of a hierarchy covers, found when asked: all at once would be values × labels cells."""

    def __init__(self, tree: Hierarchy) -> None:
        self._codes = tree.codes
        self._places: dict[str, tuple[int, int]] = {}
        for level, labels in enumerate(tree.labels):
            for node, label in enumerate(labels):
                self._places.setdefault(label, (level, node))

    def __getitem__(self, label: str) -> NDArray[np.bool_]:
        level, node = self._places[label]
        covered: NDArray[np.bool_] = self._codes[level] == node
        return covered

    def __contains__(self, label: object) -> bool:
        return label in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Hierarchy:
    """A generalisation hierarchy: a tree of coarser labels for the values of a column [P4].

    Parameters
    ----------
    rows : sequence of sequences of str
        One row a leaf: its value, then the name of its ancestor at each level; the last is the same for all. The
        order of the rows is the order of the values (used by ordered t-closeness and by interval recoding).

    Examples
    --------
    >>> sport = Hierarchy([["football", "sports", "*"], ["swimming", "sports", "*"], ["chorus", "culture", "*"]])
    >>> sport.height, sport.generalise(["chorus", "football"], 1)
    (3, ['culture', 'sports'])
    >>> sport.information_loss(1).round(3).tolist()
    [0.5, 0.5, 0.0]
    """

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        table = [tuple(text(cell) for cell in row) for row in rows]
        if not table:
            raise InputError("hierarchy without rows: expected one row a value; give at least one")
        height = len(table[0])
        if height < 1 or any(len(row) != height for row in table):
            wrong = next((row for row in table if len(row) != height), table[0])
            raise bad_input("hierarchy row", wrong, f"{height} levels as in the first row", "repeat the label instead")
        self.rows: tuple[tuple[str, ...], ...] = tuple(table)
        self.leaves: tuple[str, ...] = tuple(row[0] for row in table)
        if len(set(self.leaves)) < len(table):
            twice = next(v for v in self.leaves if self.leaves.count(v) > 1)
            raise bad_input("hierarchy value", twice, "each value once at level 0", "remove the second row")
        labels: list[tuple[str, ...]] = []
        codes = np.empty((height, len(table)), np.int32)
        for level in range(height):
            order: dict[str, int] = {}
            codes[level] = [order.setdefault(row[level], len(order)) for row in table]
            labels.append(tuple(order))
        self.labels: tuple[tuple[str, ...], ...] = tuple(labels)
        self.codes: NDArray[np.int32] = codes
        self.codes.setflags(write=False)
        self._check_tree()

    def _check_tree(self) -> None:
        for level in range(self.height - 1):
            pairs = np.unique(self.codes[level : level + 2], axis=1)
            split = np.flatnonzero(pairs[0, 1:] == pairs[0, :-1])
            if split.size:
                node, at = pairs[0, split[0]], split[0]
                above = [self.labels[level + 1][pairs[1, i]] for i in (at, at + 1)]
                raise bad_input(
                    f"hierarchy value {self.labels[level][node]!r} at level {level} below",
                    above,
                    "a tree: one parent",
                    "give the two branches different names",
                )
        if len(self.labels[-1]) != 1:
            raise bad_input(
                "last level of the hierarchy",
                self.labels[-1][:5],
                "a tree: one root for all values",
                f"add a last column of {STAR}",
            )
        seen: dict[str, tuple[int, int]] = {}
        for level in range(self.height):
            for node, label in enumerate(self.labels[level]):
                before, other = seen.setdefault(label, (level, node))
                if before < level and not np.array_equal(self.codes[before] == other, self.codes[level] == node):
                    raise bad_input(
                        f"hierarchy label at levels {before} and {level}",
                        label,
                        "one meaning: it covers different values there",
                        "rename one of the two, or a release could not be read",
                    )

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return f"Hierarchy({[list(row) for row in self.rows]!r})"

    @property
    def size(self) -> int:
        """How many values level 0 has."""
        return len(self.leaves)

    @property
    def height(self) -> int:
        """How many levels there are, level 0 and the root included."""
        return len(self.rows[0])

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each value."""
        return {value: i for i, value in enumerate(self.leaves)}

    @cached_property
    def sizes(self) -> tuple[NDArray[np.int64], ...]:
        """For each level, how many values lie below each of its nodes."""
        return tuple(np.bincount(self.codes[level], minlength=len(self.labels[level])) for level in range(self.height))

    @cached_property
    def nodes(self) -> NodeCover:
        """For each label of any level, which values it covers."""
        return NodeCover(self)

    def information_loss(self, level: int) -> NDArray[np.float64]:
        """Generalised information loss of each value at a level: (leaves below its ancestor − 1)/(domain − 1)."""
        if self.size == 1:
            return np.zeros(1)
        return (self.sizes[level][self.codes[level]] - 1) / (self.size - 1)

    def generalise(self, values: Iterable[Any], level: int) -> list[str]:
        """The ancestors of ``values`` at ``level``; a value that is not there is refused."""
        integer("level", level, least=0, most=self.height - 1)
        return [self.labels[level][self.codes[level, self.code(value)]] for value in values]

    def code(self, value: Any) -> int:
        """The position of one value."""
        found = self.index.get(text(value))
        if found is None:
            raise bad_input("value", value, f"one of the {self.size} values of its hierarchy", "add a row for it")
        return found

    # --- ways to make one ---------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | Path, *, delimiter: str = ";") -> Hierarchy:
        """Read a hierarchy in ARX's format: one line a value, level 0 first, the root last."""
        try:
            with Path(path).open(newline="", encoding="utf-8-sig") as stream:
                rows = [row for row in csv.reader(stream, delimiter=delimiter) if row]
        except OSError as error:
            raise bad_input("hierarchy", str(path), "a file that can be read") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8: save it as UTF-8") from error
        try:
            return cls(rows)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def write(self, path: str | Path, *, delimiter: str = ";") -> None:
        """Write it in ARX's format."""
        with Path(path).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(self.rows)

    @classmethod
    def flat(cls, values: Iterable[Any]) -> Hierarchy:
        """Two levels: the value or ``*``."""
        return cls([value, STAR] for value in values)

    @classmethod
    def intervals(cls, low: int, high: int, widths: Sequence[int]) -> Hierarchy:
        """Whole numbers from ``low`` to ``high`` in ever wider intervals, each width a multiple of the one before.

        >>> Hierarchy.intervals(0, 9, [5]).rows[7]
        ('7', '5-9', '*')
        """
        integer("high", high, least=integer("low", low, least=-(2**62)))
        for before, width in zip([1, *widths], widths, strict=False):
            if integer("widths", width, least=1) % before:
                raise bad_input("widths", list(widths), "each a multiple of the one before", "or it is no tree")
        rows = []
        for value in range(int(low), int(high) + 1):
            starts = [(value // width) * width for width in widths]
            names = [f"{s}-{s + w - 1}" if w > 1 else str(s) for s, w in zip(starts, widths, strict=True)]
            rows.append([str(value), *names, STAR])
        return cls(rows)

    @classmethod
    def cuts(cls, values: Iterable[Any], *levels: Sequence[float]) -> Hierarchy:
        """Numbers in intervals given by cut points: ``[28, 36]`` makes <28, 28–35.99… and ≥36. Coarser levels last.

        >>> Hierarchy.cuts([20, 30, 40], [28, 36], [36]).rows
        (('20', '<28', '<36', '*'), ('30', '[28, 36)', '<36', '*'), ('40', '≥36', '≥36', '*'))
        """
        rows = []
        for value in values:
            row = [text(value)]
            for cut in levels:
                row.append(cut_label(sorted(cut), float(value)))
            rows.append([*row, STAR])
        return cls(rows)

    @classmethod
    def prefixes(cls, values: Iterable[Any], *, mask: str = STAR) -> Hierarchy:
        """Codes that lose one character a level from the right: 12345 → 1234* → 123** → … → ``*``.

        >>> Hierarchy.prefixes(["816", "817"]).rows
        (('816', '81*', '8**', '*'), ('817', '81*', '8**', '*'))
        """
        words = [text(value) for value in values]
        width = max(map(len, words), default=0)
        rows = []
        for word in words:
            padded = word.ljust(width)
            rows.append([word, *(padded[:keep] + mask * (width - keep) for keep in range(width - 1, 0, -1)), STAR])
        return cls(rows)

    @classmethod
    def dates(cls, values: Iterable[Any]) -> Hierarchy:
        """ISO dates: day → month → quarter → year → decade → ``*``.

        >>> Hierarchy.dates(["1994-05-17"]).rows
        (('1994-05-17', '1994-05', '1994-Q2', '1994', '1990s', '*'),)
        """
        rows = []
        for value in values:
            try:
                day = dt.date.fromisoformat(text(value)[:10])
            except ValueError as error:
                raise bad_input("date", value, "an ISO date such as 1994-05-17", "use another hierarchy") from error
            year = f"{day.year:04d}"
            rows.append(
                [text(value), f"{year}-{day.month:02d}", f"{year}-Q{(day.month + 2) // 3}", year, f"{year[:3]}0s", STAR]
            )
        return cls(rows)

    @classmethod
    def from_functions(cls, values: Iterable[Any], *levels: Callable[[Any], Any]) -> Hierarchy:
        """A level for each function of the *raw* value, finest first; the root is added.

        >>> Hierarchy.from_functions(["a@x.org", "b@x.org"], lambda mail: mail.split("@")[1]).rows[0]
        ('a@x.org', 'x.org', '*')
        """
        return cls([value, *(function(value) for function in levels), STAR] for value in values)
