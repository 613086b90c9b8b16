"""What was decided for a release beside others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["JoinedDecision"]


@dataclass(frozen=True, eq=False)
class JoinedDecision:
    """What was decided for a release beside others. Private, never written.

    Parameters
    ----------
    levels : dict
        The level of each column, or the range of levels.
    information_loss : float
        A record that is left out counts as lost whole.
    suppressed : int
        Records left out so that the joined view is safe.
    unlinked : int
        Records that got a pseudonym of their own, because those of their person together would stand out.
    sizes : ndarray
        Records in each released class.
    gap, proved, evaluated, nodes
        As in a :class:`~sfumato.table.mechanisms.recoding.recoder.Decision`; no bound is known here.
    """

    levels: dict[str, Any]
    information_loss: float
    suppressed: int
    unlinked: int
    sizes: NDArray[np.int64]
    gap: float | None = None
    proved: bool = False
    evaluated: int = 0
    nodes: int = 0
