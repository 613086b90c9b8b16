"""A small planted corpus and its index."""

from __future__ import annotations

from functools import lru_cache

import pytest

pytest.importorskip("tantivy")

from sfumato.text import SearchIndex, make_planted_events
from sfumato.text.sanitise.planted_events import PlantedEvents


@lru_cache(maxsize=1)
def small() -> tuple[PlantedEvents, SearchIndex]:
    made = make_planted_events(events=120, distractors=1500, background=200, seed=3)
    return made, SearchIndex.build(made.articles)


@pytest.fixture
def planted() -> PlantedEvents:
    return small()[0]


@pytest.fixture
def news() -> SearchIndex:
    return small()[1]
