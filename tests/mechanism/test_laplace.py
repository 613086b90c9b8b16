"""The Laplace mechanism (M1, B4, P9) and the local bounded number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import InputError
from sfumato.mechanism import BoundedNumber, Laplace
from sfumato.promise import Assumption, NoGuarantee, PureDP

BAD_NUMBER = (0, 0.0, -1.0, math.nan, math.inf, "1", None, True)


def test_law_of_the_noise(rng):
    """M1: KS test at 1e-6 on a fine grid, χ² on whole numbers is in the sampler's tests."""
    mechanism = Laplace(epsilon=0.5, sensitivity=3.0)
    noise = mechanism.release(np.full(50_000, 2.7), rng=rng) - 2.7
    assert stats.kstest(noise, stats.laplace(scale=6.0).cdf).pvalue > 1e-6
    assert mechanism.scale == 6.0
    assert mechanism.variance == pytest.approx(72.0, rel=1e-9)
    assert mechanism.bias == 0.0


def test_promise_and_its_scope():
    mechanism = Laplace(epsilon=0.5, sensitivity=3.0, unit="user", neighbours="add-remove")
    assert mechanism.guarantee == PureDP(0.5, unit="user", neighbours="add-remove")
    plain = mechanism.replace(exact=False)
    assert isinstance(plain.guarantee, NoGuarantee)
    assert "low bits" in plain.guarantee.reason
    assert plain.guarantee.unit == "user"


@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.floats(1e-3, 50.0),
    sensitivity=st.floats(1e-6, 1e6),
    start=st.floats(-1e3, 1e3),
    part=st.floats(-1.0, 1.0),
    offsets=st.lists(st.floats(-60.0, 60.0), min_size=1, max_size=8),
)
def test_log_ratio_never_exceeds_epsilon(epsilon, sensitivity, start, part, offsets):
    """For any two inputs within the sensitivity, at any results on the grid; rounding of the logs allowed for."""
    mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    x = start * sensitivity
    y = x + part * sensitivity
    if abs(y - x) > sensitivity:
        return
    outputs = np.round((x + np.array(offsets) * mechanism.scale) / mechanism.step) * mechanism.step
    ratio = mechanism.log_prob(outputs, x) - mechanism.log_prob(outputs, y)
    assert np.abs(ratio).max() <= epsilon + 1e-10 * (1 + 60)


def test_log_ratio_is_attained():
    mechanism = Laplace(epsilon=1.0, sensitivity=2.0)
    outputs = np.array([-3.0, 0.0, 5.0])
    ratio = mechanism.log_prob(outputs, 0.0) - mechanism.log_prob(outputs, 2.0)
    assert ratio[0] == pytest.approx(1.0, abs=1e-9)
    assert ratio[2] == pytest.approx(-1.0, abs=1e-9)


def test_the_sensitivity_is_that_of_the_whole_vector():
    """Three coordinates that each move by 1 cost three times one coordinate's ε under a sensitivity of 1."""
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    far = np.full((1, 3), 40.0)
    ratio = mechanism.log_prob(far, np.ones(3)) - mechanism.log_prob(far, np.zeros(3))
    assert ratio[0] == pytest.approx(3.0, rel=1e-6)


def test_the_allowance_for_rounding_grows_with_the_vector_and_stays_small():
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    one, million = mechanism._units(1), mechanism._units(10**6)
    assert one < million < one * (1 + 2.0**-18)
    assert million * mechanism.epsilon >= mechanism.sensitivity / mechanism.step + 10**6


def test_law_sums_to_one_on_whole_numbers():
    mechanism = Laplace(epsilon=0.3, sensitivity=1.0, grid=1.0)
    assert np.exp(mechanism.log_prob(np.arange(-200.0, 220.0), 7)).sum() == pytest.approx(1.0)
    assert mechanism.log_prob([0.5], 7)[0] == -math.inf
    assert mechanism.variance == pytest.approx(0.5 / math.sinh(0.15) ** 2)


def test_counts_stay_counts(rng):
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0, grid=1)
    noisy = mechanism.release(np.arange(1000), rng=rng)
    assert (noisy == np.round(noisy)).all()
    with pytest.raises(InputError, match="whole multiples of the grid 1"):
        mechanism.release(0.5)


def test_large_and_small_inputs(rng):
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    noisy = mechanism.release(np.array([1e290, -1e290, 1.7e9, 1e-300, 0.0]), rng=rng)
    assert np.isfinite(noisy).all()
    assert abs(noisy[2] - 1.7e9) < 100
    with pytest.raises(InputError, match="change the unit"):
        mechanism.release(1.7e308)


@pytest.mark.parametrize("bad", BAD_NUMBER)
@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
def test_rejected_parameters(name, bad):
    """Weggenmann §2: ε ≤ 0, Δ ≤ 0 or infinite; Fischer §3.2."""
    with pytest.raises(InputError, match=name):
        Laplace(**{"epsilon": 1.0, "sensitivity": 1.0, name: bad})


@pytest.mark.parametrize(
    "wrong",
    [
        {"grid": 0.3},
        {"grid": 4.0},
        {"grid": 2.0**-60},
        {"exact": 1},
        {"neighbours": "close"},
        {"unit": ""},
        {"model": 1},
    ],
)
def test_rejected_options(wrong):
    with pytest.raises(InputError):
        Laplace(epsilon=1.0, sensitivity=1.0, **wrong)


@pytest.mark.parametrize("data", [math.nan, [1.0, math.inf], "x", None, [[1.0], [1.0, 2.0]], [True, False]])
def test_rejected_data(data):
    with pytest.raises(InputError):
        Laplace(epsilon=1.0, sensitivity=1.0).release(data)


def test_laws_are_for_the_right_shape():
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    with pytest.raises(InputError, match="output"):
        mechanism.log_prob(np.zeros((4, 2)), np.zeros(3))
    with pytest.raises(InputError, match="exact"):
        mechanism.replace(exact=False).log_prob([0.0], 0.0)


def test_bounded_number(rng):
    mechanism = BoundedNumber(epsilon=1.0, low=0.0, high=10.0)
    promise = PureDP(1.0, unit="number", neighbours="any-pair", model="local")
    assert mechanism.guarantee == promise.assuming(Assumption("bounds"))
    noise = mechanism.release(np.full(20_000, 10.0), rng=rng) - 10.0
    assert stats.kstest(noise, stats.laplace(scale=10.0).cdf).pvalue > 1e-6
    assert mechanism.variance == pytest.approx(200.0)
    with pytest.raises(InputError, match=r"numbers in \[0, 10\]; widen"):
        mechanism.release([3.0, 10.5])
    clipped = mechanism.replace(outside="clip")
    outputs = np.array([-5.0, 3.0, 20.0])
    assert (clipped.log_prob(outputs, 99.0) == mechanism.log_prob(outputs, 10.0)).all()
    for wrong in ({"low": 10.0}, {"high": math.inf}, {"outside": "drop"}, {"epsilon": 0.0}):
        with pytest.raises(InputError):
            mechanism.replace(**wrong)
