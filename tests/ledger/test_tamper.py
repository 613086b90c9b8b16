"""What was changed, cut off, put back or damaged is found, and says so in one line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.ledger_files import fill, lines_of, trouble
from sfumato.errors import InputError
from sfumato.ledger import Anchor, Ledger
from sfumato.ledger.line import seal, unseal
from sfumato.promise import ApproxDP, KAnonymity, PureDP

Values = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "budget.db"
    fill(path)
    return path


def rewrite(path: Path, change: Callable[[list[Values]], None]) -> None:
    """What a careful forger does: change entries, then hash all anew and mend every reference."""
    header, *lines = lines_of(path)
    entries = [unseal(line) for line in lines]
    values = [one for one, _ in entries]
    moved: dict[str, tuple[int, str]] = {}
    change(values)
    content, previous = header, unseal(header)[1]
    for one, (_, before) in zip(values, entries, strict=True):
        for name in ("before", "budget_ref"):
            one[name] = one[name] and moved.get(one[name][1], one[name])
        if isinstance(one["others"], list):
            one["others"] = [ref and moved[ref[1]] for ref in one["others"]]
        one["previous"] = previous
        line, previous = seal(one)
        moved[before] = len(content), previous
        content += line
    path.write_bytes(content)


def test_a_forger_who_changes_nothing_is_not_noticed(path: Path) -> None:
    """The tool of the next tests works: what it writes is a ledger."""
    before = path.read_bytes()
    rewrite(path, lambda entries: None)
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        assert ledger.verify().count == 9


# ── changes by hand ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", range(1, 10))
def test_a_changed_entry_is_found(path: Path, number: int) -> None:
    lines = lines_of(path)
    called = {9: "the last entry", 8: "the last entry but one"}.get(number, f"entry {number}")
    honest = lines[number]
    for changed, said in (
        (honest.replace(b'"at":"2', b'"at":"3'), "its hash does not match its content: it was changed"),
        (honest.replace(b'"note":"', b'"note":"longer'), "it is not a line of a ledger"),
        (seal({})[0], "its fields are not those of an entry"),
    ):
        lines[number] = changed
        path.write_bytes(b"".join(lines))
        assert f"{called}: {said}" in trouble(path)


@pytest.mark.parametrize("number", range(1, 9))
def test_an_entry_with_a_new_hash_of_its_own_is_found(path: Path, number: int) -> None:
    lines = lines_of(path)
    values, _ = unseal(lines[number])
    lines[number] = seal({**values, "note": "changed"})[0]
    path.write_bytes(b"".join(lines))
    assert f"entry {number + 1} does not follow entry {number}" in trouble(path)


def test_entries_removed_repeated_or_swapped_are_found(path: Path) -> None:
    whole = lines_of(path)
    for wrong in (whole[:3] + whole[4:], whole[:4] + whole[3:], [*whole[:3], whole[4], whole[3], *whole[5:]]):
        path.write_bytes(b"".join(wrong))
        assert "does not follow" in trouble(path)


FORGERIES: dict[str, tuple[Callable[[list[Values]], None], str]] = {
    "a refund": (lambda e: e[3].update(cost={"epsilon": "-0.25"}), "not a finite number ≥ 0"),
    "a spend that is not a number": (lambda e: e[3].update(cost={"epsilon": "NaN"}), "not a finite number ≥ 0"),
    "an endless spend": (lambda e: e[3].update(cost={"epsilon": "1e999999"}), "do not add up|do not match"),
    "a number instead of a text": (lambda e: e[3].update(cost={"epsilon": 0.25}), "not a finite number ≥ 0"),
    "a smaller cost": (lambda e: e[3].update(cost={"epsilon": "0.01"}), "totals of 'ann' that do not match"),
    "a smaller total": (lambda e: e[3].update(spent={"epsilon": "0.25"}), "totals of 'ann' that do not match"),
    "fewer spends": (lambda e: e[3].update(spends=1), "totals of 'ann' that do not match"),
    "an unpaid release forgotten": (lambda e: e[4].update(unpaid=0), "totals of 'people' that do not match"),
    "a larger budget": (lambda e: e[0]["budget"].update(epsilon=9.0), "a budget of 'ann' that is none"),
    "an unknown kind": (lambda e: e[0]["budget"].update(kind="WishfulDP"), "'ann' cannot be read .*WishfulDP"),
    "a kind that is no text": (lambda e: e[0]["budget"].update(kind=[]), "'ann' cannot be read"),
    "a budget that does not add up": (
        lambda e: e[0].update(budget=KAnonymity(5).to_dict(), cost={}),
        "a budget of 'ann' that is none",
    ),
    "a negative budget": (lambda e: e[0]["budget"].update(epsilon=-1.0), "'ann' cannot be read"),
    "a budget below what is spent": (
        lambda e: e[5].update(budget=PureDP(0.1).to_dict(), cost={"epsilon": "0.1"}),
        "spends more than the budget of 'ann'",
    ),
    "another kind of budget in use": (
        lambda e: e[5].update(budget=ApproxDP(2.0, 0.1).to_dict(), cost={"epsilon": "2.0", "delta": "0.1"}),
        "changes the kind of a budget in use",
    ),
    "another subject": (lambda e: e[3].update(subject="bob"), "does not follow the last one of 'bob'"),
    "an unknown action": (lambda e: e[3].update(action="refund"), "action 'refund' is unknown"),
    "a spend without a budget": (lambda e: e[4].update(action="spend"), "which has no budget"),
    "a way that leads astray": (lambda e: e[8].update(others=e[8]["others"][:-1]), "by a wrong way"),
    "a number that is a truth": (lambda e: e[0].update(number=True), "its number is not a whole number"),
    "a time that is none": (lambda e: e[0].update(at="yesterday"), "not that of an entry"),
    "a time without a zone": (lambda e: e[0].update(at="2026-01-01T00:00:00"), "no zone"),
    "a field too many": (lambda e: e[0].update(extra=1), "its fields"),
    "a field too few": (lambda e: e[0].pop("note"), "its fields"),
    "a list for a text": (lambda e: e[0].update(note=[]), "its note is not a text"),
    "a number for a list": (lambda e: e[0].update(others=7), "not that of an entry"),
    "a commit that breaks off": (lambda e: e[6].update(more=2), "breaks off the commit"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_chain_must_still_add_up(path: Path, name: str) -> None:
    change, said = FORGERIES[name]
    rewrite(path, change)
    assert re.search(said, trouble(path))


@pytest.mark.parametrize("change", [{"kind": "WishfulDP"}, {"epsilon": -1.0}, {"epsilon": "much"}, {"unit": ""}])
def test_a_budget_that_cannot_be_is_refused_before_anything_is_spent(path: Path, change: Values) -> None:
    rewrite(path, lambda entries: entries[5]["budget"].update(change))
    before = path.read_bytes()
    with Ledger(path) as ledger, pytest.raises(InputError, match="'ann' cannot be read"):
        ledger.spend("ann", PureDP(0.1))
    assert path.read_bytes() == before


def test_a_forged_total_is_noticed_by_the_next_spend(path: Path) -> None:
    """The check at every spend: the last entry, the subject's last step, and its totals."""
    rewrite(path, lambda entries: entries[8].update(spent={"epsilon": "0"}))
    before = path.read_bytes()
    with Ledger(path) as ledger:
        with pytest.raises(InputError, match="totals of 'bob'"):
            ledger.spend("bob", PureDP(0.1))
        with pytest.raises(InputError, match="totals of 'bob'"):
            ledger.left("bob")
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [6, 7, 9])
def test_an_entry_that_a_spend_rests_on_is_checked_by_it(path: Path, number: int) -> None:
    """'ann' was last changed in entry 7 under the budget of entry 6; entry 9 is the head."""
    lines = lines_of(path)
    values, _ = unseal(lines[number])
    lines[number] = seal({**values, "at": values["at"][::-1][::-1].replace("20", "21", 1)})[0]
    path.write_bytes(b"".join(lines))
    with Ledger(path) as ledger:
        if number == 9:  # the last entry has nothing after it that vouches for it: only an anchor does
            ledger.spend("ann", PureDP(0.1))
        else:
            with pytest.raises(InputError, match=f"entry {number} is not the one that later entries refer to"):
                ledger.spend("ann", PureDP(0.1))


