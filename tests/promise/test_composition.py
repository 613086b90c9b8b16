"""Composition (P10, Mimoto §2.3): closed forms, monotonicity, counter-examples of the unsound mixes, refusals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import (
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    compose,
    compose_optimally,
    parallel,
    subsample,
)
from sfumato.promise.amount import EXACT, add_up, exact, multiply_up, round_down, round_up

ADD_REMOVE = {"neighbours": "add-remove"}
amounts = st.floats(0, 100)


# ── exact sums ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_decimals_mean_what_they_say() -> None:
    assert add_up([0.1] * 10) == 1.0
    assert add_up([0.7, 0.1]) == 0.8
    assert multiply_up(0.1, 3) == 0.3
    assert add_up([1e300, 1e-300]) == math.nextafter(1e300, math.inf)


@given(st.lists(st.floats(0, 1e6), max_size=20))
def test_sums_are_rounded_up_by_less_than_one_step(values: list[float]) -> None:
    total = add_up(values)
    true = exact(0.0)
    for value in values:
        true = EXACT.add(true, exact(value))
    assert exact(total) >= true
    if total:
        assert exact(math.nextafter(total, 0)) < true
    assert round_down(true) <= round_up(true) <= math.nextafter(round_down(true), math.inf)


# ── one after the other ──────────────────────────────────────────────────────────────────────────────────────────


def test_currencies() -> None:
    assert compose(PureDP(0.1), PureDP(0.2)) == PureDP(0.3)
    assert compose(PureDP(0.1), ApproxDP(0.2, 1e-6), ApproxDP(0.3, 1e-6)) == ApproxDP(0.6, 2e-6)
    assert compose(ZeroConcentratedDP(0.1), PureDP(0.2)) == ZeroConcentratedDP(0.12)
    assert compose(MetricDP(1.0, "angle"), MetricDP(0.5, "angle")) == MetricDP(1.5, "angle")
    mixed = compose(RenyiDP([2, 4, 8], [0.1, 0.2, 0.4]), RenyiDP([4, 8], [0.1, 0.1]), ZeroConcentratedDP(0.1))
    assert mixed == RenyiDP([4, 8], [0.7, 1.3])
    assert compose(PureDP(1.0, unit="user", **ADD_REMOVE)).scope["unit"] == "user"


promises = st.one_of(
    st.builds(PureDP, amounts),
    st.builds(ZeroConcentratedDP, amounts),
    st.builds(lambda a, b: RenyiDP([2, 8], [min(a, b), max(a, b)]), amounts, amounts),
)


@settings(deadline=None)
@given(st.lists(promises, min_size=1, max_size=5), promises)
def test_one_more_release_never_costs_less(many: list[Guarantee], one: Guarantee) -> None:
    before = compose(*many, RenyiDP([2, 8], [0, 0])).as_approx(1e-6).epsilon
    after = compose(*many, one, RenyiDP([2, 8], [0, 0])).as_approx(1e-6).epsilon
    assert after >= before


@given(st.lists(st.builds(ApproxDP, amounts, st.floats(1e-12, 0.01)), min_size=1, max_size=5), st.randoms())
def test_order_does_not_matter(many: list[ApproxDP], random: object) -> None:
    shuffled = list(many)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert compose(*many) == compose(*shuffled)


def test_optimal_composition_against_the_closed_form() -> None:
    """k releases of one ε: δ(ε′) of Kairouz, Oh and Viswanath 2015, Thm 3.3, summed directly."""
    k, epsilon = 30, 0.2
    found = compose_optimally(*[PureDP(epsilon)] * k, delta=1e-5).epsilon

    def delta_at(total: float) -> float:
        terms = (
            math.comb(k, i) * (math.exp(epsilon * (k - i)) - math.exp(total + epsilon * i))
            for i in range(k + 1)
            if epsilon * (k - 2 * i) > total
        )
        return math.fsum(terms) / (1 + math.exp(epsilon)) ** k

    assert delta_at(found) <= 1e-5 < delta_at(found - 0.01)
    assert found < compose(*[PureDP(epsilon)] * k).epsilon  # type: ignore[attr-defined]


def test_optimal_composition_never_exceeds_the_sum() -> None:
    assert compose_optimally(PureDP(1.0), delta=1e-9).epsilon <= 1.0
    both = compose_optimally(ApproxDP(0.5, 1e-7), PureDP(0.25), delta=1e-6)
    assert both.epsilon <= 0.75
    assert compose_optimally(PureDP(400.0), PureDP(400.0), delta=1e-6).epsilon <= 800.0
    with pytest.raises(InputError, match="larger delta"):
        compose_optimally(ApproxDP(0.5, 1e-3), delta=1e-6)
    with pytest.raises(InputError, match="compose"):
        compose_optimally(ZeroConcentratedDP(0.5), delta=1e-6)


def test_what_does_not_compose_takes_the_promise_with_it() -> None:
    nothing = compose(PureDP(1.0), KAnonymity(5), NoGuarantee("a name list"))
    assert isinstance(nothing, NoGuarantee)
    assert "k-anonymity" in nothing.reason
    assert "a name list" in nothing.reason
    assert isinstance(parallel(KAnonymity(5), KAnonymity(5)), NoGuarantee)


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (PureDP(1.0), PureDP(1.0, unit="user"), "unit"),
        (PureDP(1.0), PureDP(1.0, neighbours="add-remove"), "as_replace_one"),
        (PureDP(1.0), PureDP(1.0, model="local"), "model"),
        (MetricDP(1.0, "angle"), MetricDP(1.0, "euclidean"), "within"),
        (MetricDP(1.0, "angle"), PureDP(1.0, neighbours="any-pair", model="local"), "within"),
        (ApproxDP(1.0, 1e-6), ZeroConcentratedDP(1.0), "as_approx"),
        (RenyiDP(2, 1.0), RenyiDP(3, 1.0), "order"),
        (ApproxDP(1.0, 0.5), ApproxDP(1.0, 0.5), "delta"),
    ],
)
def test_refused_mixes(first: Guarantee, second: Guarantee, named: str) -> None:
    with pytest.raises(InputError, match=named):
        compose(first, second)


@dataclass(frozen=True)
class RoomPromise(Guarantee):
    """A kind of promise that a room brings along."""

    losses = ("alpha",)

    alpha: float
    groups: str = "towns"

    @property
    def statement(self) -> str:
        return f"α = {self.alpha}"


def test_a_promise_of_another_kind_composes_by_the_losses_it_names() -> None:
    assert compose(RoomPromise(0.1), RoomPromise(0.2)) == RoomPromise(0.3)
    assert parallel(RoomPromise(0.1), RoomPromise(0.2), fixed_parts=True) == RoomPromise(0.2)
    with pytest.raises(InputError, match="same groups"):
        compose(RoomPromise(0.1), RoomPromise(0.1, "streets"))
    with pytest.raises(InputError, match=r"one currency.*account of its own"):
        compose(RoomPromise(0.1), PureDP(1.0))


@dataclass(frozen=True)
class BagLike(MetricDP):
    """Counts its distance N times."""

    length: int = 10


def test_derived_metric_promises_are_not_read_as_plain_ones() -> None:
    assert compose(BagLike(0.1, "angle"), BagLike(0.2, "angle")) == BagLike(0.3, "angle")
    with pytest.raises(InputError, match="nothing else"):
        BagLike(0.1, "angle").within(1.0)
    with pytest.raises(InputError, match="nothing else"):
        BagLike(0.1, "angle").through_query(1.0)
    with pytest.raises(InputError, match="payable"):
        MetricDP(1.0, "angle").price(BagLike(0.1, "angle"))
    with pytest.raises(InputError, match="one currency"):
        compose(BagLike(0.1, "angle"), MetricDP(0.2, "angle"))


def test_nothing_to_compose() -> None:
    for function in (compose, parallel):
        with pytest.raises(InputError, match="at least one"):
            function()
        with pytest.raises(InputError, match="guarantee"):
            function(1.0)  # type: ignore[arg-type]


# ── side by side ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_parallel_takes_the_largest_under_add_remove() -> None:
    parts = [PureDP(0.5, **ADD_REMOVE), PureDP(1.0, **ADD_REMOVE)]  # type: ignore[arg-type]
    assert parallel(*parts) == PureDP(1.0, neighbours="add-remove")
    assert parallel(ApproxDP(0.5, 1e-6, **ADD_REMOVE), parts[1]) == ApproxDP(1.0, 1e-6, neighbours="add-remove")  # type: ignore[arg-type]
    assert parallel(PureDP(0.5), PureDP(1.0), fixed_parts=True) == PureDP(1.0)


@pytest.mark.parametrize("neighbours", ["replace-one", "any-pair"])
def test_parallel_is_refused_where_a_record_can_move(neighbours: str) -> None:
    with pytest.raises(InputError, match="add-remove"):
        parallel(PureDP(1.0, neighbours=neighbours), PureDP(1.0, neighbours=neighbours))  # type: ignore[arg-type]


def test_a_record_that_moves_between_parts_loses_twice() -> None:
    """Each part says through randomised response (ε = 1) whether it is empty; the part is the record's value."""
    law = {True: _randomised_response(1.0, 1), False: _randomised_response(1.0, 0)}

    def outputs(part_of_the_record: int) -> dict[tuple[int, int], float]:
        first, second = law[part_of_the_record == 0], law[part_of_the_record == 1]
        return {(a, b): first[a] * second[b] for a, b in product((0, 1), repeat=2)}

    loss = _loss(outputs(0), outputs(1))
    claimed = parallel(PureDP(1.0, **ADD_REMOVE), PureDP(1.0, **ADD_REMOVE))  # type: ignore[arg-type]
    assert loss == pytest.approx(2.0)
    assert loss > claimed.epsilon  # type: ignore[attr-defined]
    assert loss <= claimed.as_replace_one().epsilon * (1 + 1e-12)  # type: ignore[attr-defined]


