"""The map of the report."""

from __future__ import annotations

from dataclasses import replace

import pytest


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
