"""Zone, cut and noise: golden values of addenda §3, what they release, what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import InfeasibleError, InputError
from sfumato.trace import HiddenPlace, LastingNoise, Matern, PlaceNoise, StickyZone, TimeCut, White

DAY = np.arange(0.0, 9001.0, 60.0)
STAY = HiddenPlace(((3600.0, 5400.0),))


@pytest.mark.parametrize(
    ("every", "margin", "epsilon"),
    [
        *[(60, 5, 18), (60, 10, 3.7), (60, 15, 1.5), (60, 20, 0.73)],
        *[(10, 5, 29), (10, 10, 4.7), (10, 15, 1.8), (10, 20, 0.84)],
    ],
)
def test_loss_of_a_cut(every, margin, epsilon):
    times = np.arange(0.0, 9001.0, every)
    cut = TimeCut(places=[STAY], times=times, margin=60.0 * margin)
    assert cut.certified_epsilon == pytest.approx(epsilon, rel=0.03)
    dense = max(float(one.shape @ np.linalg.solve(one.rest(), one.shape)) for one in cut.responses)
    assert 40_000 * dense * (1 - 1e-9) <= cut.certified_epsilon <= 40_000 * dense * 1.001
    kept = cut.release(np.stack([times, times], axis=1))[:, 0]
    assert ((kept < 3600 - 60 * margin) | (kept > 5400 + 60 * margin)).all()


def test_a_moment_of_a_cut_stay_is_hidden_at_least_as_well_as_its_place():
    """If there was movement: each moment is as far from the kept points as the place of a stay is, or farther."""
    cut = TimeCut(places=[STAY], times=DAY)
    for moment in (3600.0, 4000.0, 4500.0, 5400.0):
        moving = TimeCut(places=[HiddenPlace.at(moment)], times=DAY[cut.kept], margin=0.0)
        assert moving.certified_epsilon <= cut.certified_epsilon * (1 + 1e-6)


def test_a_cut_that_leaves_too_much_is_refused():
    with pytest.raises(InfeasibleError, match="leaves ε = 18"):
        TimeCut(places=[STAY], times=DAY, margin=300.0, epsilon=1.0).guarantee
    whole = TimeCut(places=[HiddenPlace(((-1.0, 9001.0),))], times=DAY)
    assert whole.certified_epsilon == 0.0
    assert len(whole.release(np.zeros((151, 2)))) == 0


@pytest.mark.parametrize(("reach", "delta"), [(1000.0, 2.2e-3), (1200.0, 4e-5), (1500.0, 1.5e-8)])
def test_a_zone_fails_with_this_probability(reach, delta):
    zone = StickyZone(epsilon=1.0, home=(0.0, 0.0), reach=reach)
    assert zone.deviation == 200.0
    assert zone.guarantee.delta == pytest.approx(delta, rel=0.03)


def test_two_worlds_look_the_same_given_the_middle():
    """Paths that differ inside the disc only: whenever the disc is in the zone, both keep the same points."""
    rng = np.random.default_rng(0)
    zone = StickyZone(epsilon=1.0, home=(0.0, 0.0), reach=700.0)
    way = np.array([[-3000.0, 50.0], [-900.0, 0.0], [-400.0, 0.0], [600.0, 100.0], [2000.0, 0.0]])
    inside = rng.uniform(-140.0, 140.0, (2, 6, 2))  # within 200 m of (0, 0)
    worlds = [np.concatenate([way, points]) for points in inside]
    middles = np.array([zone.draw(rng=rng) for _ in range(4000)])
    covered = np.hypot(*middles.T) + 200.0 <= 700.0
    for middle in middles[covered]:
        first, second = (zone.kept(world, middle) for world in worlds)
        assert not first[5:].any()
        assert (first == second).all()
    # P(outside) = exp(−500²/2σ²) = 0.044, and δ = exp(−400²/2σ²) allows for the midpoint of two places: 0.135.
    assert abs((~covered).mean() - math.exp(-0.5 * 2.5**2)) < 5 * math.sqrt(0.044 / 4000)
    assert (~covered).mean() < zone.delta
    assert abs(middles.std() - 200.0) < 5 * 200 / math.sqrt(16000)


def test_noise_has_the_covariance_it_says():
    """4 000 draws of 7 points: every entry within six standard errors."""
    times = np.arange(0.0, 361.0, 60.0)
    hide = PlaceNoise(places=[HiddenPlace.at(180.0)], times=times)
    draws = hide.release(np.zeros((7, 4000)), rng=np.random.default_rng(3))
    assert (draws % hide.step == 0).all()
    spread = np.sqrt(np.outer(hide.noise.variances, hide.noise.variances))
    np.testing.assert_allclose(
        draws @ draws.T / 4000 / spread, hide.covariance / spread, atol=6 * 1.5 / math.sqrt(4000)
    )


def test_a_promise_that_costs_too_much_is_refused_with_the_figure():
    with pytest.raises(InfeasibleError, match=r"of 21[56] m, more than the 100 m allowed"):
        PlaceNoise(places=[STAY], times=DAY, max_error=100.0).guarantee
    with pytest.raises(InfeasibleError, match=r"of 315 m, more than the 100 m allowed"):
        LastingNoise(place=STAY, times=DAY, max_error=100.0).release(np.zeros((151, 2)))


def test_a_lasting_noise_is_the_same_on_every_day():
    hide = LastingNoise(place=STAY, times=DAY)
    drawn = hide.draw(rng=np.random.default_rng(1))
    days = [
        LastingNoise(place=STAY, times=times, law=hide.factor, coefficients=drawn)
        for times in (DAY, DAY + 86400.0, np.arange(0.0, 9001.0, 20.0))
    ]
    moved = HiddenPlace(((90_000.0, 91_800.0),))
    days[1] = LastingNoise(place=moved, times=DAY + 86400.0, law=hide.factor, coefficients=drawn)
    means = []
    for day in days:
        many = [day.release(np.zeros((len(day.shapes), 2)), rng=np.random.default_rng(k)) for k in range(60)]
        means.append(np.mean(many, axis=0))
    np.testing.assert_allclose(means[0], means[1], atol=6 * 25 * math.sqrt(2 / 60))
    np.testing.assert_allclose(means[0], means[2][::3], atol=6 * 25 * math.sqrt(2 / 60))
    assert days[0].guarantee.for_ever
    assert not hide.guarantee.for_ever
    with pytest.raises(InputError, match="keeps the promise"):
        LastingNoise(place=STAY, times=DAY, law=0.9 * hide.factor, coefficients=drawn)


def test_more_noise_is_needed_at_a_smaller_epsilon():
    errors = [PlaceNoise(places=[STAY], times=DAY, epsilon=epsilon).plane_error for epsilon in (0.5, 1.0, 4.0)]
    assert errors == sorted(errors, reverse=True)


def test_a_family_of_ones_own():
    kernel = Matern(length=600.0, variance=1e6) + White(variance=25.0)
    hide = PlaceNoise(places=[STAY], times=DAY, prior=kernel)
    assert "of-its-own (Matérn 3/2 with lengths of 600 s)" in str(hide.guarantee)
    with pytest.raises(InputError, match="add White"):
        TimeCut(places=[STAY], times=DAY, prior=Matern(length=600.0, variance=1e6)).guarantee


@pytest.mark.parametrize(
    "make",
    [
        lambda: StickyZone(epsilon=1.0),
        lambda: StickyZone(epsilon=1.0, home=(0.0, 0.0), reach=250.0),
        lambda: StickyZone(epsilon=0.0, home=(0.0, 0.0)),
        lambda: StickyZone(epsilon=1.0, home=(0.0, 0.0, 0.0)),
        lambda: StickyZone(epsilon=1.0, centre=(0.0, 0.0)).draw(),
        lambda: StickyZone(epsilon=1.0, home=(0.0, 0.0), order=1.0),
        lambda: TimeCut(places=[], times=DAY),
        lambda: TimeCut(places=[STAY], times=DAY, margin=-1.0),
        lambda: TimeCut(places=[STAY], times=DAY[::-1]),
        lambda: PlaceNoise(places=[], times=DAY),
        lambda: PlaceNoise(places=[HiddenPlace.at(60.0 * k) for k in range(30)], times=DAY),
        lambda: PlaceNoise(places=[STAY], times=DAY, floor=0.0),
        lambda: PlaceNoise(places=[STAY], times=DAY, epsilon=-1.0),
        lambda: PlaceNoise(places=[STAY], times=DAY, prior="RBF"),
        lambda: LastingNoise(place=STAY, times=DAY, even=0.0),
        lambda: LastingNoise(place=STAY, times=DAY, coefficients=np.zeros((7, 2))),
    ],
)
def test_rejections(make):
    with pytest.raises(InputError):
        make()
