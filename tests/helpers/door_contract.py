"""What every ``protect`` keeps to, whatever the kind of data: paying, seeds, overwriting, order, bad input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sfumato.cli import main
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.promise import Guarantee
from sfumato.release import Card, verify
from sfumato.release.card import card_path
from sfumato.release.issuance import OWNER_ONLY

__all__ = ["Contract", "rewritten", "run"]


def run(*words: Any) -> int:
    """Call ``sfumato`` and give its exit code."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    return int(code or 0)


def rewritten(path: Path, table: Any) -> None:
    """Replace the data of a release, with a card whose hash and size fit them again."""
    import dataclasses

    from sfumato.release.issuance import fingerprint, write_card

    write_table(table, path)
    card = Card.read(card_path(path))
    write_card(
        dataclasses.replace(card, release=dataclasses.replace(card.release, **fingerprint(path))), card_path(path)
    )


def the_error(said: str) -> str:
    """The one line of an error; how far a release would have been off may have been said before it."""
    lines = [line for line in said.strip().splitlines() if not line.startswith("expected: ")]
    assert len(lines) == 1, said
    assert lines[0].startswith("error: "), said
    return lines[0]


@dataclass(frozen=True)
class Contract:
    """One way to call ``protect``, and what the release costs.

    Parameters
    ----------
    words
        What is asked, without input and output.
    sorted_by
        A released column that tells the order: in the file it rises.
    price
        The promise that one release is paid with.
    """

    room: str
    table: pa.Table
    words: Sequence[Any]
    sorted_by: str
    price: Guarantee

    def protect(self, source: Path, out: Path, *more: Any) -> int:
        return run(self.room, "protect", source, "-o", out, *self.words, *more)

    def check_everything(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """All of it, on one file."""
        source, out = folder / "input.parquet", folder / "out.csv"
        write_table(self.table, source)
        self.check_paying(source, out, capsys)
        self.check_seed(source, out, capsys)
        self.check_input_stays(source, capsys)
        self.check_order(source, folder)
        self.check_papers(source, folder)

    def check_paying(self, source: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The budget of one release pays for one; a subject without a ledger, or with too little, releases nothing."""
        ledger = source.with_name("budget.ledger")
        with Ledger(ledger) as book:
            book.set("people", self.price)
        assert self.protect(source, out, "--subject", "people") == 2
        assert "ledger" in capsys.readouterr().err
        assert not out.exists()
        assert self.protect(source, out, "--ledger", ledger, "--subject", "people") == 0
        assert "paid by 'people'" in capsys.readouterr().err
        assert verify(out, ledger=ledger).holds
        assert Card.read(card_path(out)).ledger is not None
        again = out.with_name("again.csv")
        assert self.protect(source, again, "--ledger", ledger, "--subject", "people") == 2
        assert "nothing was spent" in the_error(capsys.readouterr().err)
        assert not again.exists()
        assert not card_path(again).exists()

    def check_seed(self, source: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A seeded release can be repeated, promises nothing and spends nothing, from a budget that is used up."""
        ledger = source.with_name("budget.ledger")
        copies = []
        for name in ("first.csv", "second.csv"):
            path = out.with_name(name)
            assert self.protect(source, path, "--ledger", ledger, "--subject", "people", "--seed", 7) == 0
            said = capsys.readouterr().err
            assert "no guarantee" in said
            assert "paid by" not in said
            copies.append(path.read_bytes())
        assert copies[0] == copies[1]
        assert Card.read(card_path(path)).mechanism.randomness == "seeded"
        with Ledger(ledger) as book:
            assert book.balance("people").spends == 1

    def check_input_stays(self, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The input is not overwritten, by whatever name it goes."""
        before = source.read_bytes()
        link, hard = source.with_name("link.parquet"), source.with_name("hard.parquet")
        link.symlink_to(source)
        os.link(source, hard)
        for path in (source, link, hard):
            assert self.protect(source, path) == 2
            assert the_error(capsys.readouterr().err)
            assert source.read_bytes() == before

    def check_order(self, source: Path, folder: Path) -> None:
        """A sorted file does not stay sorted, unless it is asked to."""
        paths = folder / "shuffled.csv", folder / "ordered.csv"
        assert self.protect(source, paths[0]) == 0
        assert self.protect(source, paths[1], "--keep-order") == 0
        shuffled, ordered = (read_table(path)[self.sorted_by].to_pylist() for path in paths)
        assert ordered == sorted(ordered)
        assert shuffled != sorted(shuffled)
        assert sorted(shuffled) == ordered

    def check_papers(self, source: Path, folder: Path) -> None:
        """Whatever leaves has a role, the key is private, and the card names no column that stayed."""
        out, key = folder / "papers.csv", folder / "papers.key"
        assert self.protect(source, out, "--key", key, "--attack") == 0
        assert key.stat().st_mode & 0o777 == 0o600
        card = Card.read(card_path(out))
        left = set(self.table.column_names) - set(read_table(out).column_names)
        assert left
        assert not left & {column.name for column in card.release.columns}
        proved = not (card.promise["syntactic"] or card.promise["kind"] == "NoGuarantee")
        assert (OWNER_ONLY in card.not_covered) == proved  # what was measured on the raw data is not covered
        assert bool(card.risk) == bool(card.utility) != proved
