"""What an attacker computes from the law of a mechanism that replaces words: chances of whole texts and bags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["exponential_law", "in_order", "mean_law"]

_ENTRIES = 1 << 23
_MOST_PAIRS = 20_000_000


class ReplacesWords(Protocol):
    """What is needed of a mechanism; see :class:`~sfumato.text.VocabularyMechanism`."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]: ...


def exponential_law(vocabulary: Vocabulary, ids: NDArray[np.int64], epsilon: float) -> NDArray[np.float64]:
    """ln of softmax(−ε·d/2) over the vocabulary, for some words: the stand-in for a law that has no closed form."""
    points = vocabulary.all_points
    squares = (points**2).sum(axis=1)
    apart = squares[ids][:, None] + squares[:-1] - 2 * (points[ids] @ points[:-1].T)
    logits: NDArray[np.float64] = -np.sqrt(np.maximum(apart, 0.0)) * (epsilon / 2)
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def mean_law(mechanism: ReplacesWords, texts: Sequence[str], groups: Any = None) -> NDArray[np.float32]:
    """θP for the word frequencies θ of each text, or of each group of texts, in blocks of words.

    A text without a word has the uniform θ, as in SynTF.
    """
    from scipy.sparse import csr_matrix

    size = len(mechanism.vocabulary)
    flat, lengths = mechanism.places(texts)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    weights = np.repeat(1 / np.maximum(lengths, 1), lengths)
    shares = csr_matrix((weights, flat, starts), shape=(len(lengths), size + 1))
    empty = csr_matrix(np.where(lengths == 0, 1.0, 0.0)[:, None])
    if groups is not None:
        shares, empty = csr_matrix(groups @ shares), groups @ empty
    shares = shares.tocsc()
    used = np.flatnonzero(np.diff(shares.indptr))
    result = np.zeros((shares.shape[0], size), np.float32)
    rows = max(1, _ENTRIES // size)
    for start in range(0, len(used), rows):
        block = used[start : start + rows]
        result += shares[:, block] @ np.exp(mechanism.log_word_law(block))
    if empty.nnz:
        total = np.zeros(size)
        for start in range(0, size, rows):
            total += np.exp(mechanism.log_word_law(np.arange(start, min(size, start + rows)))).sum(axis=0)
        result += empty.toarray() * (total / size)
    return result


def in_order(
    mechanism: ReplacesWords,
    released: Sequence[str],
    candidates: tuple[NDArray[np.int64], NDArray[np.int64]],
    fits: NDArray[np.bool_],
) -> NDArray[np.float64] | None:
    """Σ_k ln π(x_k, y_k) of released words y and the words x of each candidate of the same length.

    None if there are too many pairs of words; their order then goes unused.
    """
    flat, lengths = candidates
    after, before = np.nonzero(fits)
    sizes = lengths[before]
    if sizes.sum() > _MOST_PAIRS:
        return None
    words = [mechanism.vocabulary.ids(text.split()) for text in released]
    outputs = np.concatenate([np.empty(0, np.int64), *(words[k] for k in after)])
    starts = np.cumsum(lengths) - lengths
    pair = np.repeat(np.arange(len(sizes)), sizes)
    inputs = flat[np.repeat(starts[before] - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(pair))]
    order = np.argsort(inputs, kind="stable")
    distinct, first = np.unique(inputs[order], return_index=True)
    ends = np.append(first[1:], len(order))
    logs = np.empty(len(pair))
    rows = max(1, _ENTRIES // len(mechanism.vocabulary))
    for start in range(0, len(distinct), rows):
        law = mechanism.log_word_law(distinct[start : start + rows])
        stop = min(start + rows, len(distinct)) - 1
        here = order[first[start] : ends[stop]]
        local = np.searchsorted(distinct[start : start + rows], inputs[here])
        logs[here] = law[local, outputs[here]]
    values = np.zeros(fits.shape)
    values[after, before] = np.bincount(pair, weights=logs, minlength=len(sizes))
    return values
