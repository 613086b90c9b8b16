"""GloVe vectors."""

from __future__ import annotations

import pytest


@pytest.mark.data
def test_glove_from_the_data_folder(monkeypatch):
    import importlib.util

    from sfumato.text import load_glove

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name.startswith("kumo") else find(name))
    words = load_glove(1000, content=True)
    assert len(words) == 1000
    assert words.dimension == 50
    assert "the" not in words.index
