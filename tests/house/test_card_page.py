"""docs/release.md names every field of a card."""

from __future__ import annotations

from dataclasses import fields

from helpers import DOCS
from sfumato.release import Card


def test_every_field_is_documented() -> None:
    page = (DOCS / "release.md").read_text(encoding="utf-8")
    assert [field.name for field in fields(Card) if f"`{field.name}`" not in page] == []
