"""The ready studies."""

from __future__ import annotations

import dataclasses

import pytest

from sfumato.study.run.runner import run
from sfumato.text.room import ROOM


def test_the_demo_study_runs(tmp_path):
    recipe = next(recipe for recipe in ROOM.recipes if recipe.demo)
    study = recipe.build(epsilons=[10.0], authors=3, letters=9, seeds=1)
    outcome = run(study, workers=1, progress=False)
    assert set(outcome.labels) == set(study.mechanisms)
    picture = study.pictures[0](outcome)
    assert len(picture.figure.data) == 2 * len(study.mechanisms)


def test_the_study_of_rewriting_runs_and_shows_texts_before_and_after():
    pytest.importorskip("torch")
    recipe = next(recipe for recipe in ROOM.recipes if recipe.name == "rewriting")
    study = recipe.build(epsilons=[10.0], authors=3, letters=9, public=4, epochs=1, hidden=8, seeds=1)
    few = dataclasses.replace(study, attacks=study.attacks[1:2], utilities=study.utilities[:1])
    outcome = run(few, workers=1, progress=False)
    assert set(outcome.labels) == set(study.mechanisms)
    table = study.pictures[0](outcome).figure.data[0]
    names, texts = table.cells.values
    assert list(names).count("before") == 2
    assert len(texts) == 2 * (1 + len(study.mechanisms))
    assert any("ε = 10" in name for name in names)
