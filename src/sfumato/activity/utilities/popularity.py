"""How often each item is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.activity.attacks.scoring import window_pairs
from sfumato.noise import Rng
from sfumato.study.score import Score

__all__ = ["PopularityError"]


@dataclass(frozen=True, kw_only=True)
class PopularityError:
    """Distance between the shares of the items in the release and in the original, averaged over the windows.

    Half the sum of the absolute differences, from 0 (the same shares) to 1. Negative totals of noisy cells count as 0;
    randomised cells are corrected for their known law first.

    Examples
    --------
    >>> PopularityError().measure([[1, 1], [1, 1]], [[1, 0], [1, 0]]).value
    0.5
    """

    name: str = "error of the popularity of items"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The total variation distance of the popularity of items."""
        original, seen = window_pairs(data, release)
        found = [
            0.5 * float(np.abs(_shares(one) - _shares(two)).sum())
            for one, two in zip(original.windows, seen.estimates(), strict=True)
        ]
        return Score(round(float(np.mean(found)), 12), reference=0.0)  # means of groups are added up with rounding


def _shares(window: Any) -> Any:
    totals = np.maximum(np.asarray(window.sum(axis=0)).reshape(-1), 0.0)
    whole = float(totals.sum())
    return totals / whole if whole > 0 else np.full(len(totals), 1.0 / len(totals))
