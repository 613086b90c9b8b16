"""The room as a whole: recipes, pictures, commands, generators and loaders."""

from __future__ import annotations

import doctest
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato.direction
from helpers import DOCS
from sfumato.cli.app import app
from sfumato.direction import Purkayastha, release_columns
from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey
from sfumato.direction.pictures import circle_picture, error_picture, sphere_picture
from sfumato.direction.room import ROOM, busyness_study, cab_study, geolife_study, sleep_study
from sfumato.errors import InputError
from sfumato.io.files import read_table, write_table
from sfumato.noise import seeded_rng
from sfumato.study.frontier import settings
from sfumato.study.run.runner import run

runner = CliRunner()


def test_public_names_are_all_there():
    for name in sfumato.direction.__all__:
        assert getattr(sfumato.direction, name) is not None
    assert sorted(sfumato.direction.__all__) == list(dir(sfumato.direction))
    with pytest.raises(AttributeError):
        sfumato.direction.nothing


def test_recipe_module_loads_without_the_compiler():
    code = "import sys, sfumato.direction.room; sys.exit('numba' in sys.modules or 'scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sleep_study_runs():
    outcome = run(sleep_study(people=120, nights=3, epsilons=[1.0, 10.0], seeds=1), workers=1)
    assert {row["label"] for row in outcome.rows} >= {"Purkayastha", "von Mises–Fisher", "spherical cap"}
    for row in outcome.rows:
        assert np.isfinite(row["value"])
    varied = {row["varied"] for row in outcome.rows if row["label"] == "Purkayastha"}
    assert varied == {1.0, 10.0}
    names = {setting.name for setting in settings(outcome) if setting.label == "Purkayastha"}
    assert names == {"pure ε = 1", "pure ε = 10"}  # the parameter of the mechanism inside


def test_busyness_study_runs():
    outcome = run(busyness_study(records=1_500, levels=[0.1, 10.0], seeds=1), workers=1)
    polar = [row for row in outcome.rows if row["label"] == "polar and wrapped Laplace"]
    assert polar
    assert not any(row["guaranteed"] for row in polar)
    assert all(row["guaranteed"] for row in outcome.rows if row["label"] == "Purkayastha")
    names = {setting.name for setting in settings(outcome) if setting.label == "Purkayastha"}
    assert names == {"level ℓ = 0.1", "level ℓ = 10"}  # place and time are swept together


def test_pictures_are_drawn():
    for draw in (circle_picture, sphere_picture, error_picture):
        picture = draw()
        assert picture.title
        assert len(picture.figure.data) >= 5


def test_room_describes_itself():
    assert {"protect", "attack", "measure"} <= set(ROOM.commands)
    assert any(recipe.demo for recipe in ROOM.recipes)
    assert len(list(ROOM.audits())) > 15


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


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_kind(library):
    table = pa.table({"name": ["a", "b"], "lat": [48.0, -33.0], "lon": [11.0, 151.0]})
    frame = {"pandas": table.to_pandas, "pyarrow": lambda: table, "polars": lambda: _polars(table)}[library]()
    released = release_columns(frame, ["lat", "lon"], Purkayastha(epsilon=1e6, kind="latlon"), rng=seeded_rng(0))
    assert type(released) is type(frame)
    np.testing.assert_allclose(np.asarray(released["lat"]), [48.0, -33.0], atol=1e-2)
    with pytest.raises(InputError):
        release_columns(frame, ["lat"], Purkayastha(epsilon=1.0, kind="latlon"))


def _polars(table):
    import polars

    return polars.from_arrow(table)


def test_generators_are_repeatable():
    first, second = (make_check_ins(records=200, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.hour, second.hour)
    assert (make_sleep_survey().hour >= 0).all()
    assert abs(make_sleep_survey().hour.mean() - 7) < 0.3
    assert abs(make_sleep_survey().hour.std() - 2) < 0.15


@pytest.mark.data
def test_public_sets_are_what_their_readme_says():
    from sfumato.direction.data.circular import load_bike_sharing, load_wind
    from sfumato.direction.data.public_check_ins import cab_check_ins
    from sfumato.io.datasets.cabspotting import load_cab_trips
    from sfumato.io.datasets.geolife import load_geolife_modes

    assert load_cab_trips().num_rows == 130_742
    assert load_geolife_modes().num_rows == 14_718
    assert load_wind().shape == (310,)
    bikes = load_bike_sharing()
    assert bikes.num_rows == 17_379
    assert sum(bikes["cnt"].to_pylist()) == 3_292_679
    visits = cab_check_ins(most=100)
    assert len(visits.places) == 100
    assert ((visits.hour >= 0) & (visits.hour < 24)).all()


@pytest.mark.data
@pytest.mark.slow
def test_studies_on_public_sets_build():
    for study in (cab_study(), geolife_study()):
        assert len(study.data.places) == 400


def test_missing_data_says_where_it_comes_from(monkeypatch):
    from sfumato.direction.data.circular import load_wind
    from sfumato.io import DataMissingError

    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(DataMissingError, match="circular"):
        load_wind()


def test_examples_of_the_page_run():
    page = DOCS / "direction.md"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert result.attempted > 10
    assert result.failed == 0
