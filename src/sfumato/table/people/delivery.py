"""A release as its owner sees it: the person and the class of every row."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.release import Key, Release
from sfumato.table.core.label_classes import as_it_is, as_it_is_rows
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Sensitive, Summary, labels_of, sensitive_counts
from sfumato.table.tabular_release import card_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "PSEUDONYM",
    "Delivery",
    "Digests",
    "Numbers",
    "Shown",
    "common_salt",
    "common_values",
    "people_labels",
    "released_classes",
    "row_values",
    "with_people",
]

PSEUDONYM = "pseudonym"
"""The role of a released column of pseudonyms, as a card says it."""

Ints = NDArray[np.int64]


def people_labels(table: pa.Table, schema: Schema) -> list[str]:
    """Whose record each row is; a missing one is refused or, under ``missing="category"``, one and the same person."""
    assert schema.person is not None
    codes, labels = labels_of(table[schema.person], schema.missing_values, schema.person)
    used = set(np.unique(codes).tolist())
    words = [
        (schema.missing_label(schema.person) if i in used else "") if label is None else label
        for i, label in enumerate(labels)
    ]
    return [words[code] for code in codes.tolist()]


@dataclass(frozen=True)
class Digests:
    """Who is in a release, for its private key: keyed digests, so that the key holds no names.

    Releases of the same people share the salt, which is what lets their owner match them. ``seats`` are those of the
    rows (:class:`~sfumato.table.people.successors.Seats`), each by the first who had it.
    """

    salt: bytes
    rows: tuple[str, ...]
    seats: tuple[str, ...] = ()

    @classmethod
    def of(cls, people: Sequence[str], salt: bytes | None = None) -> Digests:
        """The digests of the people of each row, each with a seat of their own."""
        secret = secrets.token_bytes(16) if salt is None else salt
        known: dict[str, str] = {}
        for one in people:
            if one not in known:
                known[one] = hmac.digest(secret, one.encode(), hashlib.sha256)[:16].hex()
        return cls(secret, tuple(known[one] for one in people))

    def of_rows(self, rows: Ints) -> Digests:
        """Those of some rows."""
        found = [tuple(words[i] for i in rows.tolist()) if words else () for words in (self.rows, self.seats)]
        return Digests(self.salt, *found)

    def to_secrets(self) -> dict[str, Any]:
        """As the key of a release holds them."""
        found = {"salt": self.salt.hex(), "rows": list(self.rows)}
        return {"people": found | ({"seats": list(self.seats)} if self.seats else {})}

    @classmethod
    def read(cls, release: Release) -> Digests:
        """Those in the key of a release."""
        found = release.key.secrets.get("people")
        if not isinstance(found, Mapping) or len(found.get("rows", ())) != release.card.release.rows:
            raise bad_input(
                "key",
                f"of release {release.card.id[:8]}, without its people",
                "a release that was made with person= in its schema, and its private key",
                "protect it with --person COLUMN --key FILE, and give both files",
            )
        return cls(bytes.fromhex(found["salt"]), tuple(found["rows"]), tuple(found.get("seats", ())))


def common_salt(releases: Sequence[Release]) -> bytes | None:
    """The salt of releases of the same people; those that cannot be matched are refused."""
    salts = {Digests.read(one).salt for one in releases}
    if len(salts) > 1:
        raise bad_input(
            "previous",
            f"{len(releases)} releases that do not know each other",
            "releases that were each made with the ones before",
            "their people cannot be matched; protect with previous= or --previous",
        )
    return next(iter(salts), None)


def with_people(key: Key, table: pa.Table, schema: Schema) -> Key:
    """The key of a release of ``table`` with the digests of the people in it."""
    assert key.rows is not None
    people = people_labels(table, schema)
    return replace(key, secrets=dict(key.secrets) | Digests.of([people[i] for i in key.rows.tolist()]).to_secrets())


def released_classes(release: Release, person: str | None) -> Summary:
    """The classes of a release by the labels it shows, and whose records they are, by its key, if ``person`` is given.

    Pseudonyms do not say it: records of one person may have several.
    """
    roles, table = card_schema(release.card), release.arrow
    if person is not None:
        roles = replace(roles, person=person)
        table = table.drop_columns([person] if person in table.column_names else [])
        table = table.append_column(person, [list(Digests.read(release).rows)])
    return as_it_is(table, roles)[0]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a release shows of each row besides its class: the columns that are not recoded, as they are.

    ``value`` is a number for the values of a row in all of the columns ``names``, the same in every release.
    """

    names: tuple[str, ...]
    value: Ints


