"""Distance to the closest record and the nearest-neighbour ratio of a synthetic table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.model.core.mixed_rows import closest_records, code_together
from sfumato.noise import Rng, seeded_rng

__all__ = ["ClosenessReport", "measure_closeness"]


class ClosenessReport(NamedTuple):
    """How close synthetic records are to training records and to fresh ones.

    Parameters
    ----------
    to_train, to_test : ndarray
        Distance of each synthetic record to the closest training record, and to the closest of as many fresh ones.
    ratio : ndarray
        For each, distance to the closest over distance to the second closest training record; near 0 points at one
        person. 1 where both are 0.
    share : float
        Synthetic records that are closer to the training set than to fresh records, ties counting one half; ½ is ideal.
    """

    to_train: NDArray[np.float64]
    to_test: NDArray[np.float64]
    ratio: NDArray[np.float64]
    share: float

    @property
    def copies(self) -> int:
        """Synthetic records that equal a training record."""
        return int((self.to_train == 0).sum())

    @property
    def natural_copies(self) -> int:
        """Synthetic records that equal a fresh one: as many copies are expected without any copying."""
        return int((self.to_test == 0).sum())


def measure_closeness(train: Any, test: Any, synthetic: Any, *, rng: Rng | None = None) -> ClosenessReport:
    """Distances of synthetic records to the closest training and the closest fresh record, under Gower's distance.

    The larger of the two sets is reduced to the size of the other, since more records are closer by chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> train, test = rng.normal(size=(2, 300, 3))
    >>> found = measure_closeness(train, test, train[:100])
    >>> found.copies, found.share
    (100, 1.0)
    """
    known, fresh, made = code_together(train, test, synthetic)
    size = min(len(known), len(fresh))
    if size < 2:
        raise bad_input("records", size, "at least two training and two fresh records")
    generator = seeded_rng(0) if rng is None else rng
    known, fresh = (
        part if len(part) == size else part.take(generator.choice(len(part), size, replace=False))
        for part in (known, fresh)
    )
    inside, outside = closest_records(known, made, count=2), closest_records(fresh, made).distance[:, 0]
    first, second = inside.distance.T
    ratio = np.divide(first, second, out=np.ones(len(first)), where=second > 0)
    share = float((first < outside).mean() + (first == outside).mean() / 2)
    return ClosenessReport(first, outside, ratio, share)
