"""Proposals after looking at the data: roles, and a hierarchy for any column. The owner decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of

__all__ = ["propose_hierarchy", "propose_reasons", "propose_schema"]

IDENTIFIERS = ("name", "email", "e-mail", "phone", "ssn", "passport", "account", "iban", "uuid")
SENSITIVE = (
    "diagnos",
    "disease",
    "illness",
    "condition",
    "income",
    "salary",
    "wage",
    "religion",
    "politic",
    "drug",
    "cost",
    "charge",
)
FLAT = 12  # values up to which a column of words has no level in between


MISSING = ("", "?", "NA", "NaN", "null")


def propose_schema(frame: Any, *, missing_values: Sequence[str] = MISSING) -> Schema:
    """Roles and hierarchies for a table, from the names and values of its columns.

    A column that is different in (nearly) every row, or is called so, is an identifier; a column with a telling name is
    sensitive; a constant one is insensitive; every other column is taken for a quasi-identifier, to be on the safe
    side.

    >>> import pyarrow as pa
    >>> people = pa.table({"email": ["a@x", "b@x"], "age": [31, 47], "diagnosis": ["flu", "flu"], "land": ["x", "x"]})
    >>> propose_schema(people).roles
    {'age': 'quasi', 'diagnosis': 'sensitive', 'email': 'identifier', 'land': 'insensitive'}
    """
    table = arrow_of(frame)
    quasi: dict[str, Hierarchy] = {}
    columns: dict[str, list[str]] = {"identifier": [], "sensitive": [], "insensitive": []}
    gaps = False
    for name in table.column_names:
        values, has_gap = _values(table, name, missing_values)
        role, _ = _role(name, values, table.num_rows)
        if role == "quasi":
            quasi[name] = propose_hierarchy(values)
        else:
            columns[role].append(name)
        gaps |= has_gap and role in ("quasi", "sensitive")
    return Schema(
        quasi=quasi,
        sensitive=dict.fromkeys(columns["sensitive"]),
        identifiers=columns["identifier"],
        insensitive=columns["insensitive"],
        missing="category" if gaps else "reject",
        missing_values=missing_values,
    )


def propose_reasons(frame: Any, *, missing_values: Sequence[str] = MISSING) -> dict[str, str]:
    """Why :func:`propose_schema` gives each column its role, in a few words.

    >>> import pyarrow as pa
    >>> propose_reasons(pa.table({"email": ["a@x", "b@x"], "age": [31, 47]}))["email"]
    "its name says 'email'"
    """
    table = arrow_of(frame)
    return {
        name: _role(name, _values(table, name, missing_values)[0], table.num_rows)[1] for name in table.column_names
    }


def _values(table: Any, name: str, missing_values: Sequence[str]) -> tuple[list[str], bool]:
    """The different values of a column, and whether some are missing."""
    codes, labels = labels_of(table[name], missing_values, name)
    used = np.unique(codes)
    values = list(dict.fromkeys(str(labels[i]) for i in used if labels[i] is not None))
    return values, any(labels[i] is None for i in used)


def _role(name: str, values: Sequence[str], rows: int) -> tuple[str, str]:
    """The role of a column and why."""
    words = name.lower().replace("_", "-")
    telling = next((word for word in SENSITIVE if word in words), None)
    if telling is not None:
        return "sensitive", f"its name says {telling!r}"
    named = next((word for word in IDENTIFIERS if word in words.split("-") or words.endswith(word)), None)
    if named is not None:
        return "identifier", f"its name says {named!r}"
    if _is_id(words, values, rows):
        return "identifier", "it is called an id, or is different in nearly every row"
    if len(values) <= 1:
        return "insensitive", "it is the same in every row"
    return "quasi", "nothing says that an attacker cannot know it"


def _is_id(name: str, values: Sequence[str], rows: int) -> bool:
    if name == "id" or name.endswith("-id") or name.startswith("id-"):
        return True
    return (
        rows > 20
        and len(values) > 0.95 * rows
        and not all(_number(value) is not None and "." in value for value in values)
        and not all(_is_date(value) for value in values)  # few people of many were born on the same day
    )


def propose_hierarchy(values: Sequence[Any]) -> Hierarchy:
    """Propose a hierarchy for any list of values.

    Intervals for whole numbers, quantiles for others, years for dates, prefixes for codes of one length, initials for
    many words.

    >>> propose_hierarchy(range(17, 91)).rows[10]
    ('27', '25-29', '20-29', '20-39', '0-39', '*')
    >>> propose_hierarchy(["81675", "81677", "80331"]).rows[0]
    ('81675', '8167*', '816**', '81***', '8****', '*')
    """
    words = list(dict.fromkeys(str(value) for value in values))
    numbers = [_number(word) for word in words]
    if all(_is_date(word) for word in words):
        return Hierarchy.dates(sorted(words))
    if all(word.isdigit() and len(word) == len(words[0]) for word in words) and len(words[0]) in (4, 5, 6):
        return Hierarchy.prefixes(words)
    found = [number for number in numbers if number is not None]
    if len(found) > FLAT or len(found) == len(words):
        # numbers with a few codes such as "N": each code is a branch of its own
        tree = _of_numbers([w for w, n in zip(words, numbers, strict=True) if n is not None], found)
        codes = [w for w, n in zip(words, numbers, strict=True) if n is None]
        return Hierarchy([*tree.rows, *([code] * (tree.height - 1) + [STAR] for code in codes)])
    if len(words) <= FLAT:
        return Hierarchy.flat(sorted(words))
    return Hierarchy([word, f"{word[:1].upper()}…", STAR] for word in sorted(words))


def _of_numbers(words: Sequence[str], numbers: Sequence[float]) -> Hierarchy:
    order = np.argsort(numbers, kind="stable")
    words, values = [words[i] for i in order], np.array(numbers)[order]
    if len(words) <= 2:
        return Hierarchy.flat(words)
    whole = bool((values == np.rint(values)).all()) and all(word.lstrip("-").isdigit() for word in words)
    if whole and values[-1] - values[0] <= 2000:
        widths = [_nice(max((values[-1] - values[0]) / 20, 2))]
        while (values[-1] - values[0]) / widths[-1] > 2:
            widths.append(widths[-1] * 2)
        return Hierarchy.intervals(int(values[0]), int(values[-1]), widths)
    levels = []
    for parts in (32, 16, 8, 4, 2):
        if parts < len(words):
            cuts = np.unique(np.quantile(values, np.arange(1, parts) / parts, method="inverted_cdf"))
            levels.append(cuts)
    nested = [levels[0]] if levels else []
    for cuts in levels[1:]:
        nested.append(np.array([cut for cut in cuts if cut in nested[-1]]))
    kept = [cuts for cuts in nested if len(cuts)]
    tree = Hierarchy.cuts([float(value) for value in values], *[cuts.tolist() for cuts in kept])
    return Hierarchy([word, *row[1:]] for word, row in zip(words, tree.rows, strict=True))


def _nice(width: float) -> int:
    for base in (1, 10, 100, 1000):
        for step in (1, 2, 5):
            if step * base >= width:
                return step * base
    return int(np.ceil(width))


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _is_date(word: str) -> bool:
    try:
        dt.date.fromisoformat(word[:10])
    except ValueError:
        return False
    return len(word) >= 10
