"""Rolls: many people with a budget each, charged together or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.door_contract import run as sfumato
from helpers.ledger_files import lines_of
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.ledger.line import seal, unseal
from sfumato.promise import ApproxDP, KAnonymity, PureDP

PEOPLE = [f"person {i}" for i in range(50)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.set("people", PureDP(1.0))
        ledger.enrol("people", PEOPLE)
        ledger.spend("people", PureDP(0.25))
        ledger.spend("people", PureDP(0.5), people=PEOPLE[:10])
    return tmp_path / "budget.db"


def amounts(ledger: Ledger, roll: str = "people") -> list[tuple[str, int | None]]:
    return [(one.spent.statement, one.people) for one in ledger.crowd(roll).levels]


@pytest.mark.parametrize("seed", range(3))
def test_a_roll_does_what_single_accounts_do(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 steps with joining, charging and looking, beside a dictionary of exact amounts."""
    monkeypatch.setattr("sfumato.ledger.payment.AT_ONCE", 20)
    monkeypatch.setattr("sfumato.ledger.roll._EVERY", 7)
    rng, spent, refused = random.Random(seed), dict.fromkeys(PEOPLE, (Decimal(0), Decimal(0))), 0
    budget = ApproxDP(1.0, 1e-6)
    ledger = Ledger(tmp_path / "budget.db")
    ledger.set("people", budget)
    ledger.enrol("people", PEOPLE)
    for step in range(200):
        if step % 20 == 0:
            new = f"newcomer {step}"
            assert ledger.enrol("people", [new, *rng.sample(sorted(spent), 5)]) == 1
            spent[new] = (Decimal(0), Decimal(0))
            ledger.record("people", KAnonymity(5))
            ledger.set("people", budget)
        if step % 33 == 0:
            ledger.close()
            ledger = Ledger(tmp_path / "budget.db", create=False)
        who = rng.sample(sorted(spent), rng.choice([1, 2, 5, 30]))
        cost = rng.choice([("0.1", "1e-9"), ("0.01", "1e-7"), ("0.003", "3e-8")])
        after = {one: tuple(a + Decimal(c) for a, c in zip(spent[one], cost, strict=True)) for one in who}
        if any(epsilon > 1 or delta > Decimal("1e-6") for epsilon, delta in after.values()):
            with pytest.raises(BudgetError, match="nothing was spent of anyone"):
                ledger.spend("people", ApproxDP(float(cost[0]), float(cost[1])), people=who)
            refused += 1
        else:
            entry = ledger.spend("people", ApproxDP(float(cost[0]), float(cost[1])), people=who)
            assert entry.people == len(who)
            spent |= after
    crowd = ledger.crowd("people")
    for one, (epsilon, delta) in spent.items():
        level = int(crowd.roll.levels[crowd.roll.places(np.array([*_digest(crowd, one)]))[0][0]])
        assert (crowd.roll.totals[level]["epsilon"], crowd.roll.totals[level]["delta"]) == (epsilon, delta)
    assert 0 < refused < 200
    assert sum(level.people or 0 for level in crowd.levels) == len(spent)
    ledger.verify(ledger.anchor())


def _digest(crowd: Any, person: str) -> Any:
    from sfumato.ledger.roll import digests_of

    return digests_of([person], crowd.salt)


def test_one_who_cannot_pay_stops_all(path: Path) -> None:
    before = path.read_bytes()
    with Ledger(path) as ledger:
        with pytest.raises(BudgetError, match=r"of 50 people, but 10 of them .* the poorest ε = 0.25"):
            ledger.spend("people", PureDP(0.5))
        with pytest.raises(BudgetError, match="1 of them"):
            ledger.spend("people", PureDP(0.5), people=PEOPLE[9:])
        assert path.read_bytes() == before
        ledger.spend("people", PureDP(0.5), people=PEOPLE[10:])
        assert amounts(ledger) == [("ε = 0.75", 50)]
        assert ledger.left("people").statement == "ε = 0.25"  # of whoever has least


