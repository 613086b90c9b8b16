"""Attacks win on raw data, weaken with protection and fall to chance."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.direction_data import SURVEY, VISITS, protected
from sfumato.direction import (
    ClippedLaplace,
    HabitAttack,
    HistogramLinkageAttack,
    HomeAttack,
    NaiveCentralSurvey,
    PolarLaplace,
    ProtectedCheckIns,
    ProtectedSurvey,
    Purkayastha,
    SphericalCap,
    VonMisesFisher,
    metres_to_radians,
)
from sfumato.direction.data.check_ins import CheckIns, make_check_ins
from sfumato.noise import seeded_rng
from sfumato.promise import NoGuarantee, PureDP
from sfumato.study.conformance import collect_attacks, collect_utilities


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
    score = HabitAttack().attack(SURVEY, release, mechanism=mechanism, rng=seeded_rng(4))
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


def test_few_homes_are_found_under_little_noise_and_no_fewer_than_by_guessing_under_much():
    # Twelve small towns; the mean gain over guessing has a standard error of about 0.02 in each case.
    found, guessed = {0.001: [], 5.0: []}, []
    for seed in range(12):
        data = make_check_ins(users=15, places=20, cities=2, records=400, seed=seed)
        for level, shares in found.items():
            mechanism = ProtectedCheckIns(
                place=Purkayastha(level=level, radius=metres_to_radians(200), kind="latlon"),
                time=Purkayastha(level=5.0, radius=0.785, kind="hour"),
            )
            score = HomeAttack().attack(data, mechanism.release(data, rng=seeded_rng(seed)), mechanism=mechanism)
            shares.append(score.value)
        guessed.append(score.reference)
    assert np.mean(found[5.0]) > 0.9
    assert np.mean(found[0.001]) >= np.mean(guessed)


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
