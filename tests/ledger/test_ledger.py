"""The ledger: what it counts, what it refuses, and what it does with a bad file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import ApproxDP, Guarantee, KAnonymity, MetricDP, NoGuarantee, PureDP, RenyiDP, ZeroConcentratedDP
from sfumato.promise.amount import EXACT, exact


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "budget.db") as ledger:
        yield ledger


class Doubles:
    """A mechanism that notes when it was asked."""

    def __init__(self, guarantee: Guarantee) -> None:
        self.guarantee = guarantee
        self.asked: list[Any] = []

    def release(self, data: Any, *, rng: np.random.Generator | None = None) -> Any:
        if data is None:
            raise InputError("data = None: expected numbers")
        self.asked.append((data, rng))
        return data * 2


# ── counting ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_ten_tenths_are_one_and_no_more(ledger: Ledger) -> None:
    ledger.set("clinic", PureDP(1.0))
    for _ in range(10):
        ledger.spend("clinic", PureDP(0.1))
    assert ledger.spent("clinic") == PureDP(1.0)
    assert ledger.left("clinic") == PureDP(0.0)
    with pytest.raises(BudgetError, match=r"asked for ε = 1e-12, but only ε = 0 of ε = 1 is left; nothing was spent"):
        ledger.spend("clinic", PureDP(1e-12))
    ledger.spend("clinic", PureDP(0.0))  # a promise of ε = 0 tells nothing and costs nothing


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0, 0.4), min_size=1, max_size=12))
def test_spends_fit_exactly_when_their_sum_does(tmp_path_factory: pytest.TempPathFactory, costs: list[float]) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "budget.db")
    ledger.set("s", PureDP(1.0))
    total = exact(0.0)
    for cost in costs:
        wanted = EXACT.add(total, exact(cost))
        if wanted > 1:
            with pytest.raises(BudgetError):
                ledger.spend("s", PureDP(cost))
        else:
            ledger.spend("s", PureDP(cost))
            total = wanted
    balance = ledger.balance("s")
    assert exact(balance.spent.epsilon) >= total  # type: ignore[attr-defined]
    assert exact(balance.left.epsilon) <= 1 - total  # type: ignore[attr-defined]
    ledger.verify()
    ledger.close()


def test_currencies_of_a_budget(ledger: Ledger) -> None:
    ledger.set("approx", ApproxDP(1.0, 1e-6))
    ledger.spend("approx", PureDP(0.25))
    ledger.spend("approx", ApproxDP(0.25, 4e-7))
    assert ledger.spent("approx") == ApproxDP(0.5, 4e-7)
    assert ledger.left("approx") == ApproxDP(0.5, 6e-7)
    with pytest.raises(BudgetError, match="δ = 6e-07"):
        ledger.spend("approx", ApproxDP(0.1, 7e-7))
    ledger.spend("approx", ApproxDP(0.1, 6e-7))
    assert ledger.left("approx") == PureDP(0.4)  # no δ is left
    ledger.set("zcdp", ZeroConcentratedDP(0.1))
    ledger.spend("zcdp", ZeroConcentratedDP(0.04))
    ledger.spend("zcdp", PureDP(0.2))
    assert ledger.spent("zcdp") == ZeroConcentratedDP(0.06)
    ledger.set("metric", MetricDP(2.0, "angle"))
    ledger.spend("metric", MetricDP(1.5, "angle"))
    assert ledger.left("metric") == MetricDP(0.5, "angle")


def test_a_budget_within_a_radius_pays_for_metric_promises(ledger: Ledger) -> None:
    """A release of ε per unit of distance costs ε·r there, the same as if it had been stated within r."""
    ledger.set("places", MetricDP(4.0, "euclidean").within(radius=0.5))
    ledger.spend("places", MetricDP(1.0, "euclidean"))
    ledger.spend("places", MetricDP(1.0, "euclidean").within(radius=0.5))
    assert ledger.left("places") == MetricDP(2.0, "euclidean").within(radius=0.5)
    with pytest.raises(BudgetError):
        ledger.spend("places", MetricDP(2.1, "euclidean"))


@pytest.mark.parametrize(
    ("budget", "promise", "named"),
    [
        (PureDP(1.0), ApproxDP(0.1, 1e-9), "ApproxDP budget"),
        (PureDP(1.0), ZeroConcentratedDP(0.1), "as_approx"),
        (PureDP(1.0), NoGuarantee("a name list"), "composes"),
        (PureDP(1.0), KAnonymity(5), "composes"),
        (PureDP(1.0), RenyiDP(2, 0.1), "as_approx"),
        (PureDP(1.0), MetricDP(0.1, "angle"), "within"),
        (ApproxDP(1.0, 1e-6), ZeroConcentratedDP(0.1), "as_approx"),
        (ZeroConcentratedDP(1.0), ApproxDP(0.1, 1e-9), "ApproxDP budget"),
        (MetricDP(1.0, "angle"), MetricDP(0.1, "euclidean"), "metric"),
        (MetricDP(1.0, "angle"), PureDP(0.1), "payable"),
        (MetricDP(1.0, "angle").within(0.5), MetricDP(0.1, "euclidean"), "of angle distance"),
        (MetricDP(1.0, "angle").within(0.5), MetricDP(0.1, "angle").within(0.6), "reach"),
        (MetricDP(1.0, "angle").within(0.5), MetricDP(0.1, "angle", unit="user"), "unit"),
        (PureDP(1.0), PureDP(0.1, unit="user"), "unit"),
        (PureDP(1.0), PureDP(0.1, neighbours="add-remove"), "neighbours"),
        (PureDP(1.0), PureDP(0.1, model="local"), "model"),
        (PureDP(1.0), 0.1, "guarantee"),
    ],
)
def test_what_a_budget_cannot_pay_is_refused(ledger: Ledger, budget: Guarantee, promise: Any, named: str) -> None:
    ledger.set("s", budget)
    with pytest.raises(InputError, match=named):
        ledger.spend("s", promise)
    assert ledger.balance("s").spends == 0


def test_several_subjects_pay_together_or_not_at_all(ledger: Ledger) -> None:
    for subject, budget in (("ann", 1.0), ("bob", 0.2)):
        ledger.set(subject, PureDP(budget))
    assert len(ledger.spend_all(["ann", "bob"], PureDP(0.2))) == 2
    with pytest.raises(BudgetError, match="bob"):
        ledger.spend_all(["ann", "bob"], PureDP(0.1))
    assert ledger.left("ann") == PureDP(0.8)
    with pytest.raises(InputError, match="subjects"):
        ledger.spend_all("ann", PureDP(0.1))


# ── releasing ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_release_pays_first(ledger: Ledger, rng: np.random.Generator) -> None:
    ledger.set("clinic", PureDP(1.0))
    mechanism = Doubles(PureDP(0.6))
    assert ledger.release(mechanism, 21, subject="clinic", rng=rng) == 42
    assert mechanism.asked == [(21, rng)]
    with pytest.raises(BudgetError):
        ledger.release(mechanism, 21, subject="clinic")
    assert len(mechanism.asked) == 1  # nothing was computed
    assert ledger.history("clinic")[-1].note == "Doubles"


def test_a_refused_release_stays_paid(ledger: Ledger) -> None:
    ledger.set("clinic", PureDP(1.0))
    with pytest.raises(InputError, match="data"):
        ledger.release(Doubles(PureDP(0.6)), None, subject="clinic")
    assert ledger.spent("clinic") == PureDP(0.6)


def test_heuristics_cannot_be_released_through_a_ledger(ledger: Ledger) -> None:
    ledger.set("clinic", PureDP(1.0))
    mechanism = Doubles(NoGuarantee("a name list"))
    with pytest.raises(InputError, match="composes"):
        ledger.release(mechanism, 21, subject="clinic")
    assert not mechanism.asked


# ── setting ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_budgets_can_change_but_not_below_what_is_spent(ledger: Ledger) -> None:
    ledger.set("s", ZeroConcentratedDP(1.0))
    ledger.set("s", PureDP(1.0))  # nothing spent yet: even the kind
    ledger.spend("s", PureDP(0.5))
    ledger.set("s", PureDP(2.0), note="the board agreed")
    ledger.set("s", PureDP(0.5))
    assert ledger.left("s") == PureDP(0.0)
    with pytest.raises(InputError, match=r"at least what is spent: ε = 0\.5"):
        ledger.set("s", PureDP(0.4))
    for other in (ApproxDP(2.0, 1e-6), PureDP(2.0, unit="user")):
        with pytest.raises(InputError, match="new subject"):
            ledger.set("s", other)
    assert ledger.budget("s") == PureDP(0.5)
    assert [entry.action for entry in ledger.history("s")] == ["set", "set", "spend", "set", "set"]


@pytest.mark.parametrize("subject", ["", None, 7, "\ud800"])
def test_rejects_subjects(ledger: Ledger, subject: Any) -> None:
    with pytest.raises(InputError, match="subject"):
        ledger.set(subject, PureDP(1.0))


@pytest.mark.parametrize("subject", ["Müller & Söhne", "a'; DROP TABLE budget; --", "x" * 10_000, "line\nbreak\x00nul"])
def test_any_other_text_is_a_subject(ledger: Ledger, subject: str) -> None:
    ledger.set(subject, PureDP(1.0))
    ledger.spend(subject, PureDP(0.5), note=subject)
    assert [balance.subject for balance in ledger.balances()] == [subject]
    assert ledger.history(subject)[1].note == subject


def test_unknown_subjects_have_no_budget(ledger: Ledger) -> None:
    for call in (ledger.balance, ledger.history, lambda s: ledger.spend(s, PureDP(0.1))):
        with pytest.raises(InputError, match="subject with a budget"):
            call("nobody")
    for budget in (NoGuarantee("why"), KAnonymity(3), PureDP(0.0), RenyiDP([2, 3], [1.0, 0.0]), 1.0):
        with pytest.raises(InputError, match="budget"):
            ledger.set("s", budget)  # type: ignore[arg-type]


def test_history_as_a_table(ledger: Ledger) -> None:
    ledger.set("a", ApproxDP(1.0, 1e-6))
    ledger.set("b", ZeroConcentratedDP(1.0))
    ledger.spend("a", PureDP(0.1), note="mean age")
    ledger.spend("b", ZeroConcentratedDP(0.2))
    rows = ledger.table().to_pylist()
    assert [(row["subject"], row["action"], row["epsilon"], row["delta"], row["rho"]) for row in rows] == [
        ("a", "set", 1.0, 1e-6, None),
        ("b", "set", None, None, 1.0),
        ("a", "spend", 0.1, 0.0, None),
        ("b", "spend", None, None, 0.2),
    ]
    assert rows[2]["note"] == "mean age"
    assert ledger.table("b").num_rows == 2
    assert rows[0]["at"] <= rows[3]["at"]
