"""Accounting through dp-accounting: golden values, closed forms, neighbour checks, personal accounts (B6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import (
    Accountant,
    ApproxDP,
    KAnonymity,
    PersonalAccountant,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    analytic_gaussian_sigma,
    gaussian_epsilon,
    noise_for,
)

RDP = Accountant(neighbours="add-remove")
PLD = Accountant(neighbours="add-remove", method="pld")


def test_golden_values() -> None:
    assert PLD.gaussian(1.0).epsilon(1e-5) == pytest.approx(4.37718, abs=1e-4)
    sampled = {"sampling_rate": 0.01, "count": 1000}
    assert RDP.gaussian(1.0, **sampled).epsilon(1e-5) == pytest.approx(2.1014, abs=5e-5)  # type: ignore[arg-type]
    assert PLD.gaussian(1.0, **sampled).epsilon(1e-5) == pytest.approx(1.8282, abs=2e-4)  # type: ignore[arg-type]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one", "any-pair"])
def test_sensitivity_is_that_of_the_stated_neighbours(neighbours: str) -> None:
    """dp-accounting doubles the shift under replace-one; here the sensitivity already is the one for the relation."""
    exact = gaussian_epsilon(1e-6, 4.0, 2.0)
    for method in ("rdp", "pld"):
        account = Accountant(method=method, neighbours=neighbours).gaussian(4.0, sensitivity=2.0)  # type: ignore[arg-type]
        assert exact <= account.epsilon(1e-6) * (1 + 1e-9) <= exact * 1.15


def test_gaussian_closed_form() -> None:
    for account, slack in ((RDP, 1.1), (PLD, 1.001)):
        exact = gaussian_epsilon(1e-6, 5.0 / math.sqrt(7))
        assert exact <= account.gaussian(5.0, count=7).epsilon(1e-6) * (1 + 1e-9) <= exact * slack
    curve = dict(RDP.gaussian(5.0, count=7).renyi().curve)
    assert curve[2.0] == pytest.approx(2 * 7 / (2 * 25))


def test_laplace_never_exceeds_its_pure_sum() -> None:
    for account in (RDP, PLD):
        assert account.laplace(1.0).epsilon(1e-9) <= 1.0
        assert account.laplace(2.0, sensitivity=4.0, count=3).epsilon(1e-9) <= 6.0
        assert account.laplace(10.0, count=100).epsilon(1e-5) < 6.0


@pytest.mark.parametrize(("scale", "sensitivity", "order"), [(1.0, 1, 2.0), (0.7, 3, 1.5), (5.0, 4, 32.0)])
def test_discrete_laplace_curve_by_summation(scale: float, sensitivity: int, order: float) -> None:
    z = np.arange(-4000, 4000)
    p = np.exp(-np.abs(z) / scale) * np.tanh(1 / scale / 2)
    log_p, log_q = (np.log(np.tanh(1 / scale / 2)) - np.abs(z - shift) / scale for shift in (0, sensitivity))
    exact = np.logaddexp.reduce(order * log_p + (1 - order) * log_q) / (order - 1)
    assert p.sum() == pytest.approx(1)
    curve = dict(RDP.discrete_laplace(scale, sensitivity=sensitivity).renyi().curve)
    assert curve[order] == pytest.approx(exact, rel=1e-9)


def test_discrete_noise_costs_about_as_much_as_continuous() -> None:
    for account in (RDP, PLD):
        discrete = account.discrete_gaussian(20.0, sensitivity=10, count=2).epsilon(1e-6)
        assert discrete == pytest.approx(account.gaussian(2.0, count=2).epsilon(1e-6), rel=0.01)
        discrete = account.discrete_laplace(20.0, sensitivity=10, count=5).epsilon(1e-6)
        assert discrete == pytest.approx(account.laplace(2.0, count=5).epsilon(1e-6), rel=0.01)


def test_epsilon_and_delta_are_inverse() -> None:
    for account in (RDP.gaussian(2.0, count=3), PLD.gaussian(2.0, count=3)):
        assert account.delta(account.epsilon(1e-5)) <= 1e-5 * (1 + 1e-6)
        assert account.guarantee(1e-5) == ApproxDP(account.epsilon(1e-5), 1e-5, neighbours="add-remove")
    assert RDP.epsilon(1e-5) == RDP.delta(0.0) == 0.0


def test_promises_enter_the_account() -> None:
    account = RDP.promise(ZeroConcentratedDP(0.125, neighbours="add-remove"), 4)
    assert account.epsilon(1e-5) == pytest.approx(RDP.gaussian(1.0).epsilon(1e-5))
    account = RDP.promise(RenyiDP([2, 16], [0.1, 0.8], neighbours="add-remove")).gaussian(1.0)
    assert account.renyi().curve == ((2.0, pytest.approx(1.1)), (16.0, pytest.approx(8.8)))
    assert PLD.promise(PureDP(0.1, neighbours="add-remove"), 100).epsilon(1e-6) == pytest.approx(4.77, abs=0.02)
    with pytest.raises(InputError, match="larger δ"):
        PLD.promise(ApproxDP(0.1, 1e-4, neighbours="add-remove")).epsilon(1e-6)
    with pytest.raises(InputError, match="'pld'"):
        RDP.promise(ApproxDP(0.1, 1e-4, neighbours="add-remove"))
    with pytest.raises(InputError, match="'rdp'"):
        PLD.promise(ZeroConcentratedDP(0.1, neighbours="add-remove"))
    with pytest.raises(InputError, match="neighbours"):
        RDP.promise(PureDP(0.1))
    with pytest.raises(InputError, match="composes"):
        RDP.promise(KAnonymity(3, neighbours="add-remove"))


def test_sampling_needs_its_neighbours() -> None:
    with pytest.raises(InputError, match="Poisson"):
        Accountant(neighbours="replace-one").gaussian(1.0, sampling_rate=0.1)
    with pytest.raises(InputError, match="fixed size"):
        RDP.gaussian(1.0, sample=(10, 100))
    with pytest.raises(InputError, match="'rdp'"):
        Accountant(method="pld").gaussian(1.0, sample=(10, 100))
    with pytest.raises(InputError, match="'pld'"):
        RDP.laplace(1.0, sampling_rate=0.1)
    with pytest.raises(InputError, match="either"):
        RDP.gaussian(1.0, sampling_rate=0.1, sample=(10, 100))
    fixed = Accountant(neighbours="replace-one").gaussian(4.0, sample=(10, 1000), count=100)
    assert fixed.epsilon(1e-5) < Accountant(neighbours="replace-one").gaussian(4.0, count=100).epsilon(1e-5)


@pytest.mark.parametrize("method", ["rdp", "pld"])
def test_noise_for_a_target(method: str) -> None:
    target = ApproxDP(1.0, 1e-5, neighbours="add-remove")
    sigma = noise_for(target, count=16, sensitivity=3.0, method=method)  # type: ignore[arg-type]
    account = Accountant(neighbours="add-remove", method=method)  # type: ignore[arg-type]
    assert account.gaussian(sigma, sensitivity=3.0, count=16).epsilon(1e-5) <= 1.0
    assert account.gaussian(sigma * 0.999, sensitivity=3.0, count=16).epsilon(1e-5) > 1.0
    assert sigma >= 3 * 4 * analytic_gaussian_sigma(1.0, 1e-5) * (1 - 1e-6)
    if method == "pld":
        assert sigma == pytest.approx(3 * 4 * analytic_gaussian_sigma(1.0, 1e-5), rel=1e-3)


def test_noise_for_laplace_and_for_sampling() -> None:
    assert noise_for(ApproxDP(1.0, 1e-9), kind="laplace") == pytest.approx(1.0, rel=1e-4)
    target = ApproxDP(2.1014, 1e-5, neighbours="add-remove")
    assert noise_for(target, count=1000, sampling_rate=0.01) == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(InputError, match="Poisson"):
        noise_for(ApproxDP(1.0, 1e-5), sampling_rate=0.1)
    with pytest.raises(InputError, match="ApproxDP"):
        noise_for(PureDP(1.0))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.floats(0.5, 20), st.integers(1, 5)), min_size=1, max_size=4))
def test_accounts_only_grow(steps: list[tuple[float, int]]) -> None:
    account, last = RDP, 0.0
    for sigma, count in steps:
        account = account.gaussian(sigma, count=count)
        assert account.epsilon(1e-6) >= last
        last = account.epsilon(1e-6)


def test_personal_accounts() -> None:
    """Fischer B6: a step costs those who took part; closed form per person; the global account bounds everybody."""
    accounts = PersonalAccountant(Accountant(unit="user", neighbours="add-remove"))
    accounts.charge(lambda a: a.gaussian(2.0, count=3), users=["ann", "bob"])
    accounts.charge(lambda a: a.gaussian(2.0), users=["ann"])
    accounts.charge(lambda a: a.gaussian(4.0))
    rho = {"ann": 4 / 8 + 1 / 32, "bob": 3 / 8 + 1 / 32, "eve": 1 / 32}
    for user, expected in rho.items():
        assert dict(accounts.of(user).renyi().curve)[2.0] == pytest.approx(2 * expected)
    assert accounts.worst(1e-5) == accounts.of("ann").epsilon(1e-5)
    assert accounts.everyone.epsilon(1e-5) >= accounts.worst(1e-5)
    with pytest.raises(InputError):
        accounts.charge(lambda a: a.gaussian(-1.0), users=["bob"])
    assert dict(accounts.of("bob").renyi().curve)[2.0] == pytest.approx(2 * rho["bob"])  # nothing was charged


@pytest.mark.parametrize("bad", [{"sigma": 0.0}, {"sigma": math.nan}, {"sensitivity": -1.0}, {"count": 0}])
def test_rejects_bad_releases(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        RDP.gaussian(**({"sigma": 1.0} | bad))  # type: ignore[arg-type]


def test_rejects_bad_accounts() -> None:
    for bad in ({"method": "moments"}, {"neighbours": "near"}, {"unit": ""}, {"model": "shuffle"}):
        with pytest.raises(InputError):
            Accountant(**bad)  # type: ignore[arg-type]
    for rate in (0.0, 1.5):
        with pytest.raises(InputError, match="sampling_rate"):
            RDP.gaussian(1.0, sampling_rate=rate)
    with pytest.raises(InputError, match="sample size"):
        Accountant().gaussian(1.0, sample=(200, 100))
    with pytest.raises(InputError, match="delta"):
        RDP.gaussian(1.0).epsilon(0.0)
