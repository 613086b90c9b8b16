"""Documents as weighted words and pairs of words, for networks that read a document at once."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sfumato.text.mechanisms.rewrite.rewriting_network import BUCKETS
from sfumato.text.mechanisms.rewrite.tokeniser import Tokeniser

__all__ = ["DocumentFeatures"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentFeatures:
    """(1 + ln count)·idf of the words of the vocabulary and of pairs of neighbours, with Euclidean length 1.

    Parameters
    ----------
    tokeniser : Tokeniser
    idf : array of shape (words + 2¹⁴,), optional
        By default 1.
    """

    tokeniser: Tokeniser
    idf: NDArray[np.float32] | None = None

    @property
    def size(self) -> int:
        """How many words and buckets there are."""
        return len(self.tokeniser) + BUCKETS

    def _counts(self, text: str) -> Counter[int]:
        index = self.tokeniser.index
        known = [(token, index[token]) for token in self.tokeniser.tokens(text) if token in index]
        found = Counter(number for _, number in known)
        for (first, _), (second, _) in pairwise(known):
            found[len(self.tokeniser) + zlib.crc32(f"{first} {second}".encode()) % BUCKETS] += 1
        return found

    def count(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places and the weights of a document; one without a known word has the padding at weight 0."""
        found = sorted(self._counts(text).items())
        if not found:
            return np.zeros(1, np.int64), np.zeros(1, np.float32)
        places = np.array([place for place, _ in found], np.int64)
        weights = 1 + np.log(np.array([count for _, count in found]))
        if self.idf is not None:
            weights = weights * self.idf[places]
        return places, np.asarray(weights / np.linalg.norm(weights), np.float32)

    @classmethod
    def fit(cls, tokeniser: Tokeniser, public: Sequence[str]) -> Self:
        """With the smoothed inverse document frequency of public texts."""
        plain = cls(tokeniser=tokeniser)
        often = np.zeros(plain.size)
        for text in public:
            often[list(plain._counts(text))] += 1
        return cls(tokeniser=tokeniser, idf=np.asarray(np.log((1 + len(public)) / (1 + often)) + 1, np.float32))