# ── on a sample ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_poisson_amplification_is_exact_for_add_remove() -> None:
    """ε = 1, β = 0.3: the claim 0.416 is attained by randomised response on "the record is in the sample"."""
    claimed = subsample(PureDP(1.0, **ADD_REMOVE), 0.3)  # type: ignore[arg-type]
    without, with_record = _randomised_response(1.0, 0), _randomised_response(1.0, 1)
    sampled = {z: 0.7 * without[z] + 0.3 * with_record[z] for z in (0, 1)}
    assert claimed.epsilon == pytest.approx(0.416, abs=5e-4)
    assert _loss(without, sampled) == pytest.approx(claimed.epsilon, rel=1e-12)


def test_a_mechanism_private_only_under_replace_one_gains_nothing() -> None:
    """It says "empty" on an empty sample, else randomised response on the value: loss 1.0, not 0.416."""

    def sampled(value: int) -> dict[object, float]:
        return {"empty": 0.7} | {z: 0.3 * p for z, p in _randomised_response(1.0, value).items()}

    assert _loss(sampled(0), sampled(1)) == pytest.approx(1.0)
    with pytest.raises(InputError, match="add-remove"):
        subsample(PureDP(1.0), 0.3)


def test_sampling_without_replacement_needs_replace_one() -> None:
    amplified = subsample(ApproxDP(1.0, 1e-5), 0.1, sampling="without-replacement")
    assert isinstance(amplified, ApproxDP)
    assert amplified.delta == 1e-6
    assert amplified.epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1.0)))
    with pytest.raises(InputError, match="replace-one"):
        subsample(PureDP(1.0, **ADD_REMOVE), 0.1, sampling="without-replacement")  # type: ignore[arg-type]


