"""Scores that the attacks on tables share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import View, deanonymise

__all__ = ["KNOWS", "best_guess", "certain_share", "mean_score"]

KNOWS = "that one person is in the table, all quasi-identifiers of that person, the release and the method"
"""What an attacker on tables knows, unless said otherwise."""


def mean_score(right: NDArray[np.float64], chance: float) -> Score:
    """The mean over victims, who are taken for a sample of a population."""
    if len(right) == 1:
        return Score(float(right[0]), 0.0, 1.0, chance)
    score = Score.of_mean(right, chance)
    return replace(score, low=max(score.low, 0.0), high=min(score.high, 1.0))


def best_guess(secret: NDArray[np.int64]) -> float:
    """What guessing the most frequent value achieves without the release."""
    return float(np.bincount(secret).max() / len(secret))


def certain_share(view: View, excluded: int) -> Score:
    """The share of victims with at most one sensitive value left after the attacker excludes some."""
    values = len(np.unique(view.secret))
    return Score.of_share(deanonymise(view).kinds <= 1 + excluded, reference=float(values <= 1 + excluded))
