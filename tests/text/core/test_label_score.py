"""Scores of guessed labels."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.text.core.label_score import score_of


def test_scores_by_hand():
    truth, guess = np.array(list("aabb")), np.array(list("aaba"))
    assert score_of(truth, guess, "accuracy").value == 0.75
    assert score_of(truth, guess, "f1").value == pytest.approx((0.8 + 2 / 3) / 2)
    assert score_of(truth, guess, "mcc").value == pytest.approx(0.57735, abs=1e-5)
    assert score_of(truth, truth, "mcc").value == 1.0
