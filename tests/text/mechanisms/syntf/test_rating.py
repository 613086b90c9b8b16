"""Ratings of replacements."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.vocabularies import made_up
from sfumato.errors import InputError
from sfumato.text import (
    CosineRating,
    MatrixRating,
    dice,
)
from sfumato.text.examples import PLANE


def test_levels_are_the_ratings():
    words = made_up(60)
    vectors = np.asarray(words.vectors, float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    overlap = np.array([[dice(v, w) for w in words.words] for v in words.words])
    raw = unit @ unit.T - 0.3 * overlap
    for mode, expected in (("clip", raw.clip(0, 1)), ("affine", (raw + 1.3) / 2.3), ("raw", raw)):
        rating = CosineRating(vocabulary=words, spelling=0.3, range_mode=mode)
        matrix = rating.matrix()
        assert np.abs(matrix - expected).max() < 2 * rating.step
        assert (matrix == matrix.T).all()
        given_overlap = CosineRating(vocabulary=words, spelling=0.3, range_mode=mode, overlap=overlap)
        assert np.abs(given_overlap.matrix() - matrix).max() <= rating.step
    raw_mode = CosineRating(vocabulary=words, spelling=0.3, range_mode="raw")
    assert raw_mode.sensitivity == pytest.approx((raw.max(axis=0) - raw.min(axis=0)).max(), abs=1e-3)


def test_bad_ratings():
    with pytest.raises(InputError, match=r"rating = 1\.5"):
        MatrixRating(ratings=[[0.0, 1.5], [0.5, 0.0]])
    with pytest.raises(InputError, match=r"shape \(L, L\)"):
        MatrixRating(ratings=np.zeros((2, 3)))
    overlap = np.eye(6)
    overlap[0, 1] = 0.5
    with pytest.raises(InputError, match="asymmetric"):
        CosineRating(vocabulary=PLANE, overlap=overlap)
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        CosineRating(vocabulary=PLANE, overlap=-np.eye(6))
