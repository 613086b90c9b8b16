"""The promise of check-ins adds place and time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from helpers.direction_data import VISITS, protected
from sfumato.direction import (
    PlaceAndTimePrivacy,
    ProtectedCheckIns,
    Purkayastha,
    VonMisesFisher,
)
from sfumato.direction.data.check_ins import CheckIns
from sfumato.errors import InputError
from sfumato.promise import NoGuarantee, PureDP, compose


def test_checkins_promise_sums_place_and_time():
    promise = protected(1.0).guarantee
    assert isinstance(promise, PlaceAndTimePrivacy)
    here, there = VISITS.select(np.array([0])), VISITS.select(np.array([1]))
    expected = promise.place.epsilon * _arc(here, there) + promise.time.epsilon * _clock(here, there)
    assert promise.loss_bound(here, there) == pytest.approx(expected)
    mixed = ProtectedCheckIns(place=VonMisesFisher(epsilon=1.0, kind="latlon"), time=Purkayastha(pure=1.0, kind="hour"))
    assert mixed.guarantee.statement == "ε = 1 per unit of great-circle chord distance + ε = 1"
    moved = dataclasses.replace(here, hour=(here.hour + 1) % 24)
    assert mixed.guarantee.loss_bound(here, moved) == pytest.approx(1.0 * len(here))
    assert mixed.guarantee.loss_bound(here, here) == 0.0
    twice = compose(mixed.guarantee, mixed.guarantee)
    assert (twice.place.epsilon, twice.time.epsilon) == (2.0, 2.0)
    with pytest.raises(InputError, match="place"):
        PlaceAndTimePrivacy(NoGuarantee("none"), PureDP(1.0))


def _arc(here: CheckIns, there: CheckIns) -> float:
    from sfumato.direction import latlon_to_vector
    from sfumato.direction.core.sphere import angle_between

    return float(angle_between(latlon_to_vector(here.latlon), latlon_to_vector(there.latlon))[0])


def _clock(here: CheckIns, there: CheckIns) -> float:
    from sfumato.direction import circular_distance

    return float(circular_distance(here.hour, there.hour)[0]) * 2 * np.pi / 24


def test_many_checkins_cost_as_many_times_if_the_parts_are_pure():
    pure = PlaceAndTimePrivacy(PureDP(1.0), PureDP(0.5)).over(3, unit="user")
    assert (pure.place.epsilon, pure.time.epsilon, pure.unit) == (3.0, 1.5, "user")
    assert "add up" in pure.words
    with pytest.raises(InputError, match="distance"):
        protected(1.0).guarantee.over(3)
