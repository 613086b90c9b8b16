"""The papers of a release: its card, what it cost, and the fingerprint of its file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.io.atomic import atomic_path
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.release.card import Card, Column, Content, Method, promise_record
from sfumato.release.receipt import pay
from sfumato.release.terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OWNER_ONLY", "SEEDED", "fingerprint", "issue", "released_columns", "write_card"]

OWNER_ONLY = "measured risk and utility, which stay with the owner: they were computed on the raw data"
"""What a card says in their place under a proved promise."""

SEEDED = NoGuarantee("the random numbers were seeded, and whoever knows the seed can subtract the noise")


def write_card(card: Card, path: str | Path) -> None:
    """Write a card beside its release, whole or not at all."""
    with atomic_path(path) as beside:
        beside.write_text(card.to_json(), encoding="utf-8")


def fingerprint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """SHA-256 and size of a file, as the card holds them."""
    with open(path, "rb") as stream:
        return {"sha256": hashlib.file_digest(stream, "sha256").hexdigest(), "bytes": os.path.getsize(path)}


def released_columns(schema: pa.Schema, roles: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns of a release with their roles; one without a role is refused."""
    for name in schema.names:
        if name not in roles:
            raise bad_input("column", name, "a declared role", "what has no role does not leave")
    return tuple(Column(name=name, role=roles[name], kind=str(schema.field(name).type)) for name in schema.names)


def issue(
    content: Content,
    method: Method,
    *,
    kind: str,
    guarantee: Guarantee,
    terms: Terms,
    per_person: Guarantee | None = None,
    totals: Mapping[str, Any] | None = None,
    not_covered: Sequence[str] = (),
) -> tuple[Card, Guarantee]:
    """Pay for a release and issue its card. What a seeded generator made promises nothing and costs nothing."""
    seeded = method.randomness == "seeded"
    promise: Guarantee = SEEDED if seeded else terms.declared(guarantee)
    total = None if seeded or per_person is None else terms.declared(per_person)
    record = promise_record(promise)
    if total is not None:
        record["per_person"] = promise_record(total) | ({"totals": dict(totals)} if totals else {})
    card = Card(
        kind=kind,
        release=content,
        source=terms.source,
        promise=record,
        mechanism=method,
        context=terms.context,
        people=terms.people,
        valid_until=terms.valid_until,
        not_covered=tuple(not_covered),
    )
    receipt = pay(terms, total or promise, card.id, note=method.name)
    return replace(card, ledger=receipt.payment, earlier_releases=receipt.earlier), promise
