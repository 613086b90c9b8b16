"""Proposals after looking at the data: roles, and a hierarchy for any column. The owner decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.proposal.column_words import meaning_of
from sfumato.table.core.rules.date_order import DateOrder, date_orders
from sfumato.table.core.rules.hierarchy_rules import Cuts, Dates, Flat, HierarchyRule, Initials, Intervals, Prefixes
from sfumato.table.core.schema import Schema
from sfumato.table.core.value_labels import labels_of, number_of

__all__ = ["NEAR_UNIQUE", "near_unique", "propose_hierarchy", "propose_reasons", "propose_rule", "propose_schema"]

FLAT = 12  # values up to which a column of words has no level in between

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""What the reader of CSV takes for a missing number or date; to an engine that streams the file past it is text."""

NEAR_UNIQUE = 0.5
"""Share of different values from which a column that is released as it is is worth a warning."""


def propose_schema(
    frame: Any,
    *,
    missing_values: Sequence[str] = MISSING,
    dates: DateOrder | None = None,
    orders: Mapping[str, DateOrder] | None = None,
) -> Schema:
    """Roles and hierarchies for a table, from the names and values of its columns.

    Names, numbers of people and accounts are identifiers, and so is a column of words that is different in (nearly)
    every row; numbers never are for being different. A column with a telling name is sensitive, and so are amounts
    (costs, lengths of stay): hardly anybody knows them of another. A constant column is insensitive; every other column
    is taken for a quasi-identifier, to be on the safe side. A column that numbers people of whom there are several
    records is the ``person`` column. Hierarchies are rules, which need no list of values.

    Parameters
    ----------
    frame : frame
    missing_values : sequence of str
        Texts that mean "missing".
    dates : {"day-first", "month-first", "iso"}, optional
        How dates are written, where the values do not tell.
    orders : mapping of str to {"day-first", "month-first"}, optional
        How the dates of a column are written in the file that the table was read from, where the reader made ISO dates
        of them. An engine that streams the file past sees them as they are written.

    >>> import pyarrow as pa
    >>> people = pa.table({"email": ["a@x", "b@x"], "age": [31, 47], "diagnosis": ["flu", "flu"], "land": ["x", "x"]})
    >>> propose_schema(people).roles
    {'age': 'quasi', 'diagnosis': 'sensitive', 'email': 'identifier', 'land': 'insensitive'}
    """
    table = arrow_of(frame)
    quasi: dict[str, HierarchyRule] = {}
    columns: dict[str, list[str]] = {"identifier": [], "sensitive": [], "insensitive": []}
    gaps, person = False, None
    for name in table.column_names:
        values, has_gap = _values(table, name, missing_values)
        role, _ = _role(name, values, table.num_rows)
        if role == "quasi":
            quasi[name] = _rule(name, values, dates, (orders or {}).get(name, "iso"))
        else:
            columns["identifier" if role == "person" else role].append(name)
        if role == "person" and person is None:
            person = name
        gaps |= has_gap and role in ("quasi", "sensitive", "person")
    return Schema(
        quasi=quasi,
        sensitive=dict.fromkeys(columns["sensitive"]),
        identifiers=columns["identifier"],
        insensitive=columns["insensitive"],
        person=person,
        missing="category" if gaps else "reject",
        missing_values=missing_values,
    ).bound(table)


def propose_reasons(frame: Any, *, missing_values: Sequence[str] = MISSING) -> dict[str, str]:
    """Why :func:`propose_schema` gives each column its role, in a few words.

    >>> import pyarrow as pa
    >>> propose_reasons(pa.table({"email": ["a@x", "b@x"], "age": [31, 47]}))["email"]
    "its name says 'email'"
    """
    table, found = arrow_of(frame), {}
    person: str | None = None
    for name in table.column_names:
        role, found[name] = _role(name, _values(table, name, missing_values)[0], table.num_rows)
        if role == "person" and person is not None:
            found[name] += f", but {person} is counted already; person = {name!r} counts these instead"
        elif role == "person":
            person = name
            found[name] += ", and people have several records: k counts people"
    return found


def near_unique(frame: Any, schema: Schema) -> list[str]:
    """Columns released as they are that are different in most rows: whoever knows one finds the person.

    >>> import pyarrow as pa
    >>> near_unique(pa.table({"visit": range(9), "ward": ["a"] * 9}), Schema(quasi={}, insensitive=["visit", "ward"]))
    ['visit']
    """
    table = arrow_of(frame)
    names = [name for name in schema.insensitive if name in table.column_names]
    return [name for name in names if table.num_rows > 1 and len(table[name].unique()) > NEAR_UNIQUE * table.num_rows]


