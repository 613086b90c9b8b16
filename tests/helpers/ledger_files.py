"""A ledger with some entries, and what verify says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import InputError
from sfumato.ledger import Anchor, Ledger
from sfumato.promise import ApproxDP, KAnonymity, PureDP

__all__ = ["fill", "lines_of", "trouble"]


def fill(path: Path) -> None:
    """Nine entries about three subjects; 'ann' has two budgets in turn."""
    with Ledger(path) as ledger:
        ledger.set("ann", PureDP(1.0))
        ledger.set("bob", ApproxDP(1.0, 1e-6))
        for note in ("one", "two"):
            ledger.spend("ann", PureDP(0.25), note=note, release=f"release {note}")
        ledger.record("people", KAnonymity(5))
        ledger.set("ann", PureDP(2.0))
        ledger.spend_all(["ann", "bob"], PureDP(0.5))
        ledger.spend("bob", ApproxDP(0.25, 1e-7))


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def trouble(path: Path, anchor: Anchor | None = None) -> str:
    """What verify says, in one line."""
    with pytest.raises(InputError) as raised, Ledger(path, create=False) as ledger:
        ledger.verify(anchor)
    assert "\n" not in str(raised.value)
    return str(raised.value)
