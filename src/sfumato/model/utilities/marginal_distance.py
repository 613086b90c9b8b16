"""Are the columns distributed as they were?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.mixed_rows import MixedRows
from sfumato.noise import Rng
from sfumato.study.score import Score

__all__ = ["MarginalDistance"]


@dataclass(frozen=True, kw_only=True)
class MarginalDistance:
    """Mean total-variation distance (categories) or Kolmogorov distance (numbers) of the columns to fresh records.

    The reference is the distance between training and fresh records.
    """

    name: str = "distance of the columns"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """Over all columns."""
        train, test, made = cohort_of(data).coded(release)
        return Score(_mean(test, made), reference=_mean(test, train))


def _mean(first: MixedRows, second: MixedRows) -> float:
    gaps = [_kolmogorov(first.raw[:, c], second.raw[:, c]) for c in range(len(first.number_names))]
    for c in range(len(first.code_names)):
        size = int(max(first.codes[:, c].max(), second.codes[:, c].max())) + 1
        one, two = (np.bincount(part.codes[:, c], minlength=size) / len(part) for part in (first, second))
        gaps.append(float(np.abs(one - two).sum() / 2))
    return float(np.mean(gaps))


def _kolmogorov(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    places = np.concatenate([first, second])
    shares = [np.searchsorted(np.sort(part), places, side="right") / len(part) for part in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())
