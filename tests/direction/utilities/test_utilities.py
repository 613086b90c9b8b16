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
