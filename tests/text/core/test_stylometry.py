"""WritePrints features."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.text import (
    writeprints,
)
from sfumato.text.core.function_words import function_words
from sfumato.text.core.stylometry import FEATURES


def test_writeprints_has_557_features():
    assert sum(size for _, size in FEATURES) == 557
    assert len(set(function_words())) == 403
    matrix = writeprints(["The cat! @ 42", "", "x" * 1000])
    assert matrix.shape == (3, 557)
    assert np.isfinite(matrix).all()


def test_writeprints_by_hand():
    row = writeprints(["aa bb, the the cat"])[0]
    start = {}
    at = 0
    for name, size in FEATURES:
        start[name] = at
        at += size
    assert row[start["words"]] == pytest.approx(np.log(6))
    assert row[start["words"] + 1] == pytest.approx(13 / 5)
    assert row[start["richness"] : start["richness"] + 2] == pytest.approx([3 / 5, 1 / 5])
    assert row[start["function words"] + function_words().index("the")] == pytest.approx(2 / 5)
    assert row[start["punctuation"]] == pytest.approx(1 / len("aa bb, the the cat"))
    assert row[start["letter bigrams"]] == pytest.approx(2 / 13)  # "th" in "the the"
