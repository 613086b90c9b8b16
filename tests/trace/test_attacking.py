"""Attacks on files: earlier releases, other days, other people's points, many people, and days of seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.errors import InputError
from sfumato.io.files import write_table
from sfumato.ledger import Ledger
from sfumato.release import Terms
from sfumato.trace import HiddenPlace, PlaceNoise, Projection, Sighting, ZoneAttack
from sfumato.trace.attacks.evidence import KernelFit, fit_kernel, path_belief, place_belief
from sfumato.trace.attacks.seen_noise import SeenNoise
from sfumato.trace.core.kernel import Matern
from sfumato.trace.people.own_traces import read_people

TOGETHER = ("all releases together", "points of the stay in all releases")
DAY = 86400.0


def day(number: int = 0, *, who: int = 0) -> pa.Table:
    """To a place, forty minutes there (01:10 to 01:50), and on: a point a minute for three hours."""
    seconds = np.arange(0.0, 10801.0, 60.0)
    rng = np.random.default_rng(10 * number + who)
    east = np.interp(seconds, [0, 4200, 6600, 10800], [-5000, 0, 0, 5000])
    north = np.interp(seconds, [0, 4200, 6600, 10800], [-1000, 0, 0, -2000]) + 3000 * who
    metres = np.stack([east, north], axis=1) + rng.normal(0, 3, (len(seconds), 2))
    latitude, longitude = Projection(52.5, 13.4).to_degrees(metres)
    return pa.table({"time": number * DAY + seconds, "latitude": latitude, "longitude": longitude})


def released(number: int = 0, *, seed: int, start: str = "01:10") -> sf.Release:
    rng = np.random.default_rng(seed)
    return sf.trace.protect(day(number), secrets=[f"{start}-01:50"], keep_times=True, rng=rng)


def found(release: sf.Release, table: pa.Table, **options: Any) -> dict[str, Any]:
    return {one.name: one for one in release.attack(table, **options)}


def strongest(findings: dict[str, Any]) -> tuple[str, float]:
    ((name, one),) = [(name, one) for name, one in findings.items() if "median error" in name]
    return name, one.score.value


def test_two_noises_on_one_path_cancel_and_the_strongest_attacker_is_told() -> None:
    alone, together = [], []
    for seed in range(3):
        first, second = released(seed=seed), released(seed=100 + seed, start="01:00")
        without = found(first, day())
        assert "nothing to put together" in without[TOGETHER[0]].reason
        alone.append(strongest(without)[1])
        name, error = strongest(found(first, day(), earlier=[second]))
        together.append(error)
    # about 60 m each, against 250: the medians of three lie apart in nearly every choice of seeds
    assert np.median(together) < 120 < np.median(alone)
    assert any(one in name for one in TOGETHER)


def test_other_days_add_up() -> None:
    # By the law of five independent noises the error falls to 1/√5, 110 of 240 m.
    errors = []
    for seed in range(3):
        others = [released(number, seed=10 * seed + number) for number in range(1, 5)]
        findings = found(released(seed=10 * seed), day(), earlier=others)
        assert not findings[TOGETHER[1]].reason
        errors.append(strongest(findings)[1])
    assert np.median(errors) < 200


def test_a_zone_is_looked_for_in_all_releases(tmp_path: Path) -> None:
    Ledger(tmp_path / "book").close()
    terms = Terms(ledger=tmp_path / "book", subject="ann")
    home = (52.5, 13.4)
    first, second = (sf.trace.protect(day(number), home=home, terms=terms) for number in (0, 3))
    looked_at = []
    find = ZoneAttack.find

    def noted(attack: ZoneAttack, days: Any) -> Any:
        looked_at.append(len(days))
        return find(attack, days)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ZoneAttack, "find", noted)
        for earlier, count in (((), 1), ((second,), 2)):
            looked_at.clear()
            assert not found(first, day(), earlier=earlier)["home at the centre of its zone"].reason
            assert set(looked_at) == {count}


def test_a_map_of_other_people() -> None:
    release = released(seed=5)
    name = "learned path on a map"
    assert "--others" in found(release, day())[name].reason
    others = pa.concat_tables([day(number, who=0) for number in range(5, 9)])
    findings = found(release, day(), others=others)
    assert not findings[name].reason
    far = others.set_column(1, "latitude", pa.array(others["latitude"].to_numpy() + 5))
    assert "points near the path" in found(release, day(), others=far)[name].reason


def test_many_people_are_told_apart_by_their_places() -> None:
    people = [day(who=who).append_column("who", pa.array([f"person {who}"] * 181)) for who in range(4)]
    table = pa.concat_tables(people)
    cut = sf.trace.protect_people(table, user="who", secrets=["01:10-01:50"], workers=1)
    findings = found(cut, table)
    assert findings["users recognised"].score.value == 1.0  # the points that are kept are exact
    assert findings["users recognised"].score.reference == 0.25
    assert not findings["learned path on a map"].reason  # what was released of the others is the map
    earlier = sf.trace.protect_people(table, user="who", secrets=["01:00-01:50"], keep_times=True, workers=1)
    findings = found(cut, table, earlier=[earlier])
    assert not findings[TOGETHER[1]].reason  # the noise shows the stay that the cut leaves out


def test_on_the_command_line(tmp_path: Path) -> None:
    write_table(day(), tmp_path / "day.csv")
    write_table(pa.concat_tables([day(number) for number in (4, 5)]), tmp_path / "others.csv")

    def run(*words: Any) -> Any:
        return CliRunner().invoke(app, ["trace", *(str(word) for word in words)])

    for start, name in (("01:10", "first"), ("01:00", "second")):
        words = ["--secret", f"{start}-01:50", "--keep-times", "--zone", "UTC"]
        out = ["-o", tmp_path / f"{name}.csv", "--key", tmp_path / f"{name}.key"]
        assert run("protect", tmp_path / "day.csv", *words, *out).exit_code == 0
    beside = ["--earlier", tmp_path / "second.csv", "--others", tmp_path / "others.csv"]
    words = ["attack", tmp_path / "day.csv", tmp_path / "first.csv", "--key", tmp_path / "first.key", *beside]
    done = run(*words, "--earlier-key", tmp_path / "second.key")
    assert done.exit_code == 0, f"{done.output} {done.exception}"
    said = " ".join(done.output.split())
    assert "– all releases together" not in said  # it ran
    assert "– learned path on a map" not in said
    assert run(*words).exit_code == 0  # without the key the hidden hours are the same
    with pytest.raises(InputError, match="keys of the releases"):
        raise run(*words, "--earlier-key", tmp_path / "first.key").exception


def test_days_of_one_person_in_one_call_are_one_secret(tmp_path: Path) -> None:
    for number in (0, 1):
        (tmp_path / "ann").mkdir(exist_ok=True)
        write_table(day(number), tmp_path / "ann" / f"{number}.csv")
    table = read_people(tmp_path)
    release = sf.trace.protect_people(table, user="file", daily=["01:10-01:50"], keep_times=True)
    held = release.key.secrets["people"]["1"]["secrets"]
    assert held["places"] == [[[4200.0, 6600.0], [DAY + 4200.0, DAY + 6600.0]]]
    alone = PlaceNoise(places=[HiddenPlace(((4200.0, 6600.0),))], times=day()["time"].to_numpy())
    both = HiddenPlace(((4200.0, 6600.0), (DAY + 4200.0, DAY + 6600.0)))
    times = np.concatenate([day(number)["time"].to_numpy() for number in (0, 1)])
    joint = PlaceNoise(places=[both], times=times)
    assert joint.certified_epsilon <= 1.0  # both days together, not each
    assert joint.plane_error > alone.plane_error
    assert held["root mean square error"] == pytest.approx(joint.plane_error)
    findings = {one.name: one for one in release.attack(table)}
    assert not findings[TOGETHER[0]].reason  # two visits to one place in one release


# ── days of seconds ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_all_points_tell_is_the_same_with_and_without_the_covariance_written_out() -> None:
    rng = np.random.default_rng(0)
    times, moments = np.arange(450.0), np.array([300.0, 10.0, 420.5])
    noise = SeenNoise(np.full(450, 400.0), 100 * rng.normal(size=(450, 3)))
    path = 10 * np.cumsum(rng.normal(size=(450, 2)), axis=0) + noise.shared @ rng.normal(size=(3, 2))
    fit = KernelFit("matern-3/2", Matern(length=50.0, nu=1.5, variance=1e5), 3.0, 0.0)
    mean, spread = path_belief(Sighting(times=times, path=path, noise=noise), fit, moments)
    prior = fit.kernel(times[:, None], times[None]) + noise.covariance + 9e8 + 9 * np.eye(450)
    across = fit.kernel(times[:, None], moments[None]) + 9e8
    gain = np.linalg.solve(prior, across)
    assert mean == pytest.approx(path.mean(0) + gain.T @ (path - path.mean(0)), abs=1e-3)
    expected = fit.kernel(moments[:, None], moments[None]) + 9e8 - across.T @ gain
    assert spread == pytest.approx(expected, abs=1e-3)


def test_visits_to_one_place_are_conditioned_on_each_other() -> None:
    """Two visits with independent noise of 100 m: each alone is that uncertain, both together less by √2."""
    times = np.arange(0.0, 7200.0, 60.0)
    first, second = (1200.0, 1200.0), (6000.0, 6000.0)
    own = np.full(len(times), 1.0)
    shared = np.zeros((len(times), 2))
    shared[:60, 0], shared[60:, 1] = 100.0, 100.0
    rng = np.random.default_rng(2)
    east = np.where(np.abs(times - 3600) < 1800, 2000.0, 0.0)
    path = np.stack([east, 0 * east], axis=1) + shared @ rng.normal(size=(2, 2)) + rng.normal(size=(len(times), 2))
    seen = Sighting(times=times, path=path, noise=SeenNoise(own, shared))
    one, both = place_belief(seen, first), place_belief(seen, first, second)
    assert both.variance < 0.7 * one.variance


def test_a_long_path_is_attacked_without_its_covariance() -> None:
    """Of a whole day of seconds the matrix would take 60 GB. Nothing of it is ever asked for."""
    times = np.arange(7_000.0)
    stay = HiddenPlace(((3000.0, 4000.0),))
    along = np.interp(times, [0, 3000, 4000, 7000], [0.0, 3000.0, 3000.0, 6000.0])
    latitude, longitude = Projection(52.5, 13.4).to_degrees(np.stack([along, 0 * along], axis=1))
    table = pa.table({"time": times, "latitude": latitude, "longitude": longitude})
    release = sf.trace.protect(table, secrets=[stay], keep_times=True, rng=np.random.default_rng(1))

    def never(noise: SeenNoise) -> np.ndarray:
        assert len(noise.own) <= 2000
        return np.asarray(noise.shared @ noise.shared.T + np.diag(noise.own))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SeenNoise, "covariance", property(never))
        findings = found(release, table)
    for name in ("learned path with a stay", "best estimate of the stay", "posterior localisation", "street tracking"):
        assert not findings[name].reason
    assert strongest(findings)[1] > 0


def test_points_about_a_stay_are_near_and_far() -> None:
    seen = Sighting(times=np.arange(86_400.0), path=np.zeros((86_400, 2)))
    few = seen.around((40_000.0, 41_800.0), 100).times
    inside = (few >= 40_000) & (few <= 41_800)
    assert len(few) <= 100
    assert 20 <= inside.sum() <= 25
    assert {0.0, 39_999.0, 41_801.0, 86_399.0} <= set(few.tolist())
    kernel = fit_kernel(seen.around((40_000.0, 40_000.0), 30), kinds=("matern-3/2",)).kernel
    assert kernel.length > 0
