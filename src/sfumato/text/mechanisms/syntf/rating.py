"""Ratings: how well one word replaces another.

A rating is public. It is rounded to whole *levels*, so that the exponential mechanism over it has integer weights and
can be drawn, enumerated and bounded without a rounding error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.mechanisms.syntf.best_replacements import BestReplacements, Levels
from sfumato.validate import finite_array, interval

__all__ = ["MatrixRating", "Rating"]

_FINE_STEP = 2.0**-20
_BLOCK = 128


class Rating(ABC):
    """Ratings of all pairs of L words, in whole steps from ``low`` to ``low + top·step``."""

    low: float
    step: float
    top: int

    @property
    @abstractmethod
    def size(self) -> int:
        """L."""

    @property
    @abstractmethod
    def sensitivity(self) -> float:
        """Δ: how far the rating of one replacement moves between two inputs."""

    @abstractmethod
    def levels(self, ids: NDArray[np.int64]) -> Levels:
        """The levels of some inputs for all L replacements, shape (inputs, L)."""

    @property
    def streams(self) -> bool:
        """Whether a single level can be computed alone, so that rows need not be kept whole."""
        return False

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]

    def blocks(self) -> Iterator[Levels]:
        """The levels of all inputs, a few rows at a time."""
        for start in range(0, self.size, _BLOCK):
            yield self.levels(np.arange(start, min(start + _BLOCK, self.size)))

    def matrix(self) -> NDArray[np.float64]:
        """All ratings at once, for small vocabularies."""
        return np.asarray(self.low + self.levels(np.arange(self.size)) * self.step, np.float64)

    @cached_property
    def best(self) -> BestReplacements:
        """The best replacements of the words asked for so far. Laws of any ε over this rating share them."""
        return BestReplacements(self.levels, size=self.size, top=self.top, whole=not self.streams)


@dataclass(frozen=True, kw_only=True, eq=False)
class MatrixRating(Rating):
    """Ratings given as a matrix.

    Parameters
    ----------
    ratings : array of shape (L, L)
        ``ratings[v, w]``: how well w replaces v.
    bounds : (low, high)
        The declared range; anything outside is refused.
    """

    ratings: Any
    bounds: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        ratings = finite_array("ratings", self.ratings, ndim=2)
        if ratings.shape[0] != ratings.shape[1] or ratings.size == 0:
            raise bad_input("ratings", ratings.shape, "shape (L, L)")
        low, high = interval("bounds", self.bounds)
        if ratings.min() < low or ratings.max() > high:
            worst = float(ratings.min() if ratings.min() < low else ratings.max())
            raise bad_input("rating", worst, f"a number from {low:g} to {high:g}", "clip it, or declare wider bounds")
        object.__setattr__(self, "ratings", ratings)

    @property
    def low(self) -> float:  # type: ignore[override]
        return self.bounds[0]

    @property
    def step(self) -> float:  # type: ignore[override]
        return (self.bounds[1] - self.bounds[0]) * _FINE_STEP

    @property
    def top(self) -> int:  # type: ignore[override]
        return int(1 / _FINE_STEP)

    @property
    def size(self) -> int:
        return len(self.ratings)

    @property
    def sensitivity(self) -> float:
        return self.bounds[1] - self.bounds[0]

    def levels(self, ids: NDArray[np.int64]) -> Levels:
        return np.rint((self.ratings[ids] - self.low) / self.step).astype(np.int32)
