"""Protected check-ins are at public places."""

from __future__ import annotations

import numpy as np

from helpers.direction_data import VISITS, protected
from sfumato.direction import (
    nearest_place,
)
from sfumato.noise import seeded_rng


def test_released_places_are_public_ones_and_nearest():
    release = protected(0.1).release(VISITS, rng=seeded_rng(0))
    assert release.places is VISITS.places
    np.testing.assert_array_equal(release.place, nearest_place(release.latlon, VISITS.places))
    np.testing.assert_array_equal(nearest_place(VISITS.places, VISITS.places), np.arange(len(VISITS.places)))
