"""What every promise answers about itself."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import (
    ApproxDP,
    Cost,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    compose,
)
from sfumato.promise.guarantee import promise_kind
from sfumato.study.conformance import collect_cases

PROMISES = [
    PureDP(0.5, unit="user"),
    ApproxDP(0.5, 1e-6, neighbours="add-remove"),
    ZeroConcentratedDP(0.1),
    RenyiDP([2, 4], [0.1, 0.2]),
    RenyiDP(2, 0.1),
    MetricDP(2.0, "angle"),
    MetricDP(2.0, "angle").within(0.1),
    KAnonymity(5),
    NoGuarantee("name lists miss names"),
]
small = st.floats(1e-6, 10.0)


def every_promise_in_the_house() -> list[Guarantee]:
    found = {type(case.mechanism.guarantee): case.mechanism.guarantee for case in collect_cases()}
    return [*PROMISES, *found.values()]


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_it_can_be_written_down_and_read_back(promise: Guarantee) -> None:
    assert Guarantee.from_dict(promise.to_dict()) == promise


@pytest.mark.parametrize("promise", every_promise_in_the_house(), ids=lambda p: type(p).__name__)
def test_it_is_said_in_words(promise: Guarantee) -> None:
    assert promise.statement
    assert promise.words.endswith(".")
    assert promise.words[0].isupper()


@pytest.mark.parametrize("promise", every_promise_in_the_house(), ids=lambda p: type(p).__name__)
def test_it_can_be_a_budget_or_says_why_not(promise: Guarantee, tmp_path: Path) -> None:
    with Ledger(tmp_path / "budget.db") as ledger:
        if promise.budget_obstacle:
            with pytest.raises(InputError, match="add up in"):
                ledger.set("s", promise)
            return
        ledger.set("s", promise)
        assert ledger.budget("s") == promise
        ledger.spend("s", promise)
        assert ledger.spent("s") == promise
        ledger.verify()
        with pytest.raises(BudgetError, match="nothing was spent"):
            ledger.spend("s", promise)


def test_a_promise_that_names_its_losses_needs_no_more(tmp_path: Path) -> None:
    promise = promise_kind("PlaceAndTimePrivacy")(MetricDP(1.0, "great-circle"), MetricDP(2.0, "clock arc"))
    assert promise.cost() == Cost({"place.epsilon": Decimal(1), "time.epsilon": Decimal(2)})
    assert compose(promise, promise).cost() == promise.cost().plus(promise.cost())


def test_a_renyi_budget_is_kept_at_every_order(tmp_path: Path) -> None:
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.set("s", RenyiDP([2, 8], [1.0, 1.0]))
        ledger.spend("s", ZeroConcentratedDP(0.05))
        assert ledger.left("s") == RenyiDP([2, 8], [0.9, 0.6])
        ledger.spend("s", PureDP(0.1))
        with pytest.raises(BudgetError):  # order 2 has room, order 8 has not
            ledger.spend("s", RenyiDP([2, 8, 16], [0.1, 0.6, 5.0]))
        with pytest.raises(InputError, match="orders"):
            ledger.spend("s", RenyiDP(2, 0.1))


@given(small, small)
def test_costs_are_what_composition_adds(first: float, second: float) -> None:
    for one, other in ((PureDP(first), PureDP(second)), (ZeroConcentratedDP(first), ZeroConcentratedDP(second))):
        total = one.cost().plus(other.cost())
        assert one.worth(total) == compose(one, other)


@given(small)
def test_every_form_promises_no_more(epsilon: float) -> None:
    """A pure promise in another form allows at least the hockey-stick divergence of the pure one."""
    pure = PureDP(epsilon)
    for at in (0.0, epsilon / 2, epsilon):
        truth = pure.delta_allowed(at, 0, 1)
        for form in (pure.as_zcdp(), pure.as_renyi(), pure.as_approx(1e-9)):
            assert form.delta_allowed(at, 0, 1) >= truth - 1e-12


def test_derived_kinds_inherit_no_form() -> None:
    class Doubled(PureDP):
        pass

    assert Doubled.forms == ("Doubled",)
    with pytest.raises(InputError, match="payable"):
        PureDP(1.0).price(Doubled(0.1))


def test_unknown_kinds_and_wrong_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="kind of promise"):
        Guarantee.from_dict({"kind": "PerfectDP"})
    with pytest.raises(InputError, match="parameters of PureDP"):
        Guarantee.from_dict({"kind": "PureDP", "sigma": 1.0})


def test_nothing_is_allowed_by_accident() -> None:
    assert math.isinf(KAnonymity(5).loss_bound(0, 1))
    assert KAnonymity(5).yardsticks() == []
    assert NoGuarantee("why").vacuous
