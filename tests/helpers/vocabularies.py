"""Made-up vocabularies."""

from __future__ import annotations

import numpy as np

from sfumato.text import Vocabulary


def cloud(size: int, dimension: int, seed: int = 0) -> Vocabulary:
    """Short words with normal vectors."""
    vectors = np.random.default_rng(seed).normal(size=(size, dimension))
    return Vocabulary(words=tuple(f"w{chr(97 + k % 26)}{'x' * (k // 26)}" for k in range(size)), vectors=vectors)


def made_up(size: int, seed: int = 0) -> Vocabulary:
    """Words of two to nine letters with vectors of their own."""
    rng = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choice(list("abcdefgh"), rng.integers(1, 10)))] = None
    return Vocabulary(words=tuple(words), vectors=rng.normal(size=(size, 8)))
