"""Protection after averaging, beside protection of every answer."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.direction_data import SURVEY
from sfumato.direction import (
    NaiveCentralSurvey,
    ProtectedSurvey,
    Purkayastha,
    RankAgreement,
    VonMisesFisher,
)
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import InputError
from sfumato.noise import seeded_rng


def test_local_beats_naive_central_in_the_ranking():
    """E10: 40 runs at ε = 3; the difference of the means is far beyond their standard errors."""
    found = {}
    for name, maker in (("local", ProtectedSurvey), ("central", NaiveCentralSurvey)):
        mechanism = maker(noise=VonMisesFisher(pure=3.0, kind="hour"))
        scores = [
            RankAgreement().measure(SURVEY, mechanism.release(SURVEY, rng=seeded_rng(s))).value for s in range(40)
        ]
        found[name] = np.mean(scores)
    assert found["local"] > found["central"] + 0.3


def test_noise_for_a_bounded_query_is_too_small_for_a_mean():
    bounded = Purkayastha(pure=1.0, sensitivity=0.5, neighbours="replace-one", kind="hour")
    with pytest.raises(InputError, match="whole circle"):
        NaiveCentralSurvey(noise=bounded)


def test_hours_outside_the_day_are_refused():
    late = SleepSurvey(hour=np.array([[25.0], [7.0]]), group=np.array([0, 1]))
    with pytest.raises(InputError, match="24"):
        NaiveCentralSurvey(noise=Purkayastha(pure=1.0, kind="hour")).release(late)
