"""The two sides of a private factorisation by themselves, with their exact laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.activity.core.activity import as_dense, unpack_windows
from sfumato.activity.mechanisms.private_factorisation import PrivateFactorisation, _clipped, _scaled_rows
from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import ZeroConcentratedDP

__all__ = ["NoisedRow", "NoisedStatistics"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisedStatistics(PrivateFactorisation):
    """Σ x·xᵀ with noise, before directions and rows are made of it: what an auditor can compare exactly.

    All that :class:`PrivateFactorisation` does with the items follows from this without another look at the data, and
    hides from a sampling auditor how much noise there is.

    >>> made = NoisedStatistics(epsilon=4.0, rank=1)
    >>> made.release(np.eye(2), rng=np.random.default_rng(0)).shape
    (3,)
    """

    @property
    def guarantee(self) -> ZeroConcentratedDP:  # type: ignore[override]
        """What the item side costs each user."""
        return self.item_side

    @property
    def step(self) -> float:
        """The grid of the noise."""
        return self._item_noise.step

    def release(self, data: Any, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The upper triangle, row by row."""
        return np.asarray(self._item_noise.release(self._exact(data), rng=resolve_rng(rng)))

    def sample(self, data: Any, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``count`` independent releases."""
        exact = self._exact(data)
        return np.asarray(self._item_noise.release(np.broadcast_to(exact, (count, len(exact))), rng=rng))

    def log_prob(self, output: Any, data: Any) -> NDArray[np.float64]:
        """The exact law."""
        return np.asarray(self._item_noise.log_prob(output, self._exact(data)))

    def _exact(self, data: Any) -> NDArray[np.float64]:
        activity = unpack_windows(data)[0]
        self._check(activity)
        return self._statistics([_scaled_rows(window) for window in activity.windows])


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisedRow(PrivateFactorisation):
    """The first user's row along fixed directions, with noise: what an auditor can compare exactly.

    In a release the directions come from :class:`NoisedStatistics` and count as known here; the row is then stretched,
    turned and moved by numbers that follow from it, which hides from a sampling auditor how much noise there is. Each
    direction is the difference of two items, so that rows can lie at opposite ends of the reach.

    >>> made = NoisedRow(epsilon=4.0, rank=1)
    >>> made.release(np.eye(2), rng=np.random.default_rng(0)).shape
    (1,)
    """

    @property
    def guarantee(self) -> ZeroConcentratedDP:  # type: ignore[override]
        """What each row costs its user."""
        return self.row_side

    @property
    def step(self) -> float:
        """The grid of the noise."""
        return self._row_noise.step

    def release(self, data: Any, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """One number for each direction."""
        return np.asarray(self._row_noise.release(self._exact(data), rng=resolve_rng(rng)))

    def sample(self, data: Any, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``count`` independent releases."""
        exact = self._exact(data)
        return np.asarray(self._row_noise.release(np.broadcast_to(exact, (count, len(exact))), rng=rng))

    def log_prob(self, output: Any, data: Any) -> NDArray[np.float64]:
        """The exact law."""
        return np.asarray(self._row_noise.log_prob(output, self._exact(data)))

    def _exact(self, data: Any) -> NDArray[np.float64]:
        activity = unpack_windows(data)[0]
        self._check(activity)
        row = as_dense(_scaled_rows(activity.windows[0]))[:1]
        if row.shape[1] < 2 * self.rank:
            raise bad_input("rank", self.rank, f"at most {row.shape[1] // 2}, two items for each direction")
        pairs = row[:, : 2 * self.rank].reshape(-1, 2)
        along = (pairs[:, 0] - pairs[:, 1]) / math.sqrt(2.0)
        return _clipped(along[None], self.reach)[0]
