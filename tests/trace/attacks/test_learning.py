"""Attackers who learn from the release: paths, stays, repeated releases, zones and maps."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import (
    RBF,
    Crowd,
    EvidenceAttack,
    HiddenPlace,
    MapAttack,
    Matern,
    PlaceNoise,
    RepeatAttack,
    Secret,
    Sighting,
    StayAttack,
    StickyZone,
    TimeCut,
    TraceNoise,
    White,
    ZoneAttack,
    covariance,
    fit_kernel,
    location_scores,
)
from sfumato.trace.attacks.belief import with_gaps
from sfumato.trace.attacks.evidence import place_belief
from sfumato.trace.attacks.sighting import hidden_intervals, targets

TIMES = 5.0 * np.arange(60)
MIDDLE = [Secret((30,))]


def a_path(rng: np.random.Generator, length: float = 60.0, deviation: float = 200.0) -> np.ndarray:
    prior = Matern(length=length, nu=1.5, variance=deviation**2) + White(variance=9.0)
    return np.linalg.cholesky(covariance(prior, TIMES)) @ rng.normal(size=(60, 2))


def test_the_kernel_is_learned_through_known_noise() -> None:
    # Ten paths: the length is found within a factor of three for most, whatever the noise that the card tells.
    lengths = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        noise = 400.0 * np.eye(60)
        seen = Sighting(times=TIMES, path=a_path(rng) + rng.normal(0, 20, (60, 2)), noise=noise)
        lengths.append(fit_kernel(seen, kinds=("matern-3/2",)).kernel.length)
    assert 20 < np.median(lengths) < 180


def test_an_attacker_who_learns_undoes_noise_that_assumes_too_smooth_a_path_and_not_the_family() -> None:
    # An RBF of six samples, on paths that are smoother than that; medians of six paths, far apart.
    old, new = [], []
    prior = RBF(length=30.0, variance=3000.0**2) + White(variance=25.0)
    shaped = TraceNoise(prior=prior, times=TIMES, secrets=MIDDLE, radius=200.0, epsilon=1.0)
    robust = PlaceNoise(places=[HiddenPlace.at(TIMES[30])], times=TIMES)
    attack = EvidenceAttack(times=TIMES, secrets=MIDDLE)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        path = a_path(rng, length=300.0, deviation=600.0)
        for noise, found in ((shaped, old), (robust, new)):
            found.append(attack.errors(path, noise.release(path, rng=rng), mechanism=noise)[0])
    assert np.median(old) < 60
    assert np.median(new) > 100


def test_noise_that_is_alike_in_a_stay_is_not_averaged_out_and_independent_noise_is() -> None:
    path = np.concatenate([np.linspace([-2000, 0], [0, 0], 20), np.zeros((20, 2)), np.linspace([0, 0], [0, 2000], 20)])
    stay = [Secret((int(k),)) for k in range(20, 40)]
    attack = StayAttack(times=TIMES, secrets=stay, by="blue")
    rng = np.random.default_rng(0)
    alone = PlaceNoise(places=[HiddenPlace(((TIMES[20], TIMES[39]),))], times=TIMES)
    errors = [attack.errors(path, alone.release(path, rng=rng), mechanism=alone)[0] for _ in range(12)]
    independent = [attack.errors(path, path + rng.normal(0, 300, path.shape))[0] for _ in range(12)]
    assert np.median(independent) < 150 < np.median(errors)
    assert attack.errors(path, path)[0] == pytest.approx(0, abs=1e-9)
    for by in ("mean", "neighbours", "stop"):
        assert StayAttack(times=TIMES, secrets=stay, by=by).errors(path, path)[0] < 120


def test_two_releases_of_one_path_tell_more_than_one() -> None:
    # Two noises in one direction each: together they are nearly solved for.
    rng = np.random.default_rng(3)
    path, one, two = a_path(rng), rng.normal(size=60), rng.normal(size=60)
    noises = [900.0**2 * np.outer(v, v) / (v @ v) + np.eye(60) for v in (one, two)]
    draws = [path + np.linalg.cholesky(n) @ rng.normal(size=(60, 2)) for n in noises]
    first, second = (Sighting(times=TIMES, path=z, noise=n) for z, n in zip(draws, noises, strict=True))
    interval = hidden_intervals(TIMES, MIDDLE)[0]
    given = {"times": TIMES, "secrets": MIDDLE}
    both = RepeatAttack(**given, earlier=(second,), stay=False).locate(first, interval, rng)
    truth = targets(TIMES, path, [interval])[0]
    assert np.linalg.norm(both - truth) < 10
    days = [(second, [interval])]
    assert RepeatAttack(**given, days=days).locate(first, interval, rng).shape == (2,)
    with pytest.raises(InputError, match="other releases"):
        RepeatAttack(**given).attack(path, draws[0])


def test_what_is_cut_is_guessed_from_its_ends() -> None:
    times = 60.0 * np.arange(120)
    path = np.stack([50.0 * np.arange(120), np.zeros(120)], axis=1)  # straight on, so that the guess is right
    cut = TimeCut(places=[HiddenPlace(((times[60], times[60]),))], times=times)
    release = cut.release(path)
    seen = with_gaps(path, release)
    assert np.isnan(seen).any(axis=1).sum() == 120 - len(release)
    assert EvidenceAttack(times=times, secrets=[Secret((60,))]).errors(path, release, mechanism=cut)[0] < 20
    with pytest.raises(InputError, match="some of the data"):
        with_gaps(path, release + 1)


def test_who_comes_back_is_found_by_where_they_are_most() -> None:
    times = 60.0 * np.arange(300)
    hours = [0, 3000, 4200, 6600, 9000, 12000, 13800, 16200, 18000]
    east = np.interp(times, hours, [0, 0, 3000, 3000, 8000, 8000, 3000, 3000, 3000])
    path = np.stack([east, np.zeros(300)], axis=1)  # at 3000 m twice: the first visit is hidden, the second is not
    cut = TimeCut(places=[HiddenPlace(((4200.0, 6600.0),))], times=times)
    release = cut.release(path)
    secrets = [Secret((k,)) for k in range(70, 111)]
    given = {"times": times, "secrets": secrets}
    assert StayAttack(**given, by="longest").errors(path, release, mechanism=cut)[0] < 150
    assert StayAttack(**given, by="stop").errors(path, release, mechanism=cut)[0] > 2000
    gone = path[:120]  # nobody comes back: the longest stop is another one
    once = TimeCut(places=cut.places, times=times[:120])
    given["times"] = times[:120]
    found = StayAttack(**given, by="longest").errors(gone, once.release(gone), mechanism=once)[0]
    assert found > 2000


def test_a_zone_is_found_by_its_rim_and_the_home_in_it_only_as_well_as_it_was_drawn() -> None:
    errors, centres = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        zone = StickyZone(epsilon=1.0, home=(0.0, 0.0))
        middle = np.array(zone.draw(rng=rng))
        days = []
        for angle in np.linspace(0, 2 * np.pi, 9)[:-1] + rng.uniform(-0.3, 0.3, 8):
            away = np.arange(0.0, 5000.0, 40.0)[:, None] * [np.cos(angle), np.sin(angle)]
            kept = zone.kept(away, middle)
            days.append(Sighting(times=60.0 * np.arange(len(away))[kept], path=away[kept]))
        attack = ZoneAttack(times=[0.0, 1.0], secrets=[Secret((0,))], reach=zone.reach, deviation=zone.deviation)
        guess = attack.find(days)
        centres.append(np.linalg.norm(guess - middle))
        errors.append(np.linalg.norm(guess))
    assert np.median(centres) < 60
    assert np.median(errors) > 120  # 235 by the law of the zone; the median of 20 is above 120 in all but 1 of 500 runs
    # A way straight home leads there: rays find what the zone itself hides, and the promise does not cover it.
    rays = ZoneAttack(times=[0.0, 1.0], secrets=[Secret((0,))], reach=zone.reach, by="rays")
    assert np.linalg.norm(rays.find(days)) < 60
    with pytest.raises(InputError, match="size of a zone"):
        ZoneAttack(times=TIMES, secrets=MIDDLE).attack(np.zeros((60, 2)), np.zeros((60, 2)))


def test_a_map_finds_a_shift_of_the_whole_path() -> None:
    # Streets of a bent route, known from others; the whole path is shifted, which no kernel can see.
    rng = np.random.default_rng(5)
    route = np.concatenate([np.linspace([0, 0], [1500, 0], 30), np.linspace([1500, 50], [1500, 1500], 30)])
    others = np.repeat(route, 40, axis=0) + rng.normal(0, 15, (2400, 2))
    noise = 300.0**2 * np.ones((60, 60)) + 25 * np.eye(60)
    found = {"map": [], "without": []}
    for seed in range(5):
        draw = np.random.default_rng(seed)
        seen = Sighting(times=TIMES, path=route + np.linalg.cholesky(noise) @ draw.normal(size=(60, 2)), noise=noise)
        interval = (TIMES[30], TIMES[30])
        attacks = {
            "map": MapAttack(times=TIMES, secrets=MIDDLE, crowd=Crowd(points=others)),
            "without": EvidenceAttack(times=TIMES, secrets=MIDDLE),
        }
        for name, attack in attacks.items():
            found[name].append(np.linalg.norm(attack.locate(seen, interval, draw) - route[30]))
    assert np.median(found["map"]) < 80 < np.median(found["without"])


def test_scores_of_guesses() -> None:
    scores = location_scores(np.arange(1.0, 101.0), np.full((100, 4), 500.0))
    assert scores["median error, m"].value == 50.5
    assert scores["median error, m"].low == 40
    assert scores["median error, m"].high == 61
    assert scores["within 50 m"].value == 0.5
    assert scores["within 200 m"].reference == 0


def test_rejections() -> None:
    with pytest.raises(InputError, match="at least one secret"):
        EvidenceAttack(times=TIMES, secrets=[])
    with pytest.raises(InputError, match="do not decrease"):
        Sighting(times=[1.0, 0.0], path=np.zeros((2, 2)))
    with pytest.raises(InputError, match="covariance of 2"):
        Sighting(times=[0.0, 1.0], path=np.zeros((2, 2)), noise=np.eye(3))
    with pytest.raises(InputError, match="cells"):
        Crowd(points=[[0.0, 0.0], [1e6, 1e6]], cell=1.0)
    with pytest.raises(InputError, match="by = "):
        StayAttack(times=TIMES, secrets=MIDDLE, by="wish")  # type: ignore[arg-type]


def test_a_stay_is_one_place_on_its_own_clock() -> None:
    path = np.concatenate([np.linspace([-900, 0], [0, 0], 20), np.zeros((20, 2)), np.linspace([0, 0], [900, 0], 20)])
    belief = place_belief(Sighting(times=TIMES, path=path), (TIMES[20], TIMES[39]))
    assert np.linalg.norm(belief.mean) < 20
    assert belief.variance < 30**2
