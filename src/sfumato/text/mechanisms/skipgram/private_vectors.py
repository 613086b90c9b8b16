"""Word vectors with the promise under which they were learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import ApproxDP
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import integer

__all__ = ["PrivateVectors"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateVectors:
    """Vectors of the words of a public vocabulary, and the promise that covers them.

    Parameters
    ----------
    vocabulary : Vocabulary
        The words with their private vectors: ready for any mechanism that takes a vocabulary.
    guarantee : ApproxDP
        Of everything in here together.
    noise_multiplier : float
        The standard deviation of the noise of one step over the clipping bound.
    """

    vocabulary: Vocabulary
    guarantee: ApproxDP
    noise_multiplier: float

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Shape (words, dimension)."""
        return np.asarray(self.vocabulary.vectors)

    def nearest(self, word: str, count: int = 5) -> list[tuple[str, float]]:
        """The words with the most similar vectors and their cosine."""
        words = self.vocabulary
        if word not in words.index:
            raise bad_input("word", word, "a word of the vocabulary")
        unit = self.vectors / np.maximum(np.linalg.norm(self.vectors, axis=1, keepdims=True), 1e-30)
        cosine = unit @ unit[words.index[word]]
        cosine[words.index[word]] = -np.inf
        best = np.argsort(-cosine)[: integer("count", count, most=max(1, len(words) - 1))]
        return [(words.words[place], float(cosine[place])) for place in best]