@dataclass(frozen=True)
class Numbers:
    """A number for each person and for all the values that a row shows, the same in every release."""

    people: dict[str, int] = field(default_factory=dict)
    values: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def of_people(self, words: Sequence[str]) -> Ints:
        return np.array([self.people.setdefault(one, len(self.people)) for one in words], np.int64)

    def shown(self, table: pa.Table, schema: Schema) -> Shown:
        """The values that are released as they are, as texts, whatever their type."""
        hidden = {*schema.quasi, *schema.identifiers, schema.person}
        names = tuple(sorted(name for name in table.column_names if name not in hidden))
        columns = []
        for name in names:
            codes, labels = labels_of(table[name], schema.missing_values, name)
            columns.append([labels[code] for code in codes.tolist()])
        rows = zip(*columns, strict=True) if columns else iter([()] * table.num_rows)
        value = [self.values.setdefault((names, *row), len(self.values)) for row in rows]
        return Shown(names, np.array(value, np.int64))


@dataclass(frozen=True, eq=False)
class Delivery:
    """The rows of one release of people.

    Parameters
    ----------
    person : ndarray
        Whose row it is, the same number in all releases.
    classes : ndarray
        The class of each row by its released labels.
    linked : ndarray of bool
        Rows that the release itself links to another row, by a pseudonym.
    columns : tuple of Sensitive
        The sensitive values of each row (its ``tuples`` are the rows).
    name : str
        For messages.
    seat : ndarray, optional
        Which seat it has (:class:`~sfumato.table.people.successors.Seats`); by default that of the person.
    shown : Shown, optional
        The values of the released columns that are not recoded; ``None`` if there are pseudonyms.
    holder : ndarray, optional
        Where ``person`` is the seat: who has it in this release.
    """

    person: Ints
    classes: Ints
    linked: NDArray[np.bool_]
    columns: tuple[Sensitive, ...] = ()
    name: str = "this release"
    seat: Ints | None = None
    shown: Shown | None = None
    holder: Ints | None = None

    @classmethod
    def of_release(cls, release: Release, schema: Schema, numbers: Numbers, digests: Digests | None = None) -> Delivery:
        """A release that was made before, its people by its key or by ``digests``; ``numbers`` gets those that are new
        in it."""
        roles, table = card_schema(release.card), release.arrow
        known = digests or Digests.read(release)
        person, seat = numbers.of_people(known.rows), numbers.of_people(known.seats or known.rows)
        visible = [column.name for column in release.card.release.columns if column.role == PSEUDONYM]
        linked = np.zeros(len(person), np.bool_)
        for name in visible:
            _, which, counts = np.unique(table[name].to_pylist(), return_inverse=True, return_counts=True)
            linked |= counts[which] > 1
        return cls(
            person,
            as_it_is_rows(table, roles)[0],
            linked,
            row_values(table, _with_trees(roles, schema)),
            f"release {release.card.id[:8]}",
            seat,
            None if visible else numbers.shown(table, roles),
        )

    def by_seat(self) -> Delivery:
        """The same with seats in the place of people."""
        return self if self.seat is None else replace(self, person=self.seat, holder=self.person, seat=None)

    def only(self, rows: NDArray[np.bool_]) -> Delivery:
        """Some of the rows."""
        places = np.cumsum(rows) - 1
        columns = tuple(
            Sensitive(one.name, one.values, places[one.tuples[rows[one.tuples]]], *_part(one, rows), one.hierarchy)
            for one in self.columns
        )
        return replace(
            self,
            person=self.person[rows],
            classes=self.classes[rows],
            linked=self.linked[rows],
            columns=columns,
            seat=None if self.seat is None else self.seat[rows],
            shown=None if self.shown is None else replace(self.shown, value=self.shown.value[rows]),
            holder=None if self.holder is None else self.holder[rows],
        )


def _part(column: Sensitive, rows: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    inside = rows[column.tuples]
    return column.codes[inside], column.counts[inside]


def _with_trees(roles: Schema, schema: Schema) -> Schema:
    """The roles of an earlier release with the hierarchies that the present schema has for the same columns."""
    return Schema(
        quasi=roles.quasi,
        sensitive={name: schema.secrets.get(name) for name in roles.secrets},
        missing="category",
        missing_values=roles.missing_values,
    )


def row_values(table: pa.Table, schema: Schema) -> tuple[Sensitive, ...]:
    """The sensitive values of each row."""
    found = sensitive_counts(table, schema, np.arange(table.num_rows, dtype=np.int64))
    return tuple(one for one in found if one.name in schema.secrets)


def common_values(deliveries: Sequence[Delivery], column: str) -> tuple[list[Delivery], list[NDArray[np.int64]], int]:
    """Those that have a sensitive column, the number of each row's value in it, the same in all, and how many there
    are."""
    found = [one for one in deliveries if any(held.name == column for held in one.columns)]
    if not found:
        raise bad_input("column", column, "a sensitive column of one of the releases")
    words: dict[str, int] = {}
    values = []
    for one in found:
        held = next(each for each in one.columns if each.name == column)
        numbers = np.array([words.setdefault(word, len(words)) for word in held.values], np.int64)
        codes = np.zeros(len(one.person), np.int64)
        codes[held.tuples] = numbers[held.codes]
        values.append(codes)
    return found, values, len(words)
