"""How well one word replaces another: ρ(v, w) = cos(v, w) − s·B(v, w) (Weggenmann 2023, §5.3.1.2).

B is the share of letter bigrams that two words have in common; taking it off pushes replacements away from the author's
own spelling. A rating is public. It is rounded to whole *levels*, so that the exponential mechanism over it has
integer weights and can be drawn, enumerated and bounded without a rounding error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.mechanisms.syntf.heads import Heads, Levels
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, finite_array, interval, positive

__all__ = ["CosineRating", "MatrixRating", "RangeMode", "Rating", "dice"]

RangeMode = Literal["clip", "affine", "raw"]
"""How ρ, which lies in [−1 − s, 1], meets the theorems' [0, 1]: cut off, mapped linearly, or left as it is."""

_UNIT_BITS = 24
_STEP = 2.0**-14
_FINE_STEP = 2.0**-20
_BLOCK = 128


def dice(first: str, second: str) -> float:
    """Twice the common letter bigrams over all bigrams, counted with multiplicity; symmetric, 1 for equal words.

    >>> dice("night", "nacht"), dice("a", "a"), dice("a", "an")
    (0.25, 1.0, 0.0)
    """
    if first == second:
        return 1.0
    common = sum((_bigrams(first) & _bigrams(second)).values())
    return 2 * common / (max(0, len(first) - 1) + max(0, len(second) - 1)) if common else 0.0


def _bigrams(word: str) -> Counter[str]:
    return Counter(word[k : k + 2] for k in range(len(word) - 1))


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
        """Whether one level can be had without its row: then a row need not be kept whole."""
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
    def heads(self) -> Heads:
        """The best replacements of the words asked for so far. Laws of any ε over this rating share them."""
        return Heads(self)


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
    def spellings(self) -> _Spellings:
        return _Spellings.of(self.vocabulary.words)

    @cached_property
    def scaling(self) -> tuple[float, float, float, int]:
        """What a level is made of: (s, shift, levels per unit, top level)."""
        shift = 0.0 if self.range_mode == "clip" else 1.0 + self.spelling
        width = 2.0 + self.spelling if self.range_mode == "affine" else 1.0
        return float(self.spelling), shift, 1.0 / (_STEP * width), self.top

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
        text = self.spellings
        _fill_levels(products, ids, text.starts, text.tokens, text.post_starts, text.posts, *self.scaling, levels)
        return levels


@dataclass(frozen=True, eq=False)
class _Spellings:
    """Bigrams of all words.

    The k-th occurrence of a bigram in a word is a token of its own, so that the common tokens of two words are their
    common bigrams with multiplicity.
    """

    starts: NDArray[np.int64]
    tokens: NDArray[np.int32]
    post_starts: NDArray[np.int64]
    posts: NDArray[np.int32]

    @classmethod
    def of(cls, words: Sequence[str]) -> _Spellings:
        numbers: dict[tuple[str, int], int] = {}
        rows = [sorted(numbers.setdefault(token, len(numbers)) for token in _numbered(word)) for word in words]
        words_of: defaultdict[int, list[int]] = defaultdict(list)
        for word, row in enumerate(rows):
            for token in row:
                words_of[token].append(word)
        return cls(*_packed(rows), *_packed([words_of[token] for token in range(len(numbers))]))


def _numbered(word: str) -> Iterable[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for k in range(len(word) - 1):
        bigram = word[k : k + 2]
        seen[bigram] += 1
        yield bigram, seen[bigram]


def _packed(rows: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    return starts, np.array([number for row in rows for number in row], np.int32)


@njit(cache=True)
def level_of(  # pragma: no cover
    product: float, common: int, bigrams: int, same: bool, s: float, shift: float, scale: float, top: int
) -> int:
    """One level; the only place where it is computed, so that every caller gets the same."""
    share = 1.0 if same else (2.0 * common / bigrams if common > 0 else 0.0)
    raw = product * 2.0**-48 - s * share
    level = int(np.floor((raw + shift) * scale + 0.5))
    return min(max(level, 0), top)


@njit(cache=True)
def _fill_levels(
    products: NDArray[np.float64],
    ids: NDArray[np.int64],
    starts: NDArray[np.int64],
    tokens: NDArray[np.int32],
    post_starts: NDArray[np.int64],
    posts: NDArray[np.int32],
    s: float,
    shift: float,
    scale: float,
    top: int,
    levels: Levels,
) -> None:  # pragma: no cover
    rows, size = products.shape
    common = np.zeros(size, np.int32)
    for k in range(rows):
        v = ids[k]
        for t in range(starts[v], starts[v + 1]):
            for p in range(post_starts[tokens[t]], post_starts[tokens[t] + 1]):
                common[posts[p]] += 1
        own = starts[v + 1] - starts[v]
        for w in range(size):
            bigrams = own + starts[w + 1] - starts[w]
            levels[k, w] = level_of(products[k, w], common[w], bigrams, v == w, s, shift, scale, top)
        common[:] = 0
