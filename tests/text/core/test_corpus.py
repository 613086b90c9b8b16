"""Texts with labels."""

from __future__ import annotations

import pytest

from sfumato.errors import InputError
from sfumato.text import (
    Corpus,
)


@pytest.mark.parametrize(
    "bad",
    [
        {"texts": ["a", 3]},
        {"texts": "ab"},
        {"texts": ["ok", "broken \udcff"]},
        {"authors": ["x"]},
        {"train": [True, True]},
        {"train": [1, 0]},
        {"moods": ["good"]},
    ],
)
def test_bad_corpora(bad):
    good = {"texts": ["a", "b"], "authors": ["x", "y"], "topics": ["t", "t"], "train": [True, False]}
    Corpus(**good)
    with pytest.raises(InputError):
        Corpus(**{**good, **bad})