def _values(table: Any, name: str, missing_values: Sequence[str]) -> tuple[list[str], bool]:
    """The different values of a column, and whether some are missing."""
    codes, labels = labels_of(table[name], missing_values, name)
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    values = list(dict.fromkeys(str(labels[i]) for i in used if labels[i] is not None))
    return values, any(labels[i] is None for i in used)


def _role(name: str, values: Sequence[str], rows: int) -> tuple[str, str]:
    """The role of a column and why."""
    found = meaning_of(name)
    word = "" if found is None else f"its name says {found[1].rstrip('*')!r}"
    if found is not None and found[0] == "sensitive":
        return "sensitive", word
    if found is not None and found[0] == "amount":
        return "sensitive", f"{word}: an amount that others hardly know"
    if found is not None and found[0] == "person":
        if len(values) < rows:
            return "person", word
        return "identifier", word
    if found is not None and found[0] == "identifier":
        return "identifier", word
    if len(values) <= 1:
        return "insensitive", "it is the same in every row"
    if rows > 20 and len(values) > 0.95 * rows and not _all_numbers(values) and not date_orders(values):
        return "identifier", "words that are different in nearly every row"
    if found is not None:
        return "quasi", f"{word}: others may know it"
    return "quasi", "nothing says that an attacker cannot know it"


def _all_numbers(values: Sequence[str]) -> bool:
    return all(number_of(value) is not None for value in values)


def _rule(name: str, values: Sequence[str], dates: DateOrder | None, written: DateOrder) -> HierarchyRule:
    orders = date_orders(values)
    if len(orders) > 1 and dates not in orders:
        raise bad_input(
            f"column {name!r}: dates",
            values[0],
            "dates of which one can tell whether the day or the month comes first",
            "say --dates day-first or --dates month-first to sfumato table init",
        )
    if orders == ["iso"]:
        return Dates(written)  # which reads ISO as well
    if orders:
        return Dates(orders[0] if dates is None or dates not in orders else dates)
    return propose_rule(values)


def propose_rule(values: Sequence[Any]) -> HierarchyRule:
    """Propose a rule for any list of values.

    Intervals for whole numbers, quantiles for others, years for dates, prefixes for codes of one length, initials for
    many words.

    >>> propose_rule(range(17, 91)).settings()
    {'intervals': {'widths': [5, 10, 20, 40]}}
    >>> propose_rule(["81675", "81677", "80331"]).settings()
    {'prefixes': 5}
    """
    words = list(dict.fromkeys(str(value) for value in values))
    numbers = [number_of(word) for word in words]
    orders = date_orders(words)
    if len(orders) == 1:
        return Dates(orders[0])
    if all(word.isdigit() and len(word) == len(words[0]) for word in words) and len(words[0]) in (4, 5, 6):
        return Prefixes(len(words[0]))
    found = [number for number in numbers if number is not None]
    codes = sorted(word for word, number in zip(words, numbers, strict=True) if number is None)
    if len(found) > FLAT or (found and not codes):  # a few codes such as "N" are branches of their own
        return _of_numbers([w for w, n in zip(words, numbers, strict=True) if n is not None], found, codes)
    return Flat() if len(words) <= FLAT else Initials()


def propose_hierarchy(values: Sequence[Any]) -> Hierarchy:
    """The hierarchy that the proposed rule gives.

    >>> propose_hierarchy(range(17, 91)).rows[10]
    ('27', '25-29', '20-29', '20-39', '0-39', '*')
    """
    return propose_rule(values).of(values)


def _of_numbers(words: Sequence[str], numbers: Sequence[float], codes: Sequence[str]) -> HierarchyRule:
    values = np.sort(np.array(numbers))
    if len(values) <= 2:
        return Flat(codes=codes)
    whole = bool((values == np.rint(values)).all()) and all(word.lstrip("-").isdigit() for word in words)
    if whole and values[-1] - values[0] <= 2000:
        widths = [_nice(max((values[-1] - values[0]) / 20, 2))]
        while (values[-1] - values[0]) / widths[-1] > 2:
            widths.append(widths[-1] * 2)
        return Intervals(widths, codes=codes)
    levels = []
    for parts in (32, 16, 8, 4, 2):
        if parts < len(values):
            levels.append(np.unique(np.quantile(values, np.arange(1, parts) / parts, method="inverted_cdf")))
    nested = [levels[0]] if levels else []
    for cuts in levels[1:]:
        nested.append(np.array([cut for cut in cuts if cut in nested[-1]]))
    kept = [cuts.tolist() for cuts in nested if len(cuts)]
    return Cuts(kept, codes=codes) if kept else Flat(codes=codes)


def _nice(width: float) -> int:
    for base in (1, 10, 100, 1000):
        for step in (1, 2, 5):
            if step * base >= width:
                return step * base
    return int(np.ceil(width))