def test_without_replacement_by_enumeration() -> None:
    """Two of four bits are drawn and their sum released with geometric noise: the exact loss keeps the claim."""
    epsilon, values = 1.0, np.arange(-60, 64)

    def law(data: tuple[int, ...]) -> np.ndarray:
        pairs = [(i, j) for i in range(4) for j in range(i)]
        noise = [np.exp(-epsilon * np.abs(values - data[i] - data[j])) for i, j in pairs]
        return np.mean(noise, axis=0) * np.tanh(epsilon / 2)

    claimed = subsample(PureDP(epsilon), 0.5, sampling="without-replacement").epsilon
    for data in product((0, 1), repeat=3):
        loss = np.abs(np.log(law((*data, 0)) / law((*data, 1)))).max()
        assert loss <= claimed * (1 + 1e-9)


def test_sampling_everybody_changes_nothing_and_huge_losses_do_not_overflow() -> None:
    assert subsample(PureDP(1.0, **ADD_REMOVE), 1.0).epsilon == pytest.approx(1.0)  # type: ignore[arg-type]
    assert subsample(PureDP(2000.0, **ADD_REMOVE), 0.5).epsilon == pytest.approx(2000 + math.log(0.5))  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, math.nan, True])
def test_rejects_rate(rate: float) -> None:
    with pytest.raises(InputError, match="rate"):
        subsample(PureDP(1.0, **ADD_REMOVE), rate)  # type: ignore[arg-type]


def test_rejects_promises_without_a_general_amplification() -> None:
    for promise in (ZeroConcentratedDP(1.0, **ADD_REMOVE), NoGuarantee("why"), MetricDP(1.0, "angle")):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="pure or approximate"):
            subsample(promise, 0.5)


def _randomised_response(epsilon: float, bit: int) -> dict[object, float]:
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    return {bit: keep, 1 - bit: 1 - keep}


def _loss(p: dict[object, float], q: dict[object, float]) -> float:  # type: ignore[type-arg]
    return max(abs(math.log(p[z] / q[z])) for z in p)
