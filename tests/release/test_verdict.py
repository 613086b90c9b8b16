"""An honest release is verified; one that was edited, re-signed or not paid is not, with one clear line each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import InputError
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, Terms, make_keys, verify
from sfumato.release.card import card_path
from sfumato.release.issuance import write_card
from sfumato.release.signature import read_private, sign


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A signed and paid release with its keys and its ledger."""
    make_keys(tmp_path / "office.key")
    with Ledger(tmp_path / "budget.ledger") as book:
        book.set("people", PureDP(2.0))
    write(tmp_path / "mean.csv", tmp_path)
    return tmp_path


def write(path: Path, folder: Path, **changes: Any) -> Card:
    people = pa.table({"age": [31, 47, 52] * 10})
    terms = changes.pop("terms", Terms(ledger=folder / "budget.ledger", subject="people"))
    release = sf.statistic.protect(people, "age", mechanism="mean", low=0, high=100, epsilon=0.5, terms=terms)
    return release.write(path, sign=changes.pop("sign", folder / "office.key"))


def failures(folder: Path, path: Path | None = None) -> dict[str, str]:
    verdict = verify(path or folder / "mean.csv", ledger=folder / "budget.ledger", public_key=folder / "office.key.pub")
    return {check.name: check.words for check in verdict.checks if check.result == "fails"}


def edit(path: Path, **changes: Any) -> None:
    """Edit the card as a text, without its signature's key."""
    values = json.loads(card_path(path).read_text())
    values |= changes
    card_path(path).write_text(json.dumps(values))


def test_an_honest_release(folder: Path) -> None:
    assert failures(folder) == {}
    verdict = verify(folder / "mean.csv", ledger=folder / "budget.ledger", public_key=folder / "office.key.pub")
    assert {check.result for check in verdict.checks} == {"holds"}


def test_edited_data(folder: Path) -> None:
    path = folder / "mean.csv"
    path.write_text(path.read_text().replace("mean", "mode"))
    assert list(failures(folder)) == ["data"]


def test_edited_data_with_the_hash_put_right(folder: Path) -> None:
    path = folder / "mean.csv"
    path.write_text(path.read_text() + path.read_text().splitlines()[1] + "\n")
    values = json.loads(card_path(path).read_text())["release"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    edit(path, release=values | {"sha256": digest, "bytes": path.stat().st_size})
    assert set(failures(folder)) == {"signature", "columns"}


def test_an_edited_card(folder: Path) -> None:
    edit(folder / "mean.csv", not_covered=["everything"])
    assert list(failures(folder)) == ["signature"]
    assert "edited" in failures(folder)["signature"]


def test_a_card_signed_by_somebody_else(folder: Path) -> None:
    make_keys(folder / "other.key")
    card = Card.read(card_path(folder / "mean.csv"))
    forged = sign(replace(card, not_covered=("nothing",)), read_private(folder / "other.key"))
    write_card(forged, card_path(folder / "mean.csv"))
    assert list(failures(folder)) == ["signature"]
    assert "not by" in failures(folder)["signature"]


def test_an_unsigned_card(folder: Path) -> None:
    edit(folder / "mean.csv", signature=None)
    assert list(failures(folder)) == ["signature"]


def test_an_unpaid_release(folder: Path) -> None:
    write(folder / "free.csv", folder, terms=Terms(ledger=False))
    assert list(failures(folder, folder / "free.csv")) == ["ledger"]


def test_a_release_that_names_the_entry_of_another(folder: Path) -> None:
    paid = json.loads(card_path(folder / "mean.csv").read_text())["ledger"]
    card = write(folder / "free.csv", folder, terms=Terms(ledger=False))
    edit(folder / "free.csv", ledger=paid)
    signed = sign(
        replace(Card.read(card_path(folder / "free.csv")), signature=None), read_private(folder / "office.key")
    )
    write_card(signed, card_path(folder / "free.csv"))
    assert list(failures(folder, folder / "free.csv")) == ["ledger"]
    assert card.ledger is None


def test_a_promise_that_costs_more_than_was_paid(folder: Path) -> None:
    values = json.loads(card_path(folder / "mean.csv").read_text())["promise"]
    values["parameters"]["epsilon"] = 0.1
    edit(folder / "mean.csv", promise=values)
    assert set(failures(folder)) == {"signature", "ledger"}


@pytest.mark.parametrize("content", ["", "[]", "{", "{}"])
def test_a_broken_card(content: str, folder: Path) -> None:
    card_path(folder / "mean.csv").write_text(content)
    assert list(failures(folder)) == ["card"]


def test_a_missing_card_and_a_missing_file(folder: Path) -> None:
    card_path(folder / "mean.csv").unlink()
    assert list(failures(folder)) == ["card"]
    with pytest.raises(InputError, match="does not exist"):
        verify(folder / "nothing.csv")


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", str(folder / "mean.csv"), "--ledger", str(folder / "budget.ledger")]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--public-key", str(folder / "office.key.pub")])
    assert ended.value.code == 0
    (folder / "mean.csv").write_text("edited")
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 1
    assert "NOT VERIFIED" in capsys.readouterr().out


def test_a_key_is_never_overwritten(folder: Path) -> None:
    with pytest.raises(InputError, match="never overwritten"):
        make_keys(folder / "office.key")
    (folder / "rsa").write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    with pytest.raises(InputError, match="not a private key"):
        read_private(folder / "rsa")
