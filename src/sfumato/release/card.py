"""The public paper of a release: what left, under which promise, by which mechanism, and who paid."""

from __future__ import annotations

import importlib.metadata
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import reading
from sfumato.promise import Guarantee
from sfumato.release.plain import from_plain, to_plain

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Adversary",
    "Card",
    "ClassRisk",
    "Column",
    "ColumnRisk",
    "Content",
    "Context",
    "Criterion",
    "Method",
    "Part",
    "Payment",
    "Person",
    "Risk",
    "Signature",
    "Source",
    "Tool",
    "Use",
    "card_path",
    "part_path",
    "promise_record",
]

SCHEMA_VERSION = 1

Criterion = Literal["singling out", "linkability", "inference"]
"""What an attack achieves, in the words of the Article 29 Working Party's opinion 05/2014."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """The software that made the release."""

    name: str = "sfumato"
    version: str = field(default_factory=lambda: importlib.metadata.version("sfumato"))


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the release: its name, its role (such as ``"quasi-identifier"``) and its type."""

    name: str
    role: str
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A second table of a release, in a file of its own beside the first (see :func:`part_path`)."""

    name: str
    sha256: str | None = None
    bytes: int | None = None
    rows: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, kw_only=True)
class Content:
    """What left. Every number here can be counted in the release itself."""

    sha256: str | None = None
    bytes: int | None = None
    rows: int | None = None
    columns: tuple[Column, ...] = ()
    rows_suppressed: int | None = None
    order_shuffled: bool = True
    format: str = ""
    parts: tuple[Part, ...] = ()

    def empty_table(self) -> pa.Table:
        """The columns, without a row."""
        import pyarrow as pa

        return pa.table({column.name: pa.array([], pa.string()) for column in self.columns})


@dataclass(frozen=True, kw_only=True)
class Source:
    """What the data were, as their owner says it; nothing here is read from them."""

    description: str = ""
    population_size: int | None = None
    period: str = ""
    salted_commitment: str | None = None


@dataclass(frozen=True, kw_only=True)
class Method:
    """The mechanism and its public parameters."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    technique_iso20889: str = ""
    randomness: Literal["secure", "seeded", "none"] = "secure"


@dataclass(frozen=True, kw_only=True)
class Payment:
    """The ledger entry of the release. ``spent`` and ``left`` are statements; an unpaid release spent nothing.

    ``reason`` says why it was not paid, ``notice`` that the same people were released before.
    """

    subject: str
    entry: int
    entry_hash: str
    paid: bool
    spent: str = ""
    left: str = ""
    reason: str = ""
    notice: str = ""


@dataclass(frozen=True, kw_only=True)
class Context:
    """To whom the release goes and under which controls."""

    purpose: str = ""
    recipient: str = ""
    sharing_model: str = ""
    controls: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Adversary:
    """An attacker who was tried: what they know, what they can do, what they assume."""

    knows: str
    can: str = ""
    assumes: str = ""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """What an attack achieved, beside chance and the limit that was set; ``reason`` says why there is no score."""

    attack: str
    score: float
    low: float = float("nan")
    high: float = float("nan")
    chance: float = float("nan")
    criterion: Criterion | None = None
    threshold: float | None = None
    threshold_source: str = ""
    met: bool | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ColumnRisk:
    """What one column adds: the average risk by class sizes if it were not in the release."""

    column: str
    average_without: float


@dataclass(frozen=True, kw_only=True)
class ClassRisk:
    """Risk of re-identification by the sizes of the classes; ``share_above`` is the share above the ``threshold``,
    ``columns`` what each column adds. ``counted`` is what has the risk and is averaged over: records, or people where
    it is known whose record each is."""

    highest: float
    average: float
    share_above: float | None = None
    threshold: float | None = None
    threshold_source: str = ""
    population_unique: float | None = None
    estimator: str = ""
    columns: tuple[ColumnRisk, ...] = ()
    counted: Literal["records", "people"] = "records"


