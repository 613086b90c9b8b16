"""What attacks, utilities, surveys and check-ins refuse."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.direction_data import SURVEY, VISITS, protected
from sfumato.direction import (
    BusyHours,
    HabitAttack,
    HistogramLinkageAttack,
    HomeAttack,
    HourHistogramError,
    MeanHourError,
    NaiveCentralSurvey,
    PlaceHistogramError,
    ProtectedCheckIns,
    ProtectedSurvey,
    Purkayastha,
    RankAgreement,
    group_means,
)
from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import InfeasibleError, InputError


def test_what_is_refused():
    for call in (
        lambda: HabitAttack(tolerance=0.0),
        lambda: HabitAttack(spread=-1.0),
        lambda: HomeAttack(night=(22.0, 24.0)),
        lambda: HistogramLinkageAttack(k=0),
        lambda: HabitAttack().attack([1.0], [2.0]),
        lambda: HomeAttack().attack(SURVEY, SURVEY),
        lambda: HistogramLinkageAttack().attack(SURVEY, SURVEY),
        lambda: MeanHourError().measure(VISITS, VISITS),
        lambda: RankAgreement().measure(
            SleepSurvey(hour=np.ones((2, 1)), group=np.zeros(2, int)),
            SleepSurvey(hour=np.ones((2, 1)), group=np.zeros(2, int)),
        ),
        lambda: HourHistogramError(bins=1),
        lambda: HourHistogramError().measure([1.0], [1.0]),
        lambda: BusyHours(hours=24),
        lambda: PlaceHistogramError(degrees=0.0),
        lambda: PlaceHistogramError().measure(SURVEY, SURVEY),
        lambda: ProtectedSurvey(noise=Purkayastha(epsilon=1.0)),
        lambda: NaiveCentralSurvey(noise=Purkayastha(epsilon=1.0, kind="hour")),
        lambda: ProtectedSurvey(noise=Purkayastha(pure=1.0, kind="hour")).release([7.0]),
        lambda: protected(1.0).release(SURVEY),
        lambda: ProtectedCheckIns(place=Purkayastha(epsilon=1.0), time=Purkayastha(epsilon=1.0, kind="hour")),
        lambda: SleepSurvey(hour=np.ones(3), group=np.zeros(3, int)),
        lambda: CheckIns(
            user=np.zeros(2, int),
            hour=np.zeros(2),
            latlon=np.zeros((2, 2)),
            place=np.array([0, 5]),
            places=np.zeros((1, 2)),
        ),
        lambda: check_ins_on_grid([0, 1], [1.0, 2.0], [[0.0, 0.0], [0.0, 0.0]], cell=0.0),
    ):
        with pytest.raises(InputError):
            call()
    never = VISITS.select((VISITS.hour > 8) & (VISITS.hour < 20))
    with pytest.raises(InfeasibleError):
        HomeAttack().attack(never, never)
    once = VISITS.select(np.unique(VISITS.user, return_index=True)[1])
    with pytest.raises(InfeasibleError, match="two records"):
        HistogramLinkageAttack().attack(once, once)
    assert group_means(group_means(SURVEY)).overall == group_means(SURVEY).overall
