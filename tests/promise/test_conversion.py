"""One promise in the words of another (F2, F3): golden values, soundness and refusals."""

from __future__ import annotations

import dataclasses
import math
import re

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import (
    Accountant,
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    compose,
    gaussian_epsilon,
    metric_epsilon,
)

SCOPE = {"unit": "user", "neighbours": "add-remove", "model": "local"}


@given(rho=st.floats(1e-4, 50), delta=st.floats(1e-12, 0.1))
def test_classical_rule_is_its_closed_form(rho: float, delta: float) -> None:
    bound = ZeroConcentratedDP(rho).bound(delta, rule="classical")
    log_term = math.log(1 / delta)
    assert bound.order == pytest.approx(1 + math.sqrt(log_term / rho))
    assert bound.epsilon == pytest.approx(rho + 2 * math.sqrt(rho * log_term))
    curve = ZeroConcentratedDP(rho).as_renyi([bound.order])
    assert curve.bound(delta, rule="classical").epsilon == pytest.approx(bound.epsilon)


@settings(deadline=None)  # the first example imports dp-accounting
@given(sigma=st.floats(0.2, 50), delta=st.floats(1e-12, 0.1))
def test_tight_rule_lies_between_the_exact_value_and_the_classical_one(sigma: float, delta: float) -> None:
    rho = ZeroConcentratedDP(1 / (2 * sigma**2))
    tight = rho.bound(delta)
    assert tight.epsilon <= rho.bound(delta, rule="classical").epsilon
    assert tight.epsilon >= gaussian_epsilon(delta, sigma) * (1 - 1e-12)


def test_published_order_of_the_reviews_experiment() -> None:
    """Weggenmann §12.2(3): the order 13.398 stated for R = 3 (Δ₂ = 6), δ = 1e-6 is the best one for σ = 14.15."""
    bound = ZeroConcentratedDP(6**2 / (2 * 14.152**2)).bound(1e-6, rule="classical")
    assert bound.order == pytest.approx(13.398, abs=1e-3)


def test_orders_that_dp_accounting_leaves_out_fall_back_to_the_classical_rule() -> None:
    assert RenyiDP(1.005, 0.1).bound(1e-5) == RenyiDP(1.005, 0.1).bound(1e-5, rule="classical")
    assert ZeroConcentratedDP(0.0).as_approx(1e-5).epsilon == 0.0


@given(epsilon=st.floats(1e-6, 30), order=st.floats(1.05, 500))
def test_pure_curve_is_randomised_response(epsilon: float, order: float) -> None:
    ((_, value),) = PureDP(epsilon).as_renyi([order]).curve
    with mpmath.workdps(50):  # in doubles the truth itself comes out above ε now and then
        e, a = mpmath.mpf(epsilon), mpmath.mpf(order)
        log_p = -mpmath.log1p(mpmath.exp(-e))
        terms = mpmath.exp(a * log_p + (1 - a) * (log_p - e)) + mpmath.exp(a * (log_p - e) + (1 - a) * log_p)
        exact = float(mpmath.log(terms) / (a - 1))
    assert value >= exact - 1e-13 / (order - 1)
    assert value <= min(epsilon, order * epsilon**2 / 2) * (1 + 1e-12)
    assert value == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_conversions_keep_the_scope() -> None:
    for converted in (
        PureDP(0.3, **SCOPE).as_zcdp(),
        PureDP(0.3, **SCOPE).as_renyi(),
        ZeroConcentratedDP(0.3, **SCOPE).as_renyi(),
        PureDP(0.3, **SCOPE).as_approx(1e-6),
        ZeroConcentratedDP(0.3, **SCOPE).as_approx(1e-6),
        RenyiDP([2, 8], [0.1, 0.4], **SCOPE).as_approx(1e-6),
    ):
        assert converted.scope == SCOPE


def test_delta_can_be_raised_but_not_lowered() -> None:
    assert ApproxDP(1.0, 1e-6).as_approx(1e-5) == ApproxDP(1.0, 1e-5)
    with pytest.raises(InputError, match="cannot be lowered"):
        ApproxDP(1.0, 1e-6).as_approx(1e-7)


def test_metric_accountant() -> None:
    """Weggenmann §2.2.3 and Fact 7.16: ℓ = εr, κ = ℓ/r, κ = ε/Δ."""
    promise = MetricDP(0.1, "angle", unit="place")
    assert promise.within(3.0).epsilon == 0.3
    assert promise.within(3.0).unit == "place within 3 of angle distance"
    assert promise.within(3.0).neighbours == "within-radius"
    assert promise.within(3).reach == 3.0
    assert promise.within(math.pi, whole_domain=True).scope == promise.scope
    assert metric_epsilon(0.3, 3.0) * 3.0 <= 0.3
    assert MetricDP(metric_epsilon(1.0, 0.7), "angle").within(0.7).epsilon <= 1.0
    query = MetricDP(0.25, "euclidean").through_query(4.0, unit="user", neighbours="add-remove")
    assert query == PureDP(1.0, unit="user", neighbours="add-remove", model="central")
    for radius in (0, -1.0, math.nan, None):
        with pytest.raises(InputError, match="radius"):
            promise.within(radius)  # type: ignore[arg-type]
    assert not hasattr(PureDP(1.0), "within")


