"""What the attacks on directions share: smoothing, rates with intervals, and a check of their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.data.check_ins import CheckIns
from sfumato.errors import bad_input
from sfumato.study.score import Score

__all__ = ["Floats", "rate", "require_check_ins", "smooth"]

Floats = NDArray[np.float64]


def smooth(counts: NDArray[Any]) -> Floats:
    """Shares of counts, each count raised by one half so that none is zero."""
    return (counts + 0.5) / (counts + 0.5).sum()


def rate(hit: NDArray[np.bool_], chance: float) -> Score:
    """A share with its Wilson interval."""
    n, z = len(hit), 1.959964
    share = float(hit.mean())
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = min(share, float(middle - half)), max(share, float(middle + half))
    return Score(share, low=low, high=high, reference=chance)


def require_check_ins(*values: Any) -> None:
    """Refuse data that are not check-ins."""
    for value in values:
        if not isinstance(value, CheckIns):
            raise bad_input("data", type(value).__name__, "CheckIns", "make_check_ins() makes some")
