"""Features of texts for attackers and analysts."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sfumato.text.core.stylometry import writeprints
from sfumato.text.core.tokens import tokens

__all__ = ["CONTENT_WORDS", "Features", "features_of"]

Features = Literal["writeprints", "writeprints+content", "characters", "words", "counts"]
"""WritePrints, WritePrints with content words, character n-grams, word n-grams, or single words (all tf-idf)."""

CONTENT_WORDS = 500
"""How many of the commonest words count as content, for the attacker with WritePrints features."""


def features_of(kind: Features, learn: list[str], see: list[str]) -> tuple[Any, Any]:
    """Feature matrices of the texts to learn from and of those to judge, fitted on the former alone."""
    if kind == "writeprints":
        return writeprints(learn), writeprints(see)
    if kind == "writeprints+content":
        known, seen = _content(learn, see)
        return np.hstack([writeprints(learn), known]), np.hstack([writeprints(see), seen])
    from sklearn.feature_extraction.text import TfidfVectorizer

    options: dict[str, dict[str, Any]] = {
        "characters": {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True, "max_features": 50_000},
        "words": {"ngram_range": (1, 2), "max_features": 50_000, "token_pattern": r"(?u)\b\w+\b"},
        "counts": {"token_pattern": r"(?u)\b\w+\b"},
    }
    vectoriser = TfidfVectorizer(**options[kind])
    try:
        fitted = vectoriser.fit_transform(learn)
    except ValueError:  # no word in any text: nothing to learn from
        return np.zeros((len(learn), 1)), np.zeros((len(see), 1))
    return fitted, vectoriser.transform(see)


def _content(learn: list[str], see: list[str]) -> tuple[Any, Any]:
    """The share of each of the commonest words of the texts to learn from."""
    from collections import Counter

    own, others = ([Counter(word.lower() for word in tokens(text)) for text in texts] for texts in (learn, see))
    total: Counter[str] = Counter()
    for counts in own:
        total.update(counts)
    common = [word for word, _ in total.most_common(CONTENT_WORDS)]
    shares = (
        np.array([[counts[word] / max(1, counts.total()) for word in common] for counts in part]).reshape(
            -1, len(common)
        )
        for part in (own, others)
    )
    return next(shares), next(shares)
