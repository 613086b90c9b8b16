"""Sentences by the words in them: tf-idf and singular vectors, both learned from public texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotFittedError, bad_input
from sfumato.text.mechanisms.retrieve.encoder import SentenceEncoder
from sfumato.validate import integer

__all__ = ["TfidfEncoder"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TfidfEncoder(SentenceEncoder):
    """tf-idf of words and the leading singular vectors of public texts; needs no extra.

    Parameters
    ----------
    dimensions : int
        How many singular vectors.

    Examples
    --------
    >>> encoder = TfidfEncoder(dimensions=2).fit(["a cat and a dog", "the dog barks", "a loan of the bank", "my bank"])
    >>> cat, dog, bank = encoder.encode(["cats and a cat", "one dog", "the bank!"])
    >>> bool(cat @ dog > cat @ bank)
    True
    """

    name = "tfidf"

    dimensions: int = 100
    fitted: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        integer("dimensions", self.dimensions)

    def fit(self, texts: Sequence[str]) -> Self:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectoriser = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        try:
            points = vectoriser.fit_transform(list(texts))
        except ValueError as error:
            raise bad_input("texts", "no words", "public texts to learn from") from error
        size = min(self.dimensions, points.shape[0] - 1, points.shape[1] - 1)
        if size < 1:
            return replace(self, fitted=(vectoriser, np.ones((points.shape[1], 1))))
        space = np.ascontiguousarray(TruncatedSVD(size, random_state=0).fit(points).components_.T)
        return replace(self, fitted=(vectoriser, space))

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        if self.fitted is None:
            raise NotFittedError("the encoder has learned nothing: expected encoder.fit(public texts)")
        vectoriser, space = self.fitted
        # a sparse matrix times a dense one: every row is a sum of its own, in the order of its words
        points: NDArray[np.float64] = vectoriser.transform(sentences) @ space
        return _units(points)


def _units(points: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt((points * points).sum(axis=1, keepdims=True))
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0)
