"""How likely each released record is under each candidate, by the mechanism's own law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng

__all__ = ["MOST", "likelihoods", "several"]

MOST = 1000
"""Released records that are attacked and candidates that are weighed, at most: the work is their product."""


def likelihoods(mechanism: Any, released: NDArray[Any], candidates: NDArray[Any]) -> NDArray[np.float64]:
    """The log-likelihood of released record i under candidate j, for a mechanism that treats records one by one."""
    law = getattr(mechanism, "log_prob", None) or getattr(mechanism, "log_density", None)
    if law is None:
        raise bad_input("mechanism", type(mechanism).__name__, "one whose law is known")
    columns = [np.asarray(law(released, one)) for one in candidates]
    return np.stack([column.reshape(len(released), -1).sum(axis=1) for column in columns], axis=1)


def several(count: int, rng: Rng, most: int = MOST) -> NDArray[np.int64]:
    """At most so many of ``count`` places, at random."""
    return np.arange(count) if count <= most else np.sort(rng.choice(count, most, replace=False))