@dataclass(frozen=True, kw_only=True)
class Use:
    """What is left of the data for one use; ``reason`` says why there is no value."""

    use: str
    metric: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Person:
    """Who prepared, reviewed or decided."""

    role: str
    name: str
    date: str = ""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """An Ed25519 signature of everything else in the card."""

    alg: Literal["Ed25519"] = "Ed25519"
    key_id: str
    value: str


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, kw_only=True)
class Card:
    """The public paper of a release, written beside it as ``NAME.card.json``.

    It holds nothing that tells about the input: no value, no path, no hash of it, no count that cannot be made from the
    release. ``promise`` is what :meth:`Guarantee.to_dict <sfumato.promise.Guarantee.to_dict>` writes, with its words;
    a promise that cannot be written down as plain values has its words only.

    Examples
    --------
    >>> from sfumato.promise import PureDP
    >>> card = Card(kind="statistic", promise=promise_record(PureDP(1.0)), mechanism=Method(name="mean"))
    >>> Card.from_json(card.to_json()) == card, card.guarantee
    (True, PureDP(unit='record', neighbours='replace-one', model='central', epsilon=1.0))
    """

    schema_version: int = SCHEMA_VERSION
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    made: str = field(default_factory=_now)
    tool: Tool = field(default_factory=Tool)
    kind: str
    release: Content = field(default_factory=Content)
    source: Source = field(default_factory=Source)
    promise: dict[str, Any]
    mechanism: Method
    ledger: Payment | None = None
    earlier_releases: tuple[str, ...] = ()
    context: Context = field(default_factory=Context)
    adversary: tuple[Adversary, ...] = ()
    risk: tuple[Risk, ...] = ()
    class_risk: ClassRisk | None = None
    utility: tuple[Use, ...] = ()
    review: dict[str, Any] | None = None
    hipaa: dict[str, Any] | None = None
    not_covered: tuple[str, ...] = ()
    valid_until: str = ""
    reassess_when: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    decisions_sha256: str | None = None
    signature: Signature | None = None

    @cached_property
    def guarantee(self) -> Guarantee | None:
        """The promise as an object; None where it could not be written down as plain values."""
        written = self.promise.get("parameters")
        return None if written is None else Guarantee.from_dict({"kind": self.promise["kind"], **written})

    @property
    def promised(self) -> str:
        """What is promised and for what: ``"ε = 1 per record"``."""
        bare = self.promise["kind"] == "NoGuarantee" or self.promise.get("syntactic")
        return self.promise["statement"] if bare else f"{self.promise['statement']} per {self.promise['unit']}"

    def to_json(self) -> str:
        """The card as a JSON document."""
        return json.dumps(to_plain(self), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def signed_bytes(self) -> bytes:
        """What a signature signs: every field but the signature, in one canonical form."""
        return canonical(to_plain(replace(self, signature=None)))

    @classmethod
    def from_json(cls, text: str, *, where: str = "card") -> Self:
        """Read a card, checked field by field."""
        try:
            values = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{where} is not JSON: {error}") from error
        version = values.get("schema_version") if isinstance(values, Mapping) else None
        if version != SCHEMA_VERSION:
            raise bad_input(f"{where}.schema_version", version, f"{SCHEMA_VERSION}", "read it with its own version")
        card = from_plain(cls, values, where=where)
        for name in ("kind", "statement", "words"):
            if not isinstance(card.promise.get(name), str):
                raise bad_input(f"{where}.promise.{name}", card.promise.get(name), "a text")
        if not isinstance(card.promise.get("parameters"), dict | None):
            raise bad_input(f"{where}.promise.parameters", card.promise["parameters"], "an object {…} or null")
        _ = card.guarantee  # a promise that cannot be read is refused here
        return card

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The card in a file."""
        with reading(path):
            text = Path(path).read_bytes()
        try:
            return cls.from_json(text.decode("utf-8"), where=Path(path).name)
        except UnicodeDecodeError as error:
            raise InputError(f"{Path(path).name} is not a card: it is not UTF-8") from error


def canonical(values: Any) -> bytes:
    """One sequence of bytes for equal plain values, whatever the order of their keys."""
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def card_path(path: str | Path) -> Path:
    """Where the card of a release stands.

    >>> card_path("out/people.csv").name
    'people.csv.card.json'
    """
    return Path(f"{path}.card.json")


def part_path(path: str | Path, name: str) -> Path:
    """Where a second table of a release stands.

    >>> part_path("out/people.csv", "values").name
    'values-people.csv'
    """
    return Path(path).with_name(f"{name}-{Path(path).name}")


def promise_record(guarantee: Guarantee) -> dict[str, Any]:
    """A promise as a card holds it: kind, parameters (null if they have no plain form), statement and words."""
    try:
        parameters: dict[str, Any] | None = to_plain(guarantee.to_dict())
    except InputError:
        parameters = None
    if parameters is not None:
        parameters.pop("kind")
    return {
        "kind": type(guarantee).__name__,
        "parameters": parameters,
        "unit": guarantee.unit,
        "neighbours": guarantee.neighbours,
        "model": guarantee.model,
        "statement": guarantee.statement,
        "syntactic": guarantee.syntactic,
        "words": guarantee.words,
    }
