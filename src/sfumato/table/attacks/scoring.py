"""Scores that the attacks on tables share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import View, deanonymise

__all__ = ["certain_share", "mean_score"]


def mean_score(right: NDArray[np.float64], chance: float) -> Score:
    """The mean over victims, who are taken for a sample of a population."""
    mean = float(right.mean())
    half = 1.96 * float(right.std(ddof=1)) / np.sqrt(len(right)) if len(right) > 1 else 1.0
    return Score(mean, float(max(mean - half, 0.0)), float(min(mean + half, 1.0)), reference=chance)


def certain_share(view: View, excluded: int) -> Score:
    known: NDArray[np.float64] = (deanonymise(view).kinds <= 1 + excluded).astype(np.float64)
    mean, count = float(known.mean()), len(known)
    # Wilson's interval: sound near 0 and 1, where such shares often are
    z2 = 1.96**2
    middle = (mean + z2 / (2 * count)) / (1 + z2 / count)
    half = 1.96 / (1 + z2 / count) * np.sqrt(mean * (1 - mean) / count + z2 / (4 * count**2))
    values = len(np.unique(view.secret))
    low, high = float(min(max(middle - half, 0.0), mean)), float(max(min(middle + half, 1.0), mean))
    return Score(mean, low, high, reference=float(values <= 1 + excluded))
