"""The risk of each minute is the loss of that moment, and what the certificate says of the hidden place."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.trace import HiddenPlace, PlaceNoise, TimeCut
from sfumato.trace.core.place_response import responses
from sfumato.trace.returned.moment_risk import moment_risk

TIMES = np.arange(0.0, 9001.0, 60.0)
NOON = HiddenPlace(((3600.0, 5400.0),))


@pytest.mark.parametrize("made", [TimeCut(places=[NOON], times=TIMES), PlaceNoise(places=[NOON], times=TIMES)])
def test_inside_a_stay_it_is_what_is_certified(made: TimeCut | PlaceNoise) -> None:
    """ε = (λ/2)·r²·κ with λ = 2, and the deviation is κ^(−½)."""
    near = moment_risk(made, [3600.0, 4500.0, 5400.0])
    assert (made.radius / near) ** 2 == pytest.approx(np.full(3, made.certified_epsilon), rel=1e-5)


@pytest.mark.parametrize("made", [TimeCut(places=[NOON], times=TIMES), PlaceNoise(places=[NOON], times=TIMES)])
def test_elsewhere_it_is_the_dense_formula(made: TimeCut | PlaceNoise) -> None:
    for moment in (600.0, 3000.0, 7000.0):
        worst = 0.0
        for kernel in made.family.kernels:
            kept = made.kept if isinstance(made, TimeCut) else np.ones(len(TIMES), bool)
            one = responses(kernel, TIMES[kept], [NOON, HiddenPlace.at(moment)])[1]
            noise = np.zeros((kept.sum(),) * 2) if isinstance(made, TimeCut) else made.covariance
            worst = max(worst, float(one.shape @ np.linalg.solve(one.rest() + noise, one.shape)))
        assert moment_risk(made, [moment])[0] == pytest.approx(worst**-0.5, rel=1e-4)


def test_it_is_far_where_points_are_cut_and_near_elsewhere() -> None:
    near = moment_risk(TimeCut(places=[NOON], times=TIMES), TIMES)
    assert near[[0, 10, -1]].max() < 10
    assert near[75] > 150


def test_nothing_leaves_nothing_tells() -> None:
    everything = TimeCut(places=[HiddenPlace(((0.0, 9000.0),))], times=TIMES)
    assert np.isinf(moment_risk(everything, [4500.0])).all()
