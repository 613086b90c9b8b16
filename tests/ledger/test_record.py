"""Releases that no budget can pay for: recorded, chained and said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import Cost, Guarantee, KAnonymity, NoGuarantee, PureDP


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "budget.db") as ledger:
        yield ledger


def test_a_subject_without_a_budget_can_be_recorded(ledger: Ledger) -> None:
    first = ledger.record("patients", KAnonymity(5), note="open data", release="2026/1")
    assert (first.id, first.action, first.paid, first.earlier, first.notice) == (1, "record", False, 0, "")
    assert (first.budget, first.spent, first.left, first.release) == (None, None, None, "2026/1")
    assert first.cost == Cost()
    second = ledger.record("patients", NoGuarantee("a name list"))
    assert second.earlier == 1
    assert second.notice.startswith("'patients' was released once before this; not all of these releases")
    third = ledger.record("patients", KAnonymity(3))
    assert "2 times" in third.notice
    assert ledger.releases("patients") == [first, second, third] == ledger.history("patients")
    assert ledger.subjects() == ["patients"]
    assert ledger.balances() == []
    with pytest.raises(InputError, match="a subject with a budget"):
        ledger.balance("patients")
    assert ledger.releases("somebody else") == []
    ledger.verify()


def test_paid_and_unpaid_releases_stand_side_by_side(ledger: Ledger) -> None:
    ledger.set("clinic", PureDP(1.0))
    paid = ledger.spend("clinic", PureDP(0.25), release="a")
    assert paid.notice == ""
    again = ledger.spend("clinic", PureDP(0.25), release="b")
    assert again.notice == "'clinic' was released once before this"  # the budget bounds what they tell together
    unpaid = ledger.record("clinic", KAnonymity(5), release="c")
    assert (unpaid.spent, unpaid.left) == (PureDP(0.5), PureDP(0.5))
    assert "2 times before this; not all" in unpaid.notice
    last = ledger.spend("clinic", PureDP(0.5), release="d")
    assert "3 times before this; not all" in last.notice
    assert (last.budget, last.spent, last.left) == (PureDP(1.0), PureDP(1.0), PureDP(0.0))
    assert [entry.release for entry in ledger.releases("clinic")] == ["a", "b", "c", "d"]
    assert [entry.paid for entry in ledger.releases("clinic")] == [True, True, False, True]
    balance = ledger.balance("clinic")
    assert (balance.spends, balance.unpaid) == (3, 1)
    ledger.verify()


def test_a_budget_given_later_does_not_forget(ledger: Ledger) -> None:
    ledger.record("patients", KAnonymity(5))
    ledger.set("patients", PureDP(1.0))
    assert "not all" in ledger.spend("patients", PureDP(0.5)).notice
    assert ledger.balance("patients").unpaid == 1
    assert ledger.verify().count == 3


@pytest.mark.parametrize("guarantee", [KAnonymity(5), NoGuarantee("a name list")])
def test_charge_records_what_cannot_be_paid(ledger: Ledger, guarantee: Guarantee) -> None:
    assert ledger.charge("patients", guarantee, release="x").action == "record"


def test_charge_pays_for_what_can_be_paid(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="a subject with a budget"):
        ledger.charge("clinic", PureDP(0.5))  # it is never recorded for free instead
    ledger.set("clinic", PureDP(1.0))
    assert ledger.charge("clinic", PureDP(0.75), release="x", note="y").paid
    with pytest.raises(BudgetError):
        ledger.charge("clinic", PureDP(0.75))
    with pytest.raises(InputError, match="cannot be paid for; pay for it: spend"):
        ledger.record("clinic", PureDP(0.1))
    assert [entry.release for entry in ledger.releases("clinic")] == ["x"]


def test_rejects_what_cannot_be_written(ledger: Ledger) -> None:
    for call in (
        lambda: ledger.record("", KAnonymity(5)),
        lambda: ledger.record("s", 5),  # type: ignore[arg-type]
        lambda: ledger.record("s", KAnonymity(5), release=None),  # type: ignore[arg-type]
        lambda: ledger.record("s", KAnonymity(5), note="\ud800"),
        lambda: ledger.charge("s", "k = 5"),  # type: ignore[arg-type]
        lambda: ledger.spend("s", PureDP(1.0), release=7),  # type: ignore[arg-type]
        lambda: ledger.releases(""),
    ):
        with pytest.raises(InputError):
            call()
    assert ledger.anchor().count == 0


def test_losses_that_are_negative_or_endless_are_refused(ledger: Ledger) -> None:
    class Refund(PureDP):
        """A promise that would give back."""

        losses = ("epsilon",)
        forms = ("PureDP",)

        def __post_init__(self) -> None:
            pass

    ledger.set("s", PureDP(1.0))
    for epsilon in (-0.5, float("nan"), float("inf")):
        with pytest.raises(InputError, match="finite losses ≥ 0"):
            ledger.spend("s", Refund(epsilon))
        with pytest.raises(InputError, match="finite losses ≥ 0"):
            ledger.set("t", Refund(epsilon))
    assert ledger.left("s") == PureDP(1.0)


def test_the_notebook_shows_balances_escaped(ledger: Ledger) -> None:
    ledger.set("<script>", PureDP(1.0))
    ledger.spend("<script>", PureDP(0.25))
    ledger.record("a & b", KAnonymity(5))
    html = ledger._repr_html_()
    assert "<script>" not in html
    for text in ("&lt;script&gt;", "ε = 0.75", "3 entries", "1 released without a budget", '<th scope="col">left</th>'):
        assert text in html
    ledger.close()
    assert "it was closed" in ledger._repr_html_()
