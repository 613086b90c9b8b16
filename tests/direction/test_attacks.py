"""Attacks win on raw data, weaken with protection and fall to chance; utilities do the reverse."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sfumato.direction import (
    BusyHours,
    ClippedLaplace,
    HabitAttack,
    HistogramLinkageAttack,
    HomeAttack,
    HourHistogramError,
    MeanHourError,
    NaiveCentralSurvey,
    PlaceAndTimePrivacy,
    PlaceHistogramError,
    PolarLaplace,
    ProtectedCheckIns,
    ProtectedSurvey,
    Purkayastha,
    RankAgreement,
    SphericalCap,
    VonMisesFisher,
    group_means,
    nearest_place,
)
from sfumato.direction.data.check_ins import CheckIns, check_ins_on_grid, make_check_ins
from sfumato.direction.data.sleep import SleepSurvey, make_sleep_survey
from sfumato.errors import InfeasibleError, InputError
from sfumato.noise import seeded_rng
from sfumato.promise import NoGuarantee, PureDP, compose
from sfumato.study.conformance import collect_attacks, collect_utilities

SURVEY = make_sleep_survey(people=300, nights=7)
VISITS = make_check_ins(users=60, places=80, cities=4, records=6_000)


def protected(level: float) -> ProtectedCheckIns:
    return ProtectedCheckIns(
        place=Purkayastha(level=level, radius=3e-5, kind="latlon"),
        time=Purkayastha(level=level, radius=np.pi / 4, kind="hour"),
    )


def test_habit_attack_is_perfect_on_raw_data_and_helpless_against_strong_noise():
    raw = HabitAttack().attack(SURVEY, SURVEY)
    assert raw.value == 1
    shares = []
    for epsilon in (0.01, 5.0, 100.0):
        mechanism = ProtectedSurvey(noise=Purkayastha(pure=epsilon, kind="hour"))
        score = HabitAttack().attack(SURVEY, mechanism.release(SURVEY, rng=seeded_rng(1)), mechanism=mechanism)
        assert score.low <= score.value <= score.high
        shares.append(score.value)
    assert shares[0] == pytest.approx(raw.reference, abs=0.06)
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.9


@pytest.mark.parametrize(
    "noise",
    [
        VonMisesFisher(pure=4.0, kind="hour"),
        SphericalCap(pure=4.0, kind="hour"),
        ClippedLaplace(pure=20.0, kind="hour"),
    ],
    ids=lambda noise: type(noise).__name__,
)
def test_an_adaptive_attacker_finds_at_least_what_a_static_one_does(noise):
    mechanism = ProtectedSurvey(noise=noise)
    release = mechanism.release(SURVEY, rng=seeded_rng(2))
    adaptive = HabitAttack().attack(SURVEY, release, mechanism=mechanism)
    static = HabitAttack(adaptive=False).attack(SURVEY, release, mechanism=mechanism)
    assert adaptive.value >= static.value - 0.03
    assert adaptive.value > adaptive.reference


def test_averages_do_not_show_a_habit():
    mechanism = NaiveCentralSurvey(noise=Purkayastha(pure=50.0, kind="hour"))
    release = mechanism.release(SURVEY, rng=seeded_rng(3))
    score = HabitAttack().attack(SURVEY, release, mechanism=mechanism)
    assert score.value < score.reference + 0.05
    assert mechanism.guarantee == PureDP(50.0, unit="person")


def test_home_attack_and_linkage_weaken_with_protection():
    for attack, least in ((HomeAttack(), 0.95), (HistogramLinkageAttack(), 0.9)):
        raw = attack.attack(VISITS, VISITS, rng=seeded_rng(0))
        assert raw.value >= least
        strong = attack.attack(
            VISITS, protected(0.003).release(VISITS, rng=seeded_rng(1)), mechanism=protected(0.003), rng=seeded_rng(2)
        )
        weak = attack.attack(
            VISITS, protected(3.0).release(VISITS, rng=seeded_rng(1)), mechanism=protected(3.0), rng=seeded_rng(2)
        )
        assert strong.value < weak.value
        assert strong.value < 0.5


def test_home_attack_copes_with_infinite_densities():
    mechanism = ProtectedCheckIns(place=PolarLaplace(kappa=1e5), time=Purkayastha(epsilon=2.0, kind="hour"))
    score = HomeAttack().attack(VISITS, mechanism.release(VISITS, rng=seeded_rng(1)), mechanism=mechanism)
    assert np.isfinite(score.value)
    assert isinstance(mechanism.guarantee, NoGuarantee)


def test_linkage_breaks_ties_at_random():
    """Users with equal histograms cannot be told apart: the share linked is that of chance within 5 errors."""
    users = 400
    same = CheckIns(
        user=np.repeat(np.arange(users), 4),
        hour=np.tile([1.0, 1.0, 5.0, 5.0], users),
        latlon=np.zeros((4 * users, 2)),
        place=np.zeros(4 * users, dtype=np.int64),
        places=np.zeros((1, 2)),
    )
    score = HistogramLinkageAttack(k=40, adaptive=False).attack(same, same, rng=seeded_rng(0))
    assert score.value == pytest.approx(0.1, abs=5 * 0.3 / 20)
    assert score.reference == pytest.approx(0.1)


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


def test_released_places_are_public_ones_and_nearest():
    release = protected(0.1).release(VISITS, rng=seeded_rng(0))
    assert release.places is VISITS.places
    np.testing.assert_array_equal(release.place, nearest_place(release.latlon, VISITS.places))
    np.testing.assert_array_equal(nearest_place(VISITS.places, VISITS.places), np.arange(len(VISITS.places)))


def test_examples_of_the_room_are_registered():
    names = {example.label for example in collect_attacks()} | {example.label for example in collect_utilities()}
    assert {
        "HabitAttack",
        "HomeAttack",
        "HistogramLinkageAttack",
        "MeanHourError",
        "RankAgreement",
        "BusyHours",
    } <= names


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
    assert group_means(group_means(SURVEY)).overall == group_means(SURVEY).overall
