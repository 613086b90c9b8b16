"""Every mechanism on the command line, from a log to a release and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.commands import listed_as
from helpers.door_contract import Contract, rewritten, run
from sfumato.activity import make_log
from sfumato.activity.question import COLUMNS, kinds
from sfumato.activity.room import ROOM
from sfumato.io.files import read_table, write_table
from sfumato.promise import ApproxDP, PureDP
from sfumato.release import Card, Key, verify
from sfumato.release.card import card_path

USERS, ITEMS = 24, 12
COMMANDS: dict[str, tuple[str, ...]] = {
    "pseudonyms": (),
    "grouped-rows": ("--k", "4"),
    "factorisation": ("--rank", "3", "--k", "4", "--set", "sweeps=10"),
    "cell-noise": ("--scale", "0.5", "--items", "items.txt"),
    "randomized-cells": ("--epsilon", "2", "--items", "items.txt"),
    "private-factorisation": ("--epsilon", "4", "--delta", "1e-5", "--rank", "3", "--items", "items.txt"),
}
"""The options of every mechanism."""


def log_table() -> pa.Table:
    table = make_log(USERS, ITEMS)
    return table.append_column("comment", pa.array(["private"] * table.num_rows))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.parquet"
    write_table(log_table(), path)
    (tmp_path / "items.txt").write_text("".join(f"site{k + 1:02d}.example\n" for k in range(ITEMS)))
    return path


def test_every_mechanism_has_words() -> None:
    assert set(kinds()) == set(ROOM.mechanisms())
    assert set(COMMANDS) == {listed_as(kind, COMMANDS) for kind in kinds().values()}


@pytest.mark.parametrize("name", list(kinds()))
def test_from_file_to_file(name: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protect, verify, attack and measure: the card tells the last two what was done."""
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    like = listed_as(kinds()[name], COMMANDS)
    options = COMMANDS[like]
    assert run("activity", "protect", log, "--mechanism", name, *options, "-o", out, "--key", key) == 0
    said = capsys.readouterr().err
    assert "promise:" in said
    released = read_table(out)
    assert tuple(released.column_names) == COLUMNS
    assert len(set(released["pseudonym"].to_pylist())) == 2 * len(
        set(log_table()["user"].to_pylist())
    )  # one for each window
    assert not set(released["pseudonym"].to_pylist()) & set(log_table()["user"].to_pylist())
    assert verify(out).holds
    card = Card.read(card_path(out))
    if like in ("cell-noise", "randomized-cells"):
        assert card.promise["per_person"]["unit"] == "user"
        assert card.promise["per_person"]["parameters"]["epsilon"] == pytest.approx(2.0 * ITEMS * 2)
        assert "for one user as a whole" in said
    assert run("activity", "attack", log, out, "--key", key) == 0
    shown = capsys.readouterr().out
    assert "re-identified" in shown
    assert "linked" in shown
    assert ("by the law" in shown) == (like in ("cell-noise", "randomized-cells"))
    assert run("activity", "measure", log, out, "--key", key) == 0
    assert "recall of new items" in capsys.readouterr().out
    for verb in ("attack", "measure"):
        assert run("activity", verb, log, out) == 2
        assert "protect --key FILE" in capsys.readouterr().err


