"""What the attacks on directions share: smoothing, rates with intervals, and a check of their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.data.check_ins import CheckIns
from sfumato.errors import bad_input

__all__ = ["Floats", "require_check_ins", "smooth"]

Floats = NDArray[np.float64]


def smooth(counts: NDArray[Any]) -> Floats:
    """Shares of counts, each count raised by one half so that none is zero."""
    return (counts + 0.5) / (counts + 0.5).sum()


def require_check_ins(*values: Any) -> None:
    """Refuse data that are not check-ins."""
    for value in values:
        if not isinstance(value, CheckIns):
            raise bad_input("data", type(value).__name__, "CheckIns", "make_check_ins() makes some")
