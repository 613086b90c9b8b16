"""The ready study of planted events."""

from __future__ import annotations

import pytest

from sfumato.errors import InputError
from sfumato.study.run.runner import run
from sfumato.text.room import ROOM
from sfumato.text.sanitise.event_study import EventSanitiser


def test_searchers_find_less_the_more_is_searched_for():
    pytest.importorskip("tantivy")
    recipe = next(recipe for recipe in ROOM.recipes if recipe.name == "events")
    outcome = run(recipe.build(events=80, distractors=600, background=50, wider=False), workers=1, progress=False)
    found = {(row["label"], row["measure"]): row["value"] for row in outcome.rows}
    whole = {label: value for (label, measure), value in found.items() if measure == "search (whole report)"}
    assert whole["searcher"] == 0.0
    assert all(value > 0 for label, value in whole.items() if label in ("names only", "three words", "K-security"))
    assert found["three words", "search (sets of three words)"] == 0.0
    assert found["searcher", "words kept"] > 0.8
    assert found["searcher", "label told"] > 0.9


def test_another_way_is_refused():
    with pytest.raises(InputError, match="way"):
        EventSanitiser(way="guessing")
