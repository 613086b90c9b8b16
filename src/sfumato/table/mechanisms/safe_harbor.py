"""HIPAA Safe Harbor: eighteen kinds of identifiers removed or recoded."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.proposal.column_words import words_of
from sfumato.table.core.rules.date_order import ORDERS, date_orders, require_date
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of
from sfumato.table.mechanisms.base import Released, TableMechanism

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RESTRICTED_ZIP3", "SafeHarbor"]

_LISTED = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
RESTRICTED_ZIP3: tuple[str, ...] = tuple(_LISTED.split())
"""First three digits of ZIP codes with 20 000 people or fewer, by the census of 2000: the list in the guidance of the
U.S. Department of Health and Human Services on de-identification (26 November 2012), question on ZIP codes. The
guidance asks for more recent census data where they are published: give them as ``restricted``."""

SOURCE = "HHS guidance on de-identification, 26 November 2012, by the census of 2000"

# The letters of 45 CFR 164.514(b)(2)(i), and the words in the name of a column that tell of each.
IDENTIFIERS: dict[str, tuple[str, str]] = {
    "A": ("names", "name surname firstname lastname forename initials"),
    "B": (
        "places smaller than a state",
        "address street city town county precinct zip zipcode postcode postal geocode",
    ),
    "C": ("dates but the year, ages over 89", ""),
    "D": ("telephone numbers", "phone telephone mobile cell tel"),
    "E": ("fax numbers", "fax"),
    "F": ("e-mail addresses", "email mail"),
    "G": ("social security numbers", "ssn"),
    "H": ("medical record numbers", "mrn patient chart"),
    "I": ("health plan numbers", "beneficiary insurance medicare medicaid plan member"),
    "J": ("account numbers", "account iban"),
    "K": ("certificate and licence numbers", "licence license certificate passport"),
    "L": ("vehicles and their plates", "vehicle plate vin"),
    "M": ("devices and their serial numbers", "device serial imei"),
    "N": ("web addresses", "url website homepage"),
    "O": ("internet addresses", "ip"),
    "P": ("biometric identifiers", "fingerprint voiceprint biometric iris"),
    "Q": ("photographs of faces", "photo photograph image face"),
    "R": ("any other unique number or code", "id uuid guid code key"),
}
ZIPS, AGES, BIRTHS = (
    {"zip", "zipcode", "postcode", "postal"},
    {"age"},
    {"birth", "born", "dob", "birthdate", "birthday"},
)

# What values give away whatever their column is called.
PATTERNS: dict[str, re.Pattern[str]] = {
    "D": re.compile(r"(?<!\d)(?:\+1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)"),
    "F": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    "G": re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"),
    "N": re.compile(r"(?i)\b(?:https?://|www\.)\S+"),
    "O": re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class SafeHarbor(TableMechanism):
    """HIPAA Safe Harbor, 45 CFR 164.514(b)(2): identifiers go, ZIP codes keep three digits, dates the year, ages to 89.

    Columns are known by their names and by their values. Identifiers of the schema are removed; a quasi-identifier that
    is one of the eighteen becomes ``*``, and any other such column is refused. The rule bounds no risk:
    a year of birth, a sex and three digits of a ZIP code can be unique. It promises nothing, and the card says which of
    the eighteen were found. Whether the holder has *actual knowledge* that somebody can be identified, (b)(2)(ii), a
    person must say.

    Parameters
    ----------
    schema : Schema
    restricted : sequence of str
        First three digits that become 000.
    year : int, optional
        The year by which ages are reckoned from dates of birth; the present one by default.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Flat, SafeHarbor, Schema
    >>> schema = Schema(quasi={"zip": Flat(), "born": Flat(), "age": Flat()}, identifiers=["name"])
    >>> people = {"name": ["A", "B"], "zip": ["03601", "94110"], "born": ["1930-05-17", "1990-01-02"], "age": [95, 35]}
    >>> SafeHarbor(schema=schema, year=2025).release(pa.table(people)).to_pydict()
    {'zip': ['000**', '941**'], 'born': ['1935 or before', '1990'], 'age': ['90+', '35']}
    """

    draws = False
    technique = "generalization"

    restricted: Sequence[str] = RESTRICTED_ZIP3
    year: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = [one for one in self.restricted if not (isinstance(one, str) and re.fullmatch(r"\d{3}", one))]
        if isinstance(self.restricted, str) or wrong:
            raise bad_input("restricted", self.restricted, "first three digits of ZIP codes, as texts")
        object.__setattr__(self, "restricted", tuple(self.restricted))

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("Safe Harbor removes a list of identifiers and bounds no risk: attack the release")

    def fitted_to(self, *tables: pa.Table) -> Self:
        return self  # it looks at values, not at hierarchies: nine digits of a ZIP code are no error here

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        import pyarrow as pa

        self._refuse(table)
        for name in self._kept(table):
            change = self._change(table, name)
            if change is not None:
                codes, labels = labels_of(table[name], self.schema.missing_values, name)
                used = set(np.unique(codes).tolist())
                new = [None if label is None or i not in used else change(label) for i, label in enumerate(labels)]
                column = pa.array(np.array(new, object)[codes].tolist(), pa.string())
                table = table.set_column(table.column_names.index(name), name, column)
        return table, np.arange(table.num_rows)

    def shown_schema(self, table: pa.Table) -> Schema:
        trees = {}
        for name in self.schema.quasi:
            change = self._change(table, name) or str
            codes, labels = labels_of(table[name], self.schema.missing_values, name)
            used = [label for i in np.unique(codes).tolist() if (label := labels[i]) is not None]
            rows = [[label, change(label), STAR] for label in dict.fromkeys(used)]
            trees[name] = Hierarchy(rows or [["no value", STAR]])
        return replace(self.schema, quasi=trees, rules={})

    def box(self, table: pa.Table) -> dict[str, Any]:
        """The eighteen rows as a card holds them: removed, recoded, not found, or not examined."""
        gone = [name for name in table.column_names if name in self.schema.identifiers]
        rows: dict[str, Any] = {"method": "Safe Harbor, 45 CFR 164.514(b)(2)"}
        for letter, (what, words) in IDENTIFIERS.items():
            removed = [name for name in gone if set(words_of(name)) & set(words.split())]
            kept = self._kept(table)
            recoded = [name for name in kept if self._kind(table, name) == letter]
            removed += [name for name in kept if (self._identifier(table, name) or ("",))[0] == letter]
            found = [f"removed: {', '.join(removed)}"] if removed else []
            found += [f"recoded: {', '.join(recoded)}"] if recoded else []
            if not found:
                found = [
                    "not examined" if letter in "PQ" else "none found by name" + " or value" * (letter in PATTERNS)
                ]
            rows[f"({letter}) {what}"] = "; ".join(found)
        same = tuple(self.restricted) == RESTRICTED_ZIP3
        rows["three digits that became 000"] = SOURCE if same else "given by the owner"
        rows["actual knowledge, (b)(2)(ii)"] = "to be stated by a person"
        return rows

    def _kept(self, table: pa.Table) -> list[str]:
        return [name for name in table.column_names if name not in self.schema.identifiers]

    def _kind(self, table: pa.Table, name: str) -> str:
        """The letter of what a released column is recoded for; empty if it stays."""
        words = set(words_of(name))
        if words & ZIPS:
            return "B"
        return "C" if words & AGES or self._date_order(table, name) else ""

    def _date_order(self, table: pa.Table, name: str) -> Any:
        codes, labels = labels_of(table[name], self.schema.missing_values, name)
        orders = date_orders([label for i in np.unique(codes).tolist() if (label := labels[i]) is not None])
        return orders[0] if orders else None

    def _change(self, table: pa.Table, name: str) -> Any:
        if self._identifier(table, name) is not None:
            return lambda value: STAR
        words, order = set(words_of(name)), self._date_order(table, name)
        year = dt.date.today().year if self.year is None else self.year
        if words & ZIPS:
            return self._zip3
        if words & AGES:
            return _age
        if order is None:
            return None
        assert order in ORDERS
        oldest = year - 90

        def to_year(value: str) -> str:
            found = require_date(value, order).year
            return f"{oldest} or before" if words & BIRTHS and found <= oldest else str(found)

        return to_year

    def _zip3(self, value: str) -> str:
        if not re.fullmatch(r"\d{5}(?:-?\d{4})?|\d{3}", value):
            raise bad_input("ZIP code", value, "five digits, or nine", "leading zeros belong to it: read it as text")
        return ("000" if value[:3] in self.restricted else value[:3]) + 2 * STAR

    def _identifier(self, table: pa.Table, name: str) -> tuple[str, str] | None:
        """The letter of the identifier that a column holds, and why; None if none, or if it is recoded."""
        if self._kind(table, name):
            return None
        words = set(words_of(name))
        for letter, (what, listed) in IDENTIFIERS.items():
            if words & set(listed.split()):
                return letter, f"its name says {what} ({letter})"
        codes, labels = labels_of(table[name], self.schema.missing_values, name)
        used = [label for i in np.unique(codes).tolist() if (label := labels[i]) is not None]
        for letter, pattern in PATTERNS.items():
            if any(pattern.search(value) for value in used):
                return letter, f"some of its values look like {IDENTIFIERS[letter][0]} ({letter})"
        return None

    def _refuse(self, table: pa.Table) -> None:
        """Refuse to release what is one of the eighteen identifiers and no quasi-identifier, which becomes ``*``."""
        for name in self._kept(table):
            found = None if name in self.schema.quasi else self._identifier(table, name)
            if found is not None:
                raise bad_input(
                    "column",
                    name,
                    f"none of the eighteen identifiers of Safe Harbor: {found[1]}",
                    "list it under identifiers: it is removed then",
                )


def _age(value: str) -> str:
    try:
        years = float(value)
    except ValueError as error:
        raise bad_input("age", value, "a number of years") from error
    return "90+" if years > 89 else value
