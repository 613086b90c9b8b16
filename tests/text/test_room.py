"""The ready studies."""

from __future__ import annotations

from sfumato.study.run.runner import run
from sfumato.text.room import ROOM


def test_the_demo_study_runs(tmp_path):
    recipe = next(recipe for recipe in ROOM.recipes if recipe.demo)
    study = recipe.build(epsilons=[10.0], authors=3, letters=9, seeds=1)
    outcome = run(study, workers=1, progress=False)
    assert set(outcome.labels) == set(study.mechanisms)
    picture = study.pictures[0](outcome)
    assert len(picture.figure.data) == 2 * len(study.mechanisms)
