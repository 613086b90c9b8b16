"""Plausible deniability of words: how often a word comes back, and how many others could have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, resolve_rng
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.validate import integer

__all__ = ["Deniability", "deniability"]


@dataclass(frozen=True)
class Deniability:
    """How deniable each word is (Feyisetan and others 2020).

    Parameters
    ----------
    kept : array
        N_w: the share of releases in which the word came back unchanged.
    distinct : array
        S_w: how many different words came out.
    """

    kept: NDArray[np.float64]
    distinct: NDArray[np.int64]


def deniability(
    mechanism: WordMechanism, words: Sequence[str], *, repeats: int = 100, rng: Rng | None = None
) -> Deniability:
    """How deniable some words are: N_w and S_w over ``repeats`` releases each.

    >>> from sfumato.text import Vocabulary, WordLaplace
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> shares = deniability(WordLaplace(epsilon=200.0, vocabulary=words), ["cat", "gnu"], rng=np.random.default_rng(0))
    >>> shares.kept, shares.distinct
    (array([1., 0.]), array([1, 1]))
    """
    repeats, rng = integer("repeats", repeats), resolve_rng(rng)
    ids = mechanism.vocabulary.ids(words)
    drawn = mechanism.replace_ids(np.repeat(ids, repeats), rng).reshape(len(ids), repeats)
    distinct = np.array([len(np.unique(row)) for row in drawn], np.int64)
    return Deniability((drawn == ids[:, None]).mean(axis=1), distinct)