def test_a_radius_is_a_number() -> None:
    near, far = (MetricDP(1.0, "angle").within(radius) for radius in (0.1, 0.2))
    said = dataclasses.replace(far, unit=near.unit)  # what is written in the unit decides nothing
    assert near.price(near).amounts
    assert near.as_zcdp().reach == near.as_approx(1e-6).reach == near.over(3).reach == 0.1
    for other in (far, said):
        assert not near.same_currency(other)
        with pytest.raises(InputError, match="as in the budget"):
            near.price(other)
        with pytest.raises(InputError, match="in every promise"):
            compose(near, other)
        with pytest.raises(InputError, match="the account's"):
            Accountant(**near.scope).promise(other)
    with pytest.raises(InputError, match=re.escape("reach = 0.2")):
        near.price(said)
    assert Accountant(**near.scope).promise(near).epsilon(1e-6) <= near.epsilon
    for wrong in ({"reach": 0.1}, {"neighbours": "within-radius"}, {"neighbours": "within-radius", "reach": 0.0}):
        with pytest.raises(InputError, match="reach"):
            PureDP(1.0, **wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="neighbours"):
        near.price(PureDP(0.1, unit=near.unit, model="local"))


def test_groups() -> None:
    assert PureDP(0.1).over(3).epsilon == 0.3
    approximate = ApproxDP(0.5, 1e-6).over(3, unit="user")
    assert isinstance(approximate, ApproxDP)
    assert (approximate.epsilon, approximate.unit) == (1.5, "user")
    assert approximate.delta == pytest.approx(1e-6 * (1 + math.e**0.5 + math.e))
    assert ZeroConcentratedDP(0.1).over(3).rho == 0.9  # type: ignore[attr-defined]
    assert RenyiDP([4, 8, 16], [0.1, 0.2, 0.4]).over(3).curve == ((2.0, 1.8), (4.0, 3.6))  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="order ≥ 16"):
        RenyiDP(2, 0.1).over(8)
    with pytest.raises(InputError, match="δ stays below 1"):
        ApproxDP(10.0, 1e-6).over(1000)
    with pytest.raises(InputError, match="within"):
        MetricDP(1.0, "angle").over(2)


def test_group_of_two_covers_a_gaussian_at_twice_the_distance() -> None:
    """A group of 2 doubles the sensitivity of Gaussian noise: every group rule must allow its true loss."""
    sigma, delta = 3.0, 1e-5
    one, two = gaussian_epsilon(delta, sigma), gaussian_epsilon(delta, sigma, 2.0)
    pair = ApproxDP(one, delta).over(2)
    assert gaussian_epsilon(pair.delta, sigma, 2.0) <= pair.epsilon  # type: ignore[attr-defined]
    assert two <= ZeroConcentratedDP(1 / (2 * sigma**2)).over(2).as_approx(delta).epsilon


def test_replace_one() -> None:
    assert PureDP(1.0, neighbours="add-remove").as_replace_one() == PureDP(2.0)
    assert PureDP(1.0, neighbours="any-pair", model="local").as_replace_one() == PureDP(1.0, model="local")
    assert PureDP(1.0).as_replace_one() == PureDP(1.0)
    with pytest.raises(InputError, match="whole domain"):
        MetricDP(1.0, "angle").within(0.5).as_replace_one()


@pytest.mark.parametrize("promise", [KAnonymity(5), NoGuarantee("why"), MetricDP(1.0, "angle")])
def test_what_is_not_differential_privacy_is_not_converted(promise: Guarantee) -> None:
    for convert in (lambda g: g.as_zcdp(), lambda g: g.as_renyi(), lambda g: g.as_approx(1e-5)):
        with pytest.raises(InputError):
            convert(promise)


def test_approximate_promises_have_no_curve() -> None:
    for convert in (ApproxDP.as_zcdp, ApproxDP.as_renyi):
        with pytest.raises(InputError, match="Rényi, zCDP or pure"):
            convert(ApproxDP(1.0, 1e-6))
    with pytest.raises(InputError, match="delta"):
        PureDP(1.0).as_approx(0.0)
    with pytest.raises(InputError, match="rule"):
        ZeroConcentratedDP(1.0).as_approx(1e-5, rule="best")  # type: ignore[arg-type]
