"""The way from the newest line to any subject, held against a dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.ledger import Ledger
from sfumato.ledger.chain_file import ChainFile
from sfumato.ledger.index import newest_lines, way_to
from sfumato.ledger.line import Ref
from sfumato.promise import KAnonymity, PureDP


@dataclass
class Node:
    key: int
    others: tuple[Ref | None, ...]


# Keys that part at the first bit, in the middle and at the last one.
keys = st.one_of(
    st.integers(0, 15).map(lambda k: k << 252),
    st.integers(0, 15),
    st.integers(0, 3).map(lambda k: k << 128),
    st.integers(0, 2**256 - 1),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(keys, max_size=60), keys)
def test_the_newest_line_of_every_subject_is_found(written: list[int], stranger: int) -> None:
    nodes: dict[int, Node] = {}
    last: dict[int, Ref] = {}
    newest = None
    for offset, key in enumerate(written, start=1):
        way = way_to(key, newest, lambda ref: nodes[ref.offset])
        assert way.found == last.get(key)
        newest = last[key] = Ref(offset, str(offset))
        nodes[offset] = Node(key, way.others)
    for key, ref in last.items():
        assert way_to(key, newest, lambda ref: nodes[ref.offset]).found == ref
    assert sorted(node.key for node in newest_lines(newest, lambda ref: nodes[ref.offset])) == sorted(last)
    assert way_to(stranger, newest, lambda ref: nodes[ref.offset]).found == last.get(stranger)


def test_subjects_are_found_in_a_file(tmp_path: Path) -> None:
    with Ledger(tmp_path / "budget.db") as ledger:
        for i in range(60):
            ledger.set(f"subject {i}", PureDP(1.0 + i), note="x" * (i * 37 % 500))
        ledger.spend_all([f"subject {i}" for i in range(0, 60, 3)], PureDP(0.5))
        for i in range(60):
            assert ledger.left(f"subject {i}") == PureDP(1.0 + i - 0.5 * (i % 3 == 0))
        assert ledger.releases("subject 60") == []
        ledger.verify()


def lines_read(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many lines one spend takes apart."""
    count = 0
    honest = ChainFile._line_from

    def counted(self: ChainFile, offset: int) -> bytes:
        nonlocal count
        count += 1
        return honest(self, offset)

    with monkeypatch.context() as patch:
        patch.setattr(ChainFile, "_line_from", counted)
        ledger.spend("s", PureDP(0.001))
    return count


def test_a_spend_reads_as_little_of_a_long_history_as_of_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "budget.db"
    with Ledger(path) as ledger:
        ledger.set("s", PureDP(9.0))
        ledger.set("t", PureDP(9.0))
    counts = []
    for _ in range(3):
        with Ledger(path) as ledger:
            ledger.spend_all(["s", "t"] * 300, PureDP(0.001))
        with Ledger(path) as ledger:
            counts.append(lines_read(ledger, monkeypatch))
    assert len(set(counts)) == 1
    assert counts[0] <= 5


def test_entries_are_found_by_number(tmp_path: Path) -> None:
    with Ledger(tmp_path / "budget.db") as ledger:
        with pytest.raises(InputError, match="from 1 to 0"):
            ledger.entry(1)
        ledger.set("s", PureDP(9.0))
        for i in range(40):  # lines of very different length
            ledger.record("s", KAnonymity(2 + i), note="x" * (i * 7919 % 5000), release=f"r{i}")
        history = ledger.history()
        assert [entry.id for entry in history] == list(range(1, 42))
        assert [ledger.entry(i) for i in range(1, 42)] == history
        assert ledger.entry(3).release == "r1"
        for wrong in (0, 42, -1, 1.0, True, "1"):
            with pytest.raises(InputError, match="entry"):
                ledger.entry(wrong)  # type: ignore[arg-type]
