"""WritePrints-style stylometry: 557 numbers that say how a text is written (Abbasi and Chen 2008; Weggenmann A1)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.text.function_words import BIGRAMS, CLASSES, ENDINGS, TRIGRAMS, function_words

__all__ = ["FEATURES", "writeprints"]

_SPECIAL = "~@#$%^&*-_=+><[]{}/\\|"
_PUNCTUATION = ",.?!:;'\""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

FEATURES: tuple[tuple[str, int], ...] = (
    ("words", 3),
    ("characters", 3),
    ("special characters", len(_SPECIAL)),
    ("letters", 26),
    ("digits", 10),
    ("letter bigrams", len(BIGRAMS)),
    ("letter trigrams", len(TRIGRAMS)),
    ("richness", 2),
    ("function words", 403),
    ("word classes", len(CLASSES) + len(ENDINGS)),
    ("punctuation", len(_PUNCTUATION)),
)
"""The groups of features and how many each has."""


def writeprints(texts: Sequence[str]) -> NDArray[np.float64]:
    """One row of 557 features for each text; shares of characters or of words, so that length alone does not tell.

    >>> writeprints(["So it goes.", ""]).shape
    (2, 557)
    """
    return np.array([_features(text) for text in texts]).reshape(len(texts), sum(size for _, size in FEATURES))


def _features(text: str) -> list[float]:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    characters, lower = max(1, len(text)), Counter(text.lower())
    count = max(1, len(words))
    lengths = [len(word) for word in words]
    frequency = Counter(words)
    once = sum(1 for times in frequency.values() if times == 1)
    twice = sum(1 for times in frequency.values() if times == 2)
    grams: Counter[str] = Counter()
    for word, times in frequency.items():
        for size in (2, 3):
            for k in range(len(word) - size + 1):
                grams[word[k : k + size]] += times
    letters = max(1, sum(lengths))
    features = [
        np.log1p(len(words)),
        sum(lengths) / count,
        sum(1 for length in lengths if length <= 3) / count,
        np.log1p(len(text)),
        sum(1 for c in text if c.isupper()) / characters,
        sum(1 for c in text if c.isspace()) / characters,
    ]
    features += [lower[c] / characters for c in _SPECIAL]
    features += [lower[c] / characters for c in string.ascii_lowercase]
    features += [lower[c] / characters for c in string.digits]
    features += [grams[gram] / letters for gram in BIGRAMS]
    features += [grams[gram] / letters for gram in TRIGRAMS]
    features += [once / count, twice / count]
    features += [frequency[word] / count for word in function_words()]
    features += [sum(frequency[word] for word in members) / count for members in CLASSES.values()]
    endings: Counter[str] = Counter()
    for word, times in frequency.items():
        for ending in ENDINGS:
            if len(word) > len(ending) + 2 and word.endswith(ending):
                endings[ending] += times
                break
    features += [endings[ending] / count for ending in ENDINGS]
    features += [lower[c] / characters for c in _PUNCTUATION]
    return features
