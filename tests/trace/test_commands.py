"""The commands of traces, from file to file."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.cli.app import app
from sfumato.trace import (
    GpsTrace,
    Projection,
    find_stops,
    read_gps,
    write_gps,
)
from sfumato.trace.commands import parse_interval
from sfumato.trace.data.day import make_day
from sfumato.trace.room import ROOM


def test_stops_and_intervals():
    path = np.vstack([np.zeros((10, 2)), np.linspace([0, 0], [5000, 0], 10), np.tile([5000.0, 0], (10, 1))])
    stops = find_stops(np.arange(30.0), path, radius=50.0, duration=5.0)
    assert len(stops) == 2
    assert parse_interval("12:00-12:30", 0.0) == (43200.0, 45000.0)
    summer = 1.6e9 - 1.6e9 % 86400 + 36000  # September: two hours ahead of UTC
    assert parse_interval("12:00-12:30", summer, "Europe/Berlin") == (summer, summer + 1800)


def test_command_hides_and_measures(tmp_path):
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


COMMANDS = {
    "trace-noise": ["--secret", "12:15-12:45", "--radius", "200", "--set", "floor=0.1"],
    "remapped-planar": ["--radius", "200", "--epsilon", "2"],
}


@pytest.fixture
def day(tmp_path):
    made = make_day(every=30.0)
    latitude, longitude = Projection(52.5, 13.4).to_degrees(made.path)
    write_gps(GpsTrace(1.6e9 - 1.6e9 % 86400 + 60 * made.times, latitude, longitude), tmp_path / "day.csv")
    return tmp_path / "day.csv"


@pytest.mark.parametrize("name", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(name, day, tmp_path):
    out = tmp_path / "out.csv"
    options = COMMANDS[listed_as(ROOM.mechanisms()[name], COMMANDS)]
    done = CliRunner().invoke(app, ["trace", "protect", str(day), "-m", name, *options, "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "promise: " in done.output
    before, after = read_gps(day), read_gps(out)
    np.testing.assert_array_equal(after.times, before.times)
    assert (after.latitude != before.latitude).any()


def test_epsilon_is_the_loss_between_places_the_radius_apart(day, tmp_path):
    words = ["trace", "protect", str(day), "-m", "remapped-planar", *COMMANDS["remapped-planar"]]
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "out.csv")])
    assert "ε = 0.01 per unit of euclidean distance per point" in done.output  # 2 within 200 m


def test_noise_may_be_asked_for_by_its_error(day, tmp_path):
    words = ["trace", "protect", str(day), "--secret", "12:15-12:45", "--set", "error=300.0"]
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "out.csv")])
    assert done.exit_code == 0, done.output
    assert "root mean square error 424 m" in done.output  # √2 · 300 m in the plane


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-m", "magic"], "'trace-noise', 'remapped-planar'"),
        ([], "--secret"),
        (["-m", "remapped-planar", "--secret", "12:15-12:45"], "--secret"),
        (["-m", "remapped-planar", "--order", "3"], "order"),
        (["--secret", "12:15-12:45", "--set", "colour=red"], "colour"),
        (["--secret", "12:15-12:45", "--set", "error=100.0", "--epsilon", "1"], "exactly one"),
    ],
)
def test_requests_are_refused_with_a_reason(day, tmp_path, words, says):
    out = tmp_path / "never.csv"
    done = CliRunner().invoke(app, ["trace", "protect", str(day), *words, "-o", str(out)])
    assert done.exit_code != 0
    assert says in f"{done.output} {done.exception}"
    assert not out.exists()
