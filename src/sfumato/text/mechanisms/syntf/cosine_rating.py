"""The rating ρ(v, w) = cos(v, w) − s·B(v, w) (Weggenmann 2023, §5.3.1.2).

B is the share of letter bigrams that two words have in common; taking it off pushes replacements away from the author's
own spelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.mechanisms.syntf.best_replacements import Levels
from sfumato.text.mechanisms.syntf.rating import Rating
from sfumato.text.mechanisms.syntf.spelling import Spellings
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, finite_array, positive

__all__ = ["CosineRating", "RangeMode", "Scaling", "level_of"]

RangeMode = Literal["clip", "affine", "raw"]
"""How ρ, which lies in [−1 − s, 1], meets the theorems' [0, 1]: cut off, mapped linearly, or left as it is."""

_UNIT_BITS = 24
_STEP = 2.0**-14


class Scaling(NamedTuple):
    """How a level is made of a rating: ⌊(cos − s·B + shift)·scale + ½⌋, cut to 0 … top."""

    s: float
    shift: float
    scale: float
    top: int


@dataclass(frozen=True, kw_only=True, eq=False)
class CosineRating(Rating):
    """ρ = cos − s·B for a vocabulary, streamed: no L×L matrix is held.

    Parameters
    ----------
    vocabulary : Vocabulary
    spelling : float
        s ≥ 0. With s = 0.3 (the dissertation's choice) the word itself is rated 0.7 and need not be the favourite.
    range_mode : {"clip", "affine", "raw"}
    overlap : array of shape (L, L), optional
        B in place of the Dice share of bigrams; must be symmetric (Cor. 5.5 fails otherwise), within [0, 1].

    Examples
    --------
    >>> words = Vocabulary(words=("cat", "cats", "dog"), vectors=[[1.0, 0.0], [1.0, 0.1], [0.8, 0.6]])
    >>> CosineRating(vocabulary=words, spelling=0.3).matrix().round(2)
    array([[0.7 , 0.76, 0.8 ],
           [0.76, 0.7 , 0.86],
           [0.8 , 0.86, 0.7 ]])
    """

    vocabulary: Vocabulary
    spelling: float = 0.3
    range_mode: RangeMode = "clip"
    overlap: Any = None

    def __post_init__(self) -> None:
        positive("spelling", self.spelling, zero=True)
        choice("range_mode", self.range_mode, get_args(RangeMode))
        if self.overlap is not None:
            overlap = finite_array("overlap", self.overlap, ndim=2)
            if overlap.shape != (self.size, self.size):
                raise bad_input("overlap", overlap.shape, f"shape ({self.size}, {self.size})")
            if not np.array_equal(overlap, overlap.T):
                raise bad_input("overlap", "asymmetric", "B(v, w) = B(w, v)", "the loss bounds fail otherwise")
            if overlap.min() < 0 or overlap.max() > 1:
                raise bad_input("overlap", float(overlap.min()), "shares in [0, 1]")
            object.__setattr__(self, "overlap", overlap)

    @property
    def size(self) -> int:
        return len(self.vocabulary)

    @property
    def step(self) -> float:  # type: ignore[override]
        return _STEP

    @property
    def low(self) -> float:  # type: ignore[override]
        return -1.0 - self.spelling if self.range_mode == "raw" else 0.0

    @property
    def top(self) -> int:  # type: ignore[override]
        return int(np.ceil((2 + self.spelling) / _STEP)) if self.range_mode == "raw" else int(1 / _STEP)

    @cached_property
    def sensitivity(self) -> float:
        """1 for ratings in [0, 1]; for raw ones the widest column."""
        if self.range_mode != "raw":
            return 1.0
        most, least = np.zeros(self.size, np.int32), np.full(self.size, self.top, np.int32)
        for block in self.blocks():
            np.maximum(most, block.max(axis=0), out=most)
            np.minimum(least, block.min(axis=0), out=least)
        return float((most - least).max()) * self.step

    @cached_property
    def units(self) -> NDArray[np.float64]:
        """Unit vectors in whole 2⁻²⁴ths: their products are exact in float64."""
        vectors = np.asarray(self.vocabulary.vectors, np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.rint(vectors / np.where(norms > 0, norms, 1.0) * 2.0**_UNIT_BITS)

    @cached_property
    def spellings(self) -> Spellings:
        """The letter bigrams of all words."""
        return Spellings.of(self.vocabulary.words)

    @cached_property
    def scaling(self) -> Scaling:
        """How a level is made of a rating."""
        shift = 0.0 if self.range_mode == "clip" else 1.0 + self.spelling
        width = 2.0 + self.spelling if self.range_mode == "affine" else 1.0
        return Scaling(float(self.spelling), shift, 1.0 / (_STEP * width), self.top)

    @property
    def streams(self) -> bool:
        return self.overlap is None

    def levels(self, ids: NDArray[np.int64]) -> Levels:
        products = self.units[ids] @ self.units.T
        levels = np.empty(products.shape, np.int32)
        if self.overlap is not None:
            s, shift, scale, top = self.scaling
            raw = products * 2.0 ** (-2 * _UNIT_BITS) - s * self.overlap[ids]
            return np.clip(np.floor((raw + shift) * scale + 0.5), 0, top).astype(np.int32)
        _fill_levels(products, ids, self.spellings, self.scaling, levels)
        return levels


@njit(cache=True)
def level_of(product: float, common: int, bigrams: int, same: bool, scaling: Scaling) -> int:  # pragma: no cover
    """One level; the only place where it is computed, so that every caller gets the same."""
    share = 1.0 if same else (2.0 * common / bigrams if common > 0 else 0.0)
    raw = product * 2.0**-48 - scaling.s * share
    level = int(np.floor((raw + scaling.shift) * scaling.scale + 0.5))
    return min(max(level, 0), scaling.top)


@njit(cache=True)
def _fill_levels(
    products: NDArray[np.float64], ids: NDArray[np.int64], spellings: Spellings, scaling: Scaling, levels: Levels
) -> None:  # pragma: no cover
    """The levels of some words v = ids[k] with all words, from the products of their unit vectors."""
    rows, size = products.shape
    starts, tokens, post_starts, posts = spellings
    common = np.zeros(size, np.int32)
    for k in range(rows):  # here common is 0 everywhere
        v = ids[k]
        for t in range(starts[v], starts[v + 1]):
            for p in range(post_starts[tokens[t]], post_starts[tokens[t] + 1]):
                common[posts[p]] += 1
        own = starts[v + 1] - starts[v]
        for w in range(size):
            bigrams = own + starts[w + 1] - starts[w]
            levels[k, w] = level_of(products[k, w], common[w], bigrams, v == w, scaling)
        common[:] = 0
