"""Directions as a kind of data: public names, studies, pictures, documentation."""

from __future__ import annotations

import doctest
import subprocess
import sys

import numpy as np
import pytest

import sfumato.direction
from helpers import DOCS
from sfumato.direction.data.check_ins import nearest_place
from sfumato.direction.data.public_check_ins import gowalla_check_ins
from sfumato.direction.pictures import circle_picture, error_picture, sphere_picture
from sfumato.direction.room import ROOM, busyness_study, cab_study, geolife_study, sleep_study
from sfumato.study.frontier import settings
from sfumato.study.run.runner import run


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
    totals = {total.statement for setting in settings(outcome) if setting.guaranteed for total in setting.totals}
    assert totals == {"ε times the sum of the distances"}  # of all check-ins of a person, in place and in time


def test_pictures_are_drawn():
    for draw in (circle_picture, sphere_picture, error_picture):
        picture = draw()
        assert picture.title
        assert len(picture.figure.data) >= 5


def test_room_describes_itself():
    assert {"protect", "attack", "measure"} <= set(ROOM.commands)
    assert any(recipe.demo for recipe in ROOM.recipes)
    assert len(list(ROOM.audits())) > 15


@pytest.mark.data
@pytest.mark.slow
def test_studies_on_public_sets_build():
    for study in (cab_study(), geolife_study()):
        assert len(study.data.places) == 400


@pytest.mark.data
def test_venues_at_one_point_are_one_place():
    data = gowalla_check_ins(metres=2_000.0, hours=False)
    assert (len(data.places), len(data)) == (1_254, 79_349)
    assert len(np.unique(data.places, axis=0)) == len(data.places)
    assert (nearest_place(data.latlon, data.places) == data.place).all()  # without noise nothing moves


def test_examples_of_the_page_run():
    page = DOCS / "direction.md"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert result.attempted > 10
    assert result.failed == 0
