"""The room through its doors: promise, adversaries, files, rejections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato.errors import InfeasibleError, InputError
from sfumato.mechanism import PlanarLaplace
from sfumato.trace import (
    RBF,
    GpsTrace,
    LinkageAttack,
    Matern,
    Periodic,
    PosteriorAttack,
    Projection,
    RemappedPlanar,
    Secret,
    StreetAttack,
    StrongestAttack,
    TraceNoise,
    White,
    all_basic,
    covariance,
    find_stops,
    fit_lengths,
    joint_loss,
    loss,
    misspecified_loss,
    odds_bound,
    posterior_interval,
    read_gps,
    renyi_epsilon,
    repeated_noise,
    uniqueness,
    write_gps,
)
from sfumato.trace.commands import parse_interval
from sfumato.trace.core.conditional import Conditional, condition
from sfumato.trace.core.kernel import check_covariance
from sfumato.trace.core.privacy_loss import conditional_loss
from sfumato.trace.designs.closed_form import concentrated, optimal_basic, uniform
from sfumato.trace.designs.published_program import published

TIMES = np.arange(50.0)
BASIC = Secret((24,))


@pytest.mark.parametrize(
    ("length", "even", "conc", "sdp_a", "full"),
    [(1.0, 0.271, 0.797, 0.997, 1.257), (3.0, 0.170, 0.0, 0.586, 0.885), (6.0, 0.124, 0.0, 0.424, 0.682)],
)
def test_posterior_intervals_of_the_reference_table(length, even, conc, sdp_a, full):
    """meehan.md §6.6 and addenda §1: the 2σ of the secret."""
    prior = covariance(RBF(length=length), TIMES)
    assert posterior_interval(prior, uniform(50, 1.0), BASIC) == pytest.approx(even, abs=0.002)
    assert posterior_interval(prior, concentrated(50, BASIC, 1.0), BASIC) == pytest.approx(conc, abs=0.005)
    assert posterior_interval(prior, published(prior, BASIC, 1.0), BASIC) == pytest.approx(sdp_a, abs=0.004)
    assert posterior_interval(prior, optimal_basic(prior, BASIC, 1.0), BASIC) == pytest.approx(full, abs=0.004)


def test_floor_against_smoother_paths():
    """Addenda §1: ρ = .2 at l = 6 gives κ = 9.23 and keeps 2σ = .310 when the path is smoother than assumed."""
    prior, smoother = covariance(RBF(length=6.0), TIMES), covariance(RBF(length=9.0), TIMES)
    guarded = optimal_basic(prior, BASIC, 1.0, floor=0.2)
    assert loss(prior, guarded, BASIC) == pytest.approx(9.23, rel=0.001)
    assert posterior_interval(prior, guarded, BASIC) == pytest.approx(0.625, abs=0.003)
    assert posterior_interval(smoother, guarded, BASIC) == pytest.approx(0.310, abs=0.005)


def test_epsilon_asked_for_is_epsilon_certified():
    noise = TraceNoise(prior=RBF(length=3.0), times=TIMES, secrets=[BASIC], radius=0.5, epsilon=0.7)
    assert noise.guarantee.epsilon <= 0.7
    assert noise.guarantee.epsilon == pytest.approx(0.7, rel=0.005)
    again = renyi_epsilon(
        loss(covariance(RBF(length=3.0), TIMES), noise.covariance, BASIC), secret=BASIC, radius=0.5, order=2.0
    )
    assert again == pytest.approx(noise.guarantee.epsilon, rel=1e-6)


@pytest.mark.parametrize("design", ["optimal", "block", "published", "dominate", "uniform"])
def test_every_design_spends_its_budget_and_is_certified(design):
    noise = TraceNoise(
        prior=RBF(length=2.0) + White(variance=0.01),
        times=np.arange(12.0),
        secrets=[Secret((5,))],
        radius=1.0,
        error=0.1**0.5,
        design=design,
    )
    if design != "published":
        assert np.trace(noise.covariance) <= 1.2 * (1 + 1e-3)
    assert noise.guarantee.epsilon == pytest.approx(noise.kappa, rel=1e-9)
    assert np.linalg.eigvalsh(noise.covariance)[0] > -1e-12


def test_noise_has_the_covariance_it_says():
    """20 000 draws: each entry within five standard errors."""
    noise = TraceNoise(prior=RBF(length=2.0), times=np.arange(6.0), secrets=[Secret((2,))], radius=1.0, error=0.5**0.5)
    draws = noise.release(np.zeros((6, 20_000)), rng=np.random.default_rng(1))
    np.testing.assert_allclose(draws @ draws.T / 20_000, noise.covariance, atol=5 * 2 * 0.5 * 6 / np.sqrt(20_000) / 2)


@pytest.mark.parametrize("shape", [(6,), (6, 2), (4, 6, 2)])
def test_releases_are_on_a_public_grid_that_does_not_depend_on_the_path(shape):
    """Low bits of a double would tell about the path: every released number is a whole multiple of a power of two."""
    noise = TraceNoise(prior=RBF(length=2.0), times=np.arange(6.0), secrets=[Secret((2,))], radius=1.0, error=0.7)
    path = np.random.default_rng(4).normal(0, 1000.0, shape)
    release = noise.release(path, rng=np.random.default_rng(5))
    assert release.shape == shape
    assert np.frexp(noise.step)[0] == 0.5
    assert (release % noise.step == 0).all()
    assert np.abs(release - path).max() < 20
    with pytest.raises(InputError, match="positions below"):
        noise.release(path * 1e12)


def test_every_time_a_secret_is_noise_like_the_path():
    noise = TraceNoise(prior=RBF(length=3.0), times=np.arange(12.0), secrets=all_basic(12), radius=1.0, error=0.5)
    assert noise.kappa == pytest.approx(1 / 0.25, rel=1e-5)
    np.testing.assert_allclose(noise.covariance, 0.25 * covariance(RBF(length=3.0), np.arange(12.0)), atol=1e-6)


@pytest.mark.parametrize("secrets", [[Secret((2,))], [Secret((2, 3))], [Secret((2,)), Secret((5,))]])
def test_without_a_floor_a_certificate_still_stands(secrets):
    noise = TraceNoise(prior=RBF(length=3.0), times=np.arange(10.0), secrets=secrets, radius=1.0, error=0.5, floor=0.0)
    assert np.isfinite(noise.kappa)


def test_smaller_noise_never_loses_less():
    """Cor. E.1.0.2: Σ′ ⪰ Σ does not raise κ."""
    prior = covariance(Matern(length=4.0), np.arange(20.0))
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.normal(size=(2, 20, 20))
        small = a @ a.T / 20
        assert loss(prior, small + b @ b.T / 20, Secret((7,))) <= loss(prior, small, Secret((7,))) * (1 + 1e-5)


def test_misspecification_is_infinite_when_it_is():
    """§6.2: RBF l = 2 against 1 has no finite bound, and equal kernels give the plain loss at order 4λ − 2."""
    first, second = covariance(RBF(length=2.0), np.arange(8.0)), covariance(RBF(length=1.0), np.arange(8.0))
    noise = uniform(8, 1.0)
    common = {"radius": 0.1, "order": 2.0, "extent": 1.0}
    assert misspecified_loss(first, second, noise, Secret((3,)), **common) == np.inf
    rough = covariance(RBF(length=1.0) + White(variance=0.1), np.arange(8.0))
    same = misspecified_loss(rough, rough, noise, Secret((3,)), **common)
    plain = renyi_epsilon(loss(rough, noise, Secret((3,))), secret=Secret((3,)), radius=0.1, order=6.0)
    assert same == pytest.approx(1.25 * plain, rel=1e-6)


def test_repeated_releases_compose_exactly():
    """Two releases of one path as one joint release (prior doubled, noise on a block diagonal) lose the same."""
    prior = covariance(RBF(length=2.0) + White(variance=0.01), np.arange(6.0))
    noises = [uniform(6, 1.0), optimal_basic(prior, Secret((2,)), 2.0, floor=0.2)]
    alone = [loss(prior, noise, Secret((2,))) for noise in noises]
    together = loss(prior, repeated_noise(noises), Secret((2,)))
    assert together > sum(alone)  # the releases share the rest of the path: losses do not simply add
    split = condition(prior, np.array([2]))
    joint = Conditional(np.vstack([split.lift, split.lift]), np.kron(np.ones((2, 2)), split.rest))
    zero = np.zeros((6, 6))
    assert conditional_loss(joint, np.block([[noises[0], zero], [zero, noises[1]]])) == pytest.approx(
        together, rel=1e-4
    )
    assert joint_loss([prior, prior], noises, [Secret((2,))] * 2) == max(alone)


def test_odds_of_the_dissertation():
    assert odds_bound(0.1, 5.0, 0.01) == pytest.approx(3.49, abs=0.005)
    assert odds_bound(0.1, 5.0, 0.1) == pytest.approx(1.97, abs=0.005)


def test_shaped_noise_beats_independent_noise_against_the_adversary():
    prior = RBF(length=5.0, variance=1e6) + White(variance=25.0)
    rng = np.random.default_rng(5)
    path = np.linalg.cholesky(covariance(prior, TIMES)) @ rng.normal(size=(50, 2))
    adversary = PosteriorAttack(prior=prior, times=TIMES, secrets=[BASIC], radius=100.0)
    common = {"prior": prior, "times": TIMES, "secrets": [BASIC], "radius": 100.0, "error": 150.0}
    scores = {}
    for design in ("optimal", "uniform"):
        noise = TraceNoise(design=design, **common)
        scores[design] = np.mean(
            [adversary.attack(path, noise.release(path, rng=rng), mechanism=noise).value for _ in range(20)]
        )
    assert scores["optimal"] < 0.5 * scores["uniform"]


def test_length_scale_is_recovered():
    """Median of 200 fits within 15 % of the truth."""
    rng = np.random.default_rng(6)
    times = np.arange(40.0)
    factor = np.linalg.cholesky(covariance(RBF(length=4.0) + White(variance=0.0025), times))
    traces = [(times, factor @ rng.normal(size=(40, 2))) for _ in range(100)]
    fitted = fit_lengths(traces, bounds=(1.0, 20.0), noise=0.0025)
    assert np.median(fitted.lengths) == pytest.approx(4.0, rel=0.15)
    assert fitted.effective == pytest.approx(fitted.lengths)


def test_period_and_length_are_recovered_together():
    """Medians of 40 fits within 10 % of the truth."""
    rng = np.random.default_rng(8)
    times = np.arange(48.0)
    factor = np.linalg.cholesky(covariance(Periodic(length=1.2, period=22.0) + White(variance=0.1), times))
    fitted = fit_lengths(
        [(times, factor @ rng.normal(size=(48, 4))) for _ in range(10)],
        bounds=(0.1, 20.0), noise=0.1, period=(16.0, 34.0), standardise=False,
    )  # fmt: skip
    assert np.median(fitted.lengths) == pytest.approx(1.2, rel=0.1)
    assert np.median(fitted.periods) == pytest.approx(22.0, rel=0.1)


@pytest.mark.data
def test_published_length_scales_of_temperature():
    """Quartiles 1.040/1.097/1.145 (App. E.1.4), which the temperature outdoors gives to the last digit."""
    from sfumato.trace.data.published import temperature_windows

    fitted = fit_lengths(temperature_windows(), bounds=(0.01, 100.0), noise=0.1, period=(16.0, 34.0), standardise=False)
    assert fitted.quartiles() == pytest.approx((1.040, 1.097, 1.145), abs=0.0006)


def test_uniqueness_against_brute_force():
    from itertools import combinations

    visits = np.random.default_rng(7).integers(0, 6, (20, 4))
    for known in (1, 2, 3):
        brute = []
        for user in visits:
            own = sorted(set(user))
            choices = combinations(own, min(known, len(own)))
            brute.append(max(1 / sum(set(c) <= set(other) for other in visits) for c in choices))
        np.testing.assert_allclose(uniqueness(visits, known), brute)


def test_linkage_recognises_raw_paths_and_not_drowned_ones():
    paths = np.random.default_rng(8).normal(0, 1000, (30, 20, 2))
    attack = LinkageAttack(known=3)
    assert attack.attack(paths, paths, rng=np.random.default_rng(1)).value == 1.0
    drowned = paths + np.random.default_rng(9).normal(0, 1e6, paths.shape)
    assert attack.attack(paths, drowned, rng=np.random.default_rng(1)).value < 0.25


@pytest.mark.parametrize("name", ["day.gpx", "day.csv", "day.parquet"])
def test_gps_files_round_trip(tmp_path, name):
    trace = GpsTrace(1.6e9 + 60 * np.arange(5.0), 48.1 + 0.001 * np.arange(5), 11.5 + 0.002 * np.arange(5))
    write_gps(trace, tmp_path / name)
    back = read_gps(tmp_path / name)
    np.testing.assert_allclose(back.times, trace.times)
    np.testing.assert_allclose(back.latitude, trace.latitude, atol=6e-6)


@pytest.mark.parametrize("centre", [(0.0, 0.0), (52.0, 13.0), (-33.0, 179.95), (89.0, 0.0)])
def test_projection_round_trip(centre):
    plane = Projection(*centre)
    points = np.random.default_rng(1).uniform(-20_000, 20_000, (100, 2))
    latitude, longitude = plane.to_degrees(points)
    np.testing.assert_allclose(plane.to_metres(latitude, longitude), points, atol=1e-5)


def test_stops_and_intervals():
    path = np.vstack([np.zeros((10, 2)), np.linspace([0, 0], [5000, 0], 10), np.tile([5000.0, 0], (10, 1))])
    stops = find_stops(np.arange(30.0), path, radius=50.0, duration=5.0)
    assert len(stops) == 2
    assert parse_interval("12:00-12:30", 0.0) == (43200.0, 45000.0)
    summer = 1.6e9 - 1.6e9 % 86400 + 36000  # September: two hours ahead of UTC
    assert parse_interval("12:00-12:30", summer, "Europe/Berlin") == (summer, summer + 1800)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Secret(()),
        lambda: Secret((1, 1)),
        lambda: Secret((-1,)),
        lambda: Secret((60,)).within(50),
        lambda: Secret(tuple(range(50))).within(50),
        lambda: covariance(RBF(length=1.0), [0.0, 0.0, 1.0]),
        lambda: covariance(RBF(length=1.0), [1.0, 0.0]),
        lambda: covariance(RBF(length=1.0), [0.0]),
        lambda: check_covariance([[1.0, 2.0], [2.0, 1.0]]),
        lambda: check_covariance([[1.0, 0.5], [0.2, 1.0]]),
        lambda: condition(covariance(Periodic(length=1.0, period=24.0), np.arange(48.0)), np.array([3, 27])),
        lambda: RBF(length=0.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0, error=0.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[], radius=1.0, error=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=-1.0, error=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0, error=1.0, order=1.0),
        lambda: TraceNoise(
            prior=RBF(length=1.0), times=TIMES, secrets=all_basic(50)[:2], radius=1.0, error=1.0, design="block"
        ).covariance,
        lambda: GpsTrace(np.array([0.0]), np.array([1.0]), np.array([1.0])),
        lambda: GpsTrace(np.array([0.0, 0.0]), np.zeros(2), np.zeros(2)),
        lambda: GpsTrace(np.array([1.0, 0.0]), np.zeros(2), np.zeros(2)),
        lambda: GpsTrace(np.array([0.0, 1.0]), np.array([91.0, 0.0]), np.zeros(2)),
        lambda: GpsTrace(np.array([0.0, 1.0]), np.zeros(2), np.array([181.0, 0.0])),
        lambda: parse_interval("noon", 0.0),
        lambda: parse_interval("12:00-12:30", 0.0, "Nowhere/Town"),
        lambda: parse_interval("13:00-12:00", 0.0),
        lambda: Secret.during([0.0, 1.0], 5.0, 6.0),
    ],
)  # fmt: skip
def test_rejections(make):
    with pytest.raises(InputError):
        make()


def test_command_hides_and_measures(tmp_path):
    from typer.testing import CliRunner

    from sfumato.cli.app import app
    from sfumato.trace.data.day import make_day

    day = make_day(every=15.0)
    latitude, longitude = Projection(52.5, 13.4).to_degrees(day.path)
    write_gps(GpsTrace(1.6e9 - 1.6e9 % 86400 + 60 * day.times, latitude, longitude), tmp_path / "day.gpx")
    run = CliRunner().invoke
    arguments = ["--secret", "12:15-12:45", "--radius", "200", "--epsilon", "1"]
    done = run(
        app, ["trace", "protect", str(tmp_path / "day.gpx"), *arguments, "-o", str(tmp_path / "out.gpx"), "--seed", "1"]
    )
    assert done.exit_code == 0, done.output
    assert "Rényi ε" in done.output
    assert len(read_gps(tmp_path / "out.gpx").times) == len(day.times)
    for verb, more in (("attack", ["--secret", "12:15-12:45"]), ("measure", [])):
        done = run(app, ["trace", verb, str(tmp_path / "day.gpx"), str(tmp_path / "out.gpx"), *more])
        assert done.exit_code == 0, done.output


def test_planar_baseline_is_a_promise_for_points_only():
    assert PlanarLaplace(epsilon=0.01, unit="point").guarantee.unit == "point"


def test_remapping_is_undone_by_anybody():
    """Bayesian remapping is public and linear: it improves the path and hides nothing more than the noise did."""
    times, kernel = np.arange(20.0), RBF(length=3.0, variance=1e6) + White(variance=400.0)
    path = np.linalg.cholesky(covariance(kernel, times)) @ np.random.default_rng(3).normal(size=(20, 2))
    mechanism = RemappedPlanar(epsilon=0.01, prior=kernel, times=times)
    noisy = mechanism.points.release(path, rng=np.random.default_rng(4))
    remapped = mechanism.release(path, rng=np.random.default_rng(4))
    np.testing.assert_allclose(mechanism.undo(remapped), noisy, rtol=1e-6, atol=1e-6)
    assert np.linalg.norm(remapped - path) < np.linalg.norm(noisy - path)
    adversary = PosteriorAttack(prior=kernel, times=times, secrets=[Secret((9,))], radius=100.0)
    before = adversary.attack(path, noisy, mechanism=mechanism.points).value
    assert adversary.attack(path, remapped, mechanism=mechanism).value == pytest.approx(before, rel=1e-6)


def test_an_adversary_who_knows_stops_finds_what_noise_at_the_secret_alone_hides():
    path = np.repeat([[0.0, 0.0], [2000.0, 800.0], [-1500.0, 400.0]], 6, axis=0)
    times, secrets = 10 * np.arange(18.0), [Secret((8,))]
    prior = RBF(length=50.0, variance=4e6) + White(variance=400.0)
    noise = TraceNoise(prior=prior, times=times, secrets=secrets, radius=200.0, error=300.0, design="concentrated")
    release = noise.release(path, rng=np.random.default_rng(2))
    stops = StreetAttack(times=times, secrets=secrets, radius=200.0, cell=100.0, speed=60.0, stay=0.8)
    assert stops.attack(path, release, mechanism=noise).value > 0.95
    gaussian = PosteriorAttack(prior=prior, times=times, secrets=secrets, radius=200.0)
    both = StrongestAttack(attacks=(gaussian, stops))
    assert both.attack(path, release, mechanism=noise).value == stops.attack(path, release, mechanism=noise).value
    with pytest.raises(InputError, match="at least one attack"):
        StrongestAttack(attacks=())


def test_made_up_days_stay_on_streets_and_stop_where_they_say():
    from sfumato.trace.data.day import STREETS, make_day

    for seed in range(20):
        day = make_day(seed=seed)
        off = np.abs(day.route / STREETS - np.round(day.route / STREETS)).min(1)
        assert off.max() < 1e-9
        assert np.abs(np.diff(day.route, axis=0)).sum(1).max() < 200  # no jumps: below 72 km/h
        for start, end in day.stops.values():
            inside = day.path[(day.times >= start) & (day.times <= end)]
            assert np.ptp(inside, axis=0).max() < 120  # fifteen times the receiver's error


def test_map_of_the_made_up_day_shows_every_method():
    pytest.importorskip("plotly")
    from sfumato.study.run.runner import run
    from sfumato.trace.room import day_study

    study = replace(day_study(errors=(100.0, 300.0)), seeds=1)
    outcome = run(study, workers=1, progress=False)
    (picture,) = [draw(outcome) for draw in study.pictures]
    titles = [note.text.split("<br>")[0] for note in picture.figure.layout.annotations]
    assert titles == ["the true day", *study.mechanisms]
    assert all("localisation" in note.text for note in picture.figure.layout.annotations[1:])
    discs = [trace for trace in picture.figure.data if trace.fill == "toself"]
    assert len(discs) == 3 * len(study.mechanisms)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_least_noise_for_a_promise_is_tight_for_few_and_many_secrets(count):
    prior = RBF(length=5.0) + White(variance=1e-3)
    secrets = [Secret((4 * k + 3,)) for k in range(count)]
    noise = TraceNoise(prior=prior, times=np.arange(30.0), secrets=secrets, radius=0.5, epsilon=0.5)
    assert 0.998 * 0.5 < noise.guarantee.epsilon <= 0.5


def test_promise_out_of_reach_says_so():
    noise = TraceNoise(
        prior=RBF(length=8.0), times=range(20), secrets=[Secret((9,))], radius=1.0, epsilon=0.1,
        design="concentrated",
    )  # fmt: skip
    with pytest.raises(InfeasibleError, match="concentrated"):
        _ = noise.covariance
