"""Features of texts for attackers and analysts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.text.core.stylometry import writeprints
from sfumato.text.core.tokens import tokens

__all__ = ["CONTENT_WORDS", "DENSE", "Features", "features_of"]

Features = Literal["characters", "words", "style", "content", "length", "counts"]
"""Character 2- to 4-grams within words, word 1- and 2-grams or single words (all tf-idf), 557 WritePrints-style
features, shares of the 500 commonest words, or how many words and characters a text has."""
DENSE = frozenset({"style", "content", "length"})
"""Kinds of few features that nearly every text has."""
CONTENT_WORDS = 500
"""How many of the commonest words count as content."""
_MOST = 50_000
_GRAMS = (2, 3, 4)


def features_of(kinds: Features | Sequence[Features], learn: Sequence[str], see: Sequence[str]) -> tuple[Any, Any]:
    """Feature matrices of the texts to learn from and of those to judge, fitted on the former alone.

    Several kinds stand side by side. Kinds of few features stay as they are if there are no others; beside sparse ones
    they are brought to [0, 1] and weigh together as much as one of those.
    """
    names: Sequence[Features] = (kinds,) if isinstance(kinds, str) else kinds
    dense = [_dense(kind, learn, see) for kind in names if kind in DENSE]
    sparse = [_sparse(kind, learn, see) for kind in names if kind not in DENSE]
    if not sparse:
        return np.hstack([one for one, _ in dense]), np.hstack([one for _, one in dense])
    if len(sparse) == 1 and not dense:
        return sparse[0]
    from scipy.sparse import csr_matrix, hstack
    from sklearn.preprocessing import MinMaxScaler

    for known, seen in dense:
        scale = MinMaxScaler(clip=True).fit(known)
        weight = 1 / np.sqrt(max(1.0, float((scale.transform(known) ** 2).sum(axis=1).mean())))
        sparse.append((csr_matrix(scale.transform(known) * weight), csr_matrix(scale.transform(seen) * weight)))
    return hstack([one for one, _ in sparse]).tocsr(), hstack([one for _, one in sparse]).tocsr()


def _dense(kind: Features, learn: Sequence[str], see: Sequence[str]) -> tuple[Any, Any]:
    if kind == "style":
        return writeprints(learn), writeprints(see)
    if kind == "length":
        return _lengths(learn), _lengths(see)
    own, others = ([Counter(word.lower() for word in tokens(text)) for text in texts] for texts in (learn, see))
    total: Counter[str] = Counter()
    for counts in own:
        total.update(counts)
    common = [word for word, _ in total.most_common(CONTENT_WORDS)] or [""]  # no word in any text: one that nobody uses
    shares = (
        np.array([[counts[word] / max(1, counts.total()) for word in common] for counts in part]).reshape(
            -1, len(common)
        )
        for part in (own, others)
    )
    return next(shares), next(shares)


def _lengths(texts: Sequence[str]) -> NDArray[np.float64]:
    """The logarithms of the numbers of words, characters and lines."""
    sizes = [(len(text.split()), len(text), text.count("\n")) for text in texts]
    return np.log1p(np.array(sizes, np.float64).reshape(-1, 3))


def _sparse(kind: Features, learn: Sequence[str], see: Sequence[str]) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

    if kind == "characters":
        known, seen = _character_counts(learn, see)
        weights = TfidfTransformer(sublinear_tf=True).fit(known)
        return weights.transform(known), weights.transform(seen)
    options: dict[str, Any] = {"ngram_range": (1, 2), "max_features": _MOST} if kind == "words" else {}
    vectoriser = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", **options)
    try:
        fitted = vectoriser.fit_transform(learn)
    except ValueError:  # no word in any text: nothing to learn from
        return _nothing(learn), _nothing(see)
    return fitted, vectoriser.transform(see)


def _nothing(texts: Sequence[str]) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((len(texts), 1))


def _character_counts(learn: Sequence[str], see: Sequence[str]) -> tuple[Any, Any]:
    """How often each group of 2 to 4 characters stands in the words of the texts, a space before and after each word.

    A group never reaches over the end of a word, so the counts of a text are the sum over its words, and the groups of
    a word are looked for once however often it occurs: many releases of one text cost little more than one. The 50 000
    commonest groups of the texts to learn from are kept.
    """
    words: dict[str, int] = {}
    known = _count([text.lower().split() for text in learn], words)
    grams: dict[str, int] = {}
    pieces = _count([_groups(word) for word in words], grams)
    counts = known @ pieces
    often = np.asarray(counts.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-often, kind="stable")[:_MOST])
    if not len(kept):
        return _nothing(learn), _nothing(see)
    later: dict[str, int] = {}
    seen = _count([text.lower().split() for text in see], later)
    pieces = _count([[gram for gram in _groups(word) if gram in grams] for word in later], grams)
    return counts[:, kept], (seen @ pieces)[:, kept]


def _groups(word: str) -> list[str]:
    padded = f" {word} "
    found = [padded[k : k + n] for n in _GRAMS if n < len(padded) for k in range(len(padded) - n + 1)]
    return [*found, padded] if len(padded) <= _GRAMS[-1] else found


def _count(rows: Sequence[Sequence[str]], index: dict[str, int]) -> Any:
    """A matrix of counts, shape (rows, items); new items are added to the index."""
    from scipy.sparse import csr_matrix

    places = [[index.setdefault(item, len(index)) for item in row] for row in rows]
    starts = np.cumsum([0, *map(len, places)])
    flat = np.array([place for row in places for place in row], np.int64)
    counts = csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(rows), len(index)))
    counts.sum_duplicates()
    return counts