def test_several_rolls_are_charged_together(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.set("others", PureDP(0.5))
        ledger.enrol("others", ["a", "b"])
        ledger.spend_all(["people", "others"], PureDP(0.25))
        with pytest.raises(BudgetError):
            ledger.spend_all(["others", "people"], PureDP(0.25))  # ten people have nothing left
        assert amounts(ledger, "others") == [("ε = 0.25", 2)]
        assert ledger.verify().count == 8


def test_budgets_of_a_roll_change_for_all(path: Path) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(InputError, match=r"at least what is spent: ε = 0\.75"):
            ledger.set("people", PureDP(0.5))
        ledger.set("people", PureDP(2.0))
        ledger.spend("people", PureDP(1.25))
        assert ledger.crowd("people").near(0.999) == 10
        assert ledger.crowd("people").of("person 3").left.statement == "ε = 0"
        with pytest.raises(InputError, match="somebody on the roll"):
            ledger.crowd("people").of("nobody")


def test_what_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(path) as ledger:
        ledger.set("one", PureDP(1.0))
        ledger.spend("one", PureDP(0.5))
        for said, call in {
            "1 of 2": lambda: ledger.spend("people", PureDP(0.1), people=["person 1", "stranger"]),
            "at least one person": lambda: ledger.spend("people", PureDP(0.1), people=[]),
            "at least one": lambda: ledger.enrol("people", []),
            "a roll of people": lambda: ledger.spend("one", PureDP(0.1), people=["ann"]),
            "paid for nothing yet": lambda: ledger.enrol("one", ["ann"]),
            "subject with a budget": lambda: ledger.enrol("unheard", ["ann"]),
            "ids that are texts": lambda: ledger.enrol("people", [1, 2]),  # type: ignore[list-item]
            "texts": lambda: ledger.enrol("people", ["\ud800"]),
            "several people": lambda: ledger.enrol("people", "ann"),
            "people on it": lambda: ledger.crowd("one"),
        }.items():
            with pytest.raises(InputError, match=said):
                call()
        monkeypatch.setattr("sfumato.ledger.payment.MOST_PEOPLE", 51)
        with pytest.raises(InputError, match="use several rolls"):
            ledger.enrol("people", ["ann", "bob"])
        assert ledger.verify().count == 6


@pytest.mark.parametrize("change", ["spent", "charged", "cost", "joined", "levels", "roster", "moved", "size"])
def test_a_careful_forger_is_found(path: Path, change: str) -> None:
    """All hashes are made anew after the change; what the lines say together is wrong."""
    header, *lines = lines_of(path)
    values = [unseal(line)[0] for line in lines]
    told, other = values[3], values[2]
    if change == "spent":
        told["spent"] = {"epsilon": "0.5"}
    elif change == "cost":
        told["cost"] = told["spent"] = {"epsilon": "0.25"}
    elif change == "joined":  # three people twice; who they are cannot be told from other people
        text = values[1]["people"]["joined"]
        values[1]["people"]["joined"] = text[:64] + text[:64] + text[128:]
    elif change == "levels":
        text = values[1]["people"]["levels"]
        values[1]["people"]["levels"] = text[:8] + ("A" if text[8] != "A" else "B") + text[9:]
    elif change == "charged":
        told["people"]["charged"] = other["people"]["charged"]
    elif change == "size":
        told["people"]["size"] = 49
    else:
        told["people"][change] = None
    content, previous, moved = header, unseal(header)[1], {}
    for one, line in zip(values, lines, strict=True):
        for where in (one, one.get("people") or {}):
            for name in ("before", "budget_ref", "roster", "moved"):
                where.update({name: moved.get(where[name][1])} if where.get(name) else {})
        one["others"], one["previous"] = [], previous
        text, previous = seal(one)
        moved[unseal(line)[1]] = [len(content), previous]
        content += text
    path.write_bytes(content)
    with Ledger(path) as ledger, pytest.raises(InputError, match="an intact ledger"):
        ledger.verify()
    if change != "joined":  # what is near the end is noticed by the next spend, too
        with Ledger(path) as ledger, pytest.raises((InputError, BudgetError)):
            ledger.spend("people", PureDP(0.3))


def test_half_an_enrolment_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.ledger.payment.AT_ONCE", 20)
    path = tmp_path / "budget.db"
    with Ledger(path) as ledger:
        ledger.set("people", PureDP(1.0))
        ledger.enrol("people", PEOPLE)
        assert ledger.anchor().count == 4
    path.write_bytes(path.read_bytes()[:-100])
    with Ledger(path) as ledger:
        assert ledger.anchor().count == 1
        assert ledger.enrol("people", PEOPLE) == 50
        ledger.verify()


_WRITER = """
import sys
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
people = [str(i) for i in range(20_000)]
with Ledger(sys.argv[1], create=False) as ledger:
    while True:
        ledger.spend("people", PureDP(0.001), people=people[::2])
        print("released", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_writers_have_paid_for_everybody(tmp_path: Path) -> None:
    """What was said to be released was paid by all 10 000, at most one charge more; the claims hold for any timing."""
    path, moments = tmp_path / "budget.db", random.Random(3)
    with Ledger(path) as ledger:
        ledger.set("people", PureDP(1e6))
        ledger.enrol("people", map(str, range(20_000)))
    said, rounds = 0, 4
    for _ in range(rounds):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        said += bool(child.stdout.readline())
        time.sleep(moments.uniform(0.0, 0.2))
        os.kill(child.pid, signal.SIGKILL)
        said += len(child.stdout.read().splitlines())
        child.wait()
        child.stdout.close()
    with Ledger(path) as ledger:
        paid = ledger.balance("people").spends
        assert said <= paid <= said + rounds
        ledger.verify()
        levels = ledger.crowd("people").levels
        assert [one.people for one in levels] == [10_000, 10_000]
        assert float(levels[1].spent.epsilon) == pytest.approx(paid / 1000)  # type: ignore[attr-defined]


def test_the_command_line_counts_people_and_names_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, some, place = tmp_path / "people.csv", tmp_path / "some.csv", str(tmp_path / "budget.db")
    people.write_text("id,age\n" + "".join(f"patient-{i},40\n" for i in range(200)))
    some.write_text("id\n" + "".join(f"patient-{i}\n" for i in range(20)))
    assert sfumato("budget", "set", "cohort", "--epsilon", 1, "--unit", "person", "--ledger", place) == 0
    assert sfumato("budget", "enrol", "cohort", people, "--column", "id", "--ledger", place) == 0
    spend = ("budget", "spend", "cohort", "--epsilon", 0.9, "--unit", "person", "--ledger", place)
    assert sfumato(*spend, "--people", some) == 0
    assert sfumato(*spend) == 2  # twenty of them cannot
    capsys.readouterr()
    assert sfumato("budget", "show", "--ledger", place) == 0
    shown = capsys.readouterr().out
    assert "200" in shown
    assert "80 % or more used" in shown
    assert "patient" not in shown
    assert sfumato("budget", "enrol", "cohort", people, "--ledger", place) == 2  # which column?
    assert sfumato("budget", "verify", place) == 0