def test_an_entry_removed_before_the_last_is_noticed_by_the_next_spend(path: Path) -> None:
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:-2], lines[-1]]))
    with Ledger(path) as ledger, pytest.raises(InputError, match="entry 9 does not follow entry 7"):
        ledger.spend("ann", PureDP(0.1))


# ── anchors ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_ledger_that_only_grew_keeps_its_anchors(path: Path) -> None:
    anchors = []
    with Ledger(path) as ledger:
        for _ in range(5):
            anchors.append(ledger.anchor())
            ledger.spend("ann", PureDP(0.1))
        for anchor in anchors:
            assert ledger.verify(anchor) == ledger.anchor()
            assert ledger.verify(str(anchor)).count == 14
    with Ledger(path.with_name("empty.db")) as empty:
        assert empty.verify(empty.anchor()).count == 0


def test_an_older_copy_is_found(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old.db")
    with Ledger(path) as ledger:
        ledger.spend("ann", PureDP(0.5))
        anchor = ledger.anchor()
    shutil.copy(tmp_path / "old.db", path)
    with Ledger(path) as ledger:
        ledger.verify()  # nothing in the file itself tells
    assert "the anchor is entry 10, and the last one here is 9" in trouble(path, anchor)
    with Ledger(path) as ledger:
        ledger.spend("bob", PureDP(0.1))
    assert "entry 10 is not the one that was anchored" in trouble(path, anchor)


def test_cuts_and_forged_chains_are_found_with_an_anchor(path: Path) -> None:
    with Ledger(path) as ledger:
        anchor = ledger.anchor()
    rewrite(path, lambda entries: entries[1].update(note="changed"))
    with Ledger(path) as ledger:
        ledger.verify()
    assert "entry 9 is not the one that was anchored" in trouble(path, anchor)
    whole = lines_of(path)
    path.write_bytes(b"".join(whole[:-1]))
    assert "entries were cut off" in trouble(path, anchor)
    for other in (Anchor(0, "0" * 64), Anchor(3, "0" * 64)):
        assert "anchor" in trouble(path, other)


@pytest.mark.parametrize("text", ["", "9", "9:abc", ":" + "0" * 64, "9:" + "0" * 65, "-1:" + "0" * 64, "9:" + "G" * 64])
def test_rejects_anchors(path: Path, text: str) -> None:
    with Ledger(path) as ledger, pytest.raises(InputError, match="anchor"):
        ledger.verify(text)


def test_a_copy_put_back_under_a_running_process_is_found(path: Path) -> None:
    old = path.read_bytes()
    with Ledger(path) as ledger:
        ledger.spend("ann", PureDP(0.5))
        path.write_bytes(old)  # the same file, with the content of before
        for call in (lambda: ledger.spend("ann", PureDP(0.1)), lambda: ledger.left("ann"), ledger.anchor):
            with pytest.raises(InputError, match="they are gone or changed"):
                call()
    assert path.read_bytes() == old
