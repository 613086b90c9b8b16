"""How well labels are guessed: accuracy, F1 or Matthews' correlation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.study.score import Score

__all__ = ["Metric", "score_of"]

Metric = Literal["accuracy", "f1", "weighted f1", "mcc"]
"""F1 is the mean over the classes, or weighted by their size."""


def score_of(truth: NDArray[Any], guess: NDArray[Any], metric: Metric) -> Score:
    """The score of guessed labels.

    Chance is the share of the largest class for accuracy (which has a Wilson interval), 1/k for F1 over k classes, and
    0 for Matthews' correlation.
    """
    from sklearn.metrics import f1_score, matthews_corrcoef

    kinds, counts = np.unique(truth, return_counts=True)
    if metric in ("f1", "weighted f1"):
        average = "macro" if metric == "f1" else "weighted"
        value = float(f1_score(truth, guess, average=average, labels=kinds, zero_division=0))
        return Score(value, reference=1 / len(kinds))
    if metric == "mcc":
        return Score(float(matthews_corrcoef(truth, guess)), reference=0.0)
    return Score.of_share(truth == guess, reference=float(counts.max() / len(truth)))
