"""The nearest word, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.vocabularies import cloud
from sfumato.text import (
    NearestWord,
    Vocabulary,
)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 700), st.integers(1, 60), st.floats(0.01, 1e4), st.integers(0, 2**32 - 1))
def test_nearest_word_is_exact(size, dimension, scale, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, dimension)).astype(np.float32)
    words = Vocabulary(words=tuple(map(str, range(size))), vectors=vectors)
    points = rng.normal(size=(9, dimension)) * scale
    apart = ((points[:, None] - vectors[None].astype(float)) ** 2).sum(axis=2)
    found = NearestWord(words).ids(points)
    best = apart.min(axis=1)
    assert apart[np.arange(9), found] == pytest.approx(best, rel=1e-12)


def test_nearest_word_of_points_beyond_single_precision():
    words = Vocabulary(words=tuple("abc"), vectors=[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert NearestWord(words).ids(np.array([[1e45, 0.0], [-1e45, 1.0], [0.0, 1e150]])).tolist() == [0, 2, 1]


def test_nearest_words_of_many_points_are_found_in_threads(rng):
    words = cloud(300, 5)
    points = rng.normal(size=(5_000, 5))
    one_by_one = np.concatenate([NearestWord(words).ids(part) for part in np.array_split(points, 5)])
    assert (NearestWord(words).ids(points) == one_by_one).all()


def test_nearest_of_equals_is_the_first():
    words = Vocabulary(words=tuple("abcd"), vectors=[[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    assert NearestWord(words).ids(np.array([[0.0, 3.0], [5.0, 1.0], [-2.0, 0.0]])).tolist() == [0, 0, 2]
