"""Letter bigrams that words have in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spellings", "dice"]


def dice(first: str, second: str) -> float:
    """Dice coefficient of letter bigrams: twice the common ones over all, with multiplicity; 1 for equal words.

    >>> dice("night", "nacht"), dice("a", "a"), dice("a", "an")
    (0.25, 1.0, 0.0)
    """
    if first == second:
        return 1.0
    common = sum((_bigrams(first) & _bigrams(second)).values())
    return 2 * common / (max(0, len(first) - 1) + max(0, len(second) - 1)) if common else 0.0


def _bigrams(word: str) -> Counter[str]:
    return Counter(word[k : k + 2] for k in range(len(word) - 1))


class Spellings(NamedTuple):
    """Bigrams of all words, by word and by bigram.

    The k-th occurrence of a bigram in a word is a token of its own, so that the common tokens of two words are their
    common bigrams with multiplicity. The tokens of word v are ``tokens[starts[v]:starts[v + 1]]``, ascending; the words
    with token t are ``posts[post_starts[t]:post_starts[t + 1]]``.
    """

    starts: NDArray[np.int64]
    tokens: NDArray[np.int32]
    post_starts: NDArray[np.int64]
    posts: NDArray[np.int32]

    @classmethod
    def of(cls, words: Sequence[str]) -> Spellings:
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
