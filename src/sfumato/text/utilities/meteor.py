"""METEOR: how many words of the original a protected text has, and in how many runs."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.tokens import tokens

__all__ = ["MeteorUtility", "meteor"]


def meteor(original: str, released: str) -> float:
    """METEOR of one text: F = 10PR/(R + 9P), less ½·(runs/matches)³ of it; exact matches, then the same first letters.

    A word matches another of at least five letters that begins with the same five, in place of a stemmer.

    >>> round(meteor("the cat sat on the mat", "the cat sat on the mat"), 3), meteor("a cat", "two dogs")
    (0.998, 0.0)
    """
    first, second = ([word.lower() for word in tokens(text)] for text in (original, released))
    places = _matches(first, second)
    if not places:
        return 0.0
    pairs = sorted(places.items())
    runs = 1 + sum(b != (a[0] + 1, a[1] + 1) for a, b in pairwise(pairs))
    precision, recall = len(pairs) / len(second), len(pairs) / len(first)
    mean = 10 * precision * recall / (recall + 9 * precision)
    return mean * (1 - 0.5 * (runs / len(pairs)) ** 3)


def _matches(first: list[str], second: list[str]) -> dict[int, int]:
    """The place in the original of each matched word of the release; each word is matched once, in order."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for key in (str, lambda word: word[:5] if len(word) >= 5 else word):
        free: defaultdict[str, deque[int]] = defaultdict(deque)
        for place, word in enumerate(first):
            if place not in taken:
                free[key(word)].append(place)
        for place, word in enumerate(second):
            if place not in found and free[key(word)]:
                found[place] = free[key(word)].popleft()
                taken.add(found[place])
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class MeteorUtility:
    """The mean METEOR of protected texts against the originals (Weggenmann U3).

    It rewards the surface that an attacker reads: a high value is no sign of protection.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""

    name: str = "METEOR"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The mean with a 95 % interval; the reference is 1."""
        check_corpora(data, release)
        values = [meteor(*pair) for pair in zip(data.texts, release.texts, strict=True)]
        return Score.of_mean(np.array(values), reference=1.0)
