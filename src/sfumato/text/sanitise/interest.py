"""What a document is about to those who search: an interest label, learned from labelled documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.core.corpus import check_texts

__all__ = ["InterestLabel"]


@dataclass(frozen=True, kw_only=True, eq=False)
class InterestLabel:
    """Tells documents that newspapers write about from others: words, pairs of words and logistic regression.

    The dissertation uses fastText, which is a linear model on the same features.

    Examples
    --------
    >>> label = InterestLabel.fit(["he died", "she died there", "he recovered", "she recovered soon"], [1, 1, 0, 0])
    >>> label(["they died"]).tolist()
    ['1']
    """

    model: Any

    @classmethod
    def fit(cls, documents: Sequence[str], labels: Sequence[Any]) -> Self:
        """Learn from labelled documents."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        texts, names = check_texts(documents, "documents"), [str(label) for label in labels]
        if len(names) != len(texts) or len(set(names)) < 2:
            raise bad_input("labels", f"{len(set(names))} labels", "one for each document, and at least two of them")
        model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(C=20.0))
        return cls(model=model.fit(texts, names))

    def __call__(self, documents: Sequence[str]) -> NDArray[Any]:
        """The label of each document."""
        return np.asarray(self.model.predict(check_texts(documents, "documents")))
