"""The commands of directions, from file to file: every mechanism, attacks, measures, rejections."""

from __future__ import annotations

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.cli.app import app
from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey
from sfumato.direction.room import ROOM
from sfumato.io.files import read_table, write_table

runner = CliRunner()


@pytest.fixture
def poll(tmp_path):
    survey = make_sleep_survey(people=40, nights=5)
    path = tmp_path / "poll.csv"
    write_table(pa.table({"person": survey.user, "wakes": survey.hour.ravel()}), path)
    return path


@pytest.fixture
def visits(tmp_path):
    data = make_check_ins(users=15, places=20, cities=2, records=400)
    path = tmp_path / "visits.parquet"
    columns = {"user": data.user, "lat": data.latlon[:, 0], "lon": data.latlon[:, 1], "hour": data.hour}
    write_table(pa.table(columns), path)
    return path


def call(*words: object) -> str:
    result = runner.invoke(app, ["direction", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


def test_commands_on_hours(poll, tmp_path):
    out = tmp_path / "protected.csv"
    said = call("protect", poll, "-c", "wakes", "--pure", 20, "-o", out)
    assert "ε = 20" in said
    assert "not protected: person" in said
    before, after = read_table(poll), read_table(out)
    assert after.column_names == before.column_names
    assert after["person"].equals(before["person"])
    assert not after["wakes"].equals(before["wakes"])
    assert "habit found" in call("attack", poll, out, "-c", "wakes", "--user", "person", "--pure", 20)
    assert "mean error (h)" in call("measure", poll, out, "-c", "wakes")


def test_commands_on_places(visits, tmp_path):
    out = tmp_path / "protected.parquet"
    place = ["-c", "lat", "-c", "lon", "--kind", "latlon"]
    noise = ["--level", 2, "--radius", 200, "-m", "von-mises-fisher"]
    call("protect", visits, *place, *noise, "-o", out)
    assert "home found" in call("attack", visits, out, *place, *noise, "--user", "user", "--hour", "hour")
    assert "home found" in call("attack", visits, out, *place, "--user", "user")
    assert "mean error (km)" in call("measure", visits, out, *place)


def test_choose_command():
    assert "SphericalCap" in call("choose", "--n", 2, "--pure", 1)


def test_seed_is_for_experiments(poll, tmp_path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    said = [call("protect", poll, "-c", "wakes", "--epsilon", 2, "--seed", 7, "-o", path) for path in (first, second)]
    assert first.read_bytes() == second.read_bytes()
    assert all("warning" in text for text in said)


@pytest.mark.parametrize(
    "words",
    [
        ["-c", "wake", "--pure", "1"],
        ["-c", "wakes"],
        ["-c", "wakes", "--level", "1"],
        ["-c", "wakes", "--pure", "0"],
        ["-c", "wakes", "--pure", "1", "-m", "magic"],
        ["-c", "wakes", "--pure", "1", "--kind", "latlon"],
        ["-c", "person", "--pure", "1"],
    ],
)
def test_bad_requests_write_nothing(poll, tmp_path, words):
    out = tmp_path / "never.csv"
    result = runner.invoke(app, ["direction", "protect", str(poll), *words, "-o", str(out)])
    assert result.exit_code != 0
    assert not out.exists()


def test_tables_of_different_length_are_refused(poll, visits):
    result = runner.invoke(app, ["direction", "measure", str(poll), str(visits), "-c", "wakes"])
    assert result.exit_code != 0


PLACES = ["-c", "lat", "-c", "lon"]
COMMANDS: dict[str, list[object]] = {
    "von-mises-fisher": [*PLACES, "--kind", "latlon", "--level", 1, "--radius", 200],
    "purkayastha": ["-c", "hour", "--level", 1, "--radius", 3],
    "spherical-cap": ["-c", "hour", "--pure", 1, "--set", "criterion=cosine"],
    "wrapped-laplace": ["-c", "hour", "--epsilon", 2, "--set", "calibration=nominal"],
    "clipped-laplace": ["-c", "hour", "--pure", 1],
    "polar-laplace": [*PLACES, "--kind", "latlon", "--set", "kappa=30000.0"],
    "bayesian-remap": [*PLACES, "--kind", "latlon", "--public", "places", "--level", 1, "--radius", 5000],
    "protected-survey": ["-c", "hour", "-c", "later", "--pure", 1, "--noise", "spherical-cap"],
    "naive-central-survey": ["-c", "hour", "-c", "later", "--group", "user", "--pure", 1],
    "protected-check-ins": [*PLACES, "--hour", "hour", "--public", "places", "--level", 1, "--radius", 5000],
}


@pytest.mark.parametrize("name", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(name, tmp_path):
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    data = make_check_ins(users=3, places=20, cities=2, records=60)
    columns = {"user": data.user, "lat": data.latlon[:, 0], "lon": data.latlon[:, 1], "hour": data.hour}
    write_table(pa.table({**columns, "later": data.hour[::-1]}), tmp_path / "visits.csv")
    write_table(pa.table({"lat": data.places[:, 0], "lon": data.places[:, 1]}), tmp_path / "places.csv")
    words = [tmp_path / "places.csv" if word == "places" else word for word in COMMANDS[listed]]
    out = tmp_path / "out.csv"
    said = call("protect", tmp_path / "visits.csv", "-m", name, *words, "-o", out)
    assert "promise: " in said
    assert ("no guarantee" in said) == (listed == "polar-laplace")
    before, after = read_table(tmp_path / "visits.csv"), read_table(out)
    if listed == "naive-central-survey":
        assert after["user"].to_pylist() == ["0", "1", "2", "all"]
        assert all(0 <= hour < 24 for hour in after["mean_hour"].to_pylist())
        return
    assert after.column_names == before.column_names
    changed = {column for column in before.column_names if not after[column].equals(before[column])}
    asked = {words[i + 1] for i, word in enumerate(words) if word in ("-c", "--hour")}
    assert changed == asked


def test_places_of_protected_check_ins_are_public_ones(visits, tmp_path):
    data = make_check_ins(users=15, places=20, cities=2, records=400)
    write_table(pa.table({"lat": data.places[:, 0], "lon": data.places[:, 1]}), tmp_path / "places.csv")
    out = tmp_path / "out.csv"
    words = [*PLACES, "--hour", "hour", "--level", 1, "--radius", 200]
    said = call("protect", visits, "-m", "protected-check-ins", "--public", tmp_path / "places.csv", *words, "-o", out)
    assert "great-circle" in said
    assert "clock arc" in said
    released = read_table(out)
    public = {(round(lat, 9), round(lon, 9)) for lat, lon in data.places.tolist()}
    found = zip(released["lat"].to_pylist(), released["lon"].to_pylist(), strict=True)
    assert {(round(lat, 9), round(lon, 9)) for lat, lon in found} <= public
    known = ["-m", "protected-check-ins", "--kind", "latlon", "--user", "user", *words]
    assert "home found" in call("attack", visits, out, *known)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-m", "magic", "--pure", "1"], "'von-mises-fisher', 'purkayastha', 'spherical-cap'"),
        (["-m", "polar-laplace", "--kind", "latlon"], "expected kappa; say kappa="),
        (["-m", "purkayastha", "--pure", "1", "--set", "colour=red"], "colour"),
        (["-m", "purkayastha", "--pure", "1", "--public", "poll"], "expected nothing"),
        (["-m", "purkayastha", "--pure", "1", "--group", "person"], "group"),
        (["-m", "bayesian-remap", "--pure", "1"], "a table of public directions"),
        (["-m", "protected-check-ins", "--pure", "1"], "a column of hours"),
        (["-m", "naive-central-survey", "--pure", "1"], "the column of the group"),
        (["-m", "naive-central-survey", "--epsilon", "1", "--group", "person"], "whole circle"),
        (["-m", "protected-survey", "--pure", "1", "--noise", "magic"], "'purkayastha'"),
    ],
)
def test_requests_are_refused_with_a_reason(poll, tmp_path, words, says):
    out = tmp_path / "never.csv"
    words = [str(poll) if word == "poll" else word for word in words]
    result = runner.invoke(app, ["direction", "protect", str(poll), "-c", "wakes", *words, "-o", str(out)])
    assert result.exit_code != 0
    assert says in f"{result.output} {result.exception}"
    assert not out.exists()
