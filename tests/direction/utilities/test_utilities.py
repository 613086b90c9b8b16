"""Utilities are perfect on raw data and degrade with protection."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.direction_data import SURVEY, VISITS, protected
from sfumato.direction import (
    BusyHours,
    HourHistogramError,
    MeanHourError,
    PlaceHistogramError,
    ProtectedSurvey,
    Purkayastha,
    RankAgreement,
)
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.noise import seeded_rng


def test_utilities_are_perfect_on_raw_data_and_degrade():
    weak, strong = (
        ProtectedSurvey(noise=Purkayastha(pure=e, kind="hour")).release(SURVEY, rng=seeded_rng(4)) for e in (30.0, 0.05)
    )
    for utility in (MeanHourError(), MeanHourError(by_group=True), RankAgreement(), HourHistogramError()):
        raw = utility.measure(SURVEY, SURVEY)
        assert raw.value == pytest.approx(raw.reference, abs=1e-12)
        sign = 1 if utility.better == "higher" else -1
        assert sign * utility.measure(SURVEY, weak).value > sign * utility.measure(SURVEY, strong).value
    good, bad = (protected(level).release(VISITS, rng=seeded_rng(5)) for level in (30.0, 0.01))
    for utility in (HourHistogramError(), BusyHours(), PlaceHistogramError(degrees=0.01)):
        raw = utility.measure(VISITS, VISITS)
        assert raw.value == pytest.approx(raw.reference, abs=1e-9)
        sign = 1 if utility.better == "higher" else -1
        assert sign * utility.measure(VISITS, good).value > sign * utility.measure(VISITS, bad).value


def test_rank_agreement_is_spearmans():
    from scipy import stats

    rng = seeded_rng(0)
    first, second = rng.uniform(5, 9, 4), rng.uniform(5, 9, 4)
    data, release = (SleepSurvey(hour=hours[:, None], group=np.arange(4)) for hours in (first, second))
    expected = stats.spearmanr(first, second).statistic
    assert RankAgreement().measure(data, release).value == pytest.approx(expected)


def test_errors_of_bins_and_of_users():
    """By hand: one of four visits moves to another bin; and a map for each user is the mean of their errors."""
    from sfumato.direction import DirectionHistogramError
    from sfumato.direction.data.check_ins import CheckIns
    from sfumato.direction.data.directions import Directions

    true, seen = (Directions(values=np.array([[0.5], [0.6], [6.5], [last]]), kind="hour") for last in (12.5, 18.5))
    assert DirectionHistogramError(distance="bins").measure(true, seen).value == pytest.approx(0.5 / 24)
    places = np.array([[1.0, 1.0], [1.0, 3.0], [51.0, 1.0]])

    def visits(place):
        return CheckIns(
            user=np.array([0, 0, 1]), hour=np.zeros(3), latlon=places[place], place=np.array(place), places=places
        )

    first, second = visits([0, 0, 2]), visits([0, 1, 2])
    cells = 90 * 180
    whole = PlaceHistogramError(distance="bins").measure(first, second).value
    assert whole == pytest.approx(2 / 3 / cells)
    each = PlaceHistogramError(distance="bins", by_user=True).measure(first, second).value
    assert each == pytest.approx(1.0 / 2 / cells)
    moved = PlaceHistogramError(by_user=True).measure(first, second).value
    assert moved == pytest.approx(0.5 * 222.4 / 2, rel=0.01)  # half of two visits by two degrees, over two users
    hours = HourHistogramError(distance="bins")
    assert hours.measure(first, first).value == 0
