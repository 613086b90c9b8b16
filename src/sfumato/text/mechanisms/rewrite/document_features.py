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

_MANY = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentFeatures:
    """(1 + ln count)·idf of the words of the vocabulary, and of all words and pairs of neighbours in buckets.

    Each of the two parts has Euclidean length 1. Words outside the vocabulary are only counted: none can be written.

    Parameters
    ----------
    tokeniser : Tokeniser
    idf : array of shape (words + 2¹⁸,), optional
        By default 1.
    """

    tokeniser: Tokeniser
    idf: NDArray[np.float32] | None = None

    @property
    def size(self) -> int:
        """How many words and buckets there are."""
        return len(self.tokeniser) + BUCKETS

    def _counts(self, text: str) -> Counter[int]:
        index, size = self.tokeniser.index, len(self.tokeniser)
        every = self.tokeniser.tokens(text)
        found = Counter(index[token] for token in every if token in index)
        words = [token for token in every if token[0].isalnum()]
        for one in (*words, *(f"{first} {second}" for first, second in pairwise(words))):
            found[size + zlib.crc32(one.encode()) % BUCKETS] += 1
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
        cut = int(np.searchsorted(places, len(self.tokeniser)))
        parts = (weights[:cut], weights[cut:])
        return places, np.concatenate([part / max(np.linalg.norm(part), 1e-9) for part in parts]).astype(np.float32)

    @classmethod
    def fit(cls, tokeniser: Tokeniser, public: Sequence[str]) -> Self:
        """With the smoothed inverse document frequency of public texts; a bucket that only one of many has is 0."""
        plain = cls(tokeniser=tokeniser)
        often = np.zeros(plain.size)
        for text in public:
            often[list(plain._counts(text))] += 1
        idf = np.log((1 + len(public)) / (1 + often)) + 1
        rare = (often < (2 if len(public) >= _MANY else 1)) & (np.arange(plain.size) >= len(tokeniser))
        return cls(tokeniser=tokeniser, idf=np.where(rare, 0.0, idf).astype(np.float32))