CONTRACTS = {
    "private-factorisation": ApproxDP(4.0, 1e-5, unit="user"),
    "cell-noise": PureDP(2.0 * ITEMS * 2 * (1 + 1e-12), unit="user", neighbours="any-pair", model="local"),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_door(name: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--mechanism", name, *COMMANDS[name])
    contract = Contract(room="activity", table=log_table(), words=words, sorted_by="window", price=CONTRACTS[name])
    folder = tmp_path / "door"
    folder.mkdir()
    contract.check_everything(folder, capsys)


def test_pseudonyms_are_fresh_and_the_key_knows_them(log: Path, tmp_path: Path) -> None:
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    assert run("activity", "protect", log, "-m", "pseudonyms", "-o", out, "--key", key) == 0
    released = read_table(out)
    pairs = list(zip(released["window"].to_pylist(), released["pseudonym"].to_pylist(), strict=True))
    by_window = {label: {name for day, name in pairs if str(day) == label} for label in ("2024-01-01", "2024-01-08")}
    assert not by_window["2024-01-01"] & by_window["2024-01-08"]
    names = Key.read(key).secrets["pseudonyms"]
    users = set(log_table()["user"].to_pylist())
    assert [set(row.values()) for row in names.values()] == [users, users]
    again = tmp_path / "again.csv"
    assert run("activity", "protect", log, "-m", "pseudonyms", "-o", again) == 0
    assert not set(read_table(again)["pseudonym"].to_pylist()) & set(released["pseudonym"].to_pylist())


def test_names_that_look_like_numbers_or_times(tmp_path: Path) -> None:
    """A file of text loses the types of its columns: items 1.50 and 007, windows of hours."""
    path, out, key = tmp_path / "log.csv", tmp_path / "release.csv", tmp_path / "release.key"
    for items in (("1.50", "2.25"), ("7", "12"), ("007", "8")):
        table = pa.table({"user": ["a", "b", "a", "b"], "item": [*items, *items], "time": [0, 60, 4000, 4001]})
        write_table(table, path)
        words = ("-m", "pseudonyms", "--every", "hour", "-o", out, "--key", key)
        assert run("activity", "protect", path, *words) == 0
        assert verify(out).holds
        assert run("activity", "attack", path, out, "--key", key) == 0


def test_windows_of_a_place(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.csv"
    words = ("--every", "day", "--timezone", "Asia/Tokyo", "--hours", "16-24", "--weekdays", "--k", "3")
    assert run("activity", "protect", log, *words, "-o", out) == 0
    days = {str(day)[:10] for day in read_table(out)["window"].to_pylist()}
    assert "2024-01-01" in days
    assert "2024-01-06" not in days  # a Saturday
    named = ("--window", "2024-01-01/2024-01-03", "--window", "2024-01-09/2024-01-12", "--k", "3")
    assert run("activity", "protect", log, *named, "-o", out) == 0
    assert len(set(read_table(out)["window"].to_pylist())) == 2


@pytest.mark.parametrize(
    ("name", "change", "check"),
    [
        ("grouped-rows", {"value": 0.123}, "k"),
        ("factorisation", {"value": 0.123}, "k"),
        ("randomized-cells", {"value": 2.0}, "values"),
        ("cell-noise", {"value": 0.1}, "values"),
        ("randomized-cells", {"item": "elsewhere.example"}, "items"),
        ("pseudonyms", {}, "cells"),
        ("pseudonyms", {"extra": 1}, "columns"),
    ],
)
def test_an_edited_release_with_a_new_hash_fails(
    name: str, change: dict[str, Any], check: str, log: Path, tmp_path: Path
) -> None:
    out = tmp_path / "release.parquet"
    assert run("activity", "protect", log, "--mechanism", name, *COMMANDS[name], "-o", out) == 0
    assert verify(out).holds
    table = read_table(out)
    for column, value in change.items():
        if column in table.column_names:
            values = [value, *table[column].to_pylist()[1:]]
            table = table.set_column(table.column_names.index(column), column, pa.array(values))
        else:
            table = table.append_column(column, pa.array([value] * table.num_rows))
    if not change:
        table = pa.concat_tables([table.slice(0, 1), table.slice(0, 1), table.slice(2)])
    rewritten(out, table)
    assert [one.name for one in verify(out).checks if one.result == "fails"] == [check]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "nonsense"), "expected one of"),
        (("--k", "4", "--user", "who"), "has no column 'who'"),
        ((), "expected k"),
        (("--k", "400"), "users"),
        (("--k", "4", "--every", "blink"), "hour, day, week"),
        (("--k", "4", "--timezone", "Mars"), "Europe/Vienna"),
        (("--k", "4", "--hours", "late"), "16-24"),
        (("--k", "4", "--window", "2020-01-01/2020-01-02"), "at least one event"),
        (("-m", "factorisation", "--rank", "99"), "min(users, items)"),
        (("-m", "randomized-cells", "--epsilon", "1"), "expected items"),
        (("-m", "randomized-cells", "--epsilon", "1", "--items", "none.txt"), "none.txt"),
        (("--k", "4", "--person", "comment"), "column of users"),
    ],
)
def test_errors_are_one_line(
    words: tuple[str, ...], message: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.csv"
    assert run("activity", "protect", log, *words, "-o", out) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not out.exists()


def test_an_unparsable_time_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.csv"
    path.write_text("user,item,time\na,x,2024-01-01T10:00:00\nb,x,2024-01-01T11:00:00\na,y,tea time\n")
    assert run("activity", "protect", path, "--k", "1", "-o", tmp_path / "out.csv") == 2
    assert "line 4 of a file" in capsys.readouterr().err


def test_the_log_of_another_release_is_not_attacked(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    assert run("activity", "protect", log, "--k", "3", "-o", out, "--key", key) == 0
    write_table(make_log(USERS - 3, ITEMS), log)
    capsys.readouterr()
    assert run("activity", "attack", log, out, "--key", key) == 2
    assert "is it the data protected" in capsys.readouterr().err


def test_publish(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole loop on a log: columns found, groups tried, linkage below the limit, a certificate."""
    pytest.importorskip("jinja2")
    assert run("publish", log, "--out", tmp_path / "out", "--limit", "0.34") == 0
    card = Card.read(card_path(tmp_path / "out" / "release.csv"))
    assert card.kind == "activity"
    assert card.promise["parameters"]["k"] == 3
    assert {one.attack for one in card.risk} >= {"linked", "re-identified", "linked by learning"}
    assert all(one.met for one in card.risk if one.attack.startswith("linked"))
    assert (tmp_path / "out" / "certificate.html").is_file()
    again = (
        "publish",
        log,
        "--out",
        tmp_path / "again",
        "--decisions",
        tmp_path / "out" / "private" / "decisions.toml",
    )
    assert run(*again) == 0
    assert Card.read(card_path(tmp_path / "again" / "release.csv")).promise["parameters"]["k"] == 3


def test_a_release_is_the_original_where_nothing_is_protected(log: Path) -> None:
    import sfumato as sf

    table = log_table()
    release = sf.activity.protect(table, mechanism="pseudonyms", counts=True)
    assert release.arrow["value"].to_numpy().sum() == table.num_rows
    found = {one.name: one.score for one in release.measure(table)}
    assert found["error of the popularity of items"].value == pytest.approx(0)
    assert found["F of predicted items, share of raw"].value == 1.0
    assert np.isfinite(found["recall of new items at 20"].value)
