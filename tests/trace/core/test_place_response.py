"""Hidden places: the clock, the law of a path given a place, and certificates that hold for any guess."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import HiddenPlace, Matern, OperationalClock, White, covariance, walking_family
from sfumato.trace.core.conditional import condition
from sfumato.trace.core.hidden_times import hidden_places, parse_interval, visits_in_words
from sfumato.trace.core.place_response import certified_place_loss, responses
from sfumato.trace.core.prior_family import family_of
from sfumato.trace.promise import WALKING

TIMES = np.arange(0.0, 3601.0, 60.0)
STAYS = [HiddenPlace(((1200.0, 1500.0), (2700.0, 3000.0))), HiddenPlace.at(600.0)]


def test_the_clock_stands_still_during_stays():
    clock = OperationalClock(STAYS)
    moved = clock([0.0, 1200.0, 1350.0, 1500.0, 1560.0, 2700.0, 3000.0, 3060.0])
    assert moved.tolist() == [0.0, 1200.0, 1200.0, 1200.0, 1260.0, 2400.0, 2400.0, 2460.0]
    with pytest.raises(InputError, match="stays at different times"):
        OperationalClock([HiddenPlace(((0.0, 10.0),)), HiddenPlace(((5.0, 20.0),))])


@pytest.mark.parametrize("visits", [(), ((2.0, 1.0),), ((0.0, 5.0), (5.0, 6.0)), ((np.nan, 1.0),)])
def test_visits_are_checked(visits):
    with pytest.raises(InputError):
        HiddenPlace(visits)


def test_the_response_is_the_conditional_law():
    """Given f at the visits, from a dense joint law with the visits as extra points."""
    kernel = Matern(length=640.0, variance=9e4) + White(variance=4.0)
    for response in responses(kernel, TIMES, STAYS):
        at = np.concatenate([response.visits, response.path.moments])
        joint = response.path.kernel(at[:, None] - at[None, :])
        count = len(response.visits)
        gain = np.linalg.solve(joint[:count, :count], joint[:count, count:])
        np.testing.assert_allclose(response.shape, gain.sum(0), atol=1e-10)
        rest = joint[count:, count:] - joint[count:, :count] @ gain + 4.0 * np.eye(len(TIMES))
        np.testing.assert_allclose(response.rest(), rest, atol=1e-6)
        vector = np.random.default_rng(0).normal(size=(len(TIMES), 2))
        np.testing.assert_allclose((rest + 9 * np.eye(len(TIMES))) @ response.solve(9.0, vector), vector, atol=1e-6)
        np.testing.assert_allclose(response.product(vector[:, 0])[0], rest @ vector[:, 0], atol=1e-6)


def test_a_moment_without_measurement_error_is_a_basic_secret():
    kernel = Matern(length=640.0, variance=9e4)
    (response,) = responses(kernel, TIMES, [HiddenPlace.at(TIMES[30])])
    split = condition(covariance(kernel, TIMES), np.array([30]))
    np.testing.assert_allclose(response.shape, split.lift[:, 0], atol=1e-12)
    np.testing.assert_allclose(response.rest(), split.rest, atol=1e-6)


@pytest.mark.parametrize("days", [1.0, 30.0])
def test_the_certificate_is_above_the_loss_for_any_guess(days):
    """The right guess gives the loss to three digits at least, a wrong one only more."""
    rng = np.random.default_rng(2)
    factor = rng.normal(0, 100.0, (len(TIMES), 3))
    for kernel in walking_family().kernels:
        for response in responses(kernel, TIMES, STAYS):
            spread = (response.rest() + 625.0 * np.eye(len(TIMES))) / days + factor @ factor.T
            right = np.linalg.solve(spread, response.shape)
            loss = float(response.shape @ right)
            assert loss * (1 - 1e-9) <= certified_place_loss(response, 625.0, factor, right, days=days) <= loss * 1.001
            for off in (1e-3, 1.0):
                guess = right * (1 + off * rng.normal(size=len(right)))
                assert certified_place_loss(response, 625.0, factor, guess, days=days) >= loss * (1 - 1e-9)


def test_the_family_says_what_it_covers():
    family = walking_family()
    assert str(family) == WALKING
    assert family.lengths == (10.0, 1280.0)
    assert "1 550 segments" in family.provenance
    assert family_of(family.record()) == family
    assert family_of(None) is family
    for wrong in ([], {"name": "x"}, ["kernel"], {"name": "", "kernels": []}):
        with pytest.raises(InputError):
            family_of(wrong)


def test_more_deviation_and_more_error_lose_less():
    """What the family says of kernels without drift: noise that hides under one hides under all that deviate more."""
    factor = np.random.default_rng(3).normal(0, 100.0, (len(TIMES), 2))

    def loss(deviation: float, white: float) -> float:
        kernel = Matern(length=160.0, nu=2.5, variance=deviation**2) + White(variance=white)
        response = responses(kernel, TIMES, STAYS)[0]
        spread = response.rest() + 100.0 * np.eye(len(TIMES)) + factor @ factor.T
        return float(response.shape @ np.linalg.solve(spread, response.shape))

    assert loss(300.0, 1.0) > loss(1000.0, 1.0) > loss(5000.0, 1.0)
    assert loss(300.0, 1.0) > loss(300.0, 100.0)


def test_what_the_user_says_becomes_places():
    times = 86400.0 * 3 + np.arange(0.0, 2.5 * 86400, 600.0)
    stay, moment, nights = hidden_places(["12:00-12:30", "15:05"], times, daily=["22:00-06:00"])
    assert not stay.moment
    assert moment.moment
    assert len(nights.visits) == 3  # the night before the first day ends in it
    assert all(end - start == 8 * 3600 for start, end in nights.visits)
    berlin = hidden_places(["12:00-12:30"], times, zone="Europe/Berlin")[0]
    assert berlin.visits[0][0] == stay.visits[0][0] - 3600
    assert visits_in_words([berlin], "Europe/Berlin") == "1970-01-04 12:00:00 to 12:30:00 CET"
    assert parse_interval("12:05", 0.0) == (43500.0, 43500.0)
    with pytest.raises(InputError, match="check the time zone"):
        hidden_places(["12:00-12:30"], times[:3])
    for text in ("25:00-26:00", "1-2-3", "22:00"):
        with pytest.raises(InputError, match="an interval such as"):
            hidden_places([], times, daily=[text])
