"""WritePrints-style stylometry: 557 features of how a text is written (Abbasi and Chen 2008; Weggenmann A1).

Parts of speech are told without a tagger: closed classes by their words, open ones by their endings.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.text.core.function_words import BIGRAMS, CLASSES, ENDINGS, TRIGRAMS, function_words
from sfumato.text.core.tokens import tokens

__all__ = ["FEATURES", "BagStylometry", "writeprints"]

_SPECIAL = "~@#$%^&*-_=+><[]{}/\\|"
_PUNCTUATION = ",.?!:;'\""
_CHARACTERS = _SPECIAL + string.ascii_lowercase + string.digits + _PUNCTUATION

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
    from scipy.sparse import csr_matrix

    index: dict[str, int] = {}
    rows = [[index.setdefault(word.lower().replace("’", "'"), len(index)) for word in tokens(text)] for text in texts]
    starts = np.cumsum([0, *map(len, rows)])
    places = np.array([place for row in rows for place in row], np.int64)
    counts = csr_matrix((np.ones(len(places)), places, starts), shape=(len(rows), len(index)))
    counts.sum_duplicates()
    characters = np.array([_characters(text) for text in texts], np.float64).reshape(len(rows), 3 + len(_CHARACTERS))
    return _features(counts, BagStylometry(tuple(index)).styles, characters)


def _features(counts: Any, styles: Any, characters: NDArray[np.float64]) -> NDArray[np.float64]:
    """All features from the counts of lower-case words, what each word adds, and the counts of characters."""
    additive = (counts @ styles).toarray()
    number = np.asarray(counts.sum(axis=1)).ravel()
    once, twice = (_rows_with(counts, times) for times in (1, 2))
    words, letters = np.maximum(1, number)[:, None], np.maximum(1, additive[:, :1])
    size, shares = characters[:, 0], characters[:, 1:] / np.maximum(1, characters[:, :1])
    grams = len(BIGRAMS) + len(TRIGRAMS)
    inner, marks = len(_CHARACTERS) - len(_PUNCTUATION), len(_PUNCTUATION)
    parts = [
        np.log1p(number)[:, None],
        additive[:, :2] / words,
        np.log1p(size)[:, None],
        shares[:, : 2 + inner],
        additive[:, 2 : 2 + grams] / letters,
        np.column_stack([once, twice]) / words,
        additive[:, 2 + grams :] / words,
        shares[:, -marks:],
    ]
    return np.hstack(parts)


def _rows_with(counts: Any, times: int) -> NDArray[np.float64]:
    """How many words occur ``times`` times, for each row."""
    found = np.concatenate([[0], np.cumsum(counts.data == times)])
    return np.diff(found[counts.indptr]).astype(np.float64)


def _characters(text: str) -> list[int]:
    """How many characters, upper-case ones and spaces, then how many of each that has a feature."""
    found = Counter(text)
    upper = space = 0
    lower: Counter[str] = Counter()
    for character, times in found.items():
        upper += times * character.isupper()
        space += times * character.isspace()
        lower[character.lower()] += times
    return [len(text), upper, space, *(lower[character] for character in _CHARACTERS)]


@dataclass(frozen=True, eq=False)
class BagStylometry:
    """The same features for bags of words, from counts: many bags over one vocabulary at once.

    >>> BagStylometry(("tea", "cup")).writeprints([[2, 1]]).tolist() == writeprints(["tea tea cup"]).tolist()
    True
    """

    words: tuple[str, ...]

    def writeprints(self, counts: Any) -> NDArray[np.float64]:
        """The features of each bag, its words written one after the other; ``counts`` has shape (bags, words)."""
        from scipy.sparse import csr_matrix

        counts = csr_matrix(counts, dtype=np.float64)
        characters = counts @ self.characters
        spaces = np.maximum(np.asarray(counts.sum(axis=1)).ravel() - 1, 0)
        characters[:, 0] += spaces
        characters[:, 2] += spaces
        return _features(counts, self.styles, characters)

    @cached_property
    def characters(self) -> NDArray[np.float64]:
        """The characters of each word."""
        return np.array([_characters(word) for word in self.words], np.float64)

    @cached_property
    def styles(self) -> Any:
        """What each word adds (sparse): length, short or not, letter groups, function word, classes and ending."""
        from scipy.sparse import csr_matrix

        first, classes = 2 + len(BIGRAMS) + len(TRIGRAMS), 2 + len(BIGRAMS) + len(TRIGRAMS) + 403
        grams = {gram: 2 + place for place, gram in enumerate([*BIGRAMS, *TRIGRAMS])}
        functions = {word: first + place for place, word in enumerate(function_words())}
        columns: list[int] = []
        values: list[int] = []
        starts = [0]
        for word in map(str.lower, self.words):
            found = Counter(grams.get(word[k : k + n], -1) for n in (2, 3) for k in range(len(word) - n + 1))
            found[0], found[1] = len(word), int(len(word) <= 3)
            if word in functions:
                found[functions[word]] = 1
            for place, members in enumerate(CLASSES.values(), classes):
                if word in members:
                    found[place] = 1
            for place, ending in enumerate(ENDINGS, classes + len(CLASSES)):
                if len(word) > len(ending) + 2 and word.endswith(ending):
                    found[place] = 1
                    break
            del found[-1]
            columns += found
            values += found.values()
            starts.append(len(columns))
        shape = (len(self.words), classes + len(CLASSES) + len(ENDINGS))
        return csr_matrix((np.array(values, np.float64), np.array(columns, np.int64), starts), shape=shape)
